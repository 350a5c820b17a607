import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OpenStack } from '../../../../activities/openstack/client.ts';
import type { Site } from '../../../../activities/site.ts';
import type { Inventory } from '../../../../contracts/inventory/inventory.ts';
import { MARK } from '../../../../core/openstack/servers.ts';
import { SITE } from '../../../workflows/support.ts';
import { aSite } from '../../support.ts';
import { aLab, makeGate, makeOne, NODE, outcomesOf, type ALab } from './support.ts';

// What is left by a worker that died, or by an answer that was lost, is found again; what is somebody else's is not
// touched.

const RUN = 'r1';
const NAME = `rackwright-acceptance-${RUN}-1-server`;

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

const servers = () =>
  lab.as(
    async (cloud) =>
      (await cloud.list('compute', '/v2.1/servers/detail', 'servers')) as readonly {
        id: string;
        name: string;
      }[],
  );

/** Asks for a server of that name by hand: on hosts of their own, so that the node stays free. */
const ask = (metadata: object, flavor = 'm1.tiny', name = NAME): Promise<string> =>
  lab.as(async (cloud) => {
    const named = async (
      service: 'compute' | 'image' | 'network',
      path: string,
      kind: string,
      wanted: string,
    ) =>
      ((await cloud.list(service, path, kind)) as { id: string; name: string }[]).find(
        (each) => each.name === wanted,
      )!.id;
    const answer = await cloud.json('compute', '/v2.1/servers', {
      method: 'POST',
      body: {
        server: {
          name,
          flavorRef: await named('compute', '/v2.1/flavors', 'flavors', flavor),
          imageRef: await named('image', '/v2/images', 'images', 'acceptance-image'),
          networks: 'none',
          metadata,
        },
      },
    });
    return (answer as { server: { id: string } }).server.id;
  });

const OURS = { [MARK]: `${SITE}/${NAME}` };

it('an attempt that is made again finds its server, and asks for no other', async () => {
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(await makeOne('server-requested', { site, inventory, runId: RUN })).toMatchObject({
      outcome: 'pass',
    });
  }
  expect((await servers()).map(({ name }) => name)).toEqual([NAME]);
});

it('a server whose answer was lost is taken for its own', async () => {
  const id = await ask(OURS, 'bm.gpu');
  const { summary } = await makeOne('server-requested', { site, inventory, runId: RUN });
  expect(summary).toBe(`${NODE} takes server ${id}`);
  expect((await servers()).length).toBe(1);
});

it('two servers of lost answers are both taken back, and none that is not marked', async () => {
  await ask(OURS, 'bm.gpu');
  await ask(OURS);
  const others = [
    await ask({}),
    await ask({ [MARK]: `other-site/${NAME}` }),
    await ask(OURS, 'm1.tiny', `${NAME}-of-somebody-else`),
  ];
  const released = await makeOne('server-released', { site, inventory, runId: RUN });
  expect(released).toMatchObject({ outcome: 'pass' });
  expect((await servers()).map(({ id }) => id).sort()).toEqual(others.sort());
});

it.each([
  ['its server', 'nova'],
  ['the port of its server', 'neutron'],
])('what a clean-up could not take back, %s, is that of the next', async (_what, service) => {
  const ports = () => lab.as((cloud) => cloud.list('network', '/v2.0/ports', 'ports'));
  const none = (await ports()).length;
  expect(await makeOne('server-requested', { site, inventory, runId: RUN })).toMatchObject({
    outcome: 'pass',
  });
  lab.faults('neutron', { portLeft: true });
  lab.faults(service, { apiForbidden: true });
  const first = await makeOne('server-released', { site, inventory, runId: RUN });
  expect(first.outcome).toBe('error');
  lab.clear();
  const next = await makeOne('server-released', { site, inventory, runId: RUN, run: 2 });
  expect(next).toMatchObject(
    service === 'nova'
      ? { outcome: 'pass' }
      : { outcome: 'fail', findings: [{ failure: { message: expect.stringMatching(/^Port .* was left/) } }] },
  );
  expect(await servers()).toEqual([]);
  expect((await ports()).length).toBe(none);
  // What came to its end is looked at no more.
  expect(await makeOne('server-released', { site, inventory, runId: RUN, run: 3 })).toMatchObject({
    outcome: 'skipped',
  });
});

it('a clean-up that is made again after a worker died still looks at what the server has left', async () => {
  const results = await makeGate({ site, inventory, runId: RUN });
  expect(results['server-released']!.outcome).toBe('pass');
  lab.faults('ironic', { nodePowerOn: true });
  const again = await makeOne('server-released', { site, inventory, runId: RUN });
  expect(again).toMatchObject({ outcome: 'fail' });
  expect(again.findings[0]!.failure.message).toBe(`Node ${NODE} is available and powered on.`);
});

it('a port that was left is told of, though the worker died as it had deleted it', async () => {
  lab.faults('neutron', { portLeft: true });
  expect(await makeOne('server-requested', { site, inventory, runId: RUN })).toMatchObject({
    outcome: 'pass',
  });
  const real = OpenStack.prototype.json;
  vi.spyOn(OpenStack.prototype, 'json').mockImplementation(async function (this: OpenStack, ...asked) {
    const answer = await real.apply(this, asked);
    if (asked[2]?.method === 'DELETE' && asked[0] === 'network') throw new Error('killed');
    return answer;
  });
  await expect(makeOne('server-released', { site, inventory, runId: RUN })).rejects.toThrow('killed');
  vi.restoreAllMocks();
  const again = await makeOne('server-released', { site, inventory, runId: RUN });
  expect(again).toMatchObject({ outcome: 'fail' });
  expect(again.findings.map(({ failure }) => failure.message)).toEqual([
    expect.stringMatching(/^Port .* was left when server .* was deleted/),
  ]);
});

it('a request whose answer was lost is waited for before it is said that there was no server', async () => {
  const noted = { outcome: 'unknown', at: new Date().toISOString() };
  await site.evidence.put(
    {
      site: SITE,
      node: '_acceptance',
      requestId: RUN,
      step: 'server-requested',
      name: 'request',
      asked: 'POST /servers',
      of: 'request',
      from: 'test',
      answer: noted,
    },
    site.secrets,
  );
  const late = setTimeout(() => void ask(OURS), 1500);
  const released = await makeOne('server-released', { site, inventory, runId: RUN });
  clearTimeout(late);
  expect(released).toMatchObject({ outcome: 'pass', summary: `${NODE} is available again` });
  expect(await servers()).toEqual([]);
});

it.each([
  ['nova', 'apiUnauthorized', 'OPENSTACK_UNAUTHORIZED'],
  ['nova', 'apiForbidden', 'OPENSTACK_FORBIDDEN'],
  ['ironic', 'apiForbidden', 'OPENSTACK_FORBIDDEN'],
  ['ironic', 'apiDown', 'OPENSTACK_UNREACHABLE'],
])('%s with %s is an error, never a fail', async (service, fault, code) => {
  lab.faults(service, { [fault]: true });
  const results = await makeGate({ site, inventory, runId: RUN, seconds: 1 });
  expect(Object.values(outcomesOf(results))).not.toContain('fail');
  const errors = Object.values(results).filter(({ outcome }) => outcome === 'error');
  expect(errors[0]!.findings[0]!.failure.code).toBe(code);
});
