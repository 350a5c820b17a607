import type { Controller } from '../../../contracts/inventory/platform.ts';
import { fail } from '../../../core/errors/failure.ts';
import {
  differenceOf,
  judgeClock,
  narrowed,
  within,
  type ClockDifference,
} from '../../../core/host/clock.ts';
import {
  judgeTimeService,
  readTimeService,
  TIME_QUESTIONS,
  type TimeService,
} from '../../../core/host/time-service.ts';
import { foundOf, type CheckContext, type CheckFunction } from '../check.ts';
import { askController, besideEachOther, forGood, noControllers, type Seen } from './controllers.ts';

/** Seconds, where the contract does not say. */
const BOUND = 1;
/** How often a clock is read where the way there and back leaves it open. */
const READINGS = 4;

interface Time {
  readonly service: TimeService;
  readonly clock: ClockDifference;
}

/** Asks the time service of each controller, and compares the clocks with each other and with the worker's. */
export const timeInSync: CheckFunction = {
  skip: noControllers,
  run: (context) => {
    const { controllers, acceptance } = context.inventory;
    const bound = acceptance?.clockDifference ?? BOUND;
    return besideEachOther(
      context,
      controllers,
      (controller) => timeOf(context, controller, bound),
      (_controller, own, others) => {
        const clocks = new Map([...others].map(([name, { clock }]) => [name, clock]));
        const services = new Map([...others].map(([name, { service }]) => [name, service]));
        const { wrong, unsure } = judgeClock(own.clock, clocks, bound);
        const findings = [...judgeTimeService(own.service, services), ...wrong];
        if (findings.length === 0 && unsure.length > 0) {
          throw forGood(
            fail('HOST_CLOCK_UNSURE', `How far its clock is off cannot be told: ${unsure.join('; ')}.`),
          );
        }
        return foundOf(findings, `in sync, and within ${bound} s of each other and of the worker`);
      },
    );
  },
};

async function timeOf(context: CheckContext, controller: Controller, bound: number): Promise<Seen<Time>> {
  let clock: ClockDifference | undefined;
  for (let reading = 1; ; reading++) {
    const before = Date.now() / 1000;
    const { answers, evidence } = await askController(context, controller, TIME_QUESTIONS);
    const difference = differenceOf(answers, before, Date.now() / 1000);
    if (difference === undefined) {
      throw fail('HOST_ANSWER_INVALID', 'Its `date` does not say the time.');
    }
    clock = narrowed(clock, difference);
    // Half of it: the difference of two controllers is known half as well as that to the worker.
    if (reading === READINGS || within(clock, bound / 2) !== 'unsure') {
      const measured = await context.evidence(`${controller.name}-clock`, {
        asked: `seconds that the clock of controller ${controller.name} is ahead of the worker's`,
        answer: { ...clock, readings: reading },
      });
      return { seen: { service: readTimeService(answers), clock }, evidence: [evidence, measured] };
    }
  }
}
