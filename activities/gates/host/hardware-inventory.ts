import { HARDWARE_QUESTIONS, recorded } from '../../../core/host/hardware.ts';
import { eachTarget, type CheckFunction } from '../check.ts';
import { askController, HOST_DOMAIN, noControllers } from './controllers.ts';

/** Keeps what each controller is made of, before anything is changed. */
export const hardwareInventory: CheckFunction = {
  skip: noControllers,
  run: (context) =>
    eachTarget(context, HOST_DOMAIN, context.inventory.controllers, async (controller) => {
      const { answers, evidence } = await askController(context, controller, HARDWARE_QUESTIONS);
      return { found: { right: recorded(answers) }, evidence: [evidence] };
    }),
};
