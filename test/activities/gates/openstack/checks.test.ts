import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withRepeats } from '../../../../activities/gates/check.ts';
import { GATE_CHECKS } from '../../../../activities/gates/index.ts';
import type { Site } from '../../../../activities/site.ts';
import { OPENSTACK_CHECKS } from '../../../../core/acceptance/openstack-checks.ts';
import { aSite, codeOf } from '../../support.ts';
import { contractWith, makeCheck } from '../kubernetes/support.ts';
import { aSmallCloud, type Asked, type SmallCloud } from './support.ts';

let cloud: SmallCloud;
let site: Site;

beforeEach(async () => {
  [cloud, site] = [await aSmallCloud(), await aSite()];
});
afterEach(() => cloud.close());

const CONTRACT = {
  watch: 1,
  compute: { services: [{ binary: 'nova-compute', host: 'h1', hypervisor: 'QEMU' }] },
  network: { agents: [{ binary: 'neutron-openvswitch-agent', host: 'h1' }], backend: 'openvswitch' },
};
/** Those that one cloud can fail; what fails of them, by id. */
const ALL = OPENSTACK_CHECKS.map(({ id }) => id);
const outcomes = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all(
      ALL.map(async (id) => [
        id,
        (await makeCheck(id, { site, inventory: cloud.inventory(CONTRACT) })).outcome,
      ]),
    ),
  );
const PASSED = Object.fromEntries(ALL.map((id) => [id, id === 'migrations' ? 'skipped' : 'pass']));

/** Time goes on for those that report. */
function reporting(stuck?: string): void {
  let now = 0;
  const at = ({ binary }: Record<string, unknown>) => (binary === stuck ? 'then' : `now ${++now}`);
  cloud.instead = ({ path }) => {
    if (path.includes('/os-services'))
      return {
        status: 200,
        body: { services: cloud.services.map((each) => ({ ...each, updated_at: at(each) })) },
      };
    if (path.includes('/agents'))
      return {
        status: 200,
        body: { agents: cloud.agents.map((each) => ({ ...each, heartbeat_timestamp: at(each) })) },
      };
    return undefined;
  };
}

