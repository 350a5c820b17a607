import { formatDuration } from '../../duration.ts';
import { gateOf } from '../gates.ts';
import type { AcceptanceReport, CheckOutcome, CheckReport, GateReport, RunState } from '../report.ts';

/** How a run stands, in a word. */
export type Verdict = 'pass' | 'fail' | 'error' | 'aborted' | 'held' | 'running';

export const verdictOf = ({ outcome, held }: AcceptanceReport): Verdict =>
  outcome ?? (held ? 'held' : 'running');

/** How a check or a gate stands, in a word for people. */
export type Standing = CheckOutcome | 'running' | 'pending' | 'not run';

export function standingOf({
  outcome,
  state,
}: {
  readonly outcome?: CheckOutcome;
  readonly state: RunState;
}): Standing {
  if (outcome !== undefined) return outcome;
  // What is over and left no result could not be told.
  if (state === 'done') return 'error';
  return state === 'held-back' ? 'not run' : state;
}

/** One sentence: what the verdict means here. */
export function verdictSentence(report: AcceptanceReport): string {
  const { gates, stoppedAt, failure } = report;
  const where = stoppedAt === undefined ? '' : ` at gate ${stoppedAt}, ${gateOf(stoppedAt).title}`;
  switch (verdictOf(report)) {
    case 'pass':
      return passSentence(gates);
    case 'fail':
      return where === ''
        ? 'It could not begin: the cause is known.'
        : `It stopped${where}. The cause is known; later gates did not run.`;
    case 'error':
      return where === ''
        ? 'It could not be told: nothing was shown.'
        : `It stopped${where}: it could not be told. That is no pass, and no fail.`;
    case 'aborted':
      return `It was ended before its verdict${where}.`;
    case 'held':
      return `It waits${where}, until ${failure ? 'that is corrected and ' : ''}someone says resume.`;
    default:
      return 'It goes on: what stands here is not final.';
  }
}

/** Nothing is known by this run of a gate that was left out: it is not among the green ones. */
function passSentence(gates: readonly GateReport[]): string {
  const green = gates.filter(({ leftOut }) => leftOut === undefined);
  const which =
    green.length === 7
      ? 'All seven gates are green.'
      : `Gate${green.length === 1 ? '' : 's'} ${numbers(green)} ${green.length === 1 ? 'is' : 'are'} green${gates.length === 7 ? '' : '; this run took no other'}.`;
  return [which, ...gates.flatMap((gate) => leftOutWords(gate) ?? [])].join(' ');
}

/** Why a gate was left out, as a sentence; undefined: it was not. */
export function leftOutWords({ gate, leftOut }: GateReport): string | undefined {
  if (leftOut === undefined) return undefined;
  return `Gate ${gate} was left out: ${leftOut.charAt(0).toLowerCase()}${leftOut.slice(1)}`;
}

const numbers = (gates: readonly GateReport[]): string => gates.map(({ gate }) => gate).join(', ');

/**
 * The checks that are not green: those with a known cause first. Of the gate that the run stopped at; of all gates
 * where it goes on, or was aborted and something could not be taken back.
 */
export function redChecks({ gates, stoppedAt }: AcceptanceReport): readonly CheckReport[] {
  const checks = gates
    .filter(({ gate }) => stoppedAt === undefined || gate === stoppedAt)
    .flatMap((gate) => gate.checks);
  const of = (wanted: Standing): CheckReport[] => checks.filter((check) => standingOf(check) === wanted);
  return [...of('fail'), ...of('error')];
}

/** How long something took; what took less than a second took some time, too. */
export const tookWords = (seconds: number): string =>
  seconds > 0 && seconds < 1 ? 'under 1 s' : formatDuration(seconds);

/** `12:03:10`, of a time in UTC. */
export const clock = (time: string | undefined): string => time?.slice(11, 19) ?? '';

/** `2026-11-30 12:03:10`, of a time in UTC. */
export const moment = (time: string): string => time.replace('T', ' ').replace(/(\.\d+)?Z$/, '');

/** How old kept evidence was when the run began, or that it is of the run itself. */
export function keptWords({ kept }: GateReport, report: AcceptanceReport): string | undefined {
  if (kept === undefined) return undefined;
  const when = `evidence of ${moment(kept.endedAt)} UTC`;
  if (kept.runId === report.runId) return `${when}, kept: not run again after the correction`;
  const seconds = (Date.parse(report.startedAt) - Date.parse(kept.endedAt)) / 1000;
  return `${when}, of run ${kept.runId}${seconds > 0 ? `: ${formatDuration(seconds)} older than this run` : ''}`;
}
