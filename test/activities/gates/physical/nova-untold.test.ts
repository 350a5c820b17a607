import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BY_NOVA } from '../../../../activities/gates/physical/nova/index.ts';
import { OpenStack } from '../../../../activities/openstack/client.ts';
import type { Site } from '../../../../activities/site.ts';
import type { Inventory } from '../../../../contracts/inventory/inventory.ts';
import { fail } from '../../../../core/errors/failure.ts';
import { aSite } from '../../support.ts';
import { aLab, makeGate, makeOne, NODE, type ALab } from './support.ts';

// What a cloud hides from who asks, or no longer lists, is neither a finding nor taken for gone.

const RUN = 'r1';
let lab: ALab;
let site: Site;
let inventory: Inventory;

beforeEach(async () => {
  lab = await aLab();
  site = await aSite();
  inventory = await lab.contract();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await lab.close();
});

type Said = (service: string, path: string, answer: unknown, method: string) => unknown;

/** Changes what the cloud answers with. */
function answering(said: Said): void {
  const real = OpenStack.prototype.json;
  vi.spyOn(OpenStack.prototype, 'json').mockImplementation(async function (
    this: OpenStack,
    service,
    path,
    options,
  ) {
    return said(service, path, await real.call(this, service, path, options), options?.method ?? 'GET');
  });
}

const one = (id: string, seconds = 40) => makeOne(id, { site, inventory, runId: RUN, seconds });
const codeOf = (made: Awaited<ReturnType<typeof one>>) => made.findings[0]?.failure.code;
const withoutServers: Said = (service, path, answer) =>
  service === 'compute' && path.startsWith('/v2.1/servers/detail') ? { servers: [] } : answer;

it('a user who is not shown where a server is can tell nothing of it', async () => {
  answering((service, path, answer) =>
    service === 'compute' && path.startsWith('/v2.1/servers/detail')
      ? (JSON.parse(
          JSON.stringify(answer).replaceAll('"OS-EXT-SRV-ATTR:hypervisor_hostname"', '"hidden"'),
        ) as unknown)
      : answer,
  );
  const made = await one('server-requested');
  expect([made.outcome, codeOf(made)]).toEqual(['error', 'OPENSTACK_FORBIDDEN']);
  expect(codeOf(await one('server-active'))).toBe('OPENSTACK_FORBIDDEN');
});

it.each(['node-available', 'server-requested'])(
  'to whom Ironic shows no node, %s does not say that there is none',
  async (check) => {
    answering((service, path, answer) => {
      if (service !== 'baremetal') return answer;
      if (path.startsWith('/v1/nodes?')) return { nodes: [] };
      throw fail('OPENSTACK_REFUSED', 'Node could not be found.', { details: { status: 404 } });
    });
    const made = await one(check);
    expect([made.outcome, codeOf(made)]).toEqual(['error', 'OPENSTACK_FORBIDDEN']);
  },
);

it('what cannot be read before the clean-up is an error, and the rest is kept', async () => {
  expect((await one('server-requested')).outcome).toBe('pass');
  answering((_service, path, answer) => {
    if (path.startsWith('/allocations/')) throw fail('OPENSTACK_FORBIDDEN', 'Placement: 403');
    return answer;
  });
  const made = await one('states-captured');
  expect([made.outcome, codeOf(made)]).toEqual(['error', 'OPENSTACK_FORBIDDEN']);
  const entries = await site.evidence.list(inventory.site, '_acceptance', RUN);
  const kept = entries.find(({ step }) => step === 'states-captured')!;
  expect((await site.evidence.read(kept.ref.id)).answer).toMatchObject({
    servers: [{ status: expect.any(String) as string }],
  });
});

it('a server that was accepted and is not listed is not asked for twice, and not taken for deleted', async () => {
  expect((await one('server-requested')).outcome).toBe('pass');
  let posts = 0;
  answering((service, path, answer, method) => {
    if (method === 'POST' && path === '/v2.1/servers') posts++;
    return withoutServers(service, path, answer, method);
  });
  expect(await one('server-requested', 0.2)).toMatchObject({
    outcome: 'error',
    summary: expect.stringContaining('is not listed') as string,
  });
  expect(posts).toBe(0);
  expect(await one('server-released', 0.2)).toMatchObject({
    outcome: 'error',
    summary: expect.stringContaining('is not listed') as string,
  });
});

