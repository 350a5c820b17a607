import { describe, expect, it, vi } from 'vitest';
import { closeAllBmcs, openBmc, withBmc } from '../../../activities/redfish/transport.ts';
import { failureOf, opened, scripted } from './fixtures.ts';
import { redfishError, SYSTEM } from './scripted-bmc.ts';

describe('sessions', () => {
  it('logs in once for many requests and many users, and deletes the session at the end', async () => {
    const server = await scripted();
    await Promise.all(
      [1, 2, 3].map(() => withBmc(server.endpoint(), async (bmc) => void (await bmc.get(SYSTEM)))),
    );
    expect(server.asked('POST', /Sessions$/)).toHaveLength(1);
    expect(server.sessions.size).toBe(1);
    await closeAllBmcs();
    expect(server.sessions.size).toBe(0);
  });

  it('deletes the session when no one has used it for a while', async () => {
    const server = await scripted();
    await expect(
      withBmc(server.endpoint(), async (bmc) => {
        await bmc.get(SYSTEM);
        throw new Error('the work failed');
      }),
    ).rejects.toThrow('the work failed');
    await vi.waitFor(() => expect(server.sessions.size).toBe(0));
  });

  it('logs in again, once, when the session ends in the middle', async () => {
    const { server, bmc } = await opened();
    await bmc.get(SYSTEM);
    server.sessions.clear();
    await Promise.all([bmc.get(SYSTEM), bmc.get(SYSTEM), bmc.get(SYSTEM)]);
    expect(server.asked('POST', /Sessions$/)).toHaveLength(2);
  });

  it('sends a POST again after a 401, since it was not carried out', async () => {
    const { server, bmc } = await opened();
    await bmc.get(SYSTEM);
    server.sessions.clear();
    const answer = await bmc.send('POST', `${SYSTEM}/Actions/ComputerSystem.Reset`, {
      body: { ResetType: 'On' },
    });
    expect(answer.status).toBe(204);
  });

  it('tries a wrong password once, however many ask, and a new one at once', async () => {
    const server = await scripted();
    server.password = 'changed';
    const ask = (): Promise<unknown> => withBmc(server.endpoint(), (bmc) => bmc.get(SYSTEM));
    const failures = await Promise.all([failureOf(ask()), failureOf(ask()), failureOf(ask())]);
    expect(failures.map((f) => f.code)).toEqual(Array.from({ length: 3 }, () => 'BMC_AUTH_FAILED'));
    expect((await failureOf(ask())).retryable).toBe(false);
    expect(server.asked('POST', /Sessions$/)).toHaveLength(1);
    const good = server.endpoint({ credentials: { username: 'root', password: 'changed' } });
    await withBmc(good, (bmc) => bmc.get(SYSTEM));
  });

  it('tries a wrong password once with Basic, too', async () => {
    const server = await scripted();
    server.password = 'changed';
    const ask = (): Promise<unknown> => withBmc(server.endpoint({ auth: 'basic' }), (bmc) => bmc.get(SYSTEM));
    await Promise.all([failureOf(ask()), failureOf(ask()), failureOf(ask())]);
    expect(server.calls.filter((c) => c.headers.authorization !== undefined)).toHaveLength(1);
  });

  it('never shows the password', async () => {
    const server = await scripted();
    server.password = 'changed';
    const failure = await failureOf(withBmc(server.endpoint(), (bmc) => bmc.get(SYSTEM)));
    expect(JSON.stringify(failure)).not.toContain('calvin');
  });

  it('uses Basic where the service offers no sessions', async () => {
    const { server, bmc } = await opened();
    server.put('/redfish/v1/', { RedfishVersion: '1.5.0', Systems: { '@odata.id': '/redfish/v1/Systems' } });
    expect((await bmc.get(SYSTEM)).status).toBe(200);
    expect(server.asked('POST')).toHaveLength(0);
    expect(server.calls.at(-1)!.headers.authorization).toMatch(/^Basic /);
  });

  it.each([404, 405, 501])('uses Basic where the session service answers %s', async (status) => {
    const { server, bmc } = await opened();
    server.on('POST', '/redfish/v1/SessionService/Sessions', () => ({ status, body: {} }));
    expect((await bmc.get(SYSTEM)).status).toBe(200);
    expect(server.calls.at(-1)!.headers.authorization).toMatch(/^Basic /);
  });

  it('does not repeat a password that the BMC quotes', async () => {
    const { server, bmc } = await opened();
    server.on('POST', '/redfish/v1/SessionService/Sessions', () => ({
      status: 400,
      body: redfishError('PropertyValueError', 'The value calvin of Password is not allowed.'),
    }));
    const failure = await failureOf(bmc.get(SYSTEM));
    expect(failure.code).toBe('BMC_REFUSED');
    expect(failure.message).toContain('The value *** of Password');
    expect(JSON.stringify(failure)).not.toContain('calvin');
  });

  it('never falls back to Basic where sessions are offered and full', async () => {
    const { server, bmc } = await opened();
    server.on('POST', '/redfish/v1/SessionService/Sessions', () => ({
      status: 503,
      body: redfishError('RAC0218', 'The maximum number of user sessions is reached.'),
    }));
    const first = await failureOf(bmc.get(SYSTEM));
    const second = await failureOf(bmc.get(SYSTEM));
    expect([first.code, second.code]).toEqual(['BMC_SESSION_LIMIT', 'BMC_SESSION_LIMIT']);
    expect(first.retryAfterMs).toBeGreaterThan(1_000);
    expect(server.asked('POST', /Sessions$/)).toHaveLength(1);
    expect(server.calls.some((c) => c.headers.authorization !== undefined)).toBe(false);
  });

  it('names a password that must be changed', async () => {
    const { server, bmc } = await opened();
    server.on('GET', SYSTEM, () => ({
      status: 403,
      body: redfishError('PasswordChangeRequired', 'The password must be changed.'),
    }));
    expect(await failureOf(bmc.get(SYSTEM))).toMatchObject({
      code: 'BMC_PASSWORD_CHANGE_REQUIRED',
      retryable: false,
    });
  });

  it('does not mind a failed logout', async () => {
    const { server, bmc } = await opened();
    await bmc.get(SYSTEM);
    server.on('DELETE', '*', () => ({ status: 401 }));
    await expect(closeAllBmcs()).resolves.toBeUndefined();
  });
});

