import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLab, type RunningLab } from '../../lab/lab.ts';
import { bmcClient, call } from '../lab/clients.ts';
import { stubGateway, until, type StubGateway } from '../lab/stub-gateway.ts';
import { redfishSchemas, validate, type Verdict } from '../peers/validator.ts';

/** The BMC of the lab against DMTF's schemas, with all fault switches off. */

/** What a BMC of the lab is made of, by schema: all of it, and nothing else. */
const TYPES = `
  ServiceRoot SessionService SessionCollection Session
  AccountService ManagerAccountCollection ManagerAccount RoleCollection Role
  ComputerSystemCollection ComputerSystem Bios SecureBoot BootOptionCollection BootOption
  EthernetInterfaceCollection EthernetInterface StorageCollection Storage Drive
  ProcessorCollection Processor MemoryCollection Memory VirtualMediaCollection VirtualMedia
  ChassisCollection Chassis NetworkAdapterCollection NetworkAdapter PortCollection Port
  ManagerCollection Manager HostInterfaceCollection HostInterface LogServiceCollection LogService
  LogEntryCollection LogEntry
  UpdateService SoftwareInventoryCollection SoftwareInventory
  TaskService TaskCollection EventService EventDestinationCollection
  MessageRegistryFileCollection MessageRegistryFile AttributeRegistry`
  .trim()
  .split(/\s+/);

/** Where hardware in the field has what the schemas call deprecated, the lab has it, too. */
const DEPRECATED = /^Deprecated (Property|URI) Warning: /;

const SYSTEM = '/redfish/v1/Systems/1';
const VARIABLE = 'RACKWRIGHT_CAPTURES';

const schemas = redfishSchemas();
const skip = schemas === undefined;
if (skip) console.warn(`skipped: ${VARIABLE} names no folder with DMTF's schemas, redfish-csdl/`);

describe.skipIf(skip)('a BMC of the lab', () => {
  let dir: string;
  let lab: RunningLab;
  let publisher: StubGateway;
  let url: string;
  let bmc: ReturnType<typeof bmcClient>;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'rackwright-validator-lab-'));
    publisher = await stubGateway();
    publisher.media = readFileSync(new URL('../../package.json', import.meta.url));
    lab = await startLab({ dataDir: dir, servers: 1, speed: 20 });
    url = (await call('GET', `${lab.controlUrl}/servers`)).body.servers[0].bmc;
    bmc = bmcClient(dir, url);
  });

  afterAll(async () => {
    await lab?.close();
    await publisher?.close();
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  });

  const control = async (method: string, path: string, body?: unknown) =>
    (await call(method, `${lab.controlUrl}/servers/node-001${path}`, body)).body;

  /** Every resource that the root leads to. */
  async function reachable(): Promise<string[]> {
    const seen = new Set(['/redfish/v1/']);
    for (const path of seen) {
      const body = JSON.stringify((await bmc.get(path)).body);
      for (const [, uri = ''] of body.matchAll(/"@odata\.id":"([^"]+)"/g)) seen.add(uri);
    }
    return [...seen];
  }

  async function judged(when: string): Promise<Verdict> {
    const all = await reachable();
    const verdict = await validate({ url, username: 'admin', password: bmc.password, schemas: schemas! });
    const { PASS, WARN, FAIL } = verdict.counts;
    console.log(`${when}: ${PASS} checks passed, ${WARN} warned, ${FAIL} failed`);
    const remarks = verdict.resources.flatMap(({ uri, checks }) =>
      checks
        .filter(({ result }) => result === 'FAIL' || result === 'WARN')
        .map(({ result, property, message }) => ({ result, uri, property, message })),
    );
    for (const { result, uri, property, message } of remarks)
      console.log(`${result} ${uri} ${property}: ${message}`);

    expect(remarks.filter(({ message }) => !DEPRECATED.test(message))).toEqual([]);
    expect(FAIL).toBe(0);
    expect(verdict.resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(all));
    for (const { uri, checks } of verdict.resources)
      expect(checks.filter(({ result }) => result === 'PASS').length, uri).toBeGreaterThan(4);
    return verdict;
  }

  const types = ({ resources }: Verdict): string[] =>
    [...new Set(resources.map(({ type }) => type))].toSorted();

  it('conforms to their schemas as it came out of its box', async () => {
    const verdict = await judged('out of its box');
    expect(types(verdict)).toEqual(TYPES.toSorted());
  });

  it('conforms in the middle of work: media, a task, an override, settings that wait, power on', async () => {
    const insert = (slot: string) =>
      bmc.post(`${SYSTEM}/VirtualMedia/${slot}/Actions/VirtualMedia.InsertMedia`, {
        Image: `${publisher.url}/media/${'s'.repeat(40)}/a.iso`,
      });
    // Only for as long as it takes to have a task that succeeds, and one that fails.
    await control('PUT', '/faults', { insertTaskFails: 1, insertIsTask: 1 });
    const answers = [await insert('Cd'), await insert('Cd')];
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect((await control('GET', '/faults')).faults).toEqual({});
    await bmc.patch(SYSTEM, {
      Boot: { BootSourceOverrideEnabled: 'Continuous', BootSourceOverrideTarget: 'Hdd' },
    });
    await bmc.post(`${SYSTEM}/Actions/ComputerSystem.Reset`, { ResetType: 'On' });
    await until('power on', async () => (await bmc.get(SYSTEM)).body.PowerState === 'On');
    await bmc.patch(`${SYSTEM}/Bios/Settings`, { Attributes: { Tpm2Operation: 'Clear' } });
    for (const { headers } of answers)
      await until('the task', async () => (await bmc.get(String(headers['location']))).status === 200);

    const verdict = await judged('in the middle of work');
    expect(types(verdict)).toEqual([...TYPES, 'Task'].toSorted());
    const cd = verdict.resources.find(({ uri }) => uri === `${SYSTEM}/VirtualMedia/Cd`);
    expect(cd?.checks).toContainEqual({ property: 'TransferProtocolType', result: 'PASS', message: '' });
  });
});
