import { describe, expect, it } from 'vitest';
import { findSystem } from '../../../activities/redfish/service.ts';
import { readInventory, readUpdateService, startUpdate } from '../../../activities/redfish/update-service.ts';
import { serviceAtWork, updateTasks } from '../../../activities/redfish/update-tasks.ts';
import { failureOf, opened } from './fixtures.ts';
import { redfishError } from './scripted-bmc.ts';

const ROOT = '/redfish/v1';
const SERVICE = `${ROOT}/UpdateService`;
const TARGET = `${SERVICE}/Actions/UpdateService.SimpleUpdate`;
const BIOS = `${SERVICE}/FirmwareInventory/BIOS`;
const IMAGE = 'https://images.example/bios.bin';

/** A BMC with an update service, whose action says this of itself. */
async function updatable(action: object = {}, service: object = {}) {
  const { server, bmc } = await opened();
  const link = (uri: string) => ({ '@odata.id': uri });
  server.resources.set(ROOT, { ...server.resources.get(ROOT), UpdateService: link(SERVICE) });
  server.resources.set(SERVICE, {
    '@odata.id': SERVICE,
    FirmwareInventory: link(`${SERVICE}/FirmwareInventory`),
    Actions: { '#UpdateService.SimpleUpdate': { target: TARGET, ...action } },
    ...service,
  });
  const system = await findSystem(bmc);
  return { server, bmc, system, service: await readUpdateService(bmc, system) };
}

const ask = { image: IMAGE, targets: [BIOS], applyTime: 'OnReset' as const };
const bodies = (server: Awaited<ReturnType<typeof updatable>>['server']): unknown[] =>
  server.calls.filter(({ path }) => path === TARGET).map(({ body }) => body);
const TIMES = (...values: string[]) => ({
  '@Redfish.OperationApplyTimeSupport': { SupportedValues: values },
});

describe('what SimpleUpdate is asked with', () => {
  it.each<[string, object, object]>([
    ['nothing that the BMC does not name', {}, {}],
    [
      'protocol and targets, where it lists them',
      {
        'TransferProtocol@Redfish.AllowableValues': ['HTTP', 'HTTPS'],
        'Targets@Redfish.AllowableValues': [BIOS],
      },
      { TransferProtocol: 'HTTPS', Targets: [BIOS] },
    ],
    ['no target that it does not list', { 'Targets@Redfish.AllowableValues': [`${BIOS}2`] }, {}],
    ['when it is to apply', TIMES('Immediate', 'OnReset'), { '@Redfish.OperationApplyTime': 'OnReset' }],
    ['the time that it has', TIMES('Immediate'), { '@Redfish.OperationApplyTime': 'Immediate' }],
  ])('%s', async (_what, action, more) => {
    const { server, bmc, service } = await updatable(action);
    server.on('POST', TARGET, () => ({ status: 202 }));
    await startUpdate(bmc, service, ask);
    expect(bodies(server)).toEqual([{ ImageURI: IMAGE, ...more }]);
  });

  it('what it refuses is left out, and what it misses is added', async () => {
    const { server, bmc, service } = await updatable({ 'Targets@Redfish.AllowableValues': [BIOS] });
    server.on('POST', TARGET, ({ body }) => {
      const given = body as { Targets?: unknown; TransferProtocol?: unknown };
      if (given.Targets !== undefined)
        return {
          status: 400,
          body: redfishError('ActionParameterNotSupported', 'no', { MessageArgs: ['Targets'] }),
        };
      if (given.TransferProtocol === undefined)
        return { status: 400, body: redfishError('ActionParameterMissing', "'TransferProtocol' is needed") };
      return { status: 202 };
    });
    expect((await startUpdate(bmc, service, ask)).status).toBe(202);
    expect(bodies(server)).toEqual([
      { ImageURI: IMAGE, Targets: [BIOS] },
      { ImageURI: IMAGE },
      { ImageURI: IMAGE, TransferProtocol: 'HTTPS' },
    ]);
  });

  it('is not asked again where the refusal names nothing that could be changed', async () => {
    const { server, bmc, service } = await updatable();
    server.on('POST', TARGET, () => ({ status: 400, body: redfishError('GeneralError', 'no') }));
    expect((await startUpdate(bmc, service, ask)).status).toBe(400);
    expect(bodies(server)).toHaveLength(1);
  });

  it('is not asked by a protocol that the BMC does not speak', async () => {
    const { server, bmc, service } = await updatable({
      'TransferProtocol@Redfish.AllowableValues': ['TFTP'],
    });
    expect(await failureOf(startUpdate(bmc, service, ask))).toMatchObject({
      code: 'NOT_SUPPORTED',
      message: expect.stringContaining('by TFTP, not by HTTPS'),
    });
    expect(bodies(server)).toEqual([]);
  });
});

