import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mediaBase } from '../../../activities/agent/media-base.ts';
import { MEDIA_MARKER } from '../../../core/agent/parameters.ts';
import { iso9660, isoFileBytes } from '../../../core/iso9660.ts';
import { baseIso, codeOf, refOf, startGateway, WINDOW, type Gateway } from './fixture.ts';

let gateway: Gateway;
let url: string;
beforeAll(async () => {
  gateway = await startGateway();
  url = `${gateway.url}/media/${gateway.token('gpu-01', 'media')}/gpu-01.iso`;
});
afterAll(() => gateway.close());
beforeEach(() => gateway.operations.start('gpu-01'));

const bytes = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());
const range = (value: string, more: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { headers: { range: value, ...more } });

describe('the deploy media of a boot', () => {
  it('is the base ISO with the parameters of this boot in the reserved area', async () => {
    const answer = await fetch(url);
    const base = Buffer.from(baseIso());
    const got = await bytes(answer);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe(String(base.length));
    expect(got.length).toBe(base.length);
    const parameters = Buffer.from(isoFileBytes(got, 'parameters.txt')!).toString();
    expect(parameters.length).toBe(4096);
    expect(parameters.split('\n')[0]).toBe(
      `ipa-api-url=http://gateway.example:8080/agent/${gateway.token('gpu-01', 'agent')}`,
    );
    expect(parameters.split('\n')).toContain('ipa-ironic-api-version=1.95');
    expect(parameters).not.toContain('#');
    const at = base.indexOf(MEDIA_MARKER);
    expect(got.subarray(0, at)).toEqual(base.subarray(0, at));
    expect(got.subarray(at + 4096)).toEqual(base.subarray(at + 4096));
  });

  it('can be read in any pieces, with the same bytes', async () => {
    const whole = await bytes(await fetch(url));
    const at = whole.indexOf('ipa-api-url=');
    const pieces: Buffer[] = [];
    for (const [start, end] of [
      [0, at - 1],
      [at, at + 9],
      [at + 10, at + 5000],
      [at + 5001, whole.length + 100],
    ] as const) {
      const answer = await range(`bytes=${start}-${end}`);
      expect(answer.status).toBe(206);
      expect(answer.headers.get('content-range')).toBe(
        `bytes ${start}-${Math.min(end, whole.length - 1)}/${whole.length}`,
      );
      pieces.push(await bytes(answer));
    }
    expect(createHash('sha256').update(Buffer.concat(pieces)).digest('hex')).toBe(
      createHash('sha256').update(whole).digest('hex'),
    );
    expect(await bytes(await range('bytes=-100'))).toEqual(whole.subarray(-100));
    expect(await bytes(await range(`bytes=${whole.length - 7}-`))).toEqual(whole.subarray(-7));
  });

  it('answers HEAD with the same headers and no body', async () => {
    const [head, get] = [await fetch(url, { method: 'HEAD' }), await fetch(url)];
    for (const name of ['content-length', 'etag', 'accept-ranges', 'content-type']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
      expect(head.headers.get(name)).not.toBeNull();
    }
    await bytes(get);
    expect((await bytes(head)).length).toBe(0);
    const part = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=0-9' } });
    expect([part.status, part.headers.get('content-length')]).toEqual([206, '10']);
  });

  it('refuses a range behind its end, and sends all for what is no single range', async () => {
    const behind = await range('bytes=99999999-');
    expect([behind.status, await codeOf(behind)]).toEqual([416, 'RANGE_UNSATISFIABLE']);
    expect(behind.headers.get('content-range')).toMatch(/^bytes \*\/\d+$/);
    for (const header of ['bytes=0-1,5-6', 'bytes=9-1', 'lines=1-2', 'bytes=-']) {
      const answer = await range(header);
      expect(answer.status).toBe(200);
      await bytes(answer);
    }
  });

  it('sends a part only of the version that the caller has', async () => {
    const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag')!;
    const same = await range('bytes=0-9', { 'if-range': etag });
    const other = await range('bytes=0-9', { 'if-range': '"another"' });
    expect([same.status, other.status]).toEqual([206, 200]);
    await bytes(same);
    await bytes(other);
    for (const known of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
      expect((await fetch(url, { headers: { 'if-none-match': known } })).status).toBe(304);
    }
    // A weak tag does not promise the same bytes.
    const weak = await range('bytes=0-9', { 'if-range': `W/${etag}` });
    expect(weak.status).toBe(200);
    await bytes(weak);
  });

  it('has another ETag in another boot', async () => {
    const window = { epoch: 2, expires: 4_000_000_000 };
    gateway.operations.change('gpu-01', { window });
    const next = `${gateway.url}/media/${gateway.token('gpu-01', 'media', window)}/gpu-01.iso`;
    const etag = (await fetch(next, { method: 'HEAD' })).headers.get('etag');
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(410);
    gateway.operations.start('gpu-01');
    expect((await fetch(url, { method: 'HEAD' })).headers.get('etag')).not.toBe(etag);
  });

  it('is closed once the agent has looked itself up', async () => {
    gateway.operations.change('gpu-01', { mediaOpen: false });
    const answer = await fetch(url);
    expect([answer.status, await codeOf(answer)]).toEqual([410, 'MEDIA_CLOSED']);
  });

  it('is there under its own name only', async () => {
    expect((await fetch(url.replace('gpu-01.iso', 'gpu-02.iso'))).status).toBe(404);
  });
});

