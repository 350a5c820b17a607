import type { JsonObject } from '../json.ts';
import { mayLeave, RESIDUES, type Fact, type Residue, type Step } from '../steps.ts';
import { ALL_VERBS, isOperationVerb, type OperationKind, type OperationVerbName } from '../verbs.ts';
import { IRONIC_OBSERVED, ironicPlan } from './ironic.ts';
import { REDFISH_OBSERVED, redfishPlan } from './redfish.ts';

interface DriverPlans {
  readonly plan: (verb: OperationVerbName, args: JsonObject) => readonly Step[] | undefined;
  /** Facts that can be asked of the world; the others are remembered by the operation. */
  readonly observed: readonly Fact[];
}

/** What each driver offers, as data. What carries it out is in `activities/drivers/`. */
export const DRIVER_PLANS = {
  redfish: { plan: redfishPlan, observed: REDFISH_OBSERVED },
  ironic: { plan: ironicPlan, observed: IRONIC_OBSERVED },
} as const satisfies Record<string, DriverPlans>;

export type DriverName = keyof typeof DRIVER_PLANS;

/** The verbs that a driver can do. */
export function supportedVerbs(driver: DriverName): OperationVerbName[] {
  return ALL_VERBS.filter(isOperationVerb).filter(
    (verb) => DRIVER_PLANS[driver].plan(verb, {}) !== undefined,
  );
}

/**
 * What an operation of this kind may have left, whatever the driver; anything where the kind is not known.
 * A verb that only looks, or sets the power as it was asked to, leaves nothing: what is called left is removed.
 */
export function mayBeLeftBy(kind: OperationKind): readonly Residue[] {
  if (kind === 'cleanup') return RESIDUES;
  const plans = Object.values(DRIVER_PLANS).map((driver) => driver.plan(kind, {}) ?? []);
  return RESIDUES.filter((residue) => plans.some((steps) => mayLeave(steps).includes(residue)));
}
