/** Stable phases move only when someone asks. */
export const STABLE_PHASES = [
  'enrolled',
  'manageable',
  'available',
  'active',
  'rescued',
  'decommissioned',
] as const;

/** Working phases are activities in progress. */
export const WORKING_PHASES = [
  'verifying',
  'inspecting',
  'cleaning',
  'deploying',
  'releasing',
  'servicing',
  'rescuing',
  'unrescuing',
  'adopting',
  'decommissioning',
] as const;

export type StablePhase = (typeof STABLE_PHASES)[number];
export type WorkingPhase = (typeof WORKING_PHASES)[number];

/** Every working phase has a failed twin: it says what failed and keeps the way to go on. */
export const FAILED_TWIN = {
  verifying: 'verify-failed',
  inspecting: 'inspect-failed',
  cleaning: 'clean-failed',
  deploying: 'deploy-failed',
  releasing: 'release-failed',
  servicing: 'service-failed',
  rescuing: 'rescue-failed',
  unrescuing: 'unrescue-failed',
  adopting: 'adopt-failed',
  decommissioning: 'decommission-failed',
} as const satisfies Record<WorkingPhase, string>;

export type FailedPhase = (typeof FAILED_TWIN)[WorkingPhase];
export const FAILED_PHASES: readonly FailedPhase[] = Object.values(FAILED_TWIN);

export type Phase = StablePhase | WorkingPhase | FailedPhase;
export const PHASES: readonly Phase[] = [...STABLE_PHASES, ...WORKING_PHASES, ...FAILED_PHASES];

const includes = (list: readonly string[], value: string): boolean => list.includes(value);

export const isStable = (phase: Phase): phase is StablePhase => includes(STABLE_PHASES, phase);
export const isWorking = (phase: Phase): phase is WorkingPhase => includes(WORKING_PHASES, phase);
export const isFailed = (phase: Phase): phase is FailedPhase => includes(FAILED_PHASES, phase);

/** Flags stand beside the phase and do not change it. */
export const FLAGS = ['held', 'maintenance', 'quarantined', 'drift', 'residue'] as const;
export type Flag = (typeof FLAGS)[number];
