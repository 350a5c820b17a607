import type { JsonObject } from '../json.ts';
import type { Fact, Step } from '../steps.ts';
import { ALL_VERBS, isOperationVerb, type OperationVerbName } from '../verbs.ts';
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
