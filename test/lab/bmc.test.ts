import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_SWITCHES } from '../../lab/fault-switches.ts';
import { startLab, type RunningLab } from '../../lab/lab.ts';
import { bmcClient, call } from './clients.ts';
import { stubGateway, until, type StubGateway } from './stub-gateway.ts';

const SYSTEM = '/redfish/v1/Systems/1';
const MEDIA = '/redfish/v1/Managers/1/VirtualMedia/Cd';
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;

let dir: string;
let lab: RunningLab;
let gateway: StubGateway;
let bmc: ReturnType<typeof bmcClient>;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'lab-bmc-'));
  gateway = await stubGateway();
  gateway.media = readFileSync(new URL('../../package.json', import.meta.url));
  lab = await startLab({ dataDir: dir, servers: 2, speed: 20 });
  const { servers } = (await call('GET', `${lab.controlUrl}/servers`)).body;
  bmc = bmcClient(dir, servers[0].bmc);
});
afterAll(async () => {
  await lab.close();
  await gateway.close();
  rmSync(dir, { recursive: true });
});
afterEach(async () => {
  await control('DELETE', '/faults');
  await bmc.post(`${MEDIA}/Actions/VirtualMedia.EjectMedia`, {});
  await bmc.post(RESET, { ResetType: 'ForceOff' });
  await until('power off', async () => (await control('GET')).power === 'Off');
  await bmc.patch(SYSTEM, { Boot: { BootSourceOverrideEnabled: 'Disabled' } });
});

const control = async (method: string, path = '', body?: unknown) =>
  (await call(method, `${lab.controlUrl}/servers/node-001${path}`, body)).body;
const faults = (values: Record<string, unknown>) => control('PUT', '/faults', values);
const log = async (): Promise<Record<string, unknown>[]> => (await control('GET', '/log')).entries;
const insert = (body: Record<string, unknown> = {}) =>
  bmc.post(`${MEDIA}/Actions/VirtualMedia.InsertMedia`, {
    Image: `${gateway.url}/media/${'s'.repeat(40)}/a.iso`,
    ...body,
  });
const override = (part: Record<string, unknown>) => bmc.patch(SYSTEM, { Boot: part });
const messageId = (reply: { body: { error: { '@Message.ExtendedInfo': { MessageId: string }[] } } }) =>
  reply.body.error['@Message.ExtendedInfo'][0]?.MessageId.split('.').at(-1);