describe('what a BMC shows of updates', () => {
  it('is its firmware; a member that cannot be read is told', async () => {
    const { server, bmc, service } = await updatable();
    const member = (id: string) => ({ '@odata.id': `${SERVICE}/FirmwareInventory/${id}` });
    server.resources.set(`${SERVICE}/FirmwareInventory`, { Members: [member('BIOS'), member('gone')] });
    server.resources.set(BIOS, { '@odata.id': BIOS, Id: 'BIOS', Name: 'System BIOS', Version: '1.0' });
    const { entries, unread } = await readInventory(bmc, service);
    expect(entries).toEqual([{ uri: BIOS, id: 'BIOS', name: 'System BIOS', version: '1.0' }]);
    expect(unread).toContain('gone');
  });

  it('is its tasks and the jobs of vendors about updates, or nothing where it lists none', async () => {
    const { server, bmc } = await updatable();
    expect(await updateTasks(bmc, { ...(await findSystem(bmc)), root: {} })).toBeNull();
    const root = {
      Tasks: { '@odata.id': `${ROOT}/TaskService` },
      JobService: { '@odata.id': `${ROOT}/JobService` },
    };
    const list = (at: string, name: string, members: Record<string, object>) => {
      server.resources.set(`${ROOT}/${at}`, { [name]: { '@odata.id': `${ROOT}/${at}/${name}` } });
      const uris = Object.keys(members).map((id) => `${ROOT}/${at}/${name}/${id}`);
      server.resources.set(`${ROOT}/${at}/${name}`, { Members: uris.map((uri) => ({ '@odata.id': uri })) });
      Object.values(members).forEach((body, i) => server.resources.set(uris[i]!, { ...body }));
    };
    list('TaskService', 'Tasks', {
      1: { Name: 'Insert media', TaskState: 'Running' },
      2: { Name: 'Firmware update', TaskState: 'Completed' },
    });
    list('JobService', 'Jobs', { J1: { Name: 'job', JobType: 'FirmwareUpdate', JobState: 'Scheduled' } });
    expect(await updateTasks(bmc, { ...(await findSystem(bmc)), root })).toEqual([
      { uri: `${ROOT}/TaskService/Tasks/2`, name: 'Firmware update', active: false },
      { uri: `${ROOT}/JobService/Jobs/J1`, name: 'job', active: true },
    ]);
  });

  it('is what the service says that it does', async () => {
    const idle = await updatable({}, { Status: { State: 'Enabled' }, Oem: { Hpe: { State: 'Idle' } } });
    expect(serviceAtWork(idle.service)).toBeUndefined();
    const busy = await updatable({}, { Oem: { Hpe: { State: 'Updating' } } });
    expect(serviceAtWork(busy.service)).toBe('Updating');
  });

  it('is nothing where there is no update service, or one that is disabled', async () => {
    const { bmc, system } = await updatable({}, { ServiceEnabled: false });
    expect((await readUpdateService(bmc, system)).target).toBeNull();
    expect(await failureOf(readUpdateService(bmc, { ...system, root: {} }))).toMatchObject({
      code: 'NOT_SUPPORTED',
      faultDomain: 'bmc',
    });
  });
});
