import { ApplicationFailure, Context } from '@temporalio/activity';
import { untraced } from '../core/errors/failure.ts';
import type { SiteActivities } from '../core/site-activities.ts';
import { closeAcceptance, maintenanceWindow, openAcceptance } from './acceptance.ts';
import type { Driver } from './drivers/driver.ts';
import type { GateCheck } from './gates/check.ts';
import { GATE_CHECKS } from './gates/index.ts';
import { gateActivities } from './gates/runner.ts';
import { findOperation, loadNode, saveNode, watchOperation } from './nodes.ts';
import { closeOperation, openOperation } from './operations.ts';
import { activity, driverActivities } from './runner.ts';
import type { Site } from './site.ts';
import { keepGate, keepVerdict } from './standing/keep.ts';
import { watchNodes } from './watch/watch.ts';
import { tellVerdict } from './webhook/tell-verdict.ts';

/** How long an entity waits before it tries again what cannot get better by itself. */
const PATIENCE_MS = 10_000;

export interface ActivityOptions {
  /** Aborted when the worker stops: the watch, which has no end of its own, must not hold it up. */
  readonly stopping?: AbortSignal;
  /** @default all that this version has */
  readonly checks?: readonly GateCheck[];
}

/**
 * Everything that a worker of a site registers, by the names that workflows call.
 */
export function createActivities(
  site: Site,
  drivers: readonly Driver[],
  { stopping, checks = GATE_CHECKS }: ActivityOptions = {},
): object {
  let round: object | undefined;
  const common: SiteActivities = {
    loadNode: patient(activity(site, (input) => loadNode(site, input))),
    saveNode: patient(activity(site, (input) => saveNode(site, input))),
    watchOperation: patient(activity(site, (input) => watchOperation(site, input))),
    findOperation: patient(activity(site, (input) => findOperation(site, input))),
    watchNodes: patient(
      activity(
        site,
        async () => {
          const { cancellationSignal } = Context.current();
          const signal = stopping ? AbortSignal.any([cancellationSignal, stopping]) : cancellationSignal;
          await watchNodes(site, drivers, { signal, onRound: (done) => (round = done) });
        },
        () => round,
      ),
    ),
    awaitWorker: activity(site, async (_site: { site: string }) => {}),
    openOperation: activity(site, (input) => openOperation(site, input)),
    closeOperation: activity(site, (input) => closeOperation(site, input)),
    openAcceptance: activity(site, (input) => openAcceptance(site, input, checks)),
    maintenanceWindow: activity(site, (input) => maintenanceWindow(site, input)),
    keepGate: activity(site, (input) => keepGate(site, input)),
    keepVerdict: activity(site, (input) => keepVerdict(site, input)),
    tellVerdict: activity(site, (input) => tellVerdict(site, input)),
    closeAcceptance: activity(site, (input) => closeAcceptance(site, input)),
  };
  return Object.assign(
    {},
    common,
    gateActivities(site, checks),
    ...drivers.map((driver) => driverActivities(site, driver)),
  ) as object;
}

/** What an entity lives on never fails for good: a broken contract or store is corrected, and it goes on. */
function patient<I, O>(run: (input: I) => Promise<O>): (input: I) => Promise<O> {
  return async (input) => {
    try {
      return await run(input);
    } catch (error) {
      if (!(error instanceof ApplicationFailure) || !error.nonRetryable) throw error;
      const { message, type, details } = error;
      throw untraced(
        ApplicationFailure.create({
          message,
          ...(type ? { type } : {}),
          ...(details ? { details } : {}),
          nextRetryDelay: PATIENCE_MS,
        }),
      );
    }
  };
}
