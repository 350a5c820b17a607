import { fail } from '../../../core/errors/failure.ts';
import type { StepFunction } from '../driver.ts';

export const survey: StepFunction = async () => {
  throw fail('NOT_SUPPORTED', 'not built yet');
};

export const compareSurvey: StepFunction = async () => {
  throw fail('NOT_SUPPORTED', 'not built yet');
};

export const restorePower: StepFunction = async () => {
  throw fail('NOT_SUPPORTED', 'not built yet');
};
