import { oneLine } from '../markdown.ts';
import { asName, asText, at } from './read.ts';
import { firstWords } from '../whole-words.ts';

export type Severity = 'OK' | 'Warning' | 'Critical';

/** One entry of a log, as far as it is kept. */
export interface LogEntry {
  readonly id: string;
  /** As the BMC tells the time: its clock may be wrong. */
  readonly created: string | null;
  readonly severity: Severity | null;
  readonly message: string;
}

/** What the newest entries of a log were, newest first: where the next look goes on. */
export type LogPosition = readonly string[];

/** How many of the newest entries are remembered: one of them is found again though others were deleted. */
const REMEMBERED = 8;
const MESSAGE = 300;

const severityOf = (value: unknown): Severity | null => {
  const text = asText(value)?.toLowerCase() ?? '';
  if (/^(critical|fatal|error|major|emergency|alert)$/.test(text)) return 'Critical';
  if (/^(warning|warn|minor|caution|degraded|repairable)$/.test(text)) return 'Warning';
  return /^(ok|informational|information|info|normal|event)$/.test(text) ? 'OK' : null;
};

/** Reads an entry; null for a link to one. */
export function readLogEntry(uri: string | null, body: unknown): LogEntry | null {
  const id = asName(at(body, 'Id')) ?? (uri === null ? null : uri.slice(uri.lastIndexOf('/') + 1));
  const message =
    asText(at(body, 'Message')) ?? asText(at(body, 'MessageId')) ?? asText(at(body, 'SensorType'));
  const created = asName(at(body, 'Created')) ?? asName(at(body, 'EventTimestamp'));
  const severity = severityOf(at(body, 'Severity')) ?? severityOf(at(body, 'MessageSeverity'));
  if (id === null || (message === null && created === null && severity === null)) return null;
  return {
    id,
    created,
    severity,
    message: firstWords(oneLine(message ?? 'no message', MESSAGE * 4), MESSAGE),
  };
}

/** Tells an entry from every other of its log: an id alone is used again once a log was cleared. */
export const keyOf = ({ id, created }: LogEntry): string =>
  `${id} ${created === null || Number.isNaN(Date.parse(created)) ? (created ?? '') : Date.parse(created)}`;

/**
 * Whether the oldest entry comes first, by most of what neighbours tell: their times, else their ids. A clock that
 * was set in between is outvoted.
 */
export function isOldestFirst(entries: readonly LogEntry[]): boolean {
  const vote = (value: (entry: LogEntry) => number): number => {
    let sum = 0;
    for (let i = 1; i < entries.length; i += 1) {
      const step = value(entries[i]!) - value(entries[i - 1]!);
      if (!Number.isNaN(step)) sum += Math.sign(step);
    }
    return sum;
  };
  const byTime = vote(({ created }) => Date.parse(created ?? ''));
  return (byTime === 0 ? vote(({ id }) => Number.parseInt(id, 10)) : byTime) >= 0;
}

/** What is new in a log. */
export interface LogNews {
  /** Newest first. */
  readonly entries: readonly LogEntry[];
  /**
   * `first`: the log was never looked at. `since`: what came after the last look. `lost`: where that ended is
   * not among what was read: the log was cleared, has run over, or told more than is read of it.
   */
  readonly kind: 'first' | 'since' | 'lost';
  readonly position: LogPosition;
}

/**
 * What is new, by where the last look ended and not by any clock.
 * @param newest the newest entries, newest first
 */
export function newsOf(newest: readonly LogEntry[], last: LogPosition | undefined): LogNews {
  const keys = newest.map(keyOf);
  const position = keys.length === 0 ? (last ?? []) : keys.slice(0, REMEMBERED);
  if (last === undefined) return { entries: newest, kind: 'first', position };
  // An empty log remembers nothing: all that comes after it is new.
  if (last.length === 0) return { entries: newest, kind: 'since', position };
  const end = keys.findIndex((key) => last.includes(key));
  if (end >= 0) return { entries: newest.slice(0, end), kind: 'since', position };
  return { entries: newest, kind: newest.length === 0 ? 'since' : 'lost', position };
}

/** How many entries there are of each severity; what names none is `OK`. */
export function countsOf(entries: readonly LogEntry[]): { [S in Severity]: number } {
  const counts = { OK: 0, Warning: 0, Critical: 0 };
  for (const { severity } of entries) counts[severity ?? 'OK'] += 1;
  return counts;
}
