import { gateOf, type GateNumber } from '../core/acceptance/gates.ts';
import type { AcceptanceReport, GateReport, OpenedAcceptance } from '../core/acceptance/report.ts';
import type { Failure } from '../core/errors/failure.ts';
import { failureOfGate } from '../core/acceptance/verdict.ts';
import { verdictMessage } from '../core/acceptance/verdict-message.ts';
import { siteActivities, webhook } from './activities.ts';
import { failureOf, isReported } from './failures.ts';

type Note = (text: string) => void;

interface RunName {
  readonly site: string;
  readonly runId: string;
}

/**
 * Why it is no time for a gate now, in words, or the failure that kept it from being told: the contract may be gone,
 * since a run may be held for days. Null: it may run.
 */
export async function noTimeFor(
  gate: GateNumber,
  site: string,
  { contractHash }: OpenedAcceptance,
): Promise<string | Failure | null> {
  if (!gateOf(gate).disruptive) return null;
  try {
    const { closed } = await siteActivities(site).maintenanceWindow({ site, contractHash });
    return closed;
  } catch (error) {
    const untold = isReported(error) ? failureOf(error) : undefined;
    if (untold === undefined) throw error;
    return untold;
  }
}

/** What depends on green gates learns at once how this one came out, also from a run that is held for days. */
export async function keepGate(
  { site, runId }: RunName,
  { contractHash, fingerprint }: OpenedAcceptance,
  { gate, outcome, endedAt, checks }: GateReport,
  note: Note,
): Promise<void> {
  const red = failureOfGate(checks);
  const why = red && { code: red.code, faultDomain: red.faultDomain, message: red.message };
  const ended = { gate, outcome: outcome!, runId, endedAt: endedAt!, contractHash, fingerprint };
  try {
    await siteActivities(site).keepGate({ site, gate: { ...ended, ...(why ? { failure: why } : {}) } });
  } catch (error) {
    if (!isReported(error)) throw error;
    note(`How gate ${gate} stands could not be kept: ${messageOf(error)}`);
  }
}

/** Lets go of the site, keeps the verdict on it, and tells of a change. None of it changes that of the run. */
export async function keepVerdict(report: AcceptanceReport, note: Note): Promise<void> {
  const { site, runId, contractHash, stoppedAt, failure: f, outcome, endedAt } = report;
  const under = contractHash === undefined ? {} : { contractHash };
  const end = {
    runId,
    at: endedAt!,
    outcome: outcome!,
    ...(stoppedAt === undefined ? {} : { stoppedAt }),
    ...(f ? { failure: { code: f.code, faultDomain: f.faultDomain } } : {}),
  };
  try {
    const { changed, untold } = await siteActivities(site).keepVerdict({ site, end, ...under });
    if (changed !== null) {
      const before = changed.previous?.outcome ?? 'not known';
      note(`The verdict on the site is ${changed.outcome}; before this run it was ${before}.`);
    }
    if (untold === null) return;
    await webhook(site).tellVerdict({ message: verdictMessage(untold, report), ...under });
    note("The contract's webhook was told of the verdict.");
  } catch (error) {
    if (!isReported(error)) throw error;
    note(`The verdict was not told, and is told with the next run: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string => failureOf(error)?.message ?? 'no answer';
