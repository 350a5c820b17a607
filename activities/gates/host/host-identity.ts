import { hostNameOf } from '../../../core/host/finding.ts';
import { IDENTITY_QUESTIONS, judgeIdentity, readIdentity } from '../../../core/host/identity.ts';
import { foundOf, type CheckFunction } from '../check.ts';
import { askController, besideEachOther, noControllers } from './controllers.ts';

/** Compares what each controller is with the contract, and with what the others are. */
export const hostIdentity: CheckFunction = {
  skip: noControllers,
  run: (context) =>
    besideEachOther(
      context,
      context.inventory.controllers,
      async (controller) => {
        const { answers, evidence } = await askController(context, controller, IDENTITY_QUESTIONS);
        return { seen: readIdentity(answers), evidence: [evidence] };
      },
      (controller, own, others) =>
        foundOf(judgeIdentity(hostNameOf(controller), own, others), 'the host that is meant, and no other'),
    ),
};
