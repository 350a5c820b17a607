import { fail } from '../../../core/errors/failure.ts';
import type { StepFunction } from '../driver.ts';

export const checkBios: StepFunction = async () => {
  throw fail('NOT_SUPPORTED', 'not built yet');
};

export const setBios: StepFunction = async () => {
  throw fail('NOT_SUPPORTED', 'not built yet');
};

export const restart: StepFunction = async () => {
  throw fail('NOT_SUPPORTED', 'not built yet');
};

export const verifyBios: StepFunction = async () => {
  throw fail('NOT_SUPPORTED', 'not built yet');
};
