import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { offset, type IronicNode } from '../state.ts';

/** How long a node stays in each state that it leaves by itself, in milliseconds at speed 1. */
const TAKES: { readonly [state: string]: number } = {
  verifying: 300,
  inspecting: 300,
  'inspect wait': 700,
  deploying: 500,
  'wait call-back': 1500,
  deleting: 500,
  cleaning: 300,
  'clean wait': 1000,
  adopting: 300,
};

/** What a verb does: from which states, through which, and to which. */
const VERBS: { readonly [verb: string]: { from: readonly string[]; steps: readonly string[]; to: string } } =
  {
    manage: { from: ['enroll'], steps: ['verifying'], to: 'manageable' },
    'manage at once': {
      from: ['available', 'clean failed', 'inspect failed', 'adopt failed'],
      steps: [],
      to: 'manageable',
    },
    provide: { from: ['manageable'], steps: ['cleaning', 'clean wait', 'cleaning'], to: 'available' },
    clean: { from: ['manageable'], steps: ['cleaning', 'clean wait', 'cleaning'], to: 'manageable' },
    inspect: {
      from: ['manageable', 'inspect failed'],
      steps: ['inspecting', 'inspect wait'],
      to: 'manageable',
    },
    active: {
      from: ['available', 'deploy failed'],
      steps: ['deploying', 'wait call-back', 'deploying'],
      to: 'active',
    },
    rebuild: {
      from: ['active', 'error', 'deploy failed'],
      steps: ['deploying', 'wait call-back', 'deploying'],
      to: 'active',
    },
    deleted: {
      from: ['active', 'deploy failed', 'error', 'wait call-back', 'inspect failed'],
      steps: ['deleting', 'cleaning', 'clean wait', 'cleaning'],
      to: 'available',
    },
    adopt: { from: ['manageable', 'adopt failed'], steps: ['adopting'], to: 'active' },
  };
const ALIASES: { readonly [verb: string]: string } = { deploy: 'active', undeploy: 'deleted' };
/** Where what is aborted ends. */
const ABORTED: { readonly [state: string]: string } = {
  'clean wait': 'clean failed',
  'inspect wait': 'inspect failed',
  'wait call-back': 'deploy failed',
};

export const nodeOf = (cloud: Cloud, id: string): IronicNode | undefined =>
  cloud.state.nodes.find((node) => node.uuid === id || node.name === id);

function change(cloud: Cloud, node: IronicNode, part: Partial<IronicNode>): void {
  if (part.provision_state !== undefined) part['provision_updated_at'] = offset();
  Object.assign(node, part, { updated_at: offset() });
  cloud.save();
}

/** Whether a server can be put on it, as it is seen. */
export function available(cloud: Cloud, node: IronicNode): boolean {
  const { ironic, placement } = cloud.faults;
  return (
    node.provision_state === 'available' &&
    !node.maintenance &&
    node.instance_uuid === null &&
    !['nodeMaintenance', 'nodeNotAvailable', 'nodeInUse'].some((fault) => ironic.on(fault)) &&
    !['providerMissing', 'inventoryReserved'].some((fault) => placement.on(fault))
  );
}

/** Carries a verb of `states/provision` out; what cannot be done now is refused. */
export function provision(cloud: Cloud, node: IronicNode, asked: string): void {
  const state =
    cloud.faults.ironic.on('nodeNotAvailable') && node.provision_state === 'available'
      ? 'manageable'
      : node.provision_state;
  const verb = ALIASES[asked] ?? asked;
  if (verb === 'abort') {
    const to = ABORTED[state];
    if (to === undefined) throw refused(asked, node, state);
    node['plan'] = null;
    change(cloud, node, {
      provision_state: to,
      target_provision_state: null,
      last_error: `By request, the ${state} operation was aborted`,
    });
    if (to === 'deploy failed' && node.instance_uuid !== null)
      cloud.later(0, 'nova.node-failed', node.instance_uuid);
    return;
  }
  const known = [VERBS[verb], VERBS[`${verb} at once`]].find((each) => each?.from.includes(state));
  if (VERBS[verb] === undefined)
    throw new ApiError(
      400,
      `The requested action "${asked}" can not be performed on node "${node.uuid}" while it is in state "${state}".`,
    );
  if (known === undefined) throw refused(asked, node, state);
  if (node.maintenance && ['active', 'rebuild', 'provide', 'clean'].includes(verb))
    throw new ApiError(
      400,
      `The ${asked} operation can't be performed on node ${node.uuid} because it's in maintenance mode.`,
    );
  if (['active', 'rebuild'].includes(verb) && cloud.faults.ironic.on('validateFails'))
    throw new ApiError(400, `Failed to validate deploy or power info for node ${node.uuid}: ${INVALID}`);
  start(cloud, node, known);
}

export const INVALID = "Missing the following Redfish properties in node's driver_info: ['redfish_address']";

const refused = (verb: string, node: IronicNode, state: string): ApiError =>
  new ApiError(
    400,
    `The requested action "${verb}" can not be performed on node "${node.uuid}" while it is in state "${state}".`,
  );

function start(
  cloud: Cloud,
  node: IronicNode,
  { steps, to }: { steps: readonly string[]; to: string },
): void {
  const [first, ...rest] = steps;
  // What it was in the middle of goes on no more.
  cloud.state.due = cloud.state.due.filter(({ what, id }) => what !== 'ironic.step' || id !== node.uuid);
  node['plan'] = { rest, to };
  change(cloud, node, { last_error: null });
  enter(cloud, node, first ?? to, first === undefined);
}

