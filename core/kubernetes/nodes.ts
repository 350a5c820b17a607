import {
  ago,
  nameOf,
  saying,
  type Condition,
  type Found,
  type LeaseObject,
  type NodeObject,
} from './shapes.ts';

/**
 * For how long a kubelet may not have renewed its lease. It does so each ten seconds; who notices that it does not is
 * the controller manager, and while that is down a dead node goes on being shown as Ready.
 */
const SILENT_SECONDS = 120;

const PRESSURE: { readonly [type: string]: string } = {
  MemoryPressure: 'memory',
  DiskPressure: 'room on its disks',
  PIDPressure: 'process ids',
};

interface Wanted {
  readonly name: string;
  readonly address: string;
}

/** The node that is this controller: by its name, else by an address that it has. */
export const nodeOf = <T extends NodeObject>(nodes: readonly T[], { name, address }: Wanted): T | undefined =>
  nodes.find((node) => node.metadata?.name === name) ??
  nodes.find((node) => node.status?.addresses?.some((each) => each.address === address) ?? false);

/** Nodes that are no controller of the contract, by name. */
export function othersOf(nodes: readonly NodeObject[], controllers: readonly Wanted[]): string[] {
  const own = new Set(controllers.map((each) => nodeOf(nodes, each)));
  return nodes.filter((node) => !own.has(node)).map(nameOf);
}

/** What keeps a controller from being a node that work can be given to. */
export function judgeNode(
  { name, address }: Wanted,
  node: NodeObject | undefined,
  lease: LeaseObject | undefined,
  now: Date,
): Found[] {
  if (!node) {
    return [
      {
        message: `${name} is a controller of the contract, and no node of the cluster: none has this name or the address ${address}.`,
        correction: `Join ${name} to the cluster, or correct its name and address under \`controllers\`.`,
      },
    ];
  }
  const called = nameOf(node);
  const conditions = node.status?.conditions ?? [];
  const found = [...readiness(called, conditions, lease, now), ...troubles(called, conditions)];
  if (node.spec?.unschedulable === true) {
    found.push({
      message: `${called} is cordoned: no pod is scheduled to it.`,
      correction: `kubectl uncordon ${called}, when whoever cordoned it is done.`,
    });
  }
  return found;
}

function readiness(
  name: string,
  conditions: readonly Condition[],
  lease: LeaseObject | undefined,
  now: Date,
): Found[] {
  const ready = conditions.find(({ type }) => type === 'Ready');
  const look = `On ${name}: systemctl status kubelet; journalctl -u kubelet -n 100. Start it, or correct what it says.`;
  if (ready?.status !== 'True') {
    const shown = ready ? `Ready is ${ready.status ?? 'empty'}` : 'it has no condition Ready';
    return [
      {
        message: `${name} is not Ready: ${shown}${saying(ready?.reason, ready?.message)}.`,
        correction: look,
      },
    ];
  }
  const renewed = lease?.spec?.renewTime;
  if (!renewed) {
    return [
      {
        message: `${name} is shown as Ready, and its kubelet has no lease in kube-node-lease: nothing says that it lives.`,
        correction: look,
      },
    ];
  }
  if (now.getTime() - renewed.getTime() <= SILENT_SECONDS * 1000) return [];
  return [
    {
      message: `${name} is shown as Ready, but its kubelet has not renewed its lease for ${ago(renewed, now)}: what is shown is old.`,
      correction: `${look} Then look why kube-controller-manager did not notice: kubectl -n kube-system get pods.`,
    },
  ];
}

function troubles(name: string, conditions: readonly Condition[]): Found[] {
  return conditions.flatMap(({ type = '', status, reason, message }): Found[] => {
    if (status !== 'True') return [];
    const lacks = PRESSURE[type];
    if (lacks !== undefined) {
      return [
        {
          message: `${name} runs out of ${lacks}: ${type}${saying(reason, message)}.`,
          correction: `Free ${lacks} on ${name}: kubectl describe node ${name} shows who takes how much.`,
          faultDomain: 'control-host',
        },
      ];
    }
    if (type !== 'NetworkUnavailable') return [];
    return [
      {
        message: `The pod network of ${name} is not set up: NetworkUnavailable${saying(reason, message)}.`,
        correction: `Look at the pod of the network plugin on ${name}: kubectl -n kube-system get pods --field-selector spec.nodeName=${name}.`,
      },
    ];
  });
}
