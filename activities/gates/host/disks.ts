import { DISK_QUESTIONS, readDisks } from '../../../core/host/block-devices.ts';
import { judgeDisks } from '../../../core/host/disk-owners.ts';
import { eachTarget, foundOf, type CheckFunction } from '../check.ts';
import { askController } from './controllers.ts';

/** Compares the disks of each controller, and what is on them, with the owners that the contract gives them. */
export const disks: CheckFunction = {
  skip: ({ controllers }) =>
    controllers.some((each) => each.disks?.length) ? undefined : 'the contract names no disk of a controller',
  run: (context) =>
    eachTarget(
      context,
      'storage',
      context.inventory.controllers.filter((each) => each.disks?.length),
      async (controller) => {
        const wanted = controller.disks!;
        const paths = wanted.map(({ path }) => path);
        const { answers, evidence } = await askController(context, controller, DISK_QUESTIONS, paths);
        const found = foundOf(
          judgeDisks(wanted, readDisks(answers, paths)),
          "all there, and nobody's but their owner's",
        );
        return { found, evidence: [evidence] };
      },
    ),
};
