import type { ServedNode, ServiceFinding } from '../ironic/service.ts';
import type { ComputeService, Hypervisor } from './compute-services.ts';

export const isIronic = ({ type }: Hypervisor): boolean => type.toLowerCase() === 'ironic';

/** The hosts whose nova-compute has to have Ironic's driver: those of the contract, else those that have nodes. */
export const ironicComputes = (
  wanted: readonly string[] | undefined,
  hypervisors: readonly Hypervisor[],
): readonly string[] =>
  wanted ?? [...new Set(hypervisors.filter(isIronic).map(({ host }) => host))].toSorted();

/** What is wrong with a nova-compute that has Ironic's driver. */
export function computeProblems(
  host: string,
  services: readonly ComputeService[],
  hypervisors: readonly Hypervisor[],
): ServiceFinding[] {
  const service = services.find((each) => each.host === host);
  if (service === undefined) {
    const known = services.map((each) => each.host).join(', ') || 'none';
    return [
      {
        message: `Nova knows no nova-compute on ${host}; it knows ${known}.`,
        correction: `Start nova-compute with \`compute_driver = ironic.IronicDriver\` on ${host}; or correct \`openstack.bareMetal.computes\`: the name is the \`host\` of its configuration.`,
        faultDomain: 'openstack',
      },
    ];
  }
  const found: ServiceFinding[] = [];
  if (!service.up) {
    found.push({
      message: `nova-compute on ${host}, which has Ironic's driver, is down: it reported last at ${service.reportedAt || 'no time'}.`,
      correction: `Start nova-compute on ${host} and read its log: it does not start without Keystone and Ironic.`,
      faultDomain: 'openstack',
    });
  }
  if (!service.enabled) {
    found.push({
      message: `nova-compute on ${host} is disabled${service.reason === '' ? '' : ` (${service.reason})`}: no server is scheduled to its nodes.`,
      correction: `openstack compute service set --enable ${host} nova-compute`,
      faultDomain: 'openstack',
    });
  }
  const others = hypervisors.filter((each) => each.host === host && !isIronic(each));
  if (others.length > 0) {
    found.push({
      message: `nova-compute on ${host} has hypervisors of type ${others[0]!.type}, and not Ironic's nodes.`,
      correction: `Set \`compute_driver = ironic.IronicDriver\` on ${host}; or correct \`openstack.bareMetal.computes\`.`,
      faultDomain: 'openstack',
    });
  }
  return found;
}

/** In these, Nova has to have a node: it is given out, or can be. */
const GIVEN: readonly string[] = ['available', 'active'];

/** Where the nodes of Ironic and the hypervisors of Nova are not the same. */
export function hypervisorProblems(
  nodes: readonly Pick<ServedNode, 'uuid' | 'name' | 'provisionState'>[],
  hypervisors: readonly Hypervisor[],
): ServiceFinding[] {
  const bare = hypervisors.filter(isIronic);
  const missing = nodes.filter(
    (node) => GIVEN.includes(node.provisionState) && !bare.some(({ name }) => name === node.uuid),
  );
  const left = bare.filter(({ name }) => !nodes.some(({ uuid }) => uuid === name));
  return [
    ...missing.map(({ name, uuid, provisionState }) => ({
      message: `Node ${name} (${uuid}) is ${provisionState} in Ironic, and no hypervisor in Nova: nobody can be given it.`,
      correction:
        'A node that is new appears within a minute or two. Else read the log of nova-compute that has Ironic’s driver; where it has a `conductor_group` or `shard`, that of the node has to be the same.',
      faultDomain: 'openstack' as const,
    })),
    ...left.map(({ name, host }) => ({
      message: `Nova has hypervisor ${name} on ${host}, and Ironic has no such node: servers would be scheduled to nothing.`,
      correction: `Where nova-compute on ${host} runs, it removes it within minutes; else: openstack resource provider delete ${name}.`,
      faultDomain: 'openstack' as const,
    })),
  ];
}
