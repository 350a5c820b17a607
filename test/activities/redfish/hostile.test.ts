import { describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import type { Handler } from './scripted-bmc.ts';
import { SYSTEM } from './scripted-bmc.ts';
import { collectionMembers, findSystem } from '../../../activities/redfish/service.ts';
import { failureOf, opened } from './fixtures.ts';

const json =
  (text: string | Buffer): Handler =>
  (_call, res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(text);
  };

/** Sends until the client hangs up. */
const endless =
  (piece: Buffer, pauseMs: number): Handler =>
  (_call, res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': String(2 ** 30) });
    const more = (): void => {
      if (res.destroyed) return;
      res.write(piece);
      setTimeout(more, pauseMs);
    };
    more();
  };

const PACKED = gzipSync(Buffer.alloc(64 * 1024 * 1024, 32));

const HOSTILE: [string, Handler, string][] = [
  ['never answers', () => undefined, 'BMC_CONNECTION_LOST'],
  ['drips one byte after the other', endless(Buffer.from(' '), 10), 'BMC_CONNECTION_LOST'],
  ['sends a gigabyte', endless(Buffer.alloc(1024 * 1024, 32), 0), 'BMC_ANSWER_INVALID'],
  [
    'closes in the middle of the body',
    (_call, res) => {
      res.writeHead(200, { 'content-length': '100' });
      res.write('{"Id":');
      setTimeout(() => res.destroy(), 20);
    },
    'BMC_CONNECTION_LOST',
  ],
  [
    'sends HTML',
    (_call, res) => {
      res.writeHead(200, { 'content-type': 'text/html' });
      res.end('<html><body>Login</body></html>');
    },
    'BMC_ANSWER_INVALID',
  ],
  ['sends a list', json('[1]'), 'BMC_ANSWER_INVALID'],
  ['does not speak HTTP', (_call, res) => void res.socket?.end('nonsense\r\n\r\n'), 'BMC_ANSWER_INVALID'],
  ['sends nothing', json(''), 'BMC_ANSWER_INVALID'],
  ['nests a hundred thousand levels', json('['.repeat(100_000) + ']'.repeat(100_000)), 'BMC_ANSWER_INVALID'],
  [
    'packs 64 MiB into little',
    (_call, res) => {
      res.writeHead(200, { 'content-encoding': 'gzip' });
      res.end(PACKED);
    },
    'BMC_ANSWER_INVALID',
  ],
];

describe('a BMC that', () => {
  it.each(HOSTILE)(
    '%s is answered for in bounded time',
    async (_name, handler, code) => {
      const { server, bmc } = await opened({ timeouts: { requestMs: 600, headersMs: 400, bodyMs: 400 } });
      server.on('GET', SYSTEM, handler);
      expect((await failureOf(bmc.get(SYSTEM))).code).toBe(code);
    },
    10_000,
  );

  it('sends invalid UTF-8 is still read', async () => {
    const { server, bmc } = await opened();
    server.on(
      'GET',
      SYSTEM,
      json(Buffer.concat([Buffer.from('{"Model":"R'), Buffer.from([0xff]), Buffer.from('1"}')])),
    );
    expect((await bmc.get(SYSTEM)).body).toEqual({ Model: 'R\ufffd1' });
  });

  it('says why in HTML is quoted as text', async () => {
    const { server, bmc } = await opened();
    server.on('GET', SYSTEM, (_call, res) => {
      res.writeHead(400, { 'content-type': 'text/html' });
      res.end('<h1>Bad <b>request</b></h1>');
    });
    expect((await failureOf(bmc.get(SYSTEM))).message).toContain('Bad request');
  });

  it('links a collection to itself is read once', async () => {
    const { server, bmc } = await opened();
    server.put('/redfish/v1/Loop', {
      Members: [{ '@odata.id': SYSTEM }],
      'Members@odata.nextLink': '/redfish/v1/Loop',
    });
    expect(await collectionMembers(bmc, '/redfish/v1/Loop')).toHaveLength(1);
    expect(server.asked('GET', '/redfish/v1/Loop')).toHaveLength(1);
  });

  it('has endless pages is read to a bound', async () => {
    const { server, bmc } = await opened();
    server.on('GET', '*', (call) => {
      const n = Number(call.path.split('=')[1] ?? 0);
      return {
        status: 200,
        body: { Members: [], 'Members@odata.nextLink': `/redfish/v1/Many?skip=${n + 1}` },
      };
    });
    expect(await collectionMembers(bmc, '/redfish/v1/Many')).toEqual([]);
    expect(server.asked('GET', /Many/).length).toBeLessThanOrEqual(32);
  });

  it('has one bad member among good ones does not sink them', async () => {
    const { server, bmc } = await opened();
    server.collect('/redfish/v1/Mixed', [
      '/redfish/v1/Bad',
      SYSTEM,
      '/redfish/v1/Gone',
      'http://127.0.0.1:9/x',
    ]);
    server.on('GET', '/redfish/v1/Bad', (_call, res) => void res.end('<html>'));
    expect((await collectionMembers(bmc, '/redfish/v1/Mixed')).map((m) => m.uri)).toEqual([SYSTEM]);
  });
});

describe('finding the system', () => {
  it('takes the only one, and lists several', async () => {
    const { server, bmc } = await opened();
    expect(await findSystem(bmc)).toMatchObject({ uri: SYSTEM, identity: { vendor: 'Contoso' } });
    server.collect('/redfish/v1/Systems', [SYSTEM, '/redfish/v1/Systems/HGX_0']);
    const failure = await failureOf(findSystem(bmc));
    expect(failure).toMatchObject({ code: 'BMC_AMBIGUOUS_SYSTEM', faultDomain: 'contract' });
    expect(failure.message).toContain('/redfish/v1/Systems/HGX_0');
  });

  it.each([
    ['/redfish/v1/Managers/1', 'BMC_NO_SYSTEM'],
    ['/redfish/v1/Systems/2', 'BMC_NO_SYSTEM'],
    ['nobody', 'BMC_NO_SYSTEM'],
  ])('says that %s is none', async (given, code) => {
    const { bmc } = await opened();
    expect((await failureOf(findSystem(bmc, given))).code).toBe(code);
  });

  it('does without the root naming its systems', async () => {
    const { server, bmc } = await opened();
    server.put('/redfish/v1/', {
      RedfishVersion: '1.0.0',
      SessionService: { '@odata.id': '/redfish/v1/SessionService' },
    });
    expect((await findSystem(bmc)).uri).toBe(SYSTEM);
  });

  it('keeps "not now" apart from "not there"', async () => {
    const { server, bmc } = await opened();
    server.on('GET', '/redfish/v1/Systems', () => ({ status: 503, headers: { 'Retry-After': '60' } }));
    expect(await failureOf(findSystem(bmc))).toMatchObject({ code: 'BMC_BUSY', retryable: true });
  });
});
