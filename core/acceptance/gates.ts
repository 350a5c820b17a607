/** The gates, by their number. A run takes them in this order. */
export const GATE_NUMBERS = [1, 2, 3, 4, 5, 6, 7] as const;
export type GateNumber = (typeof GATE_NUMBERS)[number];

export const isGateNumber = (value: unknown): value is GateNumber =>
  (GATE_NUMBERS as readonly unknown[]).includes(value);

/** What a gate is, whatever the site. */
export interface Gate {
  readonly number: GateNumber;
  readonly id: string;
  readonly title: string;
  /** Who corrects what it finds. */
  readonly owner: string;
  /** The gates whose correction may change its answer, and what those depend on: it runs again when one of them did. */
  readonly dependsOn: readonly GateNumber[];
  /** Whether it does what may only be done in a maintenance window. */
  readonly disruptive?: true;
  /** When the run stops here, in a sentence. */
  readonly stopsWhen: string;
}

/** The seven gates. */
export const GATES: readonly Gate[] = [
  {
    number: 1,
    id: 'host-baseline',
    title: 'Host baseline',
    owner: 'host operators',
    dependsOn: [],
    stopsWhen:
      'A controller is not what the contract says, or its identity or the owner of a disk is ambiguous.',
  },
  {
    number: 2,
    id: 'kubernetes-and-storage',
    title: 'Kubernetes and storage',
    owner: 'platform operators',
    dependsOn: [1],
    stopsWhen:
      'A controller is not Ready, a system pod does not run, a claim is not bound, or Ceph is not healthy.',
  },
  {
    number: 3,
    id: 'base-openstack',
    title: 'Base OpenStack',
    owner: 'cloud operators',
    dependsOn: [1, 2],
    stopsWhen:
      'A service, a compute or a network agent is down, or an image does not come back byte for byte.',
  },
  {
    number: 4,
    id: 'ironic',
    title: 'Ironic',
    owner: 'bare-metal operators',
    dependsOn: [1, 2, 3],
    stopsWhen: 'Ironic, its conductors, its networks, its images or its interfaces are not what nodes need.',
  },
  {
    number: 5,
    id: 'immutable-images',
    title: 'Immutable images',
    owner: 'image owners',
    dependsOn: [1, 2, 3],
    stopsWhen: 'Something runs, or would be deployed, that is not the bytes that were recorded.',
  },
  {
    number: 6,
    id: 'reachability',
    title: 'Reachability',
    owner: 'network operators',
    dependsOn: [1, 2, 3, 4],
    stopsWhen: 'A component does not reach what it opens connections to.',
  },
  {
    number: 7,
    id: 'physical-acceptance',
    title: 'Physical acceptance',
    owner: 'site operators',
    dependsOn: [1, 2, 3, 4, 5, 6],
    disruptive: true,
    stopsWhen: 'A server does not come to its user by the path that users take, or does not come back.',
  },
];

export const gateOf = (number: GateNumber): Gate => GATES[number - 1]!;

/**
 * The gates that have to run when one is run again: itself and whatever depends on it, in order. Of the others
 * the evidence is kept.
 *
 * @param among the gates of the run
 */
export function gatesAgain(from: GateNumber, among: readonly GateNumber[]): GateNumber[] {
  return among.filter((number) => number === from || gateOf(number).dependsOn.includes(from));
}
