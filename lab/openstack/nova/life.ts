import { COMPUTES, IRONIC_COMPUTE, type Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { available, deploy, release } from '../ironic/life.ts';
import { bind, makePort, removePort } from '../neutron/ports.ts';
import { resourceClassOf } from '../placement/providers.ts';
import { micro, newRequestId, second, type CloudServer } from '../state.ts';
import { novaServices } from './hosts.ts';

/** How long the steps of a server take, in milliseconds at speed 1. */
export const TAKES = { schedule: 500, spawn: 1500, power: 500, delete: 500 } as const;

export const serverOf = (cloud: Cloud, id: string): CloudServer | undefined =>
  cloud.state.servers.find((server) => server.id === id);

export const change = (cloud: Cloud, server: CloudServer, part: Partial<CloudServer>): void => {
  Object.assign(server, part, { updatedAt: second() });
  cloud.save();
};

/** Notes that something was begun. */
export function begin(server: CloudServer, action: string, request = newRequestId()): void {
  server.actions.unshift({ request, action, start: micro(), finish: null, message: null });
}

/** Notes that what was begun last has ended. */
export function finish(server: CloudServer, message: string | null = null): void {
  const [last] = server.actions;
  if (last !== undefined) Object.assign(last, { finish: micro(), message });
}

/** The resource class that a flavor takes one of: bare metal. */
export const classOf = (cloud: Cloud, flavor: string): string | undefined => {
  const specs = cloud.state.flavors.find(({ id }) => id === flavor)?.['extra_specs'] ?? {};
  return Object.entries(specs)
    .find(([name, value]) => name.startsWith('resources:CUSTOM_') && String(value) === '1')?.[0]
    .replace('resources:', '');
};

/** What happens to servers by itself, by the name that it is kept under. */
export const NOVA_LIFE: { readonly [what: string]: (cloud: Cloud, id: string) => void } = {
  'nova.schedule': (cloud, id) => withServer(cloud, id, schedule),
  'nova.spawned': (cloud, id) => withServer(cloud, id, up),
  'nova.stopped': (cloud, id) => withServer(cloud, id, (_, server) => stopped(cloud, server)),
  'nova.deleted': (cloud, id) => withServer(cloud, id, takeAway),
  'nova.node-active': (cloud, id) =>
    withServer(cloud, id, (_, server) => server.status === 'BUILD' && up(cloud, server)),
  'nova.node-failed': (cloud, id) => withServer(cloud, id, nodeFailed),
  'nova.node-released': (cloud, id) =>
    withServer(cloud, id, (_, server) => server.task === 'deleting' && takeAway(cloud, server)),
};

function withServer(cloud: Cloud, id: string, then: (cloud: Cloud, server: CloudServer) => unknown): void {
  const server = serverOf(cloud, id);
  if (server !== undefined) then(cloud, server);
}

/** Ends a server's life in ERROR. */
export function failed(cloud: Cloud, server: CloudServer, message: string, traceback?: string): void {
  freePorts(cloud, server);
  change(cloud, server, {
    status: 'ERROR',
    task: null,
    power: 0,
    fault: { code: 500, message, created: second() },
  });
  finish(server, message);
  Object.assign(server.actions[0] ?? {}, { traceback });
  cloud.save();
}

const noNetwork = ({ id }: CloudServer): string =>
  `Build of instance ${id} aborted: Failed to allocate the network(s), not rescheduling.`;

const NO_HOST = 'No valid host was found. There are not enough hosts available.';

function schedule(cloud: Cloud, server: CloudServer): void {
  const { nova } = cloud.faults;
  if (server.task === 'deleting' || nova.on('serverStuck')) return;
  if (nova.on('serverError')) return failed(cloud, server, NO_HOST);
  const wanted = classOf(cloud, server.flavor);
  if (wanted !== undefined) return onBareMetal(cloud, server, wanted);
  const host = chosenHost(cloud, server);
  if (host === undefined) return failed(cloud, server, NO_HOST);
  change(cloud, server, { host, hypervisor: host, task: 'spawning' });
  const unbound = server.ports.some(({ id }) => {
    const port = cloud.state.ports.find((each) => each['id'] === id);
    return port === undefined || !bind(cloud, port, host);
  });
  if (unbound) return failed(cloud, server, noNetwork(server));
  cloud.later(TAKES.spawn, 'nova.spawned', server.id);
}

function chosenHost(cloud: Cloud, server: CloudServer): string | undefined {
  const { host: asked, hypervisor } = server.wanted;
  if (cloud.faults.nova.on('serverOnOtherHost')) return COMPUTES[1];
  const up = novaServices(cloud)
    .filter(({ binary, up: isUp, disabled }) => binary === 'nova-compute' && isUp && !disabled)
    .map(({ host }) => host);
  // A hypervisor has the name of its host.
  return COMPUTES.filter((host) => up.includes(host)).find(
    (host) => host === (asked ?? host) && host === (hypervisor ?? host),
  );
}

function onBareMetal(cloud: Cloud, server: CloudServer, wanted: string): void {
  const node = cloud.state.nodes.find((each) => resourceClassOf(each) === wanted && available(cloud, each));
  const elsewhere = ![null, IRONIC_COMPUTE].includes(server.wanted.host);
  const isCarried = novaServices(cloud).some(({ host, up }) => host === IRONIC_COMPUTE && up);
  if (node === undefined || elsewhere || !isCarried) return failed(cloud, server, NO_HOST);
  const pxe = cloud.state.nodePorts.filter((port) => port['node_uuid'] === node.uuid);
  for (const [i, { id }] of server.ports.entries()) {
    const port = cloud.state.ports.find((each) => each['id'] === id);
    if (port === undefined) continue;
    port['binding:vnic_type'] = 'baremetal';
    port['mac_address'] = pxe[i]?.['address'] ?? port['mac_address'];
    const nic = cloud.machine?.nics[i];
    const [fixed] = port['fixed_ips'] as { ip_address: string }[];
    // The addresses of the lab's guests are given: DHCP knows the machine.
    if (nic !== undefined && fixed !== undefined && isTenant(cloud, port['network_id']))
      fixed.ip_address = nic.address;
    if (!bind(cloud, port, node.uuid)) return failed(cloud, server, noNetwork(server));
  }
  change(cloud, server, {
    host: IRONIC_COMPUTE,
    hypervisor: node.uuid,
    node: node.uuid,
    task: 'spawning',
  });
  try {
    deploy(cloud, node, { instance: server.id, name: server.name, image: server.image });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    failed(cloud, server, `Failed to provision instance ${server.id}: ${error.message}`);
  }
}

/** Nova takes back what could not be deployed, and there is no other node to try. */
function nodeFailed(cloud: Cloud, server: CloudServer): void {
  const node = cloud.state.nodes.find(({ uuid }) => uuid === server.node);
  failed(
    cloud,
    server,
    `Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance ${server.id}.`,
    `  File "nova/virt/ironic/driver.py", line 1, in spawn\nnova.exception.InstanceDeployFailure: Failed to provision instance ${server.id}: ${String(node?.['last_error'])}\n`,
  );
  change(cloud, server, { node: null, host: null, hypervisor: null });
  if (node !== undefined) release(cloud, node);
}

const isTenant = (cloud: Cloud, id: unknown): boolean =>
  cloud.state.networks.find((network) => network['id'] === id)?.['name'] === 'tenant';

function up(cloud: Cloud, server: CloudServer): void {
  if (server.task === 'deleting') return;
  const launchedAt = server.launchedAt ?? micro();
  change(cloud, server, { status: 'ACTIVE', task: null, power: 1, launchedAt });
  finish(server);
  cloud.save();
}

function stopped(cloud: Cloud, server: CloudServer): void {
  if (server.task === 'deleting') return;
  change(cloud, server, { status: 'SHUTOFF', task: null, power: 4 });
  finish(server);
  cloud.save();
}

/** Begins to take a server away. */
export function startDelete(cloud: Cloud, server: CloudServer, request: string): void {
  begin(server, 'delete', request);
  change(cloud, server, { task: 'deleting' });
  if (cloud.faults.nova.on('serverDeleteStuck')) return;
  const node = cloud.state.nodes.find(({ uuid }) => uuid === server.node);
  if (node !== undefined && node.instance_uuid === server.id) release(cloud, node);
  else cloud.later(TAKES.delete, 'nova.deleted', server.id);
}

/** The end of a server; its ports go with it, unless somebody else had made them. */
function takeAway(cloud: Cloud, server: CloudServer): void {
  freePorts(cloud, server);
  cloud.state.servers = cloud.state.servers.filter(({ id }) => id !== server.id);
  cloud.save();
}

function freePorts(cloud: Cloud, server: CloudServer): void {
  for (const { id, made } of server.ports) {
    const port = cloud.state.ports.find((each) => each['id'] === id);
    if (port === undefined) continue;
    if (made && !cloud.faults.neutron.on('portLeft')) removePort(cloud, id);
    else if (!made && port['binding:vif_type'] !== 'binding_failed') {
      Object.assign(port, { device_id: '', device_owner: '' });
      bind(cloud, port, '');
    }
  }
  server.ports = server.ports.filter(({ made }) => !made);
}

/** Gives a server a port on a network, or one that is there already. */
export function attachPort(
  cloud: Cloud,
  server: CloudServer,
  wanted: {
    readonly network?: string | undefined;
    readonly port?: string | undefined;
    readonly address?: string | undefined;
  },
): string {
  const owner = 'compute:nova';
  if (wanted.port !== undefined) {
    const port = cloud.state.ports.find((each) => each['id'] === wanted.port)!;
    Object.assign(port, { device_id: server.id, device_owner: owner });
    server.ports.push({ id: wanted.port, made: false });
    return wanted.port;
  }
  const made = makePort(cloud, {
    network: wanted.network!,
    device: server.id,
    owner,
    address: wanted.address,
  });
  server.ports.push({ id: String(made['id']), made: true });
  return String(made['id']);
}