describe('retries', () => {
  it('repeats a read that was answered 503', async () => {
    const { server, bmc } = await opened();
    let n = 0;
    server.on('GET', SYSTEM, () => ((n += 1) < 3 ? { status: 503 } : { status: 200, body: { Id: '1' } }));
    expect((await bmc.get(SYSTEM)).body).toEqual({ Id: '1' });
  });

  it('hands a long Retry-After to the caller', async () => {
    const { server, bmc } = await opened();
    server.on('GET', SYSTEM, () => ({ status: 503, headers: { 'Retry-After': '90' } }));
    const failure = await failureOf(bmc.get(SYSTEM));
    expect(failure).toMatchObject({ code: 'BMC_BUSY', retryable: true, retryAfterMs: 90_000 });
    expect(server.asked('GET', SYSTEM)).toHaveLength(1);
  });

  it.each(['POST', 'PATCH'] as const)('never repeats a %s that was sent', async (method) => {
    const { server, bmc } = await opened();
    server.on(method, '/redfish/v1/Write', (_call, res) => void res.destroy());
    const failure = await failureOf(bmc.send(method, '/redfish/v1/Write', { body: {} }));
    expect(failure).toMatchObject({ code: 'BMC_CONNECTION_LOST', retryable: true });
    expect(server.asked(method, '/redfish/v1/Write')).toHaveLength(1);
  });

  it('says that nothing listens', async () => {
    const server = await scripted();
    const endpoint = server.endpoint();
    await server.stop();
    const failure = await failureOf(withBmc(endpoint, (bmc) => bmc.get(SYSTEM)));
    expect(failure).toMatchObject({ code: 'BMC_UNREACHABLE', faultDomain: 'management-network' });
  });

  it('ends at once when the activity is cancelled, with the reason of the cancellation', async () => {
    const server = await scripted();
    server.on('GET', SYSTEM, () => undefined);
    const controller = new AbortController();
    const bmc = openBmc(server.endpoint(), { signal: controller.signal });
    const asking = bmc.get(SYSTEM);
    await vi.waitFor(() => expect(server.asked('GET', SYSTEM)).toHaveLength(1));
    controller.abort(new Error('cancelled by the workflow'));
    await expect(asking).rejects.toThrow('cancelled by the workflow');
    await expect(bmc.get(SYSTEM)).rejects.toThrow('cancelled by the workflow');
  });
});

describe('URLs', () => {
  it.each([
    ['10.0.0.5', /does not begin with/],
    ['https://10.0.0.5/redfish/v1/Managers/1', /belongs into `bmc.system`/],
    ['https://root:pw@10.0.0.5', /carries credentials/],
    ['https://10.0.0.5?x=1', /query/],
  ])('refuses the address %s', (address, message) => {
    const open = (): unknown =>
      openBmc({ address, credentials: { username: 'a', password: 'b' }, tls: 'verify' });
    expect(open).toThrow(message);
  });

  it('resolves what a BMC gives against its answer', async () => {
    const { server, bmc } = await opened();
    server.put('/redfish/v1/Tasks/7', { Id: '7' });
    const answer = await bmc.send('GET', '../Tasks/7', { base: `${server.url}/redfish/v1/Systems/1` });
    expect(answer.body).toMatchObject({ Id: '7' });
  });

  it('follows a redirect on its own origin, and no more than three', async () => {
    const { server, bmc } = await opened();
    server.on('GET', '/redfish/v1/Old', () => ({ status: 308, headers: { Location: SYSTEM } }));
    expect((await bmc.get('/redfish/v1/Old')).body).toMatchObject({ PowerState: 'Off' });
    server.on('GET', '/redfish/v1/Loop', () => ({ status: 302, headers: { Location: '/redfish/v1/Loop' } }));
    expect((await failureOf(bmc.get('/redfish/v1/Loop'))).code).toBe('BMC_ANSWER_INVALID');
    expect(server.asked('GET', '/redfish/v1/Loop')).toHaveLength(4);
  });

  it('sends nothing to another origin: not by redirect, not by link', async () => {
    const other = await scripted();
    const { server, bmc } = await opened();
    server.on('GET', SYSTEM, () => ({ status: 302, headers: { Location: `${other.url}/redfish/v1/` } }));
    expect((await failureOf(bmc.get(SYSTEM))).code).toBe('BMC_FOREIGN_ORIGIN');
    expect((await failureOf(bmc.get(`${other.url}${SYSTEM}`))).code).toBe('BMC_FOREIGN_ORIGIN');
    const bare = `//127.0.0.1:${new URL(other.url).port}/x`;
    expect((await failureOf(bmc.get(bare))).code).toBe('BMC_FOREIGN_ORIGIN');
    expect(other.calls).toHaveLength(0);
  });
});
