import { Context } from '@temporalio/activity';
import { effectiveNode } from '../contracts/inventory/effective.ts';
import { asFailure, fail, RackwrightError } from '../core/errors/failure.ts';
import type { Json } from '../core/json.ts';
import type { Captured, EvidenceRef, StepInput, StepOutput } from '../core/operations.ts';
import { DRIVER_PLANS } from '../core/plans/index.ts';
import { ALL_VERBS, isOperationVerb } from '../core/verbs.ts';
import { ATTEMPT_GRACE_SECONDS, type Fact, type Residue, type Step } from '../core/steps.ts';
import { captureConsole } from './console/capture.ts';
import { pauseAt } from './crash-points.ts';
import type { Driver, StepContext, StepFunction } from './drivers/driver.ts';
import { fence } from './fence.ts';
import { toApplicationFailure } from './failures.ts';
import { redact } from './secrets/redact.ts';
import type { Site } from './site.ts';
import { controlPlaneFirst } from './standing/red.ts';

type Activity = (input: never) => Promise<unknown>;

/** Heartbeats keep a running attempt alive; without them a lost worker is noticed after ten seconds. */
const HEARTBEAT_MS = 2000;
export const GRACE_MS = ATTEMPT_GRACE_SECONDS * 1000;

/** The activities of a driver: one per step of its plans, and `facts`, `settle` and `capture`. */
export function driverActivities(site: Site, driver: Driver): { [name: string]: Activity } {
  const activities: { [name: string]: Activity } = {};
  for (const step of stepsOf(driver)) {
    const run = driver.steps[step.id];
    if (!run) throw new Error(`driver ${driver.name} has no function for its step ${step.id}`);
    activities[`${driver.name}.${step.id}`] = activity(site, async (input: StepInput) => {
      const context = await contextOf(site, input);
      const { kind } = input.ref;
      await pauseAt(`${input.ref.node}:${kind}:${step.id}:before`);
      await fence(site, input.ref);
      const output = await tellingOn(site, () => inTime(step, context, run));
      await pauseAt(`${input.ref.node}:${kind}:${step.id}:after`);
      return output;
    });
  }
  activities[`${driver.name}.facts`] = activity(site, (input: StepInput & { ask: readonly Fact[] }) =>
    facts(site, driver, input),
  );
  activities[`${driver.name}.settle`] = activity(
    site,
    async (input: StepInput & { residue: readonly Residue[] }) => {
      await fence(site, input.ref);
      return driver.settle(await contextOf(site, input), input.residue);
    },
  );
  activities[`${driver.name}.capture`] = activity(site, async (input: StepInput): Promise<Captured> => {
    const context = await contextOf(site, input);
    const [answer, told, hint] = await Promise.all([
      driver.capture(context),
      captureConsole(context),
      controlPlaneFirst(site),
    ]);
    const evidence = await context.evidence('failing-state', {
      asked: 'state at the failure',
      of: input.ref.node,
      answer,
    });
    const { power } = answer;
    return {
      evidence: [evidence, ...(told?.evidence ?? [])],
      ...(told === undefined ? {} : { console: told.console }),
      ...(hint === undefined ? {} : { hint }),
      ...(power === 'on' || power === 'off' ? { data: { power } } : {}),
    };
  });
  return activities;
}

/** Every step of every plan of a driver, once. */
function stepsOf(driver: Driver): Step[] {
  const { plan } = DRIVER_PLANS[driver.name];
  const steps = ALL_VERBS.filter(isOperationVerb).flatMap((verb) => plan(verb, {}) ?? []);
  return [...new Map(steps.map((step) => [step.id, step])).values()];
}

/**
 * Wraps a function: heartbeats in the background, every error in the catalogue's shape.
 *
 * @param tell what a heartbeat carries, for whoever looks at the pending activity
 */
