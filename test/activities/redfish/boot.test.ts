import { describe, expect, it } from 'vitest';
import { convergeBootOnce, convergeNoOverride, readBootOverride } from '../../../activities/redfish/boot.ts';
import { findSystem } from '../../../activities/redfish/service.ts';
import { failureOf, opened } from './fixtures.ts';
import { redfishError, SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

const quick = { watchMs: 30, pollMs: 2, retryAfterMs: 5 };
const SETTINGS = `${SYSTEM}/Settings`;
const writes = (server: ScriptedBmc): unknown[] =>
  server.asked('PATCH').map((c) => [c.path, (c.body as { Boot: unknown }).Boot]);
const CD_ONCE = { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' };

async function start(): Promise<
  Awaited<ReturnType<typeof opened>> & { system: Awaited<ReturnType<typeof findSystem>> }
> {
  const { server, bmc } = await opened();
  return { server, bmc, system: await findSystem(bmc, SYSTEM) };
}

describe('boot once', () => {
  it('writes source and duration, and nothing when it is so already', async () => {
    const { server, bmc, system } = await start();
    expect(await convergeBootOnce(bmc, system, 'Cd', { ...quick, mode: 'UEFI' })).toMatchObject({
      changed: true,
    });
    expect(await convergeBootOnce(bmc, system, 'Cd', { ...quick, mode: 'UEFI' })).toMatchObject({
      changed: false,
    });
    expect(writes(server)).toEqual([[SYSTEM, CD_ONCE]]);
  });

  it('boot-21, boot-22: the mode is written only where it is shown and differs', async () => {
    const { server, bmc, system } = await start();
    await convergeBootOnce(bmc, system, 'Cd', { ...quick, mode: 'Legacy' });
    expect(writes(server)).toEqual([[SYSTEM, { ...CD_ONCE, BootSourceOverrideMode: 'Legacy' }]]);
  });

  it('boot-21: the mode is added where an error asks for it, once', async () => {
    const { server, bmc, system } = await start();
    server.on('PATCH', SYSTEM, (call) => {
      const { Boot } = call.body as { Boot: Record<string, unknown> };
      if (!('BootSourceOverrideMode' in Boot)) {
        return {
          status: 400,
          body: redfishError('PropertyMissing', 'x', { MessageArgs: ['BootSourceOverrideMode'] }),
        };
      }
      server.patchBoot(call.body);
      return { status: 204 };
    });
    expect(await convergeBootOnce(bmc, system, 'Cd', quick)).toMatchObject({ state: 'reached' });
    expect(writes(server)).toHaveLength(2);
    // From then on it is sent at once.
    expect(await convergeNoOverride(bmc, system, quick)).toMatchObject({ state: 'reached' });
    expect(writes(server)).toHaveLength(3);
  });

  it('boot-24: Once that reads back as Continuous counts', async () => {
    const { server, bmc, system } = await start();
    server.on('PATCH', SYSTEM, () => {
      server.patchBoot({ Boot: { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Continuous' } });
      return { status: 204 };
    });
    expect(await convergeBootOnce(bmc, system, 'Cd', quick)).toMatchObject({ state: 'reached' });
  });

  it('boot-17: a read-only Boot is written through the settings object, and from then on at once', async () => {
    const { server, bmc, system } = await start();
    server.patch(SYSTEM, { '@Redfish.Settings': { SettingsObject: { '@odata.id': SETTINGS } } });
    server.put(SETTINGS, {
      Boot: { BootSourceOverrideTarget: 'None', BootSourceOverrideEnabled: 'Disabled' },
    });
    server.on('PATCH', SYSTEM, () => ({
      status: 400,
      body: redfishError('PropertyNotWritable', 'Boot is read only.', { RelatedProperties: ['#/Boot'] }),
    }));
    server.on('PATCH', SETTINGS, (call) => {
      server.patch(SETTINGS, call.body as Record<string, unknown>);
      return { status: 202 };
    });
    expect(await convergeBootOnce(bmc, system, 'Cd', quick)).toMatchObject({ state: 'reached' });
    expect(await convergeNoOverride(bmc, system, quick)).toMatchObject({ state: 'reached' });
    expect(server.asked('PATCH').map((c) => c.path)).toEqual([SYSTEM, SETTINGS]);
  });

  it('boot-18: a settings object without the override is not written', async () => {
    const { server, bmc, system } = await start();
    server.patch(SYSTEM, { '@Redfish.Settings': { SettingsObject: { '@odata.id': SETTINGS } } });
    server.put(SETTINGS, { Boot: { BootOrder: ['Boot0001'] } });
    expect(await convergeBootOnce(bmc, system, 'Cd', quick)).toMatchObject({ state: 'reached' });
    expect(server.asked('PATCH').map((c) => c.path)).toEqual([SYSTEM]);
  });

  it('boot-19: a 428 is answered with the ETag as given', async () => {
    const { server, bmc, system } = await start();
    server.on('GET', SYSTEM, () => ({
      status: 200,
      headers: { ETag: 'W/"a b"' },
      body: server.resources.get(SYSTEM),
    }));
    server.on('PATCH', SYSTEM, (call) => {
      if (call.headers['if-match'] !== 'W/"a b"') return { status: 428 };
      server.patchBoot(call.body);
      return { status: 204 };
    });
    expect(await convergeBootOnce(bmc, system, 'Cd', quick)).toMatchObject({ state: 'reached' });
    expect(server.asked('PATCH')).toHaveLength(2);
  });

  it('boot-25: POST is a reason to wait', async () => {
    const { server, bmc, system } = await start();
    server.on('PATCH', SYSTEM, () => ({
      status: 400,
      body: redfishError('UnableToModifyDuringSystemPOST', 'POST'),
    }));
    expect(await convergeBootOnce(bmc, system, 'Cd', quick)).toMatchObject({
      state: 'pending',
      code: 'BMC_STATE_REFUSED',
    });
  });

  it('life-66: one right read that flips does not count', async () => {
    const { server, bmc, system } = await start();
    let n = 0;
    server.on('GET', SYSTEM, () => {
      n += 1;
      const right = { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Once' };
      const wrong = { BootSourceOverrideTarget: 'None', BootSourceOverrideEnabled: 'Disabled' };
      return { status: 200, body: { ...server.resources.get(SYSTEM), Boot: n % 2 === 0 ? right : wrong } };
    });
    expect(await convergeBootOnce(bmc, system, 'Cd', quick)).toMatchObject({
      state: 'pending',
      code: 'BOOT_NOT_APPLIED',
    });
  });

  it('says which sources are offered when this one is not', async () => {
    const { server, bmc, system } = await start();
    server.patchBoot({ Boot: { 'BootSourceOverrideTarget@Redfish.AllowableValues': ['Pxe', 'Hdd'] } });
    const failure = await failureOf(convergeBootOnce(bmc, system, 'Cd', quick));
    expect(failure.code).toBe('BOOT_UNSUPPORTED');
    expect(failure.message).toContain('Pxe, Hdd');
  });

  it('takes the name that the BMC has for a CD', async () => {
    const { server, bmc, system } = await start();
    server.patchBoot({ Boot: { 'BootSourceOverrideTarget@Redfish.AllowableValues': ['UsbCd', 'Hdd'] } });
    await convergeBootOnce(bmc, system, 'Cd', quick);
    expect((await readBootOverride(bmc, SYSTEM)).target).toBe('UsbCd');
  });

  it('keeps the messages of a refusal', async () => {
    const { server, bmc, system } = await start();
    server.on('PATCH', SYSTEM, () => ({ status: 400, body: redfishError('PropertyValueError', 'No.') }));
    expect(await failureOf(convergeBootOnce(bmc, system, 'Cd', quick))).toMatchObject({
      code: 'BOOT_REFUSED',
      details: { status: 400, method: 'PATCH', messageIds: ['Base.1.8.PropertyValueError'] },
    });
  });
});

describe('no override', () => {
  it('switches it off', async () => {
    const { server, bmc, system } = await start();
    server.patchBoot({ Boot: CD_ONCE });
    expect(await convergeNoOverride(bmc, system, quick)).toMatchObject({ state: 'reached', changed: true });
    expect(writes(server)).toEqual([[SYSTEM, { BootSourceOverrideEnabled: 'Disabled' }]]);
  });

  it('names no source where switching off is refused', async () => {
    const { server, bmc, system } = await start();
    server.patchBoot({ Boot: CD_ONCE });
    server.on('PATCH', SYSTEM, (call) => {
      const { Boot } = call.body as { Boot: Record<string, unknown> };
      if (Boot['BootSourceOverrideTarget'] !== 'None') return { status: 400, body: {} };
      server.patchBoot(call.body);
      return { status: 204 };
    });
    expect(await convergeNoOverride(bmc, system, quick)).toMatchObject({ state: 'reached' });
  });

  it('is not there yet while the BMC shows the old one', async () => {
    const { server, bmc, system } = await start();
    server.patchBoot({ Boot: CD_ONCE });
    server.on('PATCH', SYSTEM, () => ({ status: 204 }));
    expect(await convergeNoOverride(bmc, system, quick)).toMatchObject({
      state: 'pending',
      code: 'BOOT_NOT_APPLIED',
    });
  });
});
