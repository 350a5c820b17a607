import type { Conductor, ServedNode, ServiceFinding } from './service.ts';

const START = 'Start ironic-conductor there and read its log';

/** Why a conductor of the contract is not one that nodes can be left to; undefined where it is. */
export function conductorProblem(
  hostname: string,
  conductors: readonly Conductor[],
): ServiceFinding | undefined {
  const found = conductors.find((each) => each.hostname === hostname);
  if (found?.alive === true) return undefined;
  if (found !== undefined) {
    return {
      message: `Conductor ${hostname} is not alive: Ironic has had no heartbeat of it in time, or it was stopped.`,
      correction: `${START}. If it is gone for good, take it out of \`openstack.bareMetal.conductors\`.`,
    };
  }
  const others = conductors.map((each) => each.hostname).join(', ') || 'none';
  return {
    message: `Ironic knows no conductor ${hostname}; it knows ${others}.`,
    correction: `${START}; or correct \`openstack.bareMetal.conductors\`: the name is the \`host\` of its configuration.`,
  };
}

/** The conductors that have to be alive: those of the contract, else whichever Ironic knows. */
export const conductorsWanted = (
  wanted: readonly string[] | undefined,
  conductors: readonly Conductor[],
): readonly string[] => wanted ?? conductors.map(({ hostname }) => hostname);

/** What else is to be said of conductors that are not wanted by name. */
export function otherConductors(wanted: readonly string[], conductors: readonly Conductor[]): string {
  const others = conductors.filter(({ hostname }) => !wanted.includes(hostname));
  if (others.length === 0) return '';
  const said = others.map(({ hostname, alive }) => (alive ? hostname : `${hostname} (not alive)`));
  return `; not in the contract: ${said.slice(0, 10).join(', ')}`;
}

/** Nobody carries nodes at all. */
export const noConductor: ServiceFinding = {
  message: 'Ironic knows no conductor: nothing that is asked of a node would be done.',
  correction: 'Start ironic-conductor, and read its log if it does not register.',
};

/** What is wrong with who is responsible for a node. */
export function nodeConductorProblems(
  node: Pick<ServedNode, 'name' | 'conductor' | 'group' | 'driver' | 'reservation'>,
  conductors: readonly Conductor[],
): ServiceFinding[] {
  const alive = (hostname: string): boolean =>
    conductors.some((each) => each.hostname === hostname && each.alive);
  const found: ServiceFinding[] = [];
  if (node.conductor === undefined) {
    const group = node.group === '' ? '' : ` in group ${node.group}`;
    found.push({
      message: `No conductor is responsible for node ${node.name}: none that is alive has driver ${node.driver}${group}.`,
      correction: `Start a conductor${group} that has ${node.driver} in \`enabled_hardware_types\`, or correct \`conductor_group\` of the node.`,
    });
  } else if (!alive(node.conductor)) {
    found.push({
      message: `Conductor ${node.conductor}, which is responsible for node ${node.name}, is not alive.`,
      correction: `Start ironic-conductor on ${node.conductor}; or let the others take over: they do, once it counts as dead.`,
    });
  }
  if (node.reservation !== undefined && !alive(node.reservation)) {
    found.push({
      message: `Node ${node.name} is locked by conductor ${node.reservation}, which is not alive: nothing can be done with it.`,
      correction: `Start ironic-conductor on ${node.reservation}: it gives up its locks when it starts.`,
    });
  }
  return found;
}
