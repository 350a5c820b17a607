import { CHECKS } from '../../core/acceptance/checks.ts';
import type { CheckFunction, GateCheck } from './check.ts';
import { bmcAccess } from './host/bmc-access.ts';

const FUNCTIONS: { readonly [id: string]: CheckFunction } = {
  'bmc-access': bmcAccess,
};

/** Every check of this version, and how it is made. */
export const GATE_CHECKS: readonly GateCheck[] = CHECKS.map((check) => {
  const made = FUNCTIONS[check.id];
  if (!made) throw new Error(`there is no function for check ${check.id}`);
  return { check, ...made };
});
