import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Site } from '../../../../activities/site.ts';
import { shownFailing } from '../../../support/shown.ts';
import { aSite } from '../../support.ts';
import { aLab, makeGate, makeOne, NODE, outcomesOf, type ALab, type Made } from './support.ts';

const shown = shownFailing('the lab', [
  'node-available',
  'server-requested',
  'agent-called-back',
  'image-written',
  'first-boot',
  'guest-reached',
  'server-active',
  'console',
  'server-released',
]);

let lab: ALab;
let site: Site;
let runs = 0;

beforeEach(async () => {
  lab = await aLab();
  site = await aSite();
});
afterEach(() => lab.close());

type Over = { acceptance?: object; cloud?: object } & Partial<Made>;

const gate = async ({ acceptance, cloud, ...over }: Over = {}) =>
  makeGate({ site, inventory: await lab.contract(acceptance, cloud), runId: `r${++runs}`, ...over });

const PASS = {
  'node-available': 'pass',
  'server-requested': 'pass',
  'agent-called-back': 'pass',
  'image-written': 'pass',
  'first-boot': 'pass',
  'guest-reached': 'pass',
  'server-active': 'pass',
  console: 'pass',
  'states-captured': 'pass',
  'server-released': 'pass',
};
const NOTHING = {
  'agent-called-back': 'not made',
  'image-written': 'not made',
  'first-boot': 'not made',
  'guest-reached': 'not made',
  'server-active': 'not made',
  console: 'not made',
  'server-released': 'skipped',
};

describe('a cloud that is as the contract says', () => {
  it('passes, and what is kept of it tells what was there, and no secret', async () => {
    const results = await gate();
    expect(outcomesOf(results)).toEqual(PASS);
    expect(results['server-released']!.summary).toBe(`${NODE} is available again`);
    const { answer } = await site.evidence.read(results['states-captured']!.evidence[0]!.id);
    expect(answer).toMatchObject({
      servers: [{ status: 'ACTIVE' }],
      node: { provision_state: 'active' },
      hypervisor: { state: 'up' },
    });
    const [server] = (answer as { ids: string[] }).ids;
    expect(answer).toMatchObject({
      ports: { [server!]: [{ device_id: server }] },
      allocations: { [server!]: { allocations: expect.objectContaining({}) } },
    });
    expect(JSON.stringify(answer)).not.toMatch(/password|driver_info|user_data/);
  });
});

interface Case {
  readonly check: string;
  readonly domain: string;
  readonly message: RegExp;
  readonly fault: () => void;
  /** What the others came to, where that is no pass. */
  readonly others?: { readonly [id: string]: string };
  readonly acceptance?: object;
  readonly cloud?: object;
  /** What corrects it, where clearing the switch does not. */
  readonly mend?: () => Promise<unknown>;
}

const SHORT = { timeouts: { deadlines: { deploy: '2s', release: '2s' }, firstBoot: '1s', handOver: '1s' } };

/** The servers of the cloud are deleted, by whoever corrects it. */
const deleteAll = (): Promise<unknown> =>
  lab.as(async (cloud) => {
    const all = await cloud.list('compute', '/v2.1/servers', 'servers');
    for (const each of all as { id: string }[])
      await cloud.json('compute', `/v2.1/servers/${each.id}`, { method: 'DELETE' });
  });

const provision = (target: string): Promise<unknown> =>
  lab.as(async (cloud) => {
    const path = `/v1/nodes/${NODE}`;
    await cloud.json('baremetal', `${path}/maintenance`, { method: 'DELETE' });
    await cloud.json('baremetal', `${path}/states/provision`, { method: 'PUT', body: { target } });
  });

/** Waits until the node is available again. */
const available = async (): Promise<void> => {
  const state = () =>
    lab.as(
      async (cloud) => (await cloud.json('baremetal', `/v1/nodes/${NODE}`)) as { provision_state: string },
    );
  while ((await state()).provision_state !== 'available') await new Promise((done) => setTimeout(done, 50));
};

