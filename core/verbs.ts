import { FAILED_PHASES, STABLE_PHASES, type Phase, type StablePhase, type WorkingPhase } from './phases.ts';

/** How a verb that runs an operation moves a node. */
export interface OperationVerb {
  readonly kind: 'operation';
  readonly from: readonly Phase[];
  /** The working phases it passes, in order; none for `power`, which leaves the phase alone. */
  readonly through: readonly WorkingPhase[];
  /** Where it ends; `return` is where the node was. */
  readonly to: StablePhase | 'return';
}

/** A verb that sets or clears a flag at once, in any phase, also while an operation runs. */
export interface FlagVerb {
  readonly kind: 'flag';
}

/** A verb about the operation that runs or is held. */
export interface ControlVerb {
  readonly kind: 'control';
}

/** Every verb of a node, as data. The reference table in the docs is made from it. */
export const VERBS = {
  enroll: {
    kind: 'operation',
    from: ['enrolled', 'verify-failed'],
    through: ['verifying', 'inspecting'],
    to: 'manageable',
  },
  inspect: {
    kind: 'operation',
    from: ['manageable', 'available', 'active', 'inspect-failed'],
    through: ['inspecting'],
    to: 'return',
  },
  clean: {
    kind: 'operation',
    from: ['manageable', 'clean-failed'],
    through: ['cleaning'],
    to: 'available',
  },
  deploy: {
    kind: 'operation',
    from: ['available', 'deploy-failed'],
    through: ['deploying'],
    to: 'active',
  },
  reimage: {
    kind: 'operation',
    from: ['active', 'deploy-failed'],
    through: ['deploying'],
    to: 'active',
  },
  release: {
    kind: 'operation',
    from: [
      'active',
      'rescued',
      'deploy-failed',
      'release-failed',
      'service-failed',
      'rescue-failed',
      'unrescue-failed',
    ],
    through: ['releasing', 'cleaning'],
    to: 'available',
  },
  service: {
    kind: 'operation',
    from: ['manageable', 'available', 'active', 'service-failed'],
    through: ['servicing'],
    to: 'return',
  },
  rescue: { kind: 'operation', from: ['active', 'rescue-failed'], through: ['rescuing'], to: 'rescued' },
  unrescue: {
    kind: 'operation',
    from: ['rescued', 'unrescue-failed'],
    through: ['unrescuing'],
    to: 'active',
  },
  power: { kind: 'operation', from: STABLE_PHASES, through: [], to: 'return' },
  maintenance: { kind: 'flag' },
  quarantine: { kind: 'flag' },
  unquarantine: { kind: 'flag' },
  adopt: { kind: 'operation', from: ['enrolled', 'manageable'], through: ['adopting'], to: 'active' },
  decommission: {
    kind: 'operation',
    from: ['manageable', 'available', ...FAILED_PHASES],
    through: ['decommissioning'],
    to: 'decommissioned',
  },
  resume: { kind: 'control' },
  abort: { kind: 'control' },
} as const satisfies Record<string, OperationVerb | FlagVerb | ControlVerb>;

export type Verb = keyof typeof VERBS;
export const ALL_VERBS = Object.keys(VERBS) as readonly Verb[];

type VerbOfKind<K> = { [V in Verb]: (typeof VERBS)[V]['kind'] extends K ? V : never }[Verb];
export type OperationVerbName = VerbOfKind<'operation'>;

export const isVerb = (value: unknown): value is Verb =>
  typeof value === 'string' && Object.hasOwn(VERBS, value);

export const isOperationVerb = (verb: Verb): verb is OperationVerbName => VERBS[verb].kind === 'operation';

/** The specification of a verb that runs an operation. */
export const operationVerb = (verb: OperationVerbName): OperationVerb => VERBS[verb];

/** What Rackwright starts by itself, beside the verbs that someone asks for. */
export type OperationKind = OperationVerbName | 'cleanup';
