import type { Step, StepBounds } from '../steps.ts';

const BOUNDS: StepBounds = { attempt: 60, total: 600, retryFirst: 1, retryMax: 10 };

type Given = Pick<Step, 'id' | 'title' | 'faultDomain'> &
  Partial<Omit<Step, 'bounds'>> & { bounds?: Partial<StepBounds> };

/** A step with the defaults filled in: repeatable, no residue, ten minutes, owned by the site's operators. */
export const step = (given: Given): Step => ({
  phase: null,
  needs: [],
  makes: [],
  breaks: [],
  leaves: [],
  clears: [],
  repeatable: true,
  owner: 'site operators',
  silence: 'STEP_TIMEOUT',
  ...given,
  bounds: { ...BOUNDS, ...given.bounds },
});
