import type { FaultDomain } from '../fault-domains.ts';
import { blame } from '../ironic/blame.ts';
import type { BareNode } from './bare-node.ts';
import { notOffered } from './flavors.ts';
import type { CloudFinding } from './finding.ts';
import { field, text, timeOf } from './read.ts';
import type { CloudServer } from './servers.ts';

/** The node of Ironic as Nova has it among its hypervisors, and the compute service that carries it. */
export interface Hypervisor {
  readonly host: string;
  readonly state: string;
  readonly status: string;
}

/** Reads one of `os-hypervisors/detail`. */
export const readHypervisor = (value: unknown): Hypervisor => ({
  host: text(field(field(value, 'service'), 'host')),
  state: text(field(value, 'state')),
  status: text(field(value, 'status')),
});

/** What is known of a build that failed. */
export interface Broken {
  readonly server: CloudServer;
  /** What the events of its creation say, as far as the one who asks is told. */
  readonly events: string;
  readonly node: BareNode | undefined;
  readonly hypervisor: Hypervisor | undefined;
  /** Whether Placement offers the node; undefined where it was not asked. */
  readonly offered: boolean | undefined;
  readonly flavor: string;
}

const DEPLOYMENT = /Failed to provision instance [^:]*: *([^\n]*)/;
const GIVEN_BACK = /Exhausted all hosts available for retrying build failures/;

/** Whether the node is as it was before the server was asked for: nova-compute did not come to deploy it. */
const isUntouched = (node: BareNode | undefined, { created }: CloudServer): boolean =>
  (timeOf(node?.since) ?? Infinity) < (timeOf(created) ?? 0);

/** Why the deployment of the node failed, where it is that which did: Ironic's words, or Nova's of them. */
export function deploymentError({
  server,
  events,
  node,
}: Pick<Broken, 'server' | 'events' | 'node'>): string | undefined {
  const fault = server.fault ?? '';
  const [, said] = DEPLOYMENT.exec(events) ?? DEPLOYMENT.exec(fault) ?? [];
  if (said !== undefined) return said.trim();
  if (node?.state === 'deploy failed' && node.instance === server.id) {
    return node.lastError ?? 'Ironic says no reason';
  }
  return GIVEN_BACK.test(fault) && !isUntouched(node, server) ? (node?.lastError ?? fault) : undefined;
}

const CORRECTIONS: { readonly [domain in FaultDomain]?: string } = {
  'deploy-agent':
    'Watch the console of the node while it boots the ramdisk: whether it gets its network, and reaches the API of Ironic.',
  'image-supply':
    'Look whether the image in Glance is what it says (openstack image show), and whether the ramdisk reaches what Ironic gives it out by.',
  bmc: 'Look whether the BMC answers as Ironic has it: openstack baremetal node validate, and node power.',
  'provisioning-network':
    'Look at the ports of the node in Neutron, and at the provisioning network of Ironic.',
  hardware: 'Look at the disks of the node, and at its root device hints.',
};

/** A deployment that failed, in Ironic's words. */
export function judgeDeployment(name: string, error: string): CloudFinding {
  const faultDomain = blame(error);
  return {
    message: `The deployment of node ${name} failed: ${error}`,
    correction:
      CORRECTIONS[faultDomain] ?? `Look into the log of the conductor that has node ${name} for that time.`,
    faultDomain,
  };
}

type Row = readonly [words: RegExp, faultDomain: FaultDomain, correction: string];

/** What Nova's fault says of itself. The first row that matches counts. */
const FAULTS: readonly Row[] = [
  [
    /failed to allocate the network|binding failed|PortBindingFailed|binding_failed/i,
    'openstack',
    'Neutron did not bind the port: look whether an agent of the host is alive (openstack network agent list), and whether a mechanism driver takes that physical network and VNIC type.',
  ],
  [
    /image .*(not found|could not be found|unacceptable|corrupt)|ImageNotFound/i,
    'image-supply',
    'Put the image of `acceptance` into Glance again, until openstack image show says active.',
  ],
  [
    /MessagingTimeout|timed out waiting for a reply/i,
    'openstack',
    'A part of Nova does not answer on the message queue: openstack compute service list.',
  ],
];

/** The exceptions of tracebacks, without the lines of code that they came through, which name all kinds of things. */
const exceptionsOf = (events: string): string =>
  events
    .split('\n')
    .filter((line) => /^[\w.]+: /.test(line))
    .join('\n');

