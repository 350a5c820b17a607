import { RackwrightError } from '../../../core/errors/failure.ts';
import { ACCESS_QUESTIONS, judgeAccess } from '../../../core/host/access.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { askController, HOST_DOMAIN, noControllers } from './controllers.ts';

/** What a host has said for certain when it was to be logged in to, or what the contract lacks. */
const CERTAIN: readonly string[] = [
  'SSH_REFUSED',
  'SSH_AUTH_FAILED',
  'SSH_KEY_UNUSABLE',
  'SSH_HOST_KEY_UNKNOWN',
  'SSH_HOST_KEY_MISMATCH',
  'CONTRACT_INVALID',
];

/** Logs in to each controller with its key, and becomes root without a password. */
export const managementAccess: CheckFunction = {
  skip: noControllers,
  run: (context) =>
    eachTarget(context, HOST_DOMAIN, context.inventory.controllers, async (controller) => {
      try {
        const { answers, evidence } = await askController(context, controller, ACCESS_QUESTIONS);
        const judged = judgeAccess(answers);
        const found = 'right' in judged ? judged : { wrong: [judged.wrong] };
        return { found, evidence: [evidence] };
      } catch (error) {
        if (error instanceof RackwrightError && CERTAIN.includes(error.failure.code)) {
          return { found: { wrong: [error.failure] } };
        }
        throw error;
      }
    }),
};