describe('the service', () => {
  it('opens its root to all and everything else to whom it knows', async () => {
    const nobody = { headers: {} };
    expect((await bmc.get('/redfish/v1/', undefined, nobody)).body['@odata.type']).toContain('ServiceRoot');
    const refused = await bmc.get(SYSTEM, undefined, nobody);
    expect(refused.status).toBe(401);
    expect(messageId(refused)).toBe('NoValidSession');
  });

  it('has every resource that it links to', async () => {
    const seen = new Set<string>(['/redfish/v1']);
    for (const path of seen) {
      const { status, body, headers } = await bmc.get(path);
      expect(status, path).toBe(200);
      expect(body['@odata.id'].replace(/\/$/, '')).toBe(path);
      expect(headers['odata-version']).toBe('4.0');
      expect(headers['etag']).toMatch(/^".+"$/);
      for (const [, id] of JSON.stringify(body).matchAll(/"@odata\.id":"([^"]+)"/g))
        seen.add(id!.replace(/\/$/, ''));
    }
    expect(seen.size).toBeGreaterThan(60);
    const gpus = [...seen].filter((path) => /Processors\/GPU\d$/.test(path));
    expect(gpus).toHaveLength(8);
  });

  it('opens sessions, up to a limit, and closes them', async () => {
    const account = { UserName: 'admin', Password: bmc.password };
    const opened = [];
    for (let i = 0; i < 16; i++) opened.push(await bmc.post(SESSIONS, account, { headers: {} }));
    expect(new Set(opened.map((o) => o.status))).toEqual(new Set([201]));
    const full = await bmc.post(SESSIONS, account);
    expect([full.status, messageId(full)]).toEqual([503, 'SessionLimitExceeded']);
    const headers = { 'x-auth-token': String(opened[0]!.headers['x-auth-token']) };
    expect((await bmc.get(SYSTEM, undefined, { headers })).status).toBe(200);
    for (const { headers: own } of opened)
      expect((await bmc.delete(String(own['location']))).status).toBe(204);
    expect((await bmc.get(SYSTEM, undefined, { headers })).status).toBe(401);
    expect(JSON.stringify(await log())).not.toContain(bmc.password);
  });

  it('answers mistakes as Redfish does', async () => {
    expect(messageId(await bmc.get('/redfish/v1/Nothing'))).toBe('ResourceNotFound');
    expect((await bmc.delete(SYSTEM)).status).toBe(405);
    expect((await bmc.get(`${SYSTEM}?$expand=*`)).status).toBe(501);
    expect(messageId(await bmc.post(RESET, {}))).toBe('ActionParameterMissing');
    expect(messageId(await bmc.post(RESET, { ResetType: 'Explode' }))).toBe('ActionParameterValueNotInList');
    expect(messageId(await bmc.patch(SYSTEM, { AssetTag: 'x' }))).toBe('PropertyNotWritable');
    expect(messageId(await override({ BootSourceOverrideTarget: 'Moon' }))).toBe('PropertyValueNotInList');
    expect(messageId(await insert({ Image: 'http://127.0.0.1:1/x.iso' }))).toBe('VirtualMediaNotFetched');
  });

  it('holds changes to the ETag they were made for', async () => {
    const { headers } = await bmc.get(SYSTEM);
    const basic = `Basic ${Buffer.from(`admin:${bmc.password}`).toString('base64')}`;
    const change = (etag: string) =>
      bmc.patch(
        SYSTEM,
        { Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Cd' } },
        {
          headers: { authorization: basic, 'if-match': etag },
        },
      );
    expect((await change('"other"')).status).toBe(412);
    expect((await change(String(headers['etag']))).status).toBe(204);
    expect((await bmc.get(SYSTEM)).body.Boot).toMatchObject({
      BootSourceOverrideEnabled: 'Once',
      BootSourceOverrideTarget: 'Cd',
    });
  });

  it('keeps BIOS settings pending until the next power-on', async () => {
    expect(
      (await bmc.patch(`${SYSTEM}/Bios/Settings`, { Attributes: { LogicalProc: 'Disabled' } })).status,
    ).toBe(200);
    expect((await bmc.get(`${SYSTEM}/Bios`)).body.Attributes.LogicalProc).toBe('Enabled');
    await bmc.post(RESET, { ResetType: 'On' });
    await until('on', async () => (await bmc.get(SYSTEM)).body.PowerState === 'On');
    expect((await bmc.get(`${SYSTEM}/Bios`)).body.Attributes.LogicalProc).toBe('Disabled');
  });
});

describe('a TPM', () => {
  const clear = () => bmc.patch(`${SYSTEM}/Bios/Settings`, { Attributes: { Tpm2Operation: 'Clear' } });
  const operation = async (path: string) =>
    (await bmc.get(`${SYSTEM}/${path}`)).body.Attributes.Tpm2Operation;
  const boot = async () => {
    await bmc.post(RESET, { ResetType: 'On' });
    await until('on', async () => (await bmc.get(SYSTEM)).body.PowerState === 'On');
  };
  const last = async () => (await log()).findLast((entry) => entry['event'] === 'tpm-cleared');

  it('is shown, and cleared at the reset that follows, not before', async () => {
    expect((await bmc.get(SYSTEM)).body.TrustedModules).toMatchObject([
      { InterfaceType: 'TPM2_0', Status: { State: 'Enabled' } },
    ]);
    expect((await control('GET')).tpm.sealed).not.toEqual([]);
    expect((await clear()).status).toBe(200);
    expect([await operation('Bios'), await operation('Bios/Settings')]).toEqual(['NoAction', 'Clear']);
    expect((await control('GET')).tpm.sealed).not.toEqual([]);
    await boot();
    expect([await operation('Bios'), await operation('Bios/Settings')]).toEqual(['NoAction', 'NoAction']);
    expect((await control('GET')).tpm.sealed).toEqual([]);
    expect(await last()).toMatchObject({ sealed: ['keys of the previous owner'] });
  });

  it('waits no longer once the setting is taken back', async () => {
    await clear();
    await bmc.patch(`${SYSTEM}/Bios/Settings`, { Attributes: { Tpm2Operation: 'NoAction' } });
    expect(await operation('Bios/Settings')).toBe('NoAction');
  });

  it('takes no other word, and no other time', async () => {
    const settings = (body: object) => bmc.patch(`${SYSTEM}/Bios/Settings`, body);
    const wipe = await settings({ Attributes: { Tpm2Operation: 'Wipe' } });
    expect([wipe.status, messageId(wipe)]).toEqual([400, 'PropertyValueNotInList']);
    const now = await settings({
      Attributes: { Tpm2Operation: 'Clear' },
      '@Redfish.SettingsApplyTime': { ApplyTime: 'Immediate' },
    });
    expect([now.status, messageId(now)]).toEqual([400, 'PropertyValueNotInList']);
    expect(await operation('Bios/Settings')).toBe('NoAction');
  });

  it('ignores a clear, or refuses it with a message, when told to', async () => {
    await faults({ tpmClearIgnored: 1 });
    const cleared = async () => (await log()).filter((entry) => entry['event'] === 'tpm-cleared').length;
    const before = await cleared();
    await clear();
    await boot();
    expect(await operation('Bios/Settings')).toBe('Clear');
    await faults({ tpmClearRefused: 1 });
    await bmc.post(RESET, { ResetType: 'ForceRestart' });
    await until('taken', async () => (await operation('Bios/Settings')) === 'NoAction');
    expect((await bmc.get(`${SYSTEM}/Bios`)).body['@Redfish.Settings'].Messages).toMatchObject([
      { MessageId: 'Lab.1.0.SettingNotApplied', RelatedProperties: ['#/Attributes/Tpm2Operation'] },
    ]);
    expect(await cleared()).toBe(before);
  });
});

describe('power', () => {
  it('takes its time, and boots the old system', async () => {
    const begun = (await log()).length;
    expect((await bmc.post(RESET, { ResetType: 'On' })).status).toBe(204);
    expect((await bmc.get(SYSTEM)).body.PowerState).toBe('PoweringOn');
    await until('the old system', async () =>
      (await log()).slice(begun).some((e) => e['event'] === 'system-started' && e['image'] === 'old-os'),
    );
    expect((await bmc.post(RESET, { ResetType: 'On' })).status).toBe(204);
    const before = (await log()).length;
    await bmc.post(RESET, { ResetType: 'ForceRestart' });
    const seen = await until('restart', async () => {
      const after = (await log()).slice(before).filter((e) => e['event'] === 'power');
      return after.length === 2 ? after : undefined;
    });
    expect(seen.map((e) => e['state'])).toEqual(['Off', 'On']);
  });

  it('boots the old system when the media cannot be booted, and uses the override up', async () => {
    expect((await insert()).status).toBe(204);
    await override({ BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Cd' });
    const before = (await log()).length;
    await bmc.post(RESET, { ResetType: 'On' });
    const events = await until('the old system', async () => {
      const after = (await log()).slice(before).map((e) => e['event']);
      return after.includes('system-started') && after;
    });
    expect(events).toEqual([
      'request',
      'power',
      'override-used',
      'boot-media-failed',
      'boot-disk',
      'system-started',
    ]);
    expect((await bmc.get(SYSTEM)).body.Boot.BootSourceOverrideEnabled).toBe('Disabled');
  });
});

describe('faults on writes', () => {
  const effectOf: Record<
    string,
    { write: () => Promise<{ status: number }>; happened: () => Promise<boolean> }
  > = {
    reset: {
      write: () => bmc.post(RESET, { ResetType: 'On' }, { timeoutMs: 700 }),
      happened: async () => (await control('GET')).power !== 'Off',
    },
    insertMedia: {
      write: () =>
        bmc.post(
          `${MEDIA}/Actions/VirtualMedia.InsertMedia`,
          { Image: `${gateway.url}/media/t/a.iso` },
          { timeoutMs: 700 },
        ),
      happened: async () => (await control('GET')).media.Cd.inserted,
    },
    patchBoot: {
      write: () =>
        bmc.patch(
          SYSTEM,
          { Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Cd' } },
          { timeoutMs: 700 },
        ),
      happened: async () => (await control('GET')).override.enabled === 'Once',
    },
    createSession: {
      write: () => bmc.post(SESSIONS, { UserName: 'admin', Password: bmc.password }, { timeoutMs: 700 }),
      happened: async () => (await control('GET')).sessions > 0,
    },
  };
  afterEach(async () => {
    for (const member of (await bmc.get(SESSIONS)).body.Members) await bmc.delete(member['@odata.id']);
  });

  describe.each(Object.keys(effectOf))('%s', (kind) => {
    const { write, happened } = effectOf[kind]!;
    it('takes effect though the answer is lost', async () => {
      await faults({ [`${kind}.lostResponse`]: 1 });
      await expect(write()).rejects.toThrow();
      expect(await happened()).toBe(true);
      expect((await log()).some((e) => e['event'] === 'answer-lost' && e['write'] === kind)).toBe(true);
    });
    it('takes effect after the client has given up', async () => {
      await faults({ [`${kind}.commitAfterTimeout`]: 1 });
      await expect(write()).rejects.toThrow();
      await until('the late effect', happened);
    });
    it('is accepted and not applied', async () => {
      await faults({ [`${kind}.acceptNotApply`]: 1 });
      expect((await write()).status).toBeLessThan(300);
      expect(await happened()).toBe(false);
    });
    it('fails with 500 twice, with 503 once, and then works', async () => {
      await faults({ [`${kind}.status500`]: 2, [`${kind}.status503RetryAfter`]: 1 });
      expect([(await write()).status, (await write()).status]).toEqual([500, 500]);
      expect(await write()).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(await happened()).toBe(false);
      expect((await write()).status).toBeLessThan(300);
      expect(await happened()).toBe(true);
      expect((await control('GET', '/faults')).faults).toEqual({});
    });
  });

  it('ejects though the answer is lost', async () => {
    await insert();
    await faults({ 'ejectMedia.lostResponse': 1 });
    await expect(bmc.post(`${MEDIA}/Actions/VirtualMedia.EjectMedia`, {})).rejects.toThrow();
    expect((await bmc.get(MEDIA)).body).toMatchObject({ Inserted: false, ConnectedVia: 'NotConnected' });
  });
});

describe('faults of the field', () => {
  it.each([
    ['insertNeedsProtocol', {}, 400, { TransferProtocolType: 'HTTP' }],
    ['insertNeedsCredentials', {}, 400, { UserName: 'x', Password: 'y' }],
    ['insertWantsMinimalBody', { Inserted: true }, 400, {}],
    ['mediaUnreachable', {}, 400, undefined],
  ])('%s', async (fault, wrong, status, right) => {
    await faults({ [fault]: right === undefined ? 1 : true });
    expect((await insert(wrong)).status).toBe(status);
    expect((await insert(right ?? {})).status).toBe(204);
  });

  it('inserts by a task, which is 202 while it runs, or ends Completed and Critical', async () => {
    await faults({ insertTaskFails: 1, insertIsTask: 1 });
    for (const TaskStatus of ['Critical', 'OK']) {
      const { status, headers } = await insert();
      expect(status).toBe(202);
      const done = await until('the task', async () => {
        const monitor = await bmc.get(String(headers['location']));
        return monitor.status === 200 && monitor.body;
      });
      expect(done).toMatchObject({ TaskState: 'Completed', TaskStatus });
    }
    expect((await bmc.get(MEDIA)).body.Inserted).toBe(true);
  });

  it('shows media late, and after an eject still', async () => {
    await faults({ insertShowsLate: 2, mediaStaysAfterEject: 1 });
    await insert();
    const shown = async () => (await bmc.get(MEDIA)).body.Inserted;
    expect([await shown(), await shown(), await shown()]).toEqual([false, false, true]);
    await bmc.post(`${MEDIA}/Actions/VirtualMedia.EjectMedia`, {});
    expect([await shown(), await shown()]).toEqual([true, false]);
  });

  it('has virtual media in one place only', async () => {
    await faults({ mediaOnlyUnderSystem: true });
    expect((await bmc.get('/redfish/v1/Managers/1')).body.VirtualMedia).toBeUndefined();
    expect((await insert()).status).toBe(404);
    expect((await bmc.get(`${SYSTEM}/VirtualMedia/Cd`)).status).toBe(200);
  });

  it.each([
    ['bootNeedsEtag', 428, 'PreconditionRequired', () => override({ BootSourceOverrideEnabled: 'Once' })],
    [
      'bootInPost',
      400,
      'UnableToModifyDuringSystemPOST',
      () => override({ BootSourceOverrideEnabled: 'Once' }),
    ],
    ['bootRefusesMode', 400, 'PropertyNotWritable', () => override({ BootSourceOverrideMode: 'UEFI' })],
    ['sameStateIsConflict', 409, 'ResourceInUse', () => bmc.post(RESET, { ResetType: 'ForceOff' })],
    ['onAfterOffConflict', 409, 'ResourceInUse', () => bmc.post(RESET, { ResetType: 'On' })],
    [
      'ejectEmptyIsError',
      400,
      'NoMediaInserted',
      () => bmc.post(`${MEDIA}/Actions/VirtualMedia.EjectMedia`, {}),
    ],
    [
      'sessionLimit',
      503,
      'SessionLimitExceeded',
      () => bmc.post(SESSIONS, { UserName: 'admin', Password: bmc.password }),
    ],
  ] as const)('%s', async (fault, status, id, write) => {
    await faults({ [fault]: 1 });
    const refused = await write();
    expect([refused.status, messageId(refused)]).toEqual([status, id]);
  });

  it('drops every connection while it is down, and comes back', async () => {
    await faults({ bmcDown: true });
    await expect(bmc.get(SYSTEM)).rejects.toThrow();
    await control('DELETE', '/faults');
    expect((await bmc.get(SYSTEM)).status).toBe(200);
  });

  it('forgets a session, once', async () => {
    const opened = await bmc.post(SESSIONS, { UserName: 'admin', Password: bmc.password });
    const headers = { 'x-auth-token': String(opened.headers['x-auth-token']) };
    await faults({ sessionsForgotten: 1 });
    expect((await bmc.get(SYSTEM, undefined, { headers })).status).toBe(401);
  });

  it('shows an override for one boot as Continuous, and a NIC without MAC', async () => {
    await override({ BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Cd' });
    await faults({ onceShowsContinuous: 1, nicWithoutMac: 1 });
    expect((await bmc.get(SYSTEM)).body.Boot.BootSourceOverrideEnabled).toBe('Continuous');
    expect((await bmc.get(`${SYSTEM}/EthernetInterfaces/ens1f0`)).body.MACAddress).toBe('');
  });
});

describe('the control API', () => {
  it('lists all switches, each with a description, and refuses others', async () => {
    const { switches } = (await call('GET', `${lab.controlUrl}/faults`)).body;
    expect(switches).toEqual(FAULT_SWITCHES);
    expect(new Set(FAULT_SWITCHES.map((s) => s.name)).size).toBe(FAULT_SWITCHES.length);
    expect((await faults({ nonsense: 1 })).message).toContain('nonsense');
    expect((await faults({ bmcDown: -1 })).message).toContain('bmcDown');
    expect((await control('GET', '/faults')).faults).toEqual({});
    expect((await call('GET', `${lab.controlUrl}/servers/node-999`)).status).toBe(404);
  });

  it('shows each fault that fired in the log, and no token of an URL', async () => {
    await faults({ 'reset.status500': 1 });
    await bmc.post(RESET, { ResetType: 'On' });
    await insert();
    const entries = await log();
    expect(entries.some((e) => e['event'] === 'fault-fired' && e['fault'] === 'reset.status500')).toBe(true);
    expect(JSON.stringify(entries)).not.toContain('s'.repeat(40));
  });
});