/** Whether a nova-compute that works has the node. */
export function judgeCarrier(
  { name }: Pick<BareNode, 'name'>,
  hypervisor: Hypervisor | undefined,
): CloudFinding | undefined {
  if (hypervisor === undefined) {
    return {
      message: `No nova-compute has node ${name}.`,
      faultDomain: 'openstack',
      correction:
        'Start nova-compute with the Ironic driver (openstack compute service list), and let the cell know its host: nova-manage cell_v2 discover_hosts.',
    };
  }
  const { host, state, status } = hypervisor;
  if (state === 'up' && status !== 'disabled') return undefined;
  const isDown = state !== 'up';
  return {
    message: `nova-compute on ${host}, which has node ${name}, is ${isDown ? 'down' : 'disabled'}.`,
    faultDomain: 'openstack',
    correction: isDown
      ? `Start nova-compute on ${host}, and look why it stopped.`
      : `openstack compute service set --enable ${host} nova-compute`,
  };
}

/** Why a server is in ERROR before a node was deployed for it, by what else is seen. */
export function judgeError({ server, events, node, hypervisor, offered, flavor }: Broken): CloudFinding {
  const fault = server.fault ?? 'no reason is told';
  const message = `Nova puts server ${server.name} into ERROR: ${fault}`;
  const row = FAULTS.find(([words]) => words.test(`${fault}\n${exceptionsOf(events)}`));
  if (row) return { message, faultDomain: row[1], correction: row[2] };
  if (node && GIVEN_BACK.test(fault)) {
    return {
      message: `${message} Node ${node.name} was not deployed for it.`,
      faultDomain: 'openstack',
      correction: `Look into the log of the nova-compute that has node ${node.name}: that a node is free again, it sees within a minute. Then resume the run.`,
    };
  }
  if (!/no valid host/i.test(fault)) {
    const list = `openstack server event list ${server.id}`;
    return {
      message,
      faultDomain: 'openstack',
      // A nova-compute that starts gives up what was being built when it stopped, and writes down no fault.
      correction:
        server.fault === null
          ? `Look whether its nova-compute was started again while it was built (its log, and ${list}); then resume the run.`
          : `Look into what became of it: ${list}`,
    };
  }
  const with_ = (over: CloudFinding): CloudFinding => ({ ...over, message: `${message} ${over.message}` });
  if (node === undefined) {
    return with_({
      message: 'Ironic does not have the node of `acceptance`.',
      faultDomain: 'ironic',
      correction: 'Enrol it in Ironic, or correct `acceptance.node`.',
    });
  }
  const carried = judgeCarrier(node, hypervisor);
  if (carried) return with_(carried);
  if (node.state !== 'available' || node.maintenance) {
    return with_({
      message: `Node ${node.name} is ${node.maintenance ? 'in maintenance' : node.state} in Ironic.`,
      faultDomain: 'ironic',
      correction: `Bring it to available: openstack baremetal node show ${node.name}`,
    });
  }
  if (offered === false) return with_(notOffered(flavor, node));
  return {
    message,
    faultDomain: 'openstack',
    correction: `Look into the log of nova-scheduler for server ${server.id}: which filter refused node ${node.name}.`,
  };
}

/** Nova does not take the request: a definite answer, by its status and its words. */
export function judgeRefusal(status: unknown, said: string): CloudFinding | undefined {
  const of = (faultDomain: FaultDomain, correction: string): CloudFinding => ({
    message: `Nova refuses the server: ${said || `it answers with ${String(status)}`}`,
    faultDomain,
    correction,
  });
  if ((status === 403 || status === 413) && /quota/i.test(said)) {
    return of('openstack', 'Raise the quota of the project that it names: openstack quota set.');
  }
  if (status === 400 && /image/i.test(said)) {
    return of('image-supply', 'Put the image of `acceptance` into Glance again, or name another one.');
  }
  if (status === 400 || status === 404 || status === 409) {
    return of('openstack', 'Correct what it names, in the contract or in the cloud.');
  }
  return undefined;
}

/** A server that is not where it was meant to be. */
export const judgePlace = (
  { name, hypervisor }: CloudServer,
  node: Pick<BareNode, 'name' | 'uuid' | 'resourceClass'>,
): CloudFinding | undefined =>
  (hypervisor ?? node.uuid) === node.uuid
    ? undefined
    : {
        message: `Server ${name} is on ${hypervisor}, not on node ${node.name} (${node.uuid}).`,
        correction: `Give ${node.name} a resource class that nothing else has, and let \`acceptance.flavor\` ask for it alone.`,
        faultDomain: 'contract',
      };
