import type { CloudFinding } from './finding.ts';
import { field, text } from './read.ts';

/** A node of Ironic, as gate 7 looks at it. */
export interface BareNode {
  readonly uuid: string;
  readonly name: string;
  readonly state: string;
  readonly power: string | null;
  readonly maintenance: boolean;
  readonly maintenanceReason: string | null;
  readonly retired: boolean;
  readonly reservation: string | null;
  readonly instance: string | null;
  readonly resourceClass: string | null;
  readonly lastError: string | null;
  readonly deployInterface: string;
  /** Since when it has been in its state. */
  readonly since: string | null;
  /** When its agent was last heard of. */
  readonly agentHeard: string | null;
}

const some = (value: unknown): string | null => text(value) || null;

/** Reads a node; undefined where it is none. */
export function readBareNode(value: unknown): BareNode | undefined {
  const uuid = text(field(value, 'uuid'));
  const state = text(field(value, 'provision_state'));
  if (uuid === '' || state === '') return undefined;
  return {
    uuid,
    name: text(field(value, 'name')) || uuid,
    state,
    power: some(field(value, 'power_state')),
    maintenance: field(value, 'maintenance') === true,
    maintenanceReason: some(field(value, 'maintenance_reason')),
    retired: field(value, 'retired') === true,
    reservation: some(field(value, 'reservation')),
    instance: some(field(value, 'instance_uuid')),
    resourceClass: some(field(value, 'resource_class')),
    lastError: some(field(value, 'last_error')),
    deployInterface: text(field(value, 'deploy_interface')),
    since: some(field(value, 'provision_updated_at')),
    agentHeard: some(field(field(value, 'driver_internal_info'), 'agent_last_heartbeat')),
  };
}

const KEPT = [
  'uuid',
  'name',
  'driver',
  'provision_state',
  'target_provision_state',
  'provision_updated_at',
  'power_state',
  'target_power_state',
  'maintenance',
  'maintenance_reason',
  'fault',
  'retired',
  'reservation',
  'instance_uuid',
  'resource_class',
  'last_error',
  'deploy_step',
  'clean_step',
  'conductor',
  'deploy_interface',
  'boot_interface',
  'network_interface',
  'console_interface',
  'console_enabled',
  'allocation_uuid',
  'traits',
];

/** What is kept of a node as evidence: neither credentials of its BMC nor URLs that let one in. */
export const shownNode = (value: unknown): { [name: string]: unknown } => ({
  ...Object.fromEntries(KEPT.map((name) => [name, field(value, name)]).filter(([, of]) => of !== undefined)),
  ...agentPart(field(value, 'driver_internal_info')),
});

const agentPart = (info: unknown): { [name: string]: unknown } =>
  Object.fromEntries(
    ['agent_last_heartbeat', 'agent_version', 'last_power_state_change']
      .map((name) => [name, field(info, name)])
      .filter(([, of]) => of !== undefined),
  );

/** Why Nova could not be given this node now, the worst first; empty if it is free and in service. */
export function judgeNode(node: BareNode, wantedClass: string | undefined): CloudFinding[] {
  const { name } = node;
  const of = (faultDomain: CloudFinding['faultDomain'], message: string, correction: string) => ({
    message,
    correction,
    faultDomain,
  });
  const found: CloudFinding[] = [];
  if (node.instance !== null) {
    found.push(
      of(
        'contract',
        `Node ${name} is ${node.state}: instance ${node.instance} has it; it is not touched.`,
        'Dedicate a node that nobody uses in `acceptance.node`.',
      ),
    );
  } else if (node.state !== 'available') {
    const why = node.lastError === null ? '' : `: ${node.lastError}`;
    found.push(
      of(
        'ironic',
        `Node ${name} is ${node.state} in Ironic, not available${why}.`,
        node.state === 'manageable'
          ? `openstack baremetal node provide ${name}`
          : `Bring it to available: openstack baremetal node show ${name}`,
      ),
    );
  }
  if (node.maintenance) {
    const why = node.maintenanceReason === null ? '' : `: ${node.maintenanceReason}`;
    found.push(
      of(
        'ironic',
        `Node ${name} is in maintenance${why}.`,
        `Once its reason is gone: openstack baremetal node maintenance unset ${name}`,
      ),
    );
  }
  if (node.retired) {
    found.push(
      of(
        'contract',
        `Node ${name} is retired in Ironic.`,
        `Dedicate another one, or: openstack baremetal node unset ${name} --retired`,
      ),
    );
  }
  if (wantedClass === undefined && node.resourceClass === null) {
    found.push(
      of(
        'ironic',
        `Node ${name} has no resource class: no flavor can ask for it.`,
        `openstack baremetal node set ${name} --resource-class CLASS`,
      ),
    );
  }
  if (wantedClass !== undefined && node.resourceClass !== wantedClass) {
    found.push(
      of(
        'contract',
        `Node ${name} is of resource class ${node.resourceClass ?? 'none'}; the contract says ${wantedClass}.`,
        `openstack baremetal node set ${name} --resource-class ${wantedClass}, or correct \`resourceClass\` in the contract.`,
      ),
    );
  }
  return found;
}

/** What is not as it was before, of a node that is available again. */
export function judgeLeft(node: BareNode, before: unknown): CloudFinding[] {
  const found = judgeNode(node, undefined);
  if (found.length === 0 && node.power === 'power on' && text(field(before, 'power_state')) !== 'power on') {
    found.push({
      message: `Node ${node.name} is available and powered on.`,
      correction: `openstack baremetal node power off ${node.name}`,
      faultDomain: 'ironic',
    });
  }
  return found;
}
