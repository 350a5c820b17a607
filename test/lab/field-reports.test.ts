import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startLab, type RunningLab } from '../../lab/lab.ts';
import { bmcClient, call } from './clients.ts';
import { stubGateway, until, type StubGateway } from './stub-gateway.ts';

const SYSTEM = '/redfish/v1/Systems/1';
const SETTINGS = `${SYSTEM}/Settings`;
const DRIVES = `${SYSTEM}/VirtualMedia`;
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;

let dir: string;
let lab: RunningLab;
let gateway: StubGateway;
let bmc: ReturnType<typeof bmcClient>;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'lab-field-'));
  gateway = await stubGateway();
  gateway.media = new Uint8Array(2048);
  lab = await startLab({ dataDir: dir, servers: 1, speed: 20 });
  bmc = bmcClient(dir, (await call('GET', `${lab.controlUrl}/servers`)).body.servers[0].bmc);
});
afterAll(async () => {
  await lab.close();
  await gateway.close();
  rmSync(dir, { recursive: true });
});
afterEach(async () => {
  await control('DELETE', '/faults');
  for (const drive of ['Cd', 'Usb']) await bmc.post(`${DRIVES}/${drive}/Actions/VirtualMedia.EjectMedia`, {});
  await override({ BootSourceOverrideEnabled: 'Disabled' });
});

const control = async (method: string, path = '', body?: unknown) =>
  (await call(method, `${lab.controlUrl}/servers/node-001${path}`, body)).body;
