import type { ErrorCode } from './errors/catalogue.ts';
import type { NodeRecord } from './node.ts';
import type { Observed } from './observed.ts';

/** What a look found: `power` where it was told and is not changing, `health` where it was told. */
export interface Reading {
  readonly power?: 'on' | 'off';
  readonly health?: string;
}

/** How a look ended: with a reading, or with the code of why there is none. */
export type Look = Reading | ErrorCode;

/** What the watch remembers of a node from one look to the next. */
export interface Memory {
  /** Looks that failed in a row, since when, with which code the last ones and how many of those. */
  readonly failed: {
    readonly times: number;
    readonly since: string;
    readonly why: ErrorCode;
    readonly alike: number;
  } | null;
  /** What was told of which generation: it is not told again until the node has answered with another. */
  readonly told: string | null;
}

export const NO_MEMORY: Memory = { failed: null, told: null };

/** So many looks in a row have to fail before a node counts as unreachable: a BMC that restarts is no news. */
export const PATIENCE = 3;

/**
 * Whether a node is to be looked at. Not one that nobody has reached yet, or that is out of service; and not while an
 * operation runs, which looks for itself and may need the BMC's only session.
 */
export function isWatched(record: NodeRecord | undefined): record is NodeRecord {
  if (record === undefined) return false;
  const { phase, power, operation } = record;
  if (phase === 'decommissioned' || phase === 'verify-failed') return false;
  if (phase === 'enrolled' && power === 'unknown') return false;
  return operation === null || operation.held;
}

/**
 * What is to be told of a look, and what to remember. It is compared with the node's own record, so that a watch that
 * begins anew tells nothing that is known, and what was told in vain is told again.
 *
 * @param record as it was read before the look
 */
export function news(
  record: NodeRecord,
  look: Look,
  at: string,
  memory: Memory,
): { readonly tell: Observed | null; readonly memory: Memory } {
  const { generation } = record;
  const failed = typeof look === 'string' ? failing(memory, look, at) : null;
  const differs = failed === null ? isNews(record, look as Reading) : isSilent(record, failed);
  if (!differs) return { tell: null, memory: { failed, told: null } };
  const seen: Observed =
    failed === null
      ? { generation, at, reachable: true, ...(look as Reading) }
      : { generation, at: failed.since, reachable: false, why: failed.why };
  const told = JSON.stringify({ ...seen, at: null });
  return { tell: told === memory.told ? null : seen, memory: { failed, told } };
}

type Failing = NonNullable<Memory['failed']>;

function failing({ failed }: Memory, why: ErrorCode, at: string): Failing {
  if (failed === null) return { times: 1, since: at, why, alike: 1 };
  const alike = failed.why === why ? failed.alike + 1 : 1;
  return { times: failed.times + 1, since: failed.since, why, alike };
}

/** Whether the node is not yet known as unreachable, or for a reason that has not been seen for some time. */
function isSilent({ unreachable }: NodeRecord, { times, why, alike }: Failing): boolean {
  if (!unreachable) return times >= PATIENCE;
  return unreachable.why !== why && alike >= PATIENCE;
}

function isNews(record: NodeRecord, { power, health }: Reading): boolean {
  if (record.unreachable) return true;
  if (health !== undefined && health !== record.health) return true;
  return power !== undefined && power !== record.power && record.operation === null;
}