it('closes a lookup through this gateway at once, though answers are kept for ranges', async () => {
  const kept = await startGateway({ deps: { accessMs: 60_000 } });
  try {
    const media = `${kept.url}/media/${kept.token('gpu-01', 'media')}/gpu-01.iso`;
    for (let i = 0; i < 5; i += 1) expect((await fetch(media, { method: 'HEAD' })).status).toBe(200);
    expect(kept.operations.queries).toBe(1);
    await fetch(`${kept.url}/agent/${kept.token('gpu-01', 'agent')}/v1/lookup?addresses=52:54:00:00:00:01`);
    expect((await fetch(media, { method: 'HEAD' })).status).toBe(410);
  } finally {
    await kept.close();
  }
});

it('is given though the operation could not be asked at first: a BMC asks once', async () => {
  gateway.operations.misses = 2;
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
  gateway.operations.misses = 3;
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(503);
});

describe('an agent is told to listen for LLDP', () => {
  const parametersOf = async (kind: string, port: object): Promise<string[]> => {
    const own = await startGateway({
      inventory: (plain) => {
        const [node] = plain['nodes'] as { ports: object[] }[];
        node!.ports = [{ ...node!.ports[0], ...port }];
      },
    });
    try {
      const ref = { ...refOf('gpu-01'), kind: kind as 'deploy' };
      own.operations.begin(ref, WINDOW, {});
      const answer = await fetch(`${own.url}/media/${own.tokens.mint(ref, 'media', WINDOW)}/gpu-01.iso`);
      const area = Buffer.from(isoFileBytes(await bytes(answer), 'parameters.txt')!).toString();
      return area.split('\n').filter((line) => line.includes('lldp'));
    } finally {
      await own.close();
    }
  };
  const asked = ['ipa-collect-lldp=1', 'ipa-lldp-timeout=20'];

  it.each([
    ['deploy', { switch: 'leaf-1' }, asked],
    ['reimage', { switchPort: 7 }, asked],
    ['deploy', { network: 'provisioning' }, []],
    ['clean', { switch: 'leaf-1' }, []],
  ])('%s of a node with a port of %j: %j', async (kind, port, expected) => {
    expect(await parametersOf(kind, port)).toEqual(expected);
  });
});

/** Asks from a given loopback address. */
const statusFrom = (localAddress: string, target: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(target, { localAddress, method: 'HEAD', agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode!);
    });
    sent.on('error', reject);
    sent.end();
  });

