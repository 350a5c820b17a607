import { fail } from '../../../core/errors/failure.ts';
import type { StepFunction } from '../driver.ts';

export const checkFirmware: StepFunction = async () => {
  throw fail('NOT_SUPPORTED', 'not built yet');
};

export const updateFirmware: StepFunction = async () => {
  throw fail('NOT_SUPPORTED', 'not built yet');
};