export function activity<I, O>(
  site: Site,
  run: (input: I) => Promise<O>,
  tell: () => unknown = () => undefined,
): (input: I) => Promise<O> {
  return async (input) => {
    const context = Context.current();
    context.heartbeat();
    const beat = setInterval(() => context.heartbeat(tell()), HEARTBEAT_MS);
    try {
      return await run(input);
    } catch (error) {
      throw toApplicationFailure(error, site, context.cancellationSignal.aborted);
    } finally {
      clearInterval(beat);
    }
  };
}

/** Tells the next attempt what this one failed with, by its last heartbeat: it may have no time to find that out. */
async function tellingOn<T>(site: Site, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RackwrightError && error.failure.retryable)
      Context.current().heartbeat(redact(error.failure, site.secrets));
    throw error;
  }
}

/**
 * Gives a step what is left of its time, of this attempt and of all together. What is cut off because all of it is
 * over fails with what it failed with before, where that is known: that a rest of time was too short is no cause.
 */
async function inTime(step: Step, context: StepContext, run: StepFunction): Promise<StepOutput> {
  const { info } = Context.current();
  const { startToCloseTimeoutMs, scheduleToCloseTimeoutMs } = info;
  const elapsed = info.currentAttemptScheduledTimestampMs - info.scheduledTimestampMs;
  const attempt = startToCloseTimeoutMs - GRACE_MS;
  const total = scheduleToCloseTimeoutMs - GRACE_MS - elapsed;
  const isLast = attempt >= total;
  const before = asFailure(info.heartbeatDetails);
  const silence = (): Error =>
    isLast && before !== undefined && step.silence === 'STEP_TIMEOUT'
      ? new RackwrightError({ ...before, retryable: false })
      : fail(step.silence, `${step.title}: an attempt did not end in time.`, { retryable: !isLast });
  return within(Math.min(attempt, total), context.signal, silence, (signal) => run({ ...context, signal }));
}

/**
 * Ends an attempt when its time is over, so that one that hangs is told by the worker that is there.
 * Temporal's time-out comes later, carries no cause, and means that no worker answered.
 *
 * @param silence what it fails with then
 */
export async function within<T>(
  ms: number,
  cancelled: AbortSignal,
  silence: () => Error,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const overdue = new AbortController();
  const timer = setTimeout(() => overdue.abort(), Math.max(1000, ms));
  const late = new Promise<never>((_resolve, reject) => {
    overdue.signal.addEventListener('abort', () => reject(silence()));
  });
  try {
    return await Promise.race([late, run(AbortSignal.any([cancelled, overdue.signal]))]);
  } finally {
    clearTimeout(timer);
  }
}

async function facts(
  site: Site,
  driver: Driver,
  input: StepInput & { readonly ask: readonly Fact[] },
): Promise<{ [fact: Fact]: boolean }> {
  const context = await contextOf(site, input);
  const answers: { [fact: Fact]: boolean } = {};
  for (const fact of input.ask) answers[fact] = (await driver.facts[fact]?.(context)) ?? false;
  return answers;
}

async function contextOf(site: Site, input: StepInput): Promise<StepContext> {
  const inventory = await site.contracts.load(input.ref.contractHash);
  const { cancellationSignal } = Context.current();
  return {
    input,
    site,
    inventory,
    node: effectiveNode(inventory, input.ref.node),
    signal: cancellationSignal,
    secret: (reference) => site.secret(reference),
    evidence: (name: string, what: { asked: string; of: string; answer: Json }) =>
      keep(site, input, name, what),
  };
}

function keep(
  site: Site,
  { ref, step, stretch = 1 }: StepInput,
  name: string,
  what: { asked: string; of: string; answer: Json },
): Promise<EvidenceRef> {
  const { site: siteName, node, requestId } = ref;
  return site.evidence.put(
    { site: siteName, node, requestId, step, name, run: stretch, from: `worker of ${siteName}`, ...what },
    site.secrets,
  );
}
