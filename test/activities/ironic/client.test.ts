import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IronicClient } from '../../../activities/ironic/client.ts';
import { faultOf } from '../../../activities/ironic/errors.ts';
import type { IronicEndpoint } from '../../../activities/ironic/transport.ts';
import { RackwrightError, type Failure } from '../../../core/errors/failure.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly version: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const NODE = { uuid: 'u-1', name: 'gpu-01', driver: 'redfish', provision_state: 'manageable', extra: {} };
const json =
  (status: number, body: unknown): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const versions = (min: string, max: string): Answer =>
  json(200, { default_version: { min_version: min, version: max } });
/** As Ironic wraps an error: JSON in JSON. */
const fault = (status: number, faultstring: string): Answer =>
  json(status, { error_message: JSON.stringify({ faultcode: 'Client', faultstring, debuginfo: null }) });

let server: Server;
let url: string;
let seen: Seen[];
let answers: { [path: string]: Answer };
let clients: IronicClient[];

beforeEach(async () => {
  seen = [];
  clients = [];
  answers = { '/': versions('1.1', '1.115') };
  server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    seen.push({
      method: request.method!,
      url: request.url!,
      version: request.headers['x-openstack-ironic-api-version'] as string | undefined,
      authorization: request.headers.authorization,
      body,
    });
    const answer = answers[request.url!] ?? json(404, {});
    answer(request, response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const client of clients) await client.close();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

function clientWith(
  over: Partial<IronicEndpoint> = {},
  options: { microversion?: string } = {},
): IronicClient {
  const client = new IronicClient({ url, ...over }, options);
  clients.push(client);
  return client;
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof RackwrightError)) throw new Error(`no failure of ours: ${String(error)}`);
  return error.failure;
}

describe('versions', () => {
  test('one is negotiated, once, and pinned', async () => {
    answers['/v1/nodes/gpu-01'] = json(200, NODE);
    const client = clientWith();
    expect(await client.node('gpu-01')).toMatchObject({ uuid: 'u-1', provisionState: 'manageable' });
    await client.node('gpu-01');
    expect(seen.map((each) => [each.url, each.version])).toEqual([
      ['/', undefined],
      ['/v1/nodes/gpu-01', '1.95'],
      ['/v1/nodes/gpu-01', '1.95'],
    ]);
  });

  test('what the contract pins must be offered', async () => {
    const failure = await failureOf(clientWith({}, { microversion: '1.200' }).node('x'));
    expect(failure).toMatchObject({ code: 'IRONIC_VERSION_UNSUPPORTED', retryable: false });
    expect(failure.message).toContain('1.1 to 1.115');
  });

  test('an old API is not asked for what it cannot tell', async () => {
    answers['/'] = versions('1.1', '1.60');
    const client = clientWith();
    expect(await client.history('u-1')).toBeUndefined();
    expect(await client.inventory('u-1')).toBeUndefined();
    expect(seen).toHaveLength(1);
  });
});

describe('the list of nodes', () => {
  const FIELDS =
    'uuid,name,provision_state,power_state,target_power_state,maintenance,maintenance_reason,fault,extra';

  test('comes in pages, wherever Ironic believes to be', async () => {
    const first = `/v1/nodes?limit=1000&fields=${FIELDS}`;
    const next = `/v1/nodes?limit=1000&fields=${FIELDS}&marker=u-1`;
    answers[first] = json(200, { nodes: [NODE], next: `http://ironic.internal:6385${next}` });
    answers[next] = json(200, { nodes: [{ ...NODE, uuid: 'u-2', name: 'gpu-02', fault: 'power failure' }] });
    expect(await clientWith().nodes()).toMatchObject([
      { uuid: 'u-1', name: 'gpu-01', fault: null },
      { uuid: 'u-2', name: 'gpu-02', fault: 'power failure' },
    ]);
    expect(seen.map((each) => each.url)).toEqual(['/', first, next]);
  });

  test('that holds something else is an error', async () => {
    answers[`/v1/nodes?limit=1000&fields=${FIELDS}`] = json(200, { nodes: [{ uuid: 1 }] });
    expect(await failureOf(clientWith().nodes())).toMatchObject({ code: 'IRONIC_ANSWER_INVALID' });
  });
});