it('one whose answer was lost is waited for before another is asked for', async () => {
  let posts = 0;
  answering((_service, path, answer, method) => {
    if (method !== 'POST' || path !== '/v2.1/servers') return answer;
    posts++;
    throw fail('OPENSTACK_UNREACHABLE', 'no answer in time');
  });
  const late = vi.spyOn(OpenStack.prototype, 'list');
  late.mockImplementation(async function (this: OpenStack, service, path, name) {
    return ((await this.json(service, path)) as { readonly [name: string]: readonly unknown[] })[
      name
    ]!.filter(() => !path.startsWith('/v2.1/servers/detail'));
  });
  await one('server-requested', 0.5);
  expect(posts).toBe(1);
  late.mockRestore();
  expect(await one('server-requested')).toMatchObject({ outcome: 'pass' });
  expect(posts).toBe(1);
});

it('a node that Nova has forgotten fails the clean-up in its time', async () => {
  inventory = await lab.contract({ timeouts: { deadlines: { release: '1s', deploy: '30s' } } });
  const results = await makeGate({ site, inventory, runId: RUN });
  const [server] = (
    (await site.evidence.read(results['states-captured']!.evidence[0]!.id)).answer as { ids: string[] }
  ).ids;
  answering((service, path, answer) =>
    service === 'baremetal' && path === `/v1/nodes/${NODE}`
      ? { ...(answer as object), provision_state: 'active', instance_uuid: server }
      : answer,
  );
  expect(await one('server-released', 5)).toMatchObject({
    outcome: 'fail',
    findings: [
      { failure: { message: expect.stringMatching(/deleted in Nova, and node .* still has it/) as string } },
    ],
  });
});

it('a port that is gone while it is deleted is told of all the same', async () => {
  lab.faults('neutron', { portLeft: true });
  answering((service, path, answer, method) => {
    if (service !== 'network' || method !== 'DELETE') return answer;
    throw fail('OPENSTACK_REFUSED', `Neutron: ${path} is answered with 404`, { details: { status: 404 } });
  });
  expect(await makeGate({ site, inventory, runId: RUN })).toMatchObject({
    'server-released': {
      outcome: 'fail',
      findings: [{ failure: { message: expect.stringMatching(/^Port .* was left/) as string } }],
    },
  });
});

const CONFLICT = fail('OPENSTACK_REFUSED', 'Nova: 409: Instance is in conflict', {
  details: { status: 409 },
});
it.each<[string, object, 'fail' | 'error', string]>([
  ['is locked', { locked: true, locked_reason: 'forensics' }, 'fail', 'somebody has locked it (forensics)'],
  ['Nova does not delete, and does not say why', {}, 'error', 'Instance is in conflict'],
])('a server that %s is not waited for as one that is being deleted', async (_what, over, outcome, words) => {
  expect((await one('server-requested')).outcome).toBe('pass');
  const real = OpenStack.prototype.json;
  vi.spyOn(OpenStack.prototype, 'json').mockImplementation(async function (this: OpenStack, ...asked) {
    if (asked[2]?.method === 'DELETE') throw CONFLICT;
    const answer = (await real.apply(this, asked)) as { server?: object };
    return answer?.server ? { server: { ...answer.server, ...over } } : answer;
  });
  const made = await one('server-released', 2);
  expect(made).toMatchObject({ outcome });
  expect(made.findings[0]!.failure.message).toContain(words);
});

it('a server that no node takes is told before the time of the check is over', () => {
  const requested = BY_NOVA['server-requested'];
  const { total } = requested.bounds!(inventory, { attempt: 60, total: 180 });
  // Nova notices in four minutes that a node is free; in ten more a node has the server.
  expect(total).toBeGreaterThan((4 + 10) * 60);
});

it('a gateway that has no console proxy behind it says nothing of the console', async () => {
  vi.spyOn(OpenStack.prototype, 'statusOf').mockResolvedValue(503);
  const results = await makeGate({ site, inventory, runId: RUN, seconds: 5 });
  expect(results['console']).toMatchObject({ outcome: 'error' });
});

it('a node that Nova has not taken a deleted server from is left to its operator, once that was waited for', async () => {
  expect((await one('server-requested')).outcome).toBe('pass');
  let id: unknown;
  answering((service, path, answer) => {
    if (service === 'compute' && path.startsWith('/v2.1/servers/detail'))
      id ??= (answer as { servers: { id: string }[] }).servers[0]?.id;
    const kept = { instance_uuid: id, provision_state: 'active' };
    return service === 'baremetal' && path === `/v1/nodes/${NODE}`
      ? { ...(answer as object), ...kept }
      : answer;
  });
  inventory = await lab.contract({ timeouts: { deadlines: { release: '2s' } } });
  const { outcome, findings } = await one('server-released');
  expect(outcome).toBe('fail');
  expect(findings[0]!.failure).toMatchObject({
    message: `Server ${String(id)} is deleted in Nova, and node ${NODE} still has it, and is active.`,
    correction: expect.stringContaining(`openstack baremetal node undeploy ${NODE};`) as string,
    faultDomain: 'openstack',
  });
});
