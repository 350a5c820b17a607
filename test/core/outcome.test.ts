import { expect, it } from 'vitest';
import type { ErrorCode } from '../../core/errors/catalogue.ts';
import { outcomeOf } from '../../core/operations.ts';

it.each<[ErrorCode, string]>([
  ['HAND_OVER_INCOMPLETE', 'fail'],
  ['BMC_UNREACHABLE', 'fail'],
  ['STEP_TIMEOUT', 'error'],
  ['UNEXPECTED', 'error'],
  ['SSH_REFUSED', 'error'],
  ['SSH_HOST_KEY_MISMATCH', 'error'],
  ['VANTAGE_UNUSABLE', 'error'],
])('%s ends an operation with %s', (code, outcome) => {
  expect(outcomeOf(code)).toBe(outcome);
});
