import type { FaultDomain } from '../fault-domains.ts';
import type { Failure } from '../errors/failure.ts';
import { parseFields, pattern, required } from '../fields.ts';
import { BREAK, escapeMarkdown as esc, prose } from '../markdown.ts';
import { NAME_PATTERN } from '../names.ts';
import type { Outcome } from '../operations.ts';
import type { GateNumber } from './gates.ts';
import type { AcceptanceReport } from './report.ts';

/** What workflow `nightly` returns: of the run that it awaited. */
export interface NightlyReport {
  readonly site: string;
  readonly runId: string;
  readonly outcome: Outcome;
  readonly stoppedAt: GateNumber | null;
  readonly faultDomain: FaultDomain | null;
  readonly failure: Failure | null;
  /** Gates that were left out, and why. */
  readonly leftOut: readonly { readonly gate: GateNumber; readonly reason: string }[];
}

/** Parses the input of workflow `nightly`, `{"site": "lab"}`. Total. */
export function parseNightlyInput(
  input: unknown,
): { ok: true; site: string } | { ok: false; message: string } {
  const parsed = parseFields(input, { site: required(pattern(NAME_PATTERN, 'a name such as "lab"')) });
  if (parsed.ok) return { ok: true, site: String(parsed.value['site']) };
  const { field, message } = parsed.problem;
  return { ok: false, message: `Input of nightly: ${field} ${message}.` };
}

/** The id of a nightly run, from the time that it began at. */
export const nightlyRunId = (began: Date): string => `nightly-${began.toISOString().replaceAll(/[-:]/g, '')}`;

export const nightlyReport = (report: AcceptanceReport): NightlyReport => ({
  site: report.site,
  runId: report.runId,
  outcome: report.outcome ?? 'error',
  stoppedAt: report.stoppedAt ?? null,
  faultDomain: report.failure?.faultDomain ?? null,
  failure: report.failure ?? null,
  leftOut: report.gates.flatMap(({ gate, leftOut }) =>
    leftOut === undefined ? [] : [{ gate, reason: leftOut }],
  ),
});

/** What the Web UI shows of a nightly run that is over. */
export function nightlyDetails({ site, runId, outcome, stoppedAt, failure, leftOut }: NightlyReport): string {
  return [
    `### Nightly acceptance of ${site}: ${outcome}`,
    `Run **${esc(runId)}**${stoppedAt === null ? '' : `, stopped at gate **${stoppedAt}**`}`,
    ...(failure
      ? [
          `**${failure.code}** · fault domain **${failure.faultDomain}**${BREAK}${esc(failure.message, 1000)}`,
          `**Correction:** ${prose(failure.correction, 600)}`,
        ]
      : []),
    ...leftOut.map(({ gate, reason }) => `Gate **${gate}** was left out: ${esc(reason, 300)}`),
  ].join('\n\n');
}
