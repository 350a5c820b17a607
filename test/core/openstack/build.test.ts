import { describe, expect, it } from 'vitest';
import type { BareNode } from '../../../core/openstack/bare-node.ts';
import {
  deploymentError,
  judgeDeployment,
  judgeError,
  judgePlace,
  judgeRefusal,
  type Broken,
} from '../../../core/openstack/build.ts';
import type { CloudServer } from '../../../core/openstack/servers.ts';

const SERVER: CloudServer = {
  id: 's1',
  name: 'rackwright-1',
  status: 'ERROR',
  task: null,
  created: '2026-03-01T12:00:00Z',
  hypervisor: null,
  fault: 'No valid host was found. There are not enough hosts available.',
  metadata: {},
  addresses: [],
  launched: null,
  locked: false,
  lockedReason: null,
};
const NODE: BareNode = {
  uuid: 'u1',
  name: 'gpu-07',
  state: 'available',
  power: 'power off',
  maintenance: false,
  maintenanceReason: null,
  retired: false,
  reservation: null,
  instance: null,
  resourceClass: 'gpu',
  lastError: null,
  deployInterface: 'direct',
  since: null,
  agentHeard: null,
};
const UP = { host: 'c1', state: 'up', status: 'enabled' };
const broken = (over: Partial<Broken> = {}): Broken => ({
  server: SERVER,
  events: '',
  node: NODE,
  hypervisor: UP,
  offered: true,
  flavor: 'bm.gpu',
  ...over,
});

describe('why a server is in ERROR', () => {
  it.each<[string, Partial<Broken>, domain: string, message: RegExp, correction: RegExp]>([
    ['no node', { node: undefined }, 'ironic', /does not have the node/, /Enrol it/],
    [
      'no compute',
      { hypervisor: undefined },
      'openstack',
      /No nova-compute has node gpu-07/,
      /discover_hosts/,
    ],
    [
      'compute down',
      { hypervisor: { ...UP, state: 'down' } },
      'openstack',
      /nova-compute on c1, .* is down/,
      /Start nova-compute on c1/,
    ],
    [
      'compute disabled',
      { hypervisor: { ...UP, status: 'disabled' } },
      'openstack',
      /is disabled/,
      /service set --enable c1/,
    ],
    [
      'compute down, told through code that does other things',
      {
        hypervisor: { ...UP, state: 'down' },
        events:
          'Traceback (most recent call last):\n  File "oslo_messaging/rpc/client.py", line 180, in call\n    wait for MessagingTimeout, image not found\nnova.exception_Remote.NoValidHost_Remote: No valid host was found.',
      },
      'openstack',
      /nova-compute on c1, .* is down/,
      /Start nova-compute on c1/,
    ],
    [
      'port, told by the events alone',
      { events: '  File "x.py"\nnova.exception.PortBindingFailed: Binding failed for port 1' },
      'openstack',
      /No valid host/,
      /network agent list/,
    ],
    ['cleaning', { node: { ...NODE, state: 'cleaning' } }, 'ironic', /is cleaning in Ironic/, /available/],
    ['maintenance', { node: { ...NODE, maintenance: true } }, 'ironic', /in maintenance/, /available/],
    ['not offered', { offered: false }, 'openstack', /Placement does not offer/, /inventory list u1/],
    ['nothing plain', {}, 'openstack', /No valid host was found/, /nova-scheduler/],
    [
      'port',
      { server: { ...SERVER, fault: 'Build of instance s1 aborted: Failed to allocate the network(s)' } },
      'openstack',
      /Failed to allocate the network/,
      /network agent list/,
    ],
    [
      'image',
      { server: { ...SERVER, fault: 'Image 1f2e could not be found.' } },
      'image-supply',
      /could not be found/,
      /into Glance again/,
    ],
    [
      'queue',
      { server: { ...SERVER, fault: 'Timed out waiting for a reply to message ID 1' } },
      'openstack',
      /waiting for a reply/,
      /service list/,
    ],
    [
      'no reason',
      { server: { ...SERVER, fault: null } },
      'openstack',
      /no reason is told/,
      /nova-compute was started again .* event list s1/,
    ],
    [
      'given back before it was deployed',
      {
        server: {
          ...SERVER,
          fault:
            'Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance s1.',
        },
      },
      'openstack',
      /Exhausted all hosts .* Node gpu-07 was not deployed for it/,
      /log of the nova-compute that has node gpu-07/,
    ],
    [
      'unheard of',
      { server: { ...SERVER, fault: 'Something else' } },
      'openstack',
      /Something else/,
      /event list s1/,
    ],
  ])('%s', (_what, over, domain, message, correction) => {
    const found = judgeError(broken(over));
    expect(found.faultDomain).toBe(domain);
    expect(found.message).toMatch(message);
    expect(found.correction).toMatch(correction);
  });
});

describe('whether it was the deployment that failed', () => {
  const retries =
    'Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance s1.';
  it.each<[string, Partial<Broken>, string | undefined]>([
    ['no', {}, undefined],
    [
      'by the events',
      { events: 'x\nInstanceDeployFailure: Failed to provision instance s1: Timeout reached\ny' },
      'Timeout reached',
    ],
    [
      'by Ironic',
      { node: { ...NODE, state: 'deploy failed', instance: 's1', lastError: 'bad disk' } },
      'bad disk',
    ],
    ['of another server', { node: { ...NODE, state: 'deploy failed', instance: 's2' } }, undefined],
    ['given back, nobody says why', { server: { ...SERVER, fault: retries } }, retries],
    [
      'given back, and the node is as it was before',
      { server: { ...SERVER, fault: retries }, node: { ...NODE, since: '2026-03-01T11:59:00Z' } },
      undefined,
    ],
    [
      'given back, and the node has been something else since',
      { server: { ...SERVER, fault: retries }, node: { ...NODE, since: '2026-03-01T12:01:00Z' } },
      retries,
    ],
  ])('%s', (_what, over, error) => {
    expect(deploymentError(broken(over))).toBe(error);
  });
  it.each([
    ['Timeout reached while waiting for callback for node u1', 'deploy-agent'],
    ['Image failed to verify against checksum', 'image-supply'],
    ['Redfish exception occurred', 'bmc'],
    ['Something else', 'ironic'],
  ])('%s is of %s', (error, domain) => {
    expect(judgeDeployment('gpu-07', error).faultDomain).toBe(domain);
  });
});

it.each<[number, string, string | undefined]>([
  [403, 'Quota exceeded for instances: Requested 1, but already used 10 of 10 instances', 'openstack'],
  [403, "Policy doesn't allow os_compute_api:servers:create to be performed.", undefined],
  [413, 'Quota exceeded, too many servers.', 'openstack'],
  [400, 'Can not find requested image', 'image-supply'],
  [400, 'Flavor x could not be found.', 'openstack'],
  [409, 'Multiple possible networks found, use a Network ID to be more specific.', 'openstack'],
  [503, 'no server is available', undefined],
])('%s “%s” is a fail of %s, or none', (status, said, domain) => {
  expect(judgeRefusal(status, said)?.faultDomain).toBe(domain);
});

it.each<[string | null, boolean]>([
  [null, true],
  ['u1', true],
  ['compute-2', false],
])('on %s it is right: %s', (hypervisor, isRight) => {
  expect(judgePlace({ ...SERVER, hypervisor }, NODE) === undefined).toBe(isRight);
});
