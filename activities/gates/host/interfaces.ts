import { INTERFACE_QUESTIONS, judgeInterfaces, readInterfaces } from '../../../core/host/interfaces.ts';
import { foundOf, type CheckFunction } from '../check.ts';
import { askController, besideEachOther } from './controllers.ts';

/** Compares the network interfaces of each controller with the contract, and their MAC addresses with each other. */
export const interfaces: CheckFunction = {
  skip: ({ controllers }) =>
    controllers.some((each) => each.interfaces?.length)
      ? undefined
      : 'the contract names no interface of a controller',
  run: (context) =>
    besideEachOther(
      context,
      context.inventory.controllers.filter((each) => each.interfaces?.length),
      async (controller) => {
        const names = controller.interfaces!.map(({ name }) => name);
        const { answers, evidence } = await askController(context, controller, INTERFACE_QUESTIONS, names);
        const seen = readInterfaces(answers);
        return {
          seen: { all: seen, named: seen.filter(({ name }) => names.includes(name)) },
          evidence: [evidence],
        };
      },
      (controller, own, others) => {
        const named = new Map([...others].map(([name, theirs]) => [name, theirs.named]));
        return foundOf(
          judgeInterfaces(controller.interfaces!, own.all, named),
          'all there, up, and with names that last',
        );
      },
    ),
};
