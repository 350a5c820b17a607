import { RackwrightError } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import { countsOf, type LogEntry, type Severity } from '../../../core/redfish/log.ts';
import type { KeptInspections, LogPositions } from '../../../core/redfish/kept.ts';
import { positionsFor } from '../../../core/redfish/kept.ts';
import { newLogEntries, type LogsFound } from '../../redfish/logs.ts';
import type { SystemFound } from '../../redfish/service.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepContext } from '../driver.ts';
import { firstWords } from '../../../core/whole-words.ts';

/** How many entries are kept as evidence, and how many of them are named in the summary. */
const KEPT = 200;
const NAMED = 3;
const WORDS = 80;
/** As long as the logs take at most, and when in an attempt they are over: it lasts a minute. */
const MOST_MS = 10_000;
const OVER_MS = 54_000;

/** Reads what is new in the logs. A BMC that cannot give its logs sinks no inspection. */
export async function readLogs(
  bmc: Bmc,
  system: SystemFound,
  kept: KeptInspections | undefined,
  { requestId, beganAt }: { readonly requestId: string; readonly beganAt: number },
): Promise<LogsFound> {
  const deadlineMs = Math.min(MOST_MS, beganAt + OVER_MS - Date.now());
  try {
    return await newLogEntries(bmc, system, positionsFor(kept, requestId), { deadlineMs });
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    return { logs: [], unread: [{ part: 'logs', why: firstWords(error.message, 300) }] };
  }
}

/** Where the next look at each log goes on. */
export const positionsOf = ({ logs }: LogsFound): LogPositions =>
  Object.fromEntries(logs.map(({ uri, position }) => [uri, position]));

const RANK: { readonly [S in Severity]: number } = { Critical: 0, Warning: 1, OK: 2 };
const rank = ({ severity }: LogEntry): number => RANK[severity ?? 'OK'];

/** What is kept as evidence: of each log how much is new, and the entries, worst and newest first. */
export function logEvidence(found: LogsFound): Json {
  const entries = found.logs
    .flatMap(({ name, entries: own }) => own.map((entry) => ({ log: name, ...entry })))
    .toSorted((a, b) => rank(a) - rank(b));
  return {
    logs: found.logs.map(({ uri, name, kind, entries: own }) => ({ uri, name, kind, new: countsOf(own) })),
    entries: entries.slice(0, KEPT),
    left: Math.max(0, entries.length - KEPT),
    unread: found.unread.map(({ part, why }) => ({ part, why })),
  };
}

/** What is new in the logs, in a few words. */
export function logSummary({ logs, unread }: LogsFound): string | undefined {
  if (logs.length === 0) return unread.length === 0 ? undefined : 'the logs could not be read';
  const entries = logs.flatMap((log) => log.entries);
  const { Warning, Critical } = countsOf(entries);
  const first = logs.every(({ kind }) => kind === 'first');
  const lost = logs.filter(({ kind }) => kind === 'lost').map(({ name }) => name);
  const worst = entries
    .filter((entry) => rank(entry) < RANK.OK)
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, NAMED)
    .map(({ severity, message }) => `${severity}: ${firstWords(message, WORDS)}`);
  const what = entries.length === 1 ? '1 log entry' : `${entries.length || 'no'} log entries`;
  const counted = `${what} ${first ? 'at the first look' : 'since the last look'}`;
  return [
    counted,
    ...(Warning + Critical > 0
      ? [`${Critical} critical, ${Warning} ${Warning === 1 ? 'warning' : 'warnings'}: ${worst.join(' / ')}`]
      : []),
    ...(lost.length > 0 ? [`${lost.join(', ')}: where the last look ended is not among what was read`] : []),
  ].join(', ');
}

/** Keeps the evidence of a look at the logs. */
export const keepLogs = (context: StepContext, of: string, found: LogsFound) =>
  context.evidence('logs', {
    asked: 'log entries since the last look',
    of,
    answer: logEvidence(found),
  });