const on =
  (service: string, ...names: string[]) =>
  () =>
    lab.faults(service, Object.fromEntries(names.map((name) => [name, true])));

describe('one thing wrong', () => {
  const LATER = { ...NOTHING, 'server-requested': 'not made' };
  const AFTER = { 'first-boot': 'error', 'guest-reached': 'error', console: 'not made' };
  it.each<Case>([
    {
      check: 'node-available',
      domain: 'ironic',
      message: /is in maintenance: a disk is replaced/,
      fault: on('ironic', 'nodeMaintenance'),
      others: LATER,
    },
    {
      check: 'node-available',
      domain: 'ironic',
      message: /is manageable in Ironic, not available/,
      fault: on('ironic', 'nodeNotAvailable'),
      others: LATER,
    },
    {
      check: 'node-available',
      domain: 'contract',
      message: /instance .* has it; it is not touched/,
      fault: on('ironic', 'nodeInUse'),
      others: LATER,
    },
    {
      check: 'node-available',
      domain: 'bmc',
      message: /Ironic finds the .* interface of node node-001 unfit/,
      fault: on('ironic', 'validateFails'),
      others: LATER,
    },
    {
      check: 'server-requested',
      domain: 'openstack',
      message: /quota of project acceptance is used up: 10 of 10 instances/,
      fault: on('nova', 'quotaFull'),
      others: NOTHING,
    },
    {
      check: 'server-requested',
      domain: 'image-supply',
      message: /no active image acceptance-image/,
      fault: on('glance', 'imageDeleted'),
      others: NOTHING,
    },
    {
      check: 'server-requested',
      domain: 'openstack',
      message: /no flavor missing/,
      fault: () => undefined,
      acceptance: { flavor: 'missing' },
      others: NOTHING,
    },
    {
      check: 'server-requested',
      domain: 'openstack',
      message: /Flavor m1.tiny asks for no resource class; .* resources:CUSTOM_LAB_GPU_8=1/,
      fault: () => undefined,
      acceptance: { flavor: 'm1.tiny' },
      others: NOTHING,
    },
    {
      check: 'server-requested',
      domain: 'openstack',
      message: /Placement does not offer node node-001/,
      fault: on('placement', 'inventoryReserved'),
      acceptance: SHORT,
      others: NOTHING,
    },
    {
      check: 'server-requested',
      domain: 'openstack',
      message: /nova-compute on controller-1-ironic, which has node node-001, is down/,
      fault: () => {
        on('nova', 'ironicComputeDown')();
        on('placement', 'inventoryReserved')();
      },
      others: NOTHING,
    },
    {
      check: 'server-requested',
      domain: 'openstack',
      message: /No nova-compute has node node-001/,
      fault: () => {
        on('nova', 'ironicComputeMissing')();
        on('placement', 'inventoryReserved')();
      },
      acceptance: SHORT,
      others: NOTHING,
    },
    {
      check: 'server-requested',
      domain: 'openstack',
      message: /into ERROR: No valid host was found.* is down/,
      fault: on('nova', 'ironicComputeDown'),
      others: { ...NOTHING, 'server-released': 'pass' },
    },
    {
      check: 'server-requested',
      domain: 'openstack',
      message: /into ERROR: No valid host was found.* No nova-compute has node/,
      fault: on('nova', 'ironicComputeMissing'),
      others: { ...NOTHING, 'server-released': 'pass' },
    },
    {
      check: 'server-requested',
      domain: 'openstack',
      message: /Failed to allocate the network/,
      fault: on('neutron', 'portBindingFailed'),
      others: { ...NOTHING, 'server-released': 'pass' },
    },
    {
      check: 'server-requested',
      domain: 'openstack',
      message: /is BUILD \(scheduling\), and node node-001 does not have it after 2 s/,
      fault: on('nova', 'serverStuck'),
      acceptance: SHORT,
      others: { ...NOTHING, 'server-released': 'pass' },
    },
    {
      check: 'agent-called-back',
      domain: 'deploy-agent',
      message: /Timeout reached while waiting for callback/,
      fault: on('ironic', 'deployFails'),
      others: { ...AFTER, 'image-written': 'error', 'server-active': 'error' },
    },
    {
      check: 'image-written',
      domain: 'image-supply',
      message: /Error verifying image checksum/,
      fault: on('ironic', 'deployImageFails'),
      others: { ...AFTER, 'agent-called-back': 'error', 'server-active': 'error' },
    },
    {
      check: 'server-active',
      domain: 'bmc',
      message: /The deployment of node node-001 failed: .*set_power_state failed/,
      fault: on('ironic', 'deployPowerFails'),
      others: { ...AFTER, 'agent-called-back': 'error', 'image-written': 'error' },
    },
    {
      check: 'first-boot',
      domain: 'contract',
      message: /Nova keeps no console log of server/,
      fault: () => undefined,
      cloud: { firstBoot: { console: 'login:' } },
    },
    {
      check: 'guest-reached',
      domain: 'first-boot',
      message: /not reached from the worker: 127.64.0.1:9 refused/,
      fault: () => undefined,
      cloud: { ports: [9] },
      acceptance: { timeouts: { handOver: '1s' } },
    },
    {
      check: 'console',
      domain: 'console',
      message: /no console novnc of server .*: Unavailable console type novnc/,
      fault: on('nova', 'consoleMissing'),
    },
    {
      check: 'server-released',
      domain: 'ironic',
      message: /is clean failed: Timeout reached while cleaning/,
      fault: on('ironic', 'cleanFails'),
      mend: async () => {
        await provision('manage');
        await provision('provide');
      },
    },
    {
      check: 'server-released',
      domain: 'openstack',
      message: /has been deleted since .*, and is still there: ACTIVE \(deleting\)/,
      fault: on('nova', 'serverDeleteStuck'),
      acceptance: { timeouts: { deadlines: { release: '1s' } } },
      mend: deleteAll,
    },
    {
      check: 'server-released',
      domain: 'openstack',
      message: /Port .* was left when server .* was deleted/,
      fault: on('neutron', 'portLeft'),
    },
  ])('$check fails, and no other: $message; corrected, all pass', async (each) => {
    const { check, domain, message, fault, others, acceptance, cloud, mend } = each;
    fault();
    const results = await gate({ ...(acceptance ? { acceptance } : {}), ...(cloud ? { cloud } : {}) });
    const of = results[check]!;
    expect(of.findings[0]?.failure.message ?? of.summary).toMatch(message);
    expect(outcomesOf(results)).toEqual({ ...PASS, ...others, [check]: 'fail' });
    expect(of.findings[0]!.failure.faultDomain).toBe(domain);
    expect(of.findings[0]!.failure.correction.length).toBeGreaterThan(10);
    shown(check);
    lab.clear();
    await mend?.();
    await available();
    expect(outcomesOf(await gate())).toEqual(PASS);
  });

  it('a node that boots no agent has none to be missed, however late it is looked at', async () => {
    const body = [{ op: 'replace', path: '/deploy_interface', value: 'fake' }];
    await lab.as((cloud) => cloud.json('baremetal', `/v1/nodes/${NODE}`, { method: 'PATCH', body }));
    lab.faults('ironic', { deployPowerFails: true });
    const made = { site, inventory: await lab.contract(), runId: 'late' };
    const results = new Map<string, string>();
    for (const id of ['server-requested', 'server-active', 'agent-called-back', 'image-written'])
      results.set(id, (await makeOne(id, made)).outcome);
    expect(Object.fromEntries(results)).toEqual({
      'server-requested': 'pass',
      'server-active': 'fail',
      'agent-called-back': 'skipped',
      'image-written': 'skipped',
    });
  });
});
