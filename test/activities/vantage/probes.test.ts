import { execFile } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps, type Server as HttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeFromHere } from '../../../activities/vantage/here.ts';
import { freePorts } from '../../../client/up/ports.ts';
import { curlCommand, readCurl } from '../../../core/reachability/curl.ts';
import { endpointOf, type Probe, type ProbeCommand, type Probing } from '../../../core/reachability/probe.ts';
import { pythonCommand, readPython } from '../../../core/reachability/python.ts';
import { issue, newAuthority } from '../../../lab/certificates.ts';

// What places are asked with, run for real: the worker's own, python3's and curl's connections come to the same.

const servers: Server[] = [];
let ca: string;
let port: Record<'http' | 'https' | 'tcp' | 'closed' | 'silent', number>;

const listen = async (server: Server): Promise<number> => {
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
};
beforeAll(async () => {
  const authority = await newAuthority('Test CA');
  ca = authority.cert;
  const { cert, key } = await issue(authority, 'probes', '127.0.0.1');
  const [closed] = await freePorts(1);
  port = {
    http: await listen(
      createHttp((request, response) => response.writeHead(request.url === '/moved' ? 302 : 401).end()),
    ),
    https: await listen(createHttps({ cert, key }, (_request, response) => response.end()) as HttpsServer),
    tcp: await listen(createServer((socket) => socket.end())),
    // It takes the connection, and never says a word.
    silent: await listen(createServer((socket) => socket.on('error', () => undefined))),
    closed: closed!,
  };
});
afterAll(() => {
  for (const server of servers) server.close();
});

interface Ran {
  stdout: string;
  exitCode: number;
}
const run = ({ words: [program, ...args], input }: ProbeCommand, env = process.env, ms = 0): Promise<Ran> =>
  new Promise((resolve) => {
    const { stdin } = execFile(program!, args, { env, timeout: ms }, (error, stdout) =>
      resolve({ stdout, exitCode: error === null ? 0 : Number(error.code) }),
    );
    // As on a host: it stays open behind what is to be read.
    stdin!.on('error', () => undefined).write(input);
  });
const SECONDS = 2;

const WAYS: readonly [name: string, ask: (probes: Probe[], ca?: string) => Promise<Probing | undefined>][] = [
  [
    'the worker',
    async (probes, own) => ({
      probed: await probeFromHere(probes, SECONDS, own, new AbortController().signal),
    }),
  ],
  ['python3', async (probes, own) => readPython(await run(pythonCommand(probes, SECONDS, own)), probes)],
  [
    'curl',
    async (probes, own) => {
      const urls = probes.filter((each) => 'url' in each);
      return readCurl(await run(curlCommand(urls, SECONDS, own)), urls);
    },
  ],
];

describe.each(WAYS)('asked by %s', (name, ask) => {
  const outcomes = async (probes: Probe[], own?: string): Promise<unknown[]> => {
    const probing = await ask(probes, own);
    if (probing === undefined || 'unusable' in probing) throw new Error(JSON.stringify(probing));
    return probing.probed.map(({ outcome, status }) => (status === undefined ? outcome : [outcome, status]));
  };
  const url = (where: keyof typeof port, path = '/', scheme = 'http'): Probe => ({
    url: `${scheme}://127.0.0.1:${port[where]}${path}`,
  });

  it('an answer is an answer, and where it sends to is not followed', async () => {
    expect(await outcomes([url('http'), url('http', '/moved')])).toEqual([
      ['answered', 401],
      ['answered', 302],
    ]);
  });

  it('a port that nothing listens on refuses, and silence is told from it', async () => {
    expect(await outcomes([url('closed'), url('silent')])).toEqual(['refused', 'silent']);
  });

  it('a certificate is trusted by the CA that is given, or by nobody; unless it is not looked at', async () => {
    const probes = [url('https', '/', 'https'), { ...url('https', '/', 'https'), insecure: true } as Probe];
    expect(await outcomes(probes)).toEqual(['untrusted', ['answered', 200]]);
    const both = [
      ['answered', 200],
      ['answered', 200],
    ];
    expect(await outcomes(probes, ca)).toEqual(both);
    // The bundle of a whole system: more than one word of a command may have.
    const bundle = [...rootCertificates, ...rootCertificates, ca].join('\n');
    expect(bundle.length).toBeGreaterThan(256 * 1024);
    expect(await outcomes(probes, bundle)).toEqual(both);
  });

  it('a port that speaks something else is told from TLS that fails', async () => {
    expect(await outcomes([url('http', '/', 'https'), url('tcp', '/', 'https')])).toEqual([
      'no TLS',
      expect.not.stringMatching(/^no TLS$/),
    ]);
  });

  it('a name without an address is told as that', async () => {
    // Whether somebody says that there is none depends on where this runs; curl never tells.
    const [told] = await outcomes([{ url: 'http://nobody.invalid/' }]);
    expect(name === 'curl' ? ['EAI_AGAIN'] : ['ENOTFOUND', 'EAI_AGAIN']).toContain(told);
  });

  it.skipIf(name === 'curl')('ports are opened, and nothing is sent', async () => {
    const at = (where: keyof typeof port): Probe => ({ host: '127.0.0.1', port: port[where] });
    expect(await outcomes([at('tcp'), at('closed')])).toEqual(['open', 'refused']);
  });
});

it('curl that is killed leaves no file behind', async () => {
  const TMPDIR = await mkdtemp(join(tmpdir(), 'rackwright-probes-'));
  const silent = { url: `https://127.0.0.1:${port.silent}/` };
  await run(curlCommand([silent], 30, ca), { ...process.env, TMPDIR }, 1000);
  expect(await readdir(TMPDIR)).toEqual([]);
});

describe('what a place cannot say', () => {
  const probes: Probe[] = [{ host: '10.0.0.1', port: 22 }];
  it('is nothing, where it has no python3: it is asked otherwise', () => {
    expect(readPython({ stdout: '', exitCode: 127 }, probes)).toBeUndefined();
  });
  it.each([
    ['ended in the middle', 'probed {"outcome":"open"}\n', 0],
    ['said too little', 'end\n', 0],
    ['said something else', 'probed open\nend\n', 0],
    ['failed', 'Traceback', 1],
  ])('it %s', (_what, stdout, exitCode) => {
    expect(readPython({ stdout, exitCode }, probes)).toEqual({
      unusable: expect.stringContaining(`ended with ${exitCode}`) as string,
    });
  });
  it('has neither python3 nor curl', () => {
    expect(readCurl({ stdout: 'lacks curl\n' }, [])).toEqual({ unusable: 'it has neither python3 nor curl' });
    expect(readCurl({ stdout: '' }, [{ url: 'http://x/' }])).toEqual({
      unusable: 'it does not say how 1 of 1 went',
    });
  });
  it.each([
    [{ url: 'https://h/x' }, { address: 'h', port: 443 }],
    [{ url: 'http://[fd00::1]:81/' }, { address: 'fd00::1', port: 81 }],
    [
      { host: 'h', port: 22 },
      { address: 'h', port: 22 },
    ],
  ])('where %j goes', (probe, endpoint) => {
    expect(endpointOf(probe)).toEqual(endpoint);
  });
});