describe('the checks of gate 3', () => {
  beforeEach(() => reporting());

  it('pass on a cloud that is as the contract says', async () => {
    expect(await outcomes()).toEqual(PASSED);
  });

  it.each<[string, string, () => void]>([
    ['a conductor that is down', 'compute-services', () => void (cloud.services[0]!['state'] = 'down')],
    [
      'a compute that is disabled',
      'compute-services',
      () => void (cloud.services[2]!['status'] = 'disabled'),
    ],
    ['a dead agent', 'network-agents', () => void (cloud.agents[0]!['alive'] = false)],
    ['no agent at all', 'network-agents', () => void (cloud.agents = [])],
    ['a scheduler that reports no more', 'queue-clients', () => reporting('nova-scheduler')],
    ['a compute that Placement does not know', 'placement-inventory', () => void (cloud.providers = [])],
    ['a provider with nothing', 'placement-inventory', () => void (cloud.inventories = {})],
    [
      'an endpoint where nothing listens',
      'openstack-endpoints',
      () => void (cloud.endpoints['baremetal'] = 'https://127.0.0.1:1'),
    ],
    [
      'an endpoint that is not in the catalogue',
      'openstack-endpoints',
      () => void (cloud.endpoints['baremetal'] = undefined),
    ],
    [
      'an endpoint of another service',
      'openstack-endpoints',
      () => void (cloud.endpoints['baremetal'] = cloud.endpoints['network']),
    ],
    [
      'bytes that come back as others',
      'image-round-trip',
      () =>
        instead(({ path, method }) =>
          method === 'GET' && path.endsWith('/file') ? { status: 200, body: Buffer.from('x') } : undefined,
        ),
    ],
    [
      'a full store',
      'image-round-trip',
      () =>
        instead(({ method }) =>
          method === 'PUT' ? { status: 413, body: '<h1>413</h1>There is not enough disk space' } : undefined,
        ),
    ],
    [
      'an image that stays',
      'image-round-trip',
      () => instead(({ method }) => (method === 'DELETE' ? { status: 204 } : undefined)),
    ],
  ])('fail on %s: %s alone', async (_what, id, fault) => {
    fault();
    // A disabled or absent compute gives Placement nothing to count, and is no other check's.
    expect(await outcomes()).toEqual({ ...PASSED, [id]: 'fail' });
  });

  it.each<[number, string]>([
    [403, 'OPENSTACK_FORBIDDEN'],
    [503, 'OPENSTACK_UNAVAILABLE'],
    [401, 'OPENSTACK_UNAUTHORIZED'],
  ])(
    'are errors where a service answers with %i',
    async (status, code) => {
      cloud.instead = ({ path }) => (path.includes('/auth/tokens') ? undefined : { status, body: {} });
      const made = ALL.filter((each) => each !== 'migrations').map(async (id) => {
        const result = await makeCheck(id, { site, inventory: cloud.inventory(CONTRACT) });
        return [id, result.outcome, result.findings[0]?.failure.code];
      });
      for (const told of await Promise.all(made)) expect(told).toEqual([told[0], 'error', code]);
    },
    60_000,
  );

  it.each<[string, string, string, () => void]>([
    [
      'agents are not shown to the user',
      'network-agents',
      'OPENSTACK_FORBIDDEN',
      () => {
        cloud.roles = ['reader'];
        cloud.agents = [];
      },
    ],
    [
      'agents are not shown to the user',
      'queue-clients',
      'OPENSTACK_FORBIDDEN',
      () => {
        cloud.roles = ['reader'];
        cloud.agents = [];
      },
    ],
    [
      'a cell of Nova is down',
      'compute-services',
      'OPENSTACK_UNAVAILABLE',
      () => cloud.services.push({ binary: 'nova-compute', host: 'h2', status: 'UNKNOWN' }),
    ],
    [
      'a cell of Nova is down',
      'placement-inventory',
      'OPENSTACK_UNAVAILABLE',
      () => cloud.services.push({ binary: 'nova-compute', host: 'h2', status: 'UNKNOWN' }),
    ],
  ])(
    'are errors where %s: %s',
    async (_what, id, code, fault) => {
      fault();
      const { outcome, findings } = await makeCheck(id, { site, inventory: cloud.inventory(CONTRACT) });
      expect([outcome, findings[0]?.failure.code]).toEqual(['error', code]);
    },
    60_000,
  );

  it('pass a cloud without agents for whoever would see them', async () => {
    cloud.agents = [];
    const { outcome } = await makeCheck('network-agents', { site, inventory: cloud.inventory({}) });
    expect(outcome).toBe('pass');
  });

  it('are skipped where the contract has no cloud, or not that service', async () => {
    for (const id of ALL)
      expect((await makeCheck(id, { site, inventory: contractWith({}) })).outcome).toBe('skipped');
    const inventory = cloud.inventory({ services: ['identity'] });
    const skipped = [];
    for (const id of ALL) {
      if ((await makeCheck(id, { site, inventory })).outcome === 'skipped') skipped.push(id);
    }
    expect(skipped).toEqual(ALL.filter((id) => id !== 'openstack-endpoints'));
  });

  it('pass on a new cloud, which has no computes and no agents', async () => {
    [cloud.hypervisors, cloud.agents, cloud.providers] = [[], [], []];
    cloud.services = cloud.services.filter(({ binary }) => binary !== 'nova-compute');
    for (const id of ALL.filter((each) => each !== 'migrations')) {
      const result = await makeCheck(id, { site, inventory: cloud.inventory({ watch: 1 }) });
      expect([id, result.outcome]).toEqual([id, 'pass']);
    }
  });

  it('tell once that there is no token', async () => {
    cloud.instead = ({ path }) =>
      path.includes('/auth/tokens') ? { status: 401, body: { error: { message: 'no' } } } : undefined;
    const result = await makeCheck('openstack-endpoints', { site, inventory: cloud.inventory() });
    expect(result).toMatchObject({ outcome: 'error', targets: 1 });
    expect(result.findings).toMatchObject([{ failure: { code: 'OPENSTACK_UNAUTHORIZED' } }]);
  });

  it('have no token and no password in their evidence', async () => {
    await outcomes();
    const secrets = /token-number|p4ss-of-the-cloud/;
    for (const id of ALL.filter((each) => each !== 'migrations')) {
      const { evidence } = await makeCheck(id, { site, inventory: cloud.inventory(CONTRACT) });
      expect(evidence.length).toBeGreaterThan(0);
      for (const piece of evidence)
        expect(JSON.stringify(await site.evidence.read(piece.id))).not.toMatch(secrets);
    }
  });
});

