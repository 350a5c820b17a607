import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Site } from '../../../../activities/site.ts';
import { aSite } from '../../support.ts';
import { makeCheck } from '../kubernetes/support.ts';
import { aSmallCloud, type SmallCloud } from '../openstack/support.ts';

let cloud: SmallCloud;
let site: Site;
/** What Ironic shows of conductors: 403 to whoever may not see all nodes. */
let conductors: 200 | 403;

beforeEach(async () => {
  [cloud, site] = [await aSmallCloud(), await aSite()];
  cloud.services = [{ binary: 'nova-compute', host: 'c1', status: 'enabled', state: 'up' }];
  cloud.hypervisors = [
    { id: 'u1', hypervisor_hostname: 'u1', hypervisor_type: 'ironic', service: { host: 'c1' } },
  ];
  cloud.instead = ({ path }) => {
    if (path.includes('/v1/nodes/')) return { status: 404, body: {} };
    if (path.includes('/v1/nodes')) return { status: 200, body: { nodes: [] } };
    if (path.includes('/v1/conductors')) return { status: conductors, body: { conductors: [] } };
    return path.includes('binary=nova-compute')
      ? { status: 200, body: { services: cloud.services } }
      : undefined;
  };
});
afterEach(() => cloud.close());

describe('nodes that Ironic does not show', () => {
  it.each<[string, 200 | 403, string]>([
    ['node-conductor', 403, 'error'],
    ['node-conductor', 200, 'fail'],
    ['node-validate', 403, 'error'],
    ['ironic-compute', 403, 'error'],
    ['ironic-compute', 200, 'fail'],
  ])('are, for %s with conductors answered with %i, an outcome of %s', async (id, status, wanted) => {
    conductors = status;
    const inventory = cloud.inventory({ bareMetal: { nodes: ['gpu-001'] } });
    const told = await makeCheck(id, { site, inventory }).then(
      ({ outcome }) => outcome,
      () => 'error',
    );
    expect(told).toBe(wanted);
  });
});

it.each([
  ['ironic-conductors', '/v1/conductors'],
  ['ironic-drivers', '/v1/drivers'],
  ['ironic-compute', '/v1/nodes'],
  ['console-proxy', '/v1/nodes'],
])('%s, whose first list is never answered, asks as often as for a node, and no more', async (id, path) => {
  let asked = 0;
  cloud.instead = (request) => {
    if (!request.path.startsWith(`/baremetal${path}`)) return undefined;
    asked++;
    return { status: 503, body: {} };
  };
  const bareMetal = { nodes: ['gpu-001'], drivers: [{ name: 'redfish' }], consoles: {} };
  const inventory = cloud.inventory({ bareMetal });
  await expect(makeCheck(id, { site, inventory })).rejects.toMatchObject({
    failure: { code: 'OPENSTACK_UNAVAILABLE', retryable: false },
  });
  expect(asked).toBe(3);
});

describe('a node whose Ironic tells less than it should', () => {
  const inventory = (bareMetal: object) =>
    cloud.inventory({ bareMetal: { nodes: ['gpu-001'], ...bareMetal } });
  const node = { uuid: 'u1', name: 'gpu-001', conductor: 'c1', console_interface: 'no-console' };
  const fit = { result: true };
  const all = { boot: fit, deploy: fit, management: fit, network: fit, power: fit, storage: fit };
  const answers = (validation: object): SmallCloud['instead'] => {
    return ({ path }) => {
      if (path.endsWith('/validate')) return { status: 200, body: validation };
      if (path.endsWith('/states/console')) return { status: 400, body: { error_message: 'not supported' } };
      return path.includes('/v1/nodes/') ? { status: 200, body: node } : undefined;
    };
  };

  it('and that has no console is told of, and nobody is asked for one', async () => {
    cloud.instead = answers(all);
    const plainUser = { username: 'plain', password: cloud.inventory().openstack!.credentials!.password };
    const made = await makeCheck('console-proxy', {
      site,
      inventory: inventory({ consoles: { plainUser } }),
    });
    expect(made).toMatchObject({
      outcome: 'fail',
      findings: [{ failure: { message: expect.stringMatching(/console interface no-console/) as string } }],
    });
  });

  it.each(['boot', 'deploy', 'management', 'network', 'power', 'storage'])(
    'is not taken for fit where %s is not in its validation',
    async (kind) => {
      const { [kind as 'boot']: _left, ...rest } = all;
      cloud.instead = answers(rest);
      const made = await makeCheck('node-validate', { site, inventory: inventory({}) });
      expect(made).toMatchObject({
        outcome: 'error',
        findings: [{ failure: { message: expect.stringContaining(`\`${kind}\``) as string } }],
      });
    },
  );

  it('passes where all of them are fit', async () => {
    cloud.instead = answers(all);
    expect((await makeCheck('node-validate', { site, inventory: inventory({}) })).outcome).toBe('pass');
  });
});

describe('the provisioning network', () => {
  const named = { name: 'prov', network: 'provisioning' };
  const row = { id: 'n1', name: 'prov', status: 'ACTIVE', admin_state_up: true };
  const subnets = [{ id: 's1', network_id: 'n1', cidr: '10.1.0.0/24' }];
  it.each<[string, string, object[], string]>([
    ['is not shown to a reader', 'reader', [], 'error'],
    ['is not there', 'admin', [], 'fail'],
    ['has a VLAN that a reader is not shown', 'reader', [row], 'error'],
    ['has another VLAN', 'admin', [{ ...row, 'provider:segmentation_id': 8 }], 'fail'],
    ['has its VLAN', 'admin', [{ ...row, 'provider:segmentation_id': 7 }], 'pass'],
  ])('that %s (%s)', async (_what, role, networks, wanted) => {
    cloud.roles = [role];
    cloud.instead = ({ path }) => {
      if (path.includes('/v2.0/networks')) return { status: 200, body: { networks } };
      return path.includes('/v2.0/subnets') ? { status: 200, body: { subnets } } : undefined;
    };
    const inventory = cloud.inventory(
      { bareMetal: { provisioningNetwork: named } },
      { networks: { provisioning: { vlan: 7, cidr: '10.1.0.0/24' } } },
    );
    expect((await makeCheck('provisioning-network', { site, inventory })).outcome).toBe(wanted);
  });
});