const faults = (values: Record<string, unknown>) => control('PUT', '/faults', values);
const override = (part: Record<string, unknown>, path = SYSTEM) => bmc.patch(path, { Boot: part });
const once = { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Cd' };
const image = () => ({ Image: `${gateway.url}/media/t/a.iso` });
const insert = (drive = 'Cd') => bmc.post(`${DRIVES}/${drive}/Actions/VirtualMedia.InsertMedia`, image());

describe('virtual media', () => {
  it('vm-12: a dead first drive, and a second one', async () => {
    await faults({ firstSlotDead: true });
    expect((await bmc.get(`${DRIVES}/Cd`)).body.Actions).toBeUndefined();
    expect((await insert()).status).toBe(405);
    expect((await bmc.get(`${DRIVES}/Cd2`)).body.MediaTypes).toEqual(['DVD']);
    expect((await insert('Cd2')).status).toBe(204);
    await bmc.post(`${DRIVES}/Cd2/Actions/VirtualMedia.EjectMedia`, {});
  });

  it('vm-14: media by PATCH, Inserted not shown', async () => {
    expect((await bmc.patch(`${DRIVES}/Cd`, image())).status).toBe(405);
    await faults({ mediaByPatch: true });
    expect((await insert()).status).toBe(405);
    expect((await bmc.patch(`${DRIVES}/Cd`, image())).status).toBe(204);
    const { body } = await bmc.get(`${DRIVES}/Cd`);
    expect([body.Image, 'Inserted' in body]).toEqual([image().Image, false]);
    expect((await bmc.patch(`${DRIVES}/Cd`, { Image: null })).status).toBe(204);
    expect((await control('GET')).media.Cd.inserted).toBe(false);
  });
});

describe('the boot override', () => {
  it('boot-17: on the settings object only', async () => {
    expect((await bmc.get(SETTINGS)).status).toBe(404);
    await faults({ bootOnlyOnSettings: true });
    expect((await bmc.get(SYSTEM)).body['@Redfish.Settings'].SettingsObject).toEqual({
      '@odata.id': SETTINGS,
    });
    expect((await override(once)).body.error['@Message.ExtendedInfo'][0].MessageArgs).toEqual(['#/Boot']);
    expect((await override(once, SETTINGS)).status).toBe(204);
    expect((await bmc.get(SYSTEM)).body.Boot).toMatchObject(once);
  });

  it('boot-18: a settings object with the order only', async () => {
    await faults({ settingsHaveOrderOnly: true });
    expect(Object.keys((await bmc.get(SETTINGS)).body.Boot)).toEqual(['BootOrder']);
    expect((await override(once, SETTINGS)).status).toBe(400);
    expect((await override(once)).status).toBe(204);
  });

  it('boot-22: an equal mode blocks the next write', async () => {
    await faults({ equalModeQueuesJob: 1 });
    expect((await override({ ...once, BootSourceOverrideMode: 'UEFI' })).status).toBe(204);
    expect((await override(once)).status).toBe(400);
    expect((await override(once)).status).toBe(204);
  });

  it('life-66: right once, then gone', async () => {
    await faults({ overrideFlips: 1 });
    await override(once);
    const read = async () => (await bmc.get(SYSTEM)).body.Boot.BootSourceOverrideEnabled;
    expect([await read(), await read()]).toEqual(['Once', 'Disabled']);
  });
});

describe('tasks', () => {
  const finished = (path: string) =>
    until('the task', async () => {
      const { status } = await bmc.get(path);
      return status !== 202 && status;
    });

  it('task-32, task-34: no Location, and a state of its own', async () => {
    await faults({ insertIsTask: 1, taskWithoutLocation: 1, taskStateUnknown: true });
    const { headers, body } = await insert();
    expect(headers['location']).toBeUndefined();
    expect(body.TaskState).toBe('Downloading');
    expect(await finished(body.TaskMonitor)).toBe(200);
  });

  it('task-36, task-37: an absolute Location with a query, and 204 at the end', async () => {
    await faults({ insertIsTask: 1, taskLocationAbsolute: 1, taskMonitorNoContent: 1 });
    const location = new URL(String((await insert()).headers['location']));
    expect(location.search).toBe('?owner=lab');
    expect(await finished(`${location.pathname}${location.search}`)).toBe(204);
  });
});

describe('shapes and the rest', () => {
  it('power-30: glued values, restart refused', async () => {
    await faults({ resetValuesGlued: true, restartRefused: 1 });
    const { Actions } = (await bmc.get(SYSTEM)).body;
    expect(Actions['#ComputerSystem.Reset']['ResetType@Redfish.AllowableValues']).toContain(
      'GracefulShutdownGracefulRestart',
    );
    expect((await bmc.post(RESET, { ResetType: 'GracefulRestart' })).status).toBe(400);
  });

  it('sess-46: the password is to be changed first', async () => {
    await faults({ passwordChangeRequired: true });
    expect(await bmc.get(SYSTEM)).toMatchObject({
      status: 403,
      body: { error: { code: expect.stringContaining('PasswordChangeRequired') } },
    });
    expect((await bmc.get('/redfish/v1/AccountService/Accounts/1')).status).toBe(200);
  });

  it('sess-47: wrong passwords lock the account', async () => {
    const wrong = { headers: { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` } };
    for (let i = 0; i < 5; i++) expect((await bmc.get(SYSTEM, undefined, wrong)).status).toBe(401);
    expect((await bmc.get(SYSTEM)).status).toBe(401);
    await until('the lock to open', async () => (await bmc.get(SYSTEM)).status === 200);
  });

  it('shape-49, shape-50, bios-55: less, and other, than the standard says', async () => {
    await faults({ fieldsMissing: true, numbersAreText: true, errorInfoIsObject: true, biosReadOnly: true });
    const { body } = await bmc.get(SYSTEM);
    expect(body.Links).toBeUndefined();
    expect(body.MemorySummary.TotalSystemMemoryGiB).toBe('N/A');
    const error = (await bmc.post(RESET, {})).body.error['@Message.ExtendedInfo'];
    expect(error.MessageId).toContain('ActionParameterMissing');
    expect((await bmc.get(`${SYSTEM}/Bios`)).body['@Redfish.Settings'].SettingsObject).toBeUndefined();
  });

  it('loses a GPU and a NIC', async () => {
    await faults({ gpuMissing: true, nicMissing: true });
    const count = async (part: string) => (await bmc.get(`${SYSTEM}/${part}`)).body['Members@odata.count'];
    expect([await count('Processors'), await count('EthernetInterfaces')]).toEqual([2 + 7, 1]);
    const entries = (await control('GET', '/log')).entries as { event: string; fault?: string }[];
    expect(entries.filter((e) => e.fault === 'gpuMissing')).toHaveLength(1);
  });

  it('sess-41: the BMC restarts', async () => {
    await bmc.post('/redfish/v1/Managers/1/Actions/Manager.Reset', { ResetType: 'ForceRestart' });
    await expect(bmc.get(SYSTEM)).rejects.toThrow();
    await until('the BMC', async () => (await bmc.get(SYSTEM).catch(() => undefined))?.status === 200);
  });
});