function enter(cloud: Cloud, node: IronicNode, state: string, last: boolean): void {
  const { to } = (node['plan'] ?? { to: state }) as Plan;
  change(cloud, node, { provision_state: state, target_provision_state: last ? null : to });
  if (state === 'wait call-back' || state === 'clean wait') change(cloud, node, { power_state: 'power on' });
  if (last) {
    node['plan'] = null;
    arrived(cloud, node, state);
  } else cloud.later(TAKES[state] ?? 300, 'ironic.step', node.uuid);
  if (state === 'cleaning' || last) released(cloud, node);
}

interface Plan {
  readonly rest: readonly string[];
  readonly to: string;
}

/** How a deployment ends, by the switch. */
const DEPLOY_ERRORS: readonly [name: string, error: (node: IronicNode) => string][] = [
  ['deployFails', ({ uuid }) => `Timeout reached while waiting for callback for node ${uuid}`],
  [
    'deployImageFails',
    () => 'Failed to deploy: Error verifying image checksum: Image failed to verify against checksum',
  ],
  [
    'deployPowerFails',
    ({ uuid }) =>
      `Failed to deploy: Redfish exception occurred. Error: Redfish set_power_state failed for node ${uuid}`,
  ],
];

/** What happens to nodes by itself. */
export const IRONIC_LIFE: { readonly [what: string]: (cloud: Cloud, id: string) => void } = {
  'ironic.step': (cloud, id) => {
    const node = nodeOf(cloud, id);
    const plan = node?.['plan'] as Plan | null | undefined;
    if (node === undefined || plan === null || plan === undefined) return;
    const { ironic } = cloud.faults;
    const [, error] = DEPLOY_ERRORS.find(([name]) => ironic.on(name)) ?? [];
    if (node.provision_state === 'wait call-back' && error !== undefined)
      return failedIn(cloud, node, 'deploy failed', error(node));
    if (node.provision_state === 'clean wait' && ironic.on('cleanFails'))
      return failedIn(
        cloud,
        node,
        'clean failed',
        `Timeout reached while cleaning the node. Please check if the ramdisk responsible for the cleaning is running on the node. Failed on step {}.`,
      );
    const [next, ...rest] = plan.rest;
    node['plan'] = { rest, to: plan.to };
    enter(cloud, node, next ?? plan.to, next === undefined);
  },
  'ironic.power': (cloud, id) => {
    const node = nodeOf(cloud, id);
    if (node === undefined || node.target_power_state === null) return;
    change(cloud, node, {
      power_state: node.target_power_state === 'power off' ? 'power off' : 'power on',
      target_power_state: null,
    });
  },
};

function failedIn(cloud: Cloud, node: IronicNode, state: string, error: string): void {
  node['plan'] = null;
  change(cloud, node, {
    provision_state: state,
    target_provision_state: state === 'deploy failed' ? 'active' : 'available',
    last_error: error,
    ...(state === 'clean failed'
      ? { maintenance: true, maintenance_reason: error, fault: 'clean failure' }
      : {}),
  });
  if (state === 'deploy failed' && node.instance_uuid !== null)
    cloud.later(0, 'nova.node-failed', node.instance_uuid);
}

/** What else is so when a node has got where it was to go. */
function arrived(cloud: Cloud, node: IronicNode, state: string): void {
  if (state === 'available' || (state === 'manageable' && node.power_state !== null))
    change(cloud, node, { power_state: 'power off' });
  if (state !== 'active') return;
  change(cloud, node, { power_state: 'power on' });
  cloud.machine?.deployed(String(node['instance_name'] ?? node.name));
  if (node.instance_uuid !== null) cloud.later(0, 'nova.node-active', node.instance_uuid);
}

/** A node that is cleaned belongs to nobody: its machine is off, and its server is gone. */
function released(cloud: Cloud, node: IronicNode): void {
  if (node.provision_state === 'active' || node.instance_uuid === null) return;
  cloud.later(0, 'nova.node-released', node.instance_uuid);
  change(cloud, node, { instance_uuid: null, instance_info: {}, instance_name: null });
  cloud.machine?.released();
}

/** Nova deploys a node for one of its servers. */
export function deploy(
  cloud: Cloud,
  node: IronicNode,
  { instance, name, image }: { instance: string; name: string; image: string | null },
): void {
  change(cloud, node, {
    instance_uuid: instance,
    instance_name: name,
    instance_info: { image_source: image, root_gb: '0', capabilities: {}, display_name: name },
  });
  try {
    provision(cloud, node, 'active');
  } catch (error) {
    change(cloud, node, { instance_uuid: null, instance_info: {}, instance_name: null });
    throw error;
  }
}

/** Nova takes a node back, whatever it is in the middle of. */
export function release(cloud: Cloud, node: IronicNode): void {
  start(cloud, node, VERBS['deleted']!);
}

/** Turns a node on or off. */
export function setPower(cloud: Cloud, node: IronicNode, on: boolean): void {
  change(cloud, node, { target_power_state: on ? 'power on' : 'power off' });
  cloud.machine?.power(on);
  cloud.later(300, 'ironic.power', node.uuid);
}
