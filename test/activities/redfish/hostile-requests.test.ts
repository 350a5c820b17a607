import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBmc } from '../../../activities/redfish/transport.ts';
import { HOSTILE, MOST_BYTES, sent } from './hostile-answers.ts';
import { failureOf, opened, scripted } from './fixtures.ts';
import { SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

// What a BMC that means harm, or has lost its mind, may answer to any request: bounded in time and memory, one
// clear error, and whatever changes something is sent once.

const SESSIONS = '/redfish/v1/SessionService/Sessions';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;
const quick = { timeouts: { requestMs: 1_000, headersMs: 250, bodyMs: 250, retryPausesMs: [] } };

beforeEach(() => {
  sent.bytes = 0;
});
afterEach(() => {
  expect(sent.bytes).toBeLessThan(MOST_BYTES);
});

/** Where the hostile answer comes: to a read, to each kind of write, to the login and on the way to it. */
const PLACES = [
  ['GET', SYSTEM],
  ['POST', RESET],
  ['PATCH', SYSTEM],
  ['POST', SESSIONS],
] as const;

describe.each(PLACES)('to %s %s a BMC that', (method, path) => {
  const login = path === SESSIONS;
  const writes = method !== 'GET';
  const cases = HOSTILE.filter(({ readsOnly }) => !writes || login || readsOnly !== true);
  it.each(cases.map((each) => [each.name, each] as const))('%s', async (_name, { answer, code }) => {
    const { server, bmc } = await opened(quick);
    if (!login) await bmc.get(SYSTEM);
    const before = server.asked(method, path).length;
    server.on(method, path, answer);
    const work = writes && !login ? bmc.send(method, path, { body: { ResetType: 'On' } }) : bmc.get(SYSTEM);
    const failure = await failureOf(work);
    expect(failure.code).toBe(code);
    expect(failure.message).not.toContain('calvin');
    expect(server.asked(method, path)).toHaveLength(before + 1);
  });
});

it.each(HOSTILE.map((each) => [each.name, each] as const))(
  'a service root of a BMC that %s is no way to log in',
  async (_name, { answer, code }) => {
    const { server, bmc } = await opened(quick);
    server.on('GET', '/redfish/v1/', answer);
    expect((await failureOf(bmc.get(SYSTEM))).code).toBe(code);
    // Nobody was told a password.
    expect(server.asked('POST')).toEqual([]);
    expect(server.calls.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  },
);

it('an answer too many is not taken for that of the next request', async () => {
  const { server, bmc } = await opened(quick);
  await bmc.get(SYSTEM);
  const one = (body: string): string =>
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  server.on('GET', '/redfish/v1/Twice', (_call, res) => {
    res.socket!.on('error', () => undefined);
    res.socket!.write(one('{"Id":"first"}') + one('{"Id":"forged"}'));
  });
  expect((await bmc.get('/redfish/v1/Twice')).body).toEqual({ Id: 'first' });
  for (let i = 0; i < 3; i += 1)
    expect((await bmc.get(SYSTEM)).body).toMatchObject({ Manufacturer: 'Contoso' });
});

it('TLS that never finishes ends with the time of a connection', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const bmc = openBmc({
    address: `https://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    credentials: { username: 'root', password: 'calvin' },
    tls: 'insecure',
    timeouts: { connectMs: 300, requestMs: 900, retryPausesMs: [] },
  });
  const failure = await failureOf(bmc.get(SYSTEM));
  expect(failure).toMatchObject({ code: 'BMC_UNREACHABLE', retryable: true });
  bmc.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
});

describe('nothing we hold goes to another origin', () => {
  const redirect =
    (location: string, status = 307) =>
    () => ({ status, headers: { Location: location } });
  /** What points elsewhere, and what the work ends with. */
  const POINTERS: readonly (readonly [string, (server: ScriptedBmc, other: string) => void, string?])[] = [
    ['the login', (server, other) => server.on('POST', SESSIONS, redirect(`${other}${SESSIONS}`))],
    [
      'the login, by 301',
      (server, other) => server.on('POST', SESSIONS, redirect(`${other}${SESSIONS}`, 301)),
    ],
    [
      'the service root',
      (server, other) => server.on('GET', '/redfish/v1/', redirect(`${other}/redfish/v1/`)),
    ],
    [
      'the link to the sessions',
      (server, other) =>
        server.patch('/redfish/v1', { Links: { Sessions: { '@odata.id': `${other}${SESSIONS}` } } }),
    ],
    ['a read', (server, other) => server.on('GET', SYSTEM, redirect(`${other}${SYSTEM}`, 302))],
    [
      'a read, by another scheme',
      (server, other) => server.on('GET', SYSTEM, redirect(other.replace('http:', 'https:'))),
    ],
    [
      'a read, without a scheme',
      (server, other) => server.on('GET', SYSTEM, redirect(other.replace('http:', ''))),
    ],
    ['a read, back to itself', (server) => server.on('GET', SYSTEM, redirect(SYSTEM))],
  ];
  it.each(['session', 'basic'] as const)('with %s', async (auth) => {
    for (const [name, point] of POINTERS) {
      const other = await scripted();
      const { server, bmc } = await opened({ ...quick, auth });
      point(server, other.url);
      const failed = bmc.get(SYSTEM).then(
        () => false,
        () => true,
      );
      const harmless = auth === 'basic' && /login|sessions|root/.test(name);
      expect([name, await failed]).toEqual([name, !harmless]);
      expect([name, other.calls]).toEqual([name, []]);
      expect(server.asked('GET', SYSTEM).length).toBeLessThanOrEqual(4);
      bmc.close();
    }
  });

  it('nor do writes, nor the end of a session', async () => {
    const other = await scripted();
    const { server, bmc } = await opened({ ...quick, timeouts: { ...quick.timeouts, sessionIdleMs: 1 } });
    server.on('POST', SESSIONS, () => ({
      status: 201,
      headers: { 'X-Auth-Token': 'secret-token', Location: `${other.url}${SESSIONS}/7` },
    }));
    server.sessions.add('secret-token');
    server.on('POST', RESET, redirect(`${other.url}${RESET}`, 308));
    expect((await failureOf(bmc.send('POST', RESET, { body: {} }))).code).toBe('BMC_FOREIGN_ORIGIN');
    expect((await failureOf(bmc.send('PATCH', `${other.url}${SYSTEM}`, { body: {} }))).code).toBe(
      'BMC_FOREIGN_ORIGIN',
    );
    bmc.close();
    await expect.poll(() => server.asked('DELETE', `${SESSIONS}/7`).length).toBe(1);
    expect(other.calls).toEqual([]);
  });
});
