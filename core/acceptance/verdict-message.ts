import type { ErrorCode } from '../errors/catalogue.ts';
import type { FaultDomain } from '../fault-domains.ts';
import type { Outcome } from '../operations.ts';
import type { GateNumber } from './gates.ts';
import type { AcceptanceReport, CheckOutcome, RunState } from './report.ts';
import type { Judgement, SiteVerdict } from './standing.ts';

/** What a webhook is sent when the verdict on a site changes. Other programs read it: fields are only added. */
export interface VerdictMessage {
  readonly type: 'acceptance.verdict';
  readonly site: string;
  /** The run that brought the verdict. */
  readonly runId: string;
  readonly outcome: Judgement['outcome'];
  /** The outcome before; null: nothing was known. It is the same where the gate or the fault domain changed. */
  readonly before: Judgement['outcome'] | null;
  /** The first red gate. */
  readonly gate: GateNumber | null;
  readonly faultDomain: FaultDomain | null;
  /** ISO 8601. */
  readonly at: string;
  readonly previous: SiteVerdict['previous'];
  /** Of the run that tells it: another one where the first could not. */
  readonly report: {
    readonly runId: string;
    readonly outcome: Outcome | null;
    readonly startedAt: string;
    readonly endedAt: string | null;
    readonly stoppedAt: GateNumber | null;
    readonly failure: {
      readonly code: ErrorCode;
      readonly faultDomain: FaultDomain;
      readonly message: string;
      readonly correction: string;
    } | null;
    readonly gates: readonly {
      readonly gate: GateNumber;
      readonly title: string;
      readonly state: RunState;
      readonly outcome: CheckOutcome | null;
    }[];
  };
}

/** The message for a verdict that changed, with a summary of the run's report. */
export function verdictMessage(verdict: SiteVerdict, report: AcceptanceReport): VerdictMessage {
  const { runId, outcome, gate, faultDomain, at, previous } = verdict;
  const { failure } = report;
  return {
    type: 'acceptance.verdict',
    site: report.site,
    runId,
    outcome,
    before: previous?.outcome ?? null,
    gate,
    faultDomain,
    at,
    previous,
    report: {
      runId: report.runId,
      outcome: report.outcome ?? null,
      startedAt: report.startedAt,
      endedAt: report.endedAt ?? null,
      stoppedAt: report.stoppedAt ?? null,
      failure: failure
        ? {
            code: failure.code,
            faultDomain: failure.faultDomain,
            message: failure.message,
            correction: failure.correction,
          }
        : null,
      gates: report.gates.map((each) => ({
        gate: each.gate,
        title: each.title,
        state: each.state,
        outcome: each.outcome ?? null,
      })),
    },
  };
}
