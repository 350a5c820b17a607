import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from '../../../activities/openstack/client.ts';
import { RackwrightError } from '../../../core/errors/failure.ts';
import { issue, newAuthority, type Identity } from '../../../lab/certificates.ts';
import { codeOf } from '../support.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Server;
let authority: Identity;
let url: string;
let keystone: Answer;
let answer: Answer;
let asked: string[];
let tokens: number;
let signIns: unknown[];

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

beforeAll(async () => {
  authority = await newAuthority('CA');
  server = createServer(await issue(authority, 'cloud', '127.0.0.1'), (request, response) => {
    void readAll(request).then((body) => {
      asked.push(`${request.headers['x-auth-token'] ?? '-'} ${request.method} ${request.url}`);
      (request.url!.startsWith('/v3/auth/tokens') ? keystone : answer)(request, response, body);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  signIns = [];
  tokens = 0;
  keystone = (request, response, body) => {
    signIns.push(JSON.parse(body));
    const endpoints = (type: string, at: string) => ({
      type,
      name: type,
      endpoints: [{ interface: 'public', region: 'R1', region_id: 'R1', url: at }],
    });
    json(
      201,
      {
        token: {
          expires_at: '2026-03-01T13:00:00Z',
          catalog: [endpoints('compute', `${url}/compute/v2.1`), endpoints('baremetal', `${url}/metal`)],
        },
      },
      { 'x-subject-token': `token-number-${++tokens}` },
    )(request, response, body);
  };
});

function cloud(
  over: {
    ca?: string;
    timeoutMs?: number;
    systemScope?: boolean;
    authUrl?: string;
    signal?: AbortSignal;
  } = {},
): OpenStack {
  return new OpenStack(
    {
      authUrl: over.authUrl ?? `${url}/v3`,
      interface: 'public',
      credentials: {
        username: 'u',
        password: 'p4ss',
        project: 'acceptance',
        domain: 'Default',
        systemScope: over.systemScope ?? false,
      },
      ca: over.ca ?? authority.cert,
    },
    { signal: over.signal ?? new AbortController().signal, timeoutMs: over.timeoutMs ?? 5000 },
  );
}

describe('a cloud', () => {
  it('is asked with one token, at the endpoints of its catalogue, in a version that is named', async () => {
    let version: unknown;
    answer = (request, response, body) => {
      version = request.headers['openstack-api-version'];
      json(200, { servers: [] })(request, response, body);
    };
    const one = cloud();
    await one.json('compute', '/v2.1/servers');
    await one.json('compute', '/v2.1/flavors');
    expect(asked).toEqual([
      '- POST /v3/auth/tokens',
      'token-number-1 GET /compute/v2.1/servers',
      'token-number-1 GET /compute/v2.1/flavors',
    ]);
    expect(version).toBe('compute 2.79');
    // Ironic refuses to list its versions to whoever asks in one that it does not have.
    await one.json('compute', '/');
    expect(version).toBeUndefined();
    expect(signIns[0]).toMatchObject({
      auth: {
        identity: { password: { user: { name: 'u', password: 'p4ss', domain: { name: 'Default' } } } },
        scope: { project: { name: 'acceptance', domain: { name: 'Default' } } },
      },
    });
  });

  it('asks Ironic with a token of the system where the contract says so', async () => {
    answer = json(200, { conductors: [] });
    const one = cloud({ systemScope: true });
    await one.json('baremetal', '/v1/conductors');
    await one.json('compute', '/v2.1/servers');
    expect(signIns).toMatchObject([
      { auth: { scope: { system: { all: true } } } },
      { auth: { scope: { project: { name: 'acceptance' } } } },
    ]);
    expect(asked).toContain('token-number-1 GET /metal/v1/conductors');
    expect(asked).toContain('token-number-2 GET /compute/v2.1/servers');
  });

  it('makes a token anew that is no longer taken, once', async () => {
    answer = (request, response, body) =>
      request.headers['x-auth-token'] === 'token-number-1'
        ? json(401, { error: { message: 'The request you have made requires authentication.' } })(
            request,
            response,
            body,
          )
        : json(200, { ok: true })(request, response, body);
    expect(await cloud().json('compute', '/v2.1/servers')).toEqual({ ok: true });
    answer = json(401, 'Authentication required');
    expect(await codeOf(cloud().json('compute', '/v2.1/servers'))).toBe('OPENSTACK_UNAUTHORIZED');
    expect(tokens).toBe(4);
  });

  it('has no token and no password in what it says or gives, whatever a service repeats', async () => {
    answer = (request, response, body) =>
      json(409, { conflictingRequest: { message: `not with ${request.headers['x-auth-token']}` } })(
        request,
        response,
        body,
      );
    const error = await cloud()
      .json('compute', '/v2.1/servers')
      .catch((thrown: unknown) => thrown);
    expect((error as RackwrightError).failure.message).toContain('not with [redacted]');
    expect(JSON.stringify((error as RackwrightError).failure)).not.toMatch(/token-number|p4ss/);
    answer = (request, response, body) =>
      json(200, { echoed: request.headers['x-auth-token'] })(request, response, body);
    expect(await cloud().json('compute', '/v2.1/servers')).toEqual({ echoed: '[redacted]' });
  });

  it('reads a list page by page, whatever host the next page is named with', async () => {
    answer = (request, response, body) => {
      const marker = new URL(request.url!, url).searchParams.get('marker');
      const next = { rel: 'next', href: 'http://inside:8774/v2.1/servers?marker=b' };
      json(200, marker ? { servers: ['c'] } : { servers: ['a', 'b'], servers_links: [next] })(
        request,
        response,
        body,
      );
    };
    expect(await cloud().list('compute', '/v2.1/servers?limit=2', 'servers')).toEqual(['a', 'b', 'c']);
    answer = (request, response, body) => {
      const next = request.url!.includes('marker') ? {} : { next: `${url}/metal/v1/nodes?marker=x` };
      json(200, { nodes: ['n'], ...next })(request, response, body);
    };
    expect(await cloud().list('baremetal', '/v1/nodes', 'nodes')).toEqual(['n', 'n']);
  });

  it('gives up on a list that has no end, and takes no other thing for a list', async () => {
    answer = json(200, { servers: [], servers_links: [{ rel: 'next', href: '/v2.1/servers?marker=a' }] });
    expect(await codeOf(cloud().list('compute', '/v2.1/servers', 'servers'))).toBe(
      'OPENSTACK_ANSWER_INVALID',
    );
    answer = json(200, { flavors: [] });
    expect(await codeOf(cloud().list('compute', '/v2.1/servers', 'servers'))).toBe(
      'OPENSTACK_ANSWER_INVALID',
    );
  });

  it('gives and takes bytes as they are', async () => {
    let got = '';
    answer = (request, response, body) => {
      if (request.method === 'GET') return void response.end(Buffer.from([1, 2, 3]));
      got = `${request.headers['content-type']} ${body}`;
      response.writeHead(204).end();
    };
    const one = cloud();
    const chunks: Uint8Array[] = [];
    for await (const chunk of one.bytes('compute', '/file')) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(Buffer.from([1, 2, 3]));
    expect(await one.json('compute', '/file', { method: 'PUT', body: Buffer.from('abc') })).toBeUndefined();
    expect(got).toBe('application/octet-stream abc');
  });

  it('finds nothing where there is nothing', async () => {
    answer = json(404, { itemNotFound: { message: 'Instance could not be found', code: 404 } });
    expect(await cloud().find('compute', '/v2.1/servers/x')).toBeUndefined();
  });

  it.each<[string, Answer, string, RegExp]>([
    [
      '403',
      json(403, { forbidden: { message: "Policy doesn't allow os_compute_api:os-services:list" } }),
      'OPENSTACK_FORBIDDEN',
      /Nova: GET .* is answered with 403: Policy doesn't allow/,
    ],
    [
      '409',
      json(409, { NeutronError: { type: 'X', message: 'in use', detail: '' } }),
      'OPENSTACK_REFUSED',
      /409: in use/,
    ],
    ['413', json(413, { overLimit: { message: 'Quota exceeded' } }), 'OPENSTACK_REFUSED', /Quota exceeded/],
    ['429', json(429, {}), 'OPENSTACK_UNAVAILABLE', /429/],
    [
      '500',
      json(500, { computeFault: { message: 'Unexpected API Error' } }),
      'OPENSTACK_UNAVAILABLE',
      /Unexpected API Error/,
    ],
    [
      '503 of a proxy',
      (_q, r) => r.writeHead(503).end('<html><h1>503 Service Unavailable</h1></html>'),
      'OPENSTACK_UNAVAILABLE',
      /503: 503 Service Unavailable/,
    ],
    [
      'Placement',
      json(400, { errors: [{ status: 400, detail: 'bad resource', title: 'Bad Request' }] }),
      'OPENSTACK_REFUSED',
      /bad resource/,
    ],
    [
      'Ironic',
      json(404, { error_message: '{"faultstring": "Node x could not be found."}' }),
      'OPENSTACK_REFUSED',
      /Node x could not be found/,
    ],
    ['no JSON', (_q, r) => r.end('<html>'), 'OPENSTACK_ANSWER_INVALID', /it is no JSON/],
    [
      'a redirect',
      (_q, r) => r.writeHead(302, { location: 'https://elsewhere' }).end(),
      'OPENSTACK_REFUSED',
      /302/,
    ],
    ['none', (q) => q.socket.destroy(), 'OPENSTACK_UNREACHABLE', /is not answered at .*\/compute/],
    [
      'half',
      (_q, r) => {
        r.writeHead(200, { 'content-length': 100 }).write('{');
        setImmediate(() => r.destroy());
      },
      'OPENSTACK_UNREACHABLE',
      /begun to answer/,
    ],
  ])('tells %s apart', async (_name, given, code, message) => {
    answer = given;
    const error: unknown = await cloud()
      .json('compute', '/v2.1/os-services')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RackwrightError);
    const { failure } = error as RackwrightError;
    expect([failure.code, failure.message]).toEqual([code, expect.stringMatching(message)]);
  });

  it('names a service that the catalogue lacks', async () => {
    const error: unknown = await cloud()
      .json('image', '/v2/images')
      .catch((thrown: unknown) => thrown);
    expect((error as RackwrightError).failure).toMatchObject({
      code: 'OPENSTACK_ENDPOINT_MISSING',
      message: 'The catalogue has no public endpoint of Glance (image).',
    });
  });

  it('tells what is wrong with Keystone', async () => {
    keystone = json(401, { error: { message: 'The request you have made requires authentication.' } });
    expect(await codeOf(cloud().json('compute', '/x'))).toBe('OPENSTACK_UNAUTHORIZED');
    keystone = json(201, { hello: 1 });
    expect(await codeOf(cloud().json('compute', '/x'))).toBe('OPENSTACK_ANSWER_INVALID');
    keystone = (_q, r) => r.writeHead(201, { 'x-subject-token': 't' }).end('<html>');
    expect(await codeOf(cloud().json('compute', '/x'))).toBe('OPENSTACK_ANSWER_INVALID');
    const other = await newAuthority('Other');
    expect(await codeOf(cloud({ ca: other.cert }).json('compute', '/x'))).toBe('OPENSTACK_TLS_UNTRUSTED');
    expect(await codeOf(cloud({ authUrl: 'https://127.0.0.1:1/v3' }).json('compute', '/x'))).toBe(
      'OPENSTACK_UNREACHABLE',
    );
  });

  it('asks Keystone again after it had no token to give', async () => {
    const good = keystone;
    keystone = json(503, {});
    answer = json(200, {});
    const one = cloud();
    expect(await codeOf(one.json('compute', '/x'))).toBe('OPENSTACK_UNAVAILABLE');
    keystone = good;
    expect(await one.json('compute', '/x')).toEqual({});
  });

  it('waits no longer than it is told, and stops when it is cancelled', async () => {
    answer = () => undefined;
    expect(await codeOf(cloud({ timeoutMs: 300 }).json('compute', '/x'))).toBe('OPENSTACK_UNREACHABLE');
    const stop = new AbortController();
    answer = () => stop.abort(new Error('stopped'));
    await expect(cloud({ signal: stop.signal }).json('compute', '/x')).rejects.toThrow('stopped');
  });
});
