import { describe, expect, it } from 'vitest';
import {
  convergePower,
  convergeReboot,
  ensurePower,
  untilReached,
} from '../../../activities/redfish/power.ts';
import type { RebootProgress } from '../../../activities/redfish/power.ts';
import { failureOf, opened } from './fixtures.ts';
import { redfishError, SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;
const quick = { watchMs: 0, retryAfterMs: 5 };
const resets = (server: ScriptedBmc): unknown[] =>
  server.asked('POST', RESET).map((c) => (c.body as { ResetType: string }).ResetType);

describe('power', () => {
  it('asks for nothing when it is as wanted', async () => {
    const { server, bmc } = await opened();
    expect(await convergePower(bmc, SYSTEM, 'off')).toMatchObject({ state: 'reached', changed: false });
    expect(resets(server)).toEqual([]);
  });

  it('does not believe a 204: pending until the read says so, and asks once', async () => {
    const { server, bmc } = await opened();
    server.on('POST', RESET, () => ({ status: 204 }));
    expect(await convergePower(bmc, SYSTEM, 'on', quick)).toMatchObject({
      state: 'pending',
      code: 'POWER_NOT_REACHED',
      retryAfterMs: 5,
    });
    expect(await convergePower(bmc, SYSTEM, 'on', quick)).toMatchObject({ state: 'pending' });
    expect(resets(server)).toEqual(['On']);
    server.patch(SYSTEM, { PowerState: 'On' });
    expect(await convergePower(bmc, SYSTEM, 'on', quick)).toMatchObject({ state: 'reached', changed: true });
  });

  it('asks again when its patience ends', async () => {
    const { server, bmc } = await opened();
    server.on('POST', RESET, () => ({ status: 204 }));
    const failure = await failureOf(
      ensurePower(bmc, SYSTEM, 'on', { ...quick, patienceMs: 60, deadlineMs: 200 }),
    );
    expect(failure).toMatchObject({ code: 'POWER_NOT_REACHED', faultDomain: 'bmc' });
    expect(resets(server).length).toBeGreaterThan(1);
    expect(resets(server).length).toBeLessThan(6);
  });

  it('takes what another process had asked, as plain JSON', async () => {
    const { server, bmc } = await opened();
    const asked = { goal: 'on', resetType: 'On', at: Date.now(), since: Date.now() } as const;
    expect(await convergePower(bmc, SYSTEM, 'on', { ...quick, asked })).toMatchObject({
      state: 'pending',
      asked,
    });
    expect(resets(server)).toEqual([]);
  });

  it('does not take "off" for proven while an "on" may still come true', async () => {
    const { server, bmc } = await opened();
    server.on('POST', RESET, () => ({ status: 204 }));
    await convergePower(bmc, SYSTEM, 'on', quick);
    expect(await convergePower(bmc, SYSTEM, 'off', quick)).toMatchObject({ state: 'pending' });
    server.patch(SYSTEM, { PowerState: 'On' });
    await convergePower(bmc, SYSTEM, 'off', quick);
    expect(resets(server)).toEqual(['On', 'ForceOff']);
  });

  it('shuts down first, and forces it after its time', async () => {
    const { server, bmc } = await opened();
    server.patch(SYSTEM, { PowerState: 'On' });
    server.on('POST', RESET, (call) => {
      if ((call.body as { ResetType: string }).ResetType === 'ForceOff')
        server.patch(SYSTEM, { PowerState: 'Off' });
      return { status: 204 };
    });
    await ensurePower(bmc, SYSTEM, 'off', { ...quick, gracefulMs: 50, deadlineMs: 2_000 });
    expect(resets(server)).toEqual(['GracefulShutdown', 'ForceOff']);
  });

  it.each([409, 400, 500])('power-28: a %s when it is already so is a success', async (status) => {
    const { server, bmc } = await opened();
    server.on('POST', RESET, () => {
      server.patch(SYSTEM, { PowerState: 'On' });
      return { status, body: redfishError('PSU501', 'The server is already powered ON.') };
    });
    expect(await convergePower(bmc, SYSTEM, 'on', quick)).toMatchObject({ state: 'reached' });
  });

  it('power-29: a 409 right after off is asked again, later', async () => {
    const { server, bmc } = await opened();
    let n = 0;
    server.on('POST', RESET, () => {
      if ((n += 1) === 1) return { status: 409, headers: { 'Retry-After': '0' } };
      server.patch(SYSTEM, { PowerState: 'On' });
      return { status: 204 };
    });
    await ensurePower(bmc, SYSTEM, 'on', { ...quick, deadlineMs: 2_000 });
    expect(resets(server)).toEqual(['On', 'On']);
  });

  it('power-30: reads names that are glued together, and tries what is not listed', async () => {
    const { server, bmc } = await opened();
    server.patch(SYSTEM, {
      PowerState: 'On',
      Actions: { '#ComputerSystem.Reset': { 'ResetType@Redfish.AllowableValues': ['OnForceOff', 'Nmi'] } },
    });
    await ensurePower(bmc, SYSTEM, 'off', { ...quick, deadlineMs: 1_000 });
    expect(resets(server)).toEqual(['ForceOff']);
  });

  it('says so when every reset type is refused', async () => {
    const { server, bmc } = await opened();
    server.on('POST', RESET, () => ({
      status: 400,
      body: redfishError('ActionParameterNotSupported', 'Not supported.'),
    }));
    const failure = await failureOf(convergePower(bmc, SYSTEM, 'on', quick));
    expect(failure).toMatchObject({ code: 'POWER_REFUSED', retryable: false });
    expect(failure.details?.['messageIds']).toContain('Base.1.8.ActionParameterNotSupported');
    expect(resets(server)).toEqual(['On', 'ForceOn']);
  });

  it('boot-25: names POST as the reason to wait', async () => {
    const { server, bmc } = await opened();
    server.on('POST', RESET, () => ({
      status: 400,
      body: redfishError('UnableToModifyDuringSystemPOST', 'Not during POST.'),
    }));
    expect(await convergePower(bmc, SYSTEM, 'on', quick)).toMatchObject({
      state: 'pending',
      code: 'BMC_STATE_REFUSED',
    });
  });

  it('sends no second reset when the answer to the first was lost', async () => {
    const { server, bmc } = await opened();
    server.on('POST', RESET, (_call, res) => void res.destroy());
    expect((await failureOf(convergePower(bmc, SYSTEM, 'on', quick))).code).toBe('BMC_CONNECTION_LOST');
    expect(await convergePower(bmc, SYSTEM, 'on', quick)).toMatchObject({ state: 'pending' });
    expect(resets(server)).toEqual(['On']);
  });

  it('reboots as off, proven, then on, proven', async () => {
    const { server, bmc } = await opened();
    server.patch(SYSTEM, { PowerState: 'On' });
    await untilReached(bmc, 2_000, (progress: RebootProgress | undefined) =>
      convergeReboot(bmc, SYSTEM, progress, quick),
    );
    expect(resets(server)).toEqual(['ForceOff', 'On']);
  });
});
