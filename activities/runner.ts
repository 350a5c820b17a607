import { Context } from '@temporalio/activity';
import { effectiveNode } from '../contracts/inventory/effective.ts';
import type { Json } from '../core/json.ts';
import type { EvidenceRef, StepInput } from '../core/operations.ts';
import { DRIVER_PLANS } from '../core/plans/index.ts';
import { ALL_VERBS, isOperationVerb } from '../core/verbs.ts';
import type { Fact, Residue, Step } from '../core/steps.ts';
import { pauseAt } from './crash-points.ts';
import type { Driver, StepContext } from './drivers/driver.ts';
import { fence } from './fence.ts';
import { toApplicationFailure } from './failures.ts';
import type { Site } from './site.ts';

type Activity = (input: never) => Promise<unknown>;

/** Heartbeats keep a running attempt alive; without them a lost worker is noticed after ten seconds. */
const HEARTBEAT_MS = 2000;

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
      const output = await run(context);
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
  activities[`${driver.name}.capture`] = activity(site, async (input: StepInput): Promise<EvidenceRef[]> => {
    const context = await contextOf(site, input);
    const answer = await driver.capture(context);
    return [
      await context.evidence('failing-state', { asked: 'state at the failure', of: input.ref.node, answer }),
    ];
  });
  return activities;
}

/** Every step of every plan of a driver, once. */
function stepsOf(driver: Driver): Step[] {
  const { plan } = DRIVER_PLANS[driver.name];
  const steps = ALL_VERBS.filter(isOperationVerb).flatMap((verb) => plan(verb, {}) ?? []);
  return [...new Map(steps.map((step) => [step.id, step])).values()];
}

/** Wraps a function: heartbeats in the background, every error in the catalogue's shape. */
export function activity<I, O>(site: Site, run: (input: I) => Promise<O>): (input: I) => Promise<O> {
  return async (input) => {
    const context = Context.current();
    context.heartbeat();
    const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
    try {
      return await run(input);
    } catch (error) {
      throw toApplicationFailure(error, site);
    } finally {
      clearInterval(beat);
    }
  };
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
