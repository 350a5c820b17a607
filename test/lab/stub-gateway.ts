import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { iso9660 } from '../../core/iso9660.ts';
import { gzipSync } from 'node:zlib';

/** A conductor, a media publisher and an image server in one, as small as the tests of the lab allow. */
export interface StubGateway {
  readonly url: string;
  readonly heartbeats: Record<string, unknown>[];
  readonly lookups: string[];
  readonly firstBoots: Record<string, unknown>[];
  readonly requests: { method: string; url: string; range: string | undefined }[];
  /** What lookup answers as `agent_token`; a function is asked each time. */
  token: () => string;
  /** So many questions for the version get no answer. */
  deaf: number;
  /** Status of heartbeats and first boots that are to be refused first. */
  refuse: number;
  media: Uint8Array;
  images: Map<string, Uint8Array>;
  node: Record<string, unknown>;
  close(): Promise<void>;
}

export const TOKEN = 'a'.repeat(40);
export const NODE_UUID = '6f1c0c1e-0000-4000-8000-000000000001';

export async function stubGateway(): Promise<StubGateway> {
  const server = http.createServer((request, response) => void serve(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const stub: StubGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heartbeats: [],
    lookups: [],
    firstBoots: [],
    requests: [],
    token: () => TOKEN,
    deaf: 0,
    refuse: 0,
    media: new Uint8Array(),
    images: new Map(),
    node: { uuid: NODE_UUID, instance_info: {}, properties: {}, driver_internal_info: {} },
    close: () => new Promise((done) => (server.close(() => done()), server.closeAllConnections())),
  };

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    stub.requests.push({ method, url, range: request.headers.range });
    const body = await text(request);
    const json = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(value));
    };
    if (url === '/agent/t/' && stub.deaf-- > 0) return void request.socket.destroy();
    if (url === '/agent/t/') return json(200, { default_version: { version: '1.68' } });
    if (url.startsWith('/agent/t/v1/lookup')) {
      stub.lookups.push(url);
      if (stub.refuse-- > 0) return json(404, {});
      return json(200, { node: stub.node, config: { heartbeat_timeout: 2, agent_token: stub.token() } });
    }
    if (url.startsWith('/agent/t/v1/heartbeat/')) {
      stub.heartbeats.push(JSON.parse(body) as Record<string, unknown>);
      return json(202, null);
    }
    if (url === '/firstboot/t') {
      if (stub.refuse-- > 0) return json(503, {});
      stub.firstBoots.push(JSON.parse(body) as Record<string, unknown>);
      return json(200, {});
    }
    const bytes = url.startsWith('/media/') ? stub.media : stub.images.get(url.split('/').at(-1) ?? '');
    if (bytes === undefined || bytes.length === 0) return json(404, {});
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const part = range ? bytes.subarray(Number(range[1]), Number(range[2]) + 1) : bytes;
    response.writeHead(range ? 206 : 200, { 'content-length': part.length, connection: 'close' });
    response.end(method === 'HEAD' ? undefined : part);
  }
  return stub;
}

async function text(request: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** The base ISO with its reserved area filled in, as a publisher does. */
export function patchedIso(base: Uint8Array, lines: readonly string[]): Uint8Array {
  const bytes = Buffer.from(base);
  const at = bytes.indexOf('#RACKWRIGHT-PARAMETERS#');
  bytes.write(`${lines.join('\n')}\n`.padEnd(4096, '\n'), at);
  return bytes;
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A config drive as an agent is given it. */
export function configDrive(metadata: Record<string, unknown>): string {
  const bytes = Buffer.from(JSON.stringify(metadata));
  const iso = iso9660({ label: 'config-2', files: [{ path: 'openstack/latest/meta_data.json', bytes }] });
  return gzipSync(iso).toString('base64');
}

export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  ms = 60_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited too long for ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