it.each([
  ['http://127.0.0.1:8000', {}, 200],
  ['http://bmc.example:8000', {}, 200],
  ['http://10.5.0.9', {}, 403],
  ['http://10.5.0.9', { oob: { cidr: '10.5.0.0/16', kind: 'management', nat: true } }, 200],
])('is given to the BMC only where its address is known: %s %o -> %i', async (address, networks, status) => {
  const other = await startGateway({
    inventory: (plain) => {
      plain['networks'] = networks;
      for (const node of plain['nodes'] as { bmc: object }[]) node.bmc = { address };
    },
  });
  try {
    const media = `${other.url}/media/${other.token('gpu-01', 'media')}/gpu-01.iso`;
    expect(await statusFrom('127.0.0.5', media)).toBe(status);
  } finally {
    await other.close();
  }
});

describe('a base ISO', () => {
  const area = (text: string, size = 4096): Buffer => Buffer.alloc(size, '\n').fill(text, 0, text.length);
  const file = (path: string, content: Buffer) => ({ path, bytes: content });
  const good = file('parameters.txt', area(`${MEDIA_MARKER}\n`));

  it.each([
    ['no marker', iso9660({ label: 'ir-vfd-dev', files: [file('parameters.txt', area('x'))] })],
    [
      'two markers',
      iso9660({ label: 'ir-vfd-dev', files: [good, file('copy.txt', Buffer.from(MEDIA_MARKER))] }),
    ],
    [
      'an area of another size',
      iso9660({ label: 'ir-vfd-dev', files: [file('parameters.txt', area(MEDIA_MARKER, 2048))] }),
    ],
    [
      'the marker in another file',
      iso9660({ label: 'ir-vfd-dev', files: [file('other.txt', area(MEDIA_MARKER))] }),
    ],
    ['another label', iso9660({ label: 'data', files: [good] })],
    ['no file system', Buffer.concat([Buffer.alloc(40_000), Buffer.from(MEDIA_MARKER)])],
  ])('with %s is refused', async (_what, iso) => {
    const path = join(mkdtempSync(join(tmpdir(), 'rackwright-iso-')), 'base.iso');
    writeFileSync(path, iso);
    await expect(mediaBase(path)).rejects.toMatchObject({ failure: { code: 'MEDIA_BASE_INVALID' } });
    await expect(mediaBase(`${path}.none`)).rejects.toMatchObject({
      failure: { code: 'MEDIA_BASE_INVALID' },
    });
  });

  it('may have whole copies of its area elsewhere, as in an EFI partition, and all get the parameters', async () => {
    const esp = Buffer.alloc(20_000, 'E');
    area(`${MEDIA_MARKER}\n`).copy(esp, 512 * 9);
    const iso = iso9660({ label: 'ir-vfd-dev', files: [file('boot/efi.img', esp), good] });
    const own = await startGateway({ iso });
    try {
      const answer = await fetch(`${own.url}/media/${own.token('gpu-01', 'media')}/gpu-01.iso`);
      const got = await bytes(answer);
      const parameters = Buffer.from(isoFileBytes(got, 'parameters.txt')!);
      const patchedEsp = Buffer.from(isoFileBytes(got, 'boot/efi.img')!);
      expect(parameters.toString()).toContain('ipa-api-url=');
      expect(patchedEsp.subarray(512 * 9, 512 * 9 + 4096)).toEqual(parameters);
      expect(patchedEsp.subarray(0, 512 * 9)).toEqual(esp.subarray(0, 512 * 9));
      expect(patchedEsp.subarray(512 * 9 + 4096)).toEqual(esp.subarray(512 * 9 + 4096));
      expect(got.indexOf(MEDIA_MARKER)).toBe(-1);
    } finally {
      await own.close();
    }
  });

  it('is found to be another once the file has changed', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'rackwright-iso-')), 'base.iso');
    writeFileSync(path, iso9660({ label: 'ir-vfd-dev', files: [good] }));
    const first = await mediaBase(path);
    expect(await mediaBase(path)).toBe(first);
    writeFileSync(path, baseIso());
    expect((await mediaBase(path)).sha256).not.toBe(first.sha256);
  });
});
