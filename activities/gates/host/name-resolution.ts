import { hostNameOf } from '../../../core/host/finding.ts';
import {
  judgeConsistency,
  judgeLookups,
  LOOKUP_QUESTIONS,
  readLookups,
} from '../../../core/host/name-lookups.ts';
import { foundOf, type CheckFunction } from '../check.ts';
import { askController, besideEachOther, noControllers } from './controllers.ts';

/** Lets each controller look up the names of all. */
export const nameResolution: CheckFunction = {
  skip: noControllers,
  run: (context) => {
    const { controllers } = context.inventory;
    const names = controllers.map(hostNameOf);
    return besideEachOther(
      context,
      controllers,
      async (controller) => {
        const { answers, evidence } = await askController(context, controller, LOOKUP_QUESTIONS, names);
        return { seen: readLookups(answers, names), evidence: [evidence] };
      },
      (controller, own, others) =>
        foundOf(
          [
            ...judgeLookups(controller, controllers, own),
            ...judgeConsistency(controllers, controller, new Map([...others, [controller.name, own]])),
          ],
          names.length === 1 ? 'finds its own name' : `finds all ${names.length} names`,
        ),
    );
  },
};