describe('errors', () => {
  test.each([
    [
      409,
      'Node u-1 is locked by host c1, please retry after the current operation is completed.',
      'IRONIC_NODE_LOCKED',
      true,
    ],
    [409, 'Node u-1 can not be updated while a state transition is in progress.', 'IRONIC_NODE_LOCKED', true],
    [409, 'A node with name gpu-01 already exists.', 'IRONIC_REFUSED', false],
    [400, 'The requested action "clean" can not be performed', 'IRONIC_REFUSED', false],
    [401, '', 'IRONIC_AUTH_FAILED', false],
    [403, 'Policy does not allow this.', 'IRONIC_AUTH_FAILED', false],
    [403, 'Node u-1 is protected and cannot be undeployed, rebuilt or deleted', 'IRONIC_REFUSED', false],
    [404, 'Node u-1 could not be found.', 'IRONIC_NODE_MISSING', false],
    [406, 'Version 1.95 was requested', 'IRONIC_VERSION_UNSUPPORTED', false],
    [500, 'boom', 'IRONIC_UNAVAILABLE', true],
    [
      503,
      'Requested action cannot be performed due to lack of free conductor workers.',
      'IRONIC_UNAVAILABLE',
      true,
    ],
  ])('%i %s is %s', async (status, said, code, retryable) => {
    answers['/v1/nodes/u-1/states/provision'] = fault(status, said);
    const failure = await failureOf(clientWith().provision('u-1', 'manage'));
    expect(failure).toMatchObject({
      code,
      retryable,
      details: { method: 'PUT', path: '/v1/nodes/u-1/states/provision', status, fault: said },
    });
    expect(failure.message).toContain(said);
  });

  test('a node that is not there is no error where that is the question', async () => {
    answers['/v1/nodes/gpu-09'] = fault(404, 'Node gpu-09 could not be found.');
    expect(await clientWith().node('gpu-09')).toBeUndefined();
  });

  test('a 404 of something else than Ironic is not taken for a missing node', async () => {
    answers['/v1/nodes/gpu-09'] = (_, response) => void response.writeHead(404).end('<h1>Not Found</h1>');
    expect(await failureOf(clientWith().node('gpu-09'))).toMatchObject({ code: 'IRONIC_REFUSED' });
  });

  test('no secret is in them', async () => {
    answers['/v1/nodes'] = fault(400, 'Missing a parameter');
    const client = clientWith({ basic: { username: 'ops', password: 'hunter2' } });
    const failure = await failureOf(client.createNode({ driver_info: { redfish_password: 'hunter3' } }));
    expect(JSON.stringify(failure)).not.toMatch(/hunter|b3Bz/);
    expect(seen.at(-1)!.authorization).toBe(`Basic ${Buffer.from('ops:hunter2').toString('base64')}`);
  });

  test('the words of Ironic are found in every wrapping', () => {
    expect(faultOf('{"error_message": {"faultstring": "a"}}')).toBe('a');
    expect(faultOf('{"error_message": "{\\"title\\": \\"t\\", \\"description\\": \\"d\\"}"}')).toBe('d');
    expect(faultOf('plain words')).toBe('plain words');
    expect(faultOf('[]')).toBe('');
    expect(faultOf(JSON.stringify({ faultstring: 'words '.repeat(1000) }))).toMatch(/^(words )+…$/);
    expect(faultOf(JSON.stringify({ faultstring: 'words '.repeat(1000) })).length).toBeLessThanOrEqual(600);
  });
});

describe('what answers may do', () => {
  test('be silent', async () => {
    answers['/v1/nodes/gpu-01'] = () => undefined;
    const client = clientWith({ timeoutMs: 500 });
    expect(await failureOf(client.node('gpu-01'))).toMatchObject({
      code: 'IRONIC_UNREACHABLE',
      retryable: true,
      details: { why: 'no answer in time' },
    });
  });

  test('trickle for ever', async () => {
    answers['/v1/nodes/gpu-01'] = (_, response) => {
      const drip = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(drip));
    };
    const failure = await failureOf(clientWith({ timeoutMs: 500 }).node('gpu-01'));
    expect(failure).toMatchObject({ code: 'IRONIC_UNREACHABLE' });
  });

  test('break off', async () => {
    answers['/v1/nodes/gpu-01'] = (request) => void request.socket.destroy();
    expect(await failureOf(clientWith().node('gpu-01'))).toMatchObject({ code: 'IRONIC_UNREACHABLE' });
  });

  test('refuse the connection', async () => {
    const failure = await failureOf(clientWith({ url: 'http://127.0.0.1:1' }).node('gpu-01'));
    expect(failure).toMatchObject({ code: 'IRONIC_UNREACHABLE', details: { why: 'ECONNREFUSED' } });
  });

  test.each([
    ['be no JSON', (_: unknown, response: ServerResponse) => void response.end('<html>')],
    ['be no node', json(200, { name: 'gpu-01' })],
    [
      'be endless',
      (_: unknown, response: ServerResponse) => void response.end(Buffer.alloc(9 * 1024 * 1024, 32)),
    ],
  ])('%s', async (_, answer) => {
    answers['/v1/nodes/gpu-01'] = answer as Answer;
    expect(await failureOf(clientWith().node('gpu-01'))).toMatchObject({ code: 'IRONIC_ANSWER_INVALID' });
  });

  test('point elsewhere: nothing is sent there', async () => {
    answers['/v1/nodes/gpu-01'] = (_, response) =>
      void response.writeHead(301, { location: `${url}/elsewhere` }).end();
    expect(await failureOf(clientWith().node('gpu-01'))).toMatchObject({ code: 'IRONIC_REFUSED' });
    expect(seen.map((each) => each.url)).not.toContain('/elsewhere');
  });
});

test('a cancelled call ends with its reason', async () => {
  answers['/v1/nodes/gpu-01'] = () => undefined;
  const cut = new AbortController();
  const client = new IronicClient({ url }, { signal: cut.signal });
  clients.push(client);
  const gone = expect(client.node('gpu-01')).rejects.toThrow('enough');
  cut.abort(new Error('enough'));
  await gone;
});

test('names are quoted, requests carry their body, history comes newest first', async () => {
  answers['/v1/nodes/u-1/states/provision'] = (_, response) => void response.writeHead(202).end();
  answers['/v1/nodes/u-1/history?detail=true'] = json(200, {
    history: [
      { created_at: '2026-01-01T00:00:00', event_type: 'cleaning', severity: 'ERROR', event: 'first' },
      { created_at: '2026-01-02T00:00:00', event_type: 'cleaning', severity: 'ERROR', event: 'second' },
    ],
  });
  const client = clientWith();
  await client.provision('u-1', 'clean', { clean_steps: [{ interface: 'deploy', step: 'erase_devices' }] });
  expect(JSON.parse(seen.at(-1)!.body)).toEqual({
    target: 'clean',
    clean_steps: [{ interface: 'deploy', step: 'erase_devices' }],
  });
  expect((await client.history('u-1'))!.map(({ event }) => event)).toEqual(['second', 'first']);
  await failureOf(client.node('a/../b'));
  expect(seen.at(-1)!.url).toBe('/v1/nodes/a%2F..%2Fb');
});
