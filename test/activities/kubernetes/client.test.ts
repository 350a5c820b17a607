import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { Kubernetes } from '../../../activities/kubernetes/client.ts';
import { execInPod } from '../../../activities/kubernetes/exec.ts';
import { issue, newAuthority, type Identity } from '../../../lab/certificates.ts';
import { codeOf } from '../support.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let authority: Identity;
let url: string;
let answer: Answer;
let talk: (socket: WebSocket) => void;
let protocol = 'v5.channel.k8s.io';
let asked: string[];

beforeAll(async () => {
  authority = await newAuthority('CA');
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });
  server = createServer(await issue(authority, 'kubernetes', '127.0.0.1'), (request, response) => {
    asked.push(`${request.headers.authorization} ${request.url}`);
    answer(request, response);
  });
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (open) => talk(open)),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
});

const json =
  (status: number, body: unknown): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', date: 'Sun, 01 Mar 2026 12:00:00 GMT' });
    response.end(JSON.stringify(body));
  };
const refusing = (code: number, message: string): Answer =>
  json(code, { kind: 'Status', status: 'Failure', message, code });

function client(
  over: { ca?: string; page?: number; timeoutMs?: number; signal?: AbortSignal } = {},
): Kubernetes {
  const config = new KubeConfig();
  const caData = Buffer.from(over.ca ?? authority.cert).toString('base64');
  config.loadFromOptions({
    clusters: [{ name: 'c', server: url, caData, skipTLSVerify: false }],
    users: [{ name: 'u', token: 'tok-1' }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  });
  return new Kubernetes(config, { signal: new AbortController().signal, ...over });
}

const named = (...names: string[]) => names.map((name) => ({ metadata: { name } }));

describe('the client of the Kubernetes API', () => {
  it('asks with its token, and takes the time from the server', async () => {
    answer = json(200, { kind: 'NodeList', apiVersion: 'v1', items: named('c1') });
    const kubernetes = client();
    expect((await kubernetes.nodes()).map(({ metadata }) => metadata?.name)).toEqual(['c1']);
    expect(kubernetes.now.toISOString()).toBe('2026-03-01T12:00:00.000Z');
    expect(asked).toEqual(['Bearer tok-1 /api/v1/nodes?limit=250']);
  });

  it('reads a list page by page', async () => {
    const pages = [named('a', 'b'), named('c', 'd'), named('e')];
    answer = (request, response) => {
      const at = Number(new URL(request.url!, url).searchParams.get('continue') ?? 0);
      json(200, { metadata: at < 2 ? { continue: String(at + 1) } : {}, items: pages[at] })(
        request,
        response,
      );
    };
    const pods = await client({ page: 2 }).pods('kube-system', 'app=x');
    expect(pods.map(({ metadata }) => metadata?.name).join('')).toBe('abcde');
    expect(asked[1]).toContain('limit=2');
    expect(asked[1]).toContain('labelSelector=app%3Dx');
  });

  it('begins a list again that expired between two pages, once', async () => {
    answer = (request, response) => {
      if (asked.length === 1)
        return json(200, { metadata: { continue: 'old' }, items: named('a') })(request, response);
      if (asked.length === 2)
        return refusing(410, 'The provided continue parameter is too old')(request, response);
      return json(200, { metadata: {}, items: named('a', 'b') })(request, response);
    };
    expect((await client().nodes()).length).toBe(2);
    answer = (request, response) =>
      request.url!.includes('continue')
        ? refusing(410, 'too old')(request, response)
        : json(200, { metadata: { continue: 'old' }, items: named('a') })(request, response);
    expect(await codeOf(client().nodes())).toBe('KUBERNETES_REFUSED');
  });

  it('gives up on a list that has no end', async () => {
    answer = json(200, { metadata: { continue: 'more' }, items: [] });
    expect(await codeOf(client().nodes())).toBe('KUBERNETES_ANSWER_INVALID');
  });

  it('reads the time of a lease, which has microseconds', async () => {
    answer = json(200, {
      items: [{ metadata: { name: 'c1' }, spec: { renewTime: '2026-03-01T11:59:50.123456Z' } }],
    });
    const [lease] = await client().leases();
    expect(lease?.spec?.renewTime?.toISOString()).toBe('2026-03-01T11:59:50.123Z');
  });

  it.each<[string, Answer, string, RegExp]>([
    ['401', refusing(401, 'Unauthorized'), 'KUBERNETES_UNAUTHORIZED', /list of nodes with 401/],
    [
      '403',
      refusing(403, 'nodes is forbidden: User "x" cannot list resource "nodes"'),
      'KUBERNETES_FORBIDDEN',
      /cannot list resource "nodes"/,
    ],
    ['429', refusing(429, 'Too many requests'), 'KUBERNETES_UNAVAILABLE', /429/],
    ['503', refusing(503, 'apiserver is shutting down'), 'KUBERNETES_UNAVAILABLE', /shutting down/],
    ['404', refusing(404, 'the server could not find the requested resource'), 'KUBERNETES_REFUSED', /404/],
    [
      'no JSON',
      (_q, response) => response.end('<html>hello</html>'),
      'KUBERNETES_ANSWER_INVALID',
      /cannot be read/,
    ],
    ['no list', json(200, { kind: 'Pod' }), 'KUBERNETES_ANSWER_INVALID', /it is no list/],
    ['null', json(200, null), 'KUBERNETES_ANSWER_INVALID', /it is no list/],
    ['items that are null', json(200, { items: null }), 'KUBERNETES_ANSWER_INVALID', /it is no list/],
    ['items that are none', json(200, { items: 7 }), 'KUBERNETES_ANSWER_INVALID', /cannot be read/],
    ['half an answer', (request) => request.socket.destroy(), 'KUBERNETES_UNREACHABLE', /does not answer/],
    ['nothing', () => undefined, 'KUBERNETES_UNREACHABLE', /no answer in time/],
  ])('%s is the failure that it is', async (_what, given, code, message) => {
    answer = given;
    await expect(client({ timeoutMs: 500 }).nodes()).rejects.toMatchObject({
      failure: { code, message: expect.stringMatching(message) },
    });
  });

  it('does not speak to a server of another authority', async () => {
    const other = await newAuthority('Other CA');
    expect(await codeOf(client({ ca: other.cert }).nodes())).toBe('KUBERNETES_TLS_UNTRUSTED');
    expect(await codeOf(execIn(client({ ca: other.cert })))).toBe('KUBERNETES_TLS_UNTRUSTED');
    expect(asked).toEqual([]);
  });

  it('knows a namespace that is not there from one that may not be read', async () => {
    answer = refusing(404, 'namespaces "x" not found');
    expect(await client().hasNamespace('x')).toBe(false);
    answer = refusing(403, 'forbidden');
    expect(await codeOf(client().hasNamespace('x'))).toBe('KUBERNETES_FORBIDDEN');
    answer = json(200, { metadata: { name: 'x' } });
    expect(await client().hasNamespace('x')).toBe(true);
  });

  it('ends at once when it is cancelled', async () => {
    answer = () => undefined;
    const stop = new AbortController();
    const made = client({ signal: stop.signal }).nodes();
    stop.abort(new Error('enough'));
    await expect(made).rejects.toThrow('enough');
  });
});

const execIn = (kubernetes: Kubernetes, timeoutMs = 60_000, signal = new AbortController().signal) =>
  execInPod(
    kubernetes,
    { namespace: 'rook-ceph', pod: 'tools', command: ['ceph', 'status'], timeoutMs },
    signal,
  );
const frame = (channel: number, text: string): Buffer =>
  Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
const SUCCESS = frame(3, JSON.stringify({ metadata: {}, status: 'Success' }));
const failed = (message: string) =>
  frame(3, JSON.stringify({ status: 'Failure', details: { causes: [{ reason: 'ExitCode', message }] } }));

describe('a command in a pod', () => {
  it('is run to its end, in however many pieces it prints', async () => {
    talk = (socket) => {
      for (const each of [frame(1, ''), frame(1, '{"a'), frame(2, 'warning\n'), frame(1, '":1}'), SUCCESS])
        socket.send(each);
      socket.close();
    };
    expect(await execIn(client())).toEqual({ exitCode: 0, stdout: '{"a":1}', stderr: 'warning\n' });
  });

  it.each(['v5.channel.k8s.io', 'v4.channel.k8s.io'])('is given what it reads, over %s', async (spoken) => {
    protocol = spoken;
    const input = 'x'.repeat(100_000);
    talk = (socket) => {
      let read = '';
      let ended = false;
      socket.on('message', (data: Buffer) => {
        if (data[0] === 0) read += data.subarray(1).toString();
        ended ||= data[0] === 255;
        if (read.length < input.length || (spoken.startsWith('v5') && !ended)) return;
        socket.send(frame(1, `${read === input} ${ended}`));
        socket.send(SUCCESS);
      });
    };
    const what = { namespace: 'n', pod: 'p', command: ['sh'], timeoutMs: 5000, input };
    const { stdout } = await execInPod(client(), what, new AbortController().signal);
    expect(stdout).toBe(`true ${spoken.startsWith('v5')}`);
  });

  it('that fails tells its exit code', async () => {
    talk = (socket) => socket.send(failed('22'));
    expect(await execIn(client())).toMatchObject({ exitCode: 22 });
  });

  it.each([
    'error executing command in container: failed to exec in container: failed to start exec "9e0b": OCI runtime exec failed: exec failed: unable to start container process: exec: "ceph": executable file not found in $PATH: unknown',
    'OCI runtime exec failed: exec failed: unable to start container process: exec: "/bin/ceph": stat /bin/ceph: no such file or directory: unknown',
  ])('whose program is not there ends as a shell would say it: %s', async (message) => {
    talk = (socket) =>
      socket.send(
        frame(3, JSON.stringify({ status: 'Failure', reason: 'InternalError', message, code: 500 })),
      );
    expect(await execIn(client())).toMatchObject({ exitCode: 127 });
  });

  it.each<[string, (socket: WebSocket) => void, string]>([
    ['has a status that is none', (socket) => socket.send(frame(3, '{')), 'KUBERNETES_COMMAND_FAILED'],
    ['has a status of null', (socket) => socket.send(frame(3, 'null')), 'KUBERNETES_COMMAND_FAILED'],
    [
      'could not be started',
      (socket) =>
        socket.send(frame(3, JSON.stringify({ status: 'Failure', message: 'container not found' }))),
      'KUBERNETES_COMMAND_FAILED',
    ],
    [
      'speaks on channels that there are none',
      (socket) => {
        for (const each of [Buffer.alloc(0), frame(255, '\u0001'), frame(9, 'x'), SUCCESS]) socket.send(each);
      },
      'passed',
    ],
    [
      'prints without end',
      (socket) => {
        for (let i = 0; i < 6; i++) socket.send(frame(1, 'x'.repeat(1024 * 1024)));
      },
      'KUBERNETES_ANSWER_INVALID',
    ],
    [
      'prints all in one',
      (socket) => socket.send(frame(1, 'x'.repeat(5 * 1024 * 1024))),
      'KUBERNETES_UNREACHABLE',
    ],
  ])('that %s does no harm', async (_what, does, code) => {
    talk = does;
    expect(await codeOf(execIn(client()))).toBe(code);
  });

  it('that never ends is given up on', async () => {
    talk = () => undefined;
    expect(await codeOf(execIn(client(), 1000))).toBe('KUBERNETES_COMMAND_FAILED');
  });

  it.each<[string, (socket: WebSocket) => void]>([
    ['is cut off', (socket) => socket.terminate()],
    ['ends without a status', (socket) => socket.close()],
  ])('that %s is told so at once', async (_what, does) => {
    talk = does;
    await expect(execIn(client(), 600_000)).rejects.toMatchObject({
      failure: {
        code: 'KUBERNETES_COMMAND_FAILED',
        message: expect.stringContaining('the connection ended before it did'),
      },
    });
  });

  it('ends at once when it is cancelled', async () => {
    const stop = new AbortController();
    talk = () => stop.abort(new Error('enough'));
    await expect(execIn(client(), 60_000, stop.signal)).rejects.toThrow('enough');
  });
});