const instead = (more: SmallCloud['instead']): void => {
  const before = cloud.instead;
  cloud.instead = (asked: Asked) => more(asked) ?? before(asked);
};

describe('the image that goes there and back', () => {
  const made = (inventory = cloud.inventory()) => makeCheck('image-round-trip', { site, inventory });

  it('is removed, and so is what a killed attempt left, and nothing else', async () => {
    await made();
    const [first] = cloud.asked.filter(
      ({ method, path }) => method === 'POST' && path === '/image/v2/images',
    );
    const left = JSON.parse(String(first!.body)) as object;
    cloud.images.set('left', { ...left, id: 'left', status: 'saving' });
    cloud.images.set('theirs', { id: 'theirs', name: 'ubuntu', tags: ['rackwright-acceptance'] });
    expect((await made()).outcome).toBe('pass');
    expect([...cloud.images.keys()]).toEqual(['theirs']);
  });

  it('is removed where it could not be read back', async () => {
    instead(({ path, method }) =>
      method === 'GET' && path.endsWith('/file') ? { status: 503, body: {} } : undefined,
    );
    expect((await made()).findings[0]?.failure.code).toBe('OPENSTACK_UNAVAILABLE');
    expect(cloud.images.size).toBe(0);
  });

  it('is told to be refused where Glance hangs up before it has all of it', async () => {
    cloud.hangsUpOn = 1024 * 1024;
    instead(({ method }) =>
      method === 'PUT' ? { status: 413, body: { message: 'There is not enough disk space' } } : undefined,
    );
    const { outcome, findings } = await made();
    expect([outcome, findings[0]?.failure.message]).toEqual([
      'fail',
      'Glance does not store the image: There is not enough disk space',
    ]);
    expect(cloud.images.size).toBe(0);
  });

  it('is removed where the check is ended', async () => {
    const stop = new AbortController();
    instead(({ path }) => {
      if (path.endsWith('/file')) stop.abort(new Error('the run was aborted'));
      return undefined;
    });
    const ended = makeCheck('image-round-trip', { site, inventory: cloud.inventory(), signal: stop.signal });
    await expect(ended).rejects.toThrow('the run was aborted');
    expect(cloud.images.size).toBe(0);
  });

  it('tells of a quota what Glance says', async () => {
    instead(({ method }) =>
      method === 'PUT'
        ? { status: 413, body: { message: 'Project p is over a limit for image_size_total' } }
        : undefined,
    );
    const { failure } = (await made()).findings[0]!;
    expect(failure).toMatchObject({ code: 'CHECK_FAILED', faultDomain: 'openstack' });
    expect(failure.message).toContain('over a limit for image_size_total');
    expect(failure.correction).toContain('Raise the quota');
    expect(cloud.images.size).toBe(0);
  });
});

it.each([
  [1, 12],
  [65, 12],
  [600, 60],
])('a watch of %i s has %i looks after the first, and the time for them', (watch, looks) => {
  const { bounds } = GATE_CHECKS.find(({ check }) => check.id === 'queue-clients')!;
  const { attempt } = bounds!(cloud.inventory({ watch }), { attempt: 1, total: 1 });
  expect(attempt).toBe(Math.ceil(withRepeats(watch + (looks + 1) * 2.5)));
});

it('a watch that is cancelled ends at once', async () => {
  const stop = new AbortController();
  cloud.instead = ({ path }) => {
    if (path.includes('agents')) setImmediate(() => stop.abort(new Error('cancelled')));
    return undefined;
  };
  const watch = makeCheck('queue-clients', {
    site,
    inventory: cloud.inventory({ watch: 600 }),
    signal: stop.signal,
  });
  expect(await codeOf(watch)).not.toBe('passed');
});
