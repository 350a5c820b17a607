import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { gateOf } from '../../core/acceptance/gates.ts';
import { unmet, type GateStanding } from '../../core/acceptance/standing.ts';
import { formatDuration } from '../../core/duration.ts';
import { fail } from '../../core/errors/failure.ts';
import type { OperationKind } from '../../core/verbs.ts';
import type { Site } from '../site.ts';

const KINDS: readonly OperationKind[] = ['enroll', 'deploy'];

/**
 * Throws GATES_NOT_GREEN where the contract makes enrolling and deploying depend on gates, and one of them is not
 * green or too old. The node that acceptance runs on is exempt: without it gate 7 could never become green.
 */
export async function requireGates(
  site: Pick<Site, 'name' | 'standing'>,
  { requires, acceptance }: Pick<Inventory, 'requires' | 'acceptance'>,
  { kind, node }: { readonly kind: OperationKind; readonly node: string },
  now = Date.now(),
): Promise<void> {
  if (requires === undefined || !KINDS.includes(kind) || acceptance?.node === node) return;
  const standing = await site.standing.read(site.name);
  const missing = unmet(standing, requires, now);
  if (missing.length === 0) return;
  const numbers = missing.map(({ gate }) => gate).join(',');
  const words = missing.map(
    ({ gate, standing }) => `gate ${gate} (${gateOf(gate).title}) ${wordsOf(standing, now, requires.maxAge)}`,
  );
  const { running } = standing;
  // A run that is held at a red gate has the site: another one would be refused.
  const own =
    running && missing.some((each) => each.standing?.runId === running.runId) ? running.runId : null;
  const red = missing.find(({ standing }) => standing?.failure !== undefined)?.standing?.failure;
  throw fail(
    'GATES_NOT_GREEN',
    `The contract requires green gates before ${kind}: ${words.join('; ').replace(/\.$/, '')}.`,
    {
      correction: own
        ? `Correct it, rackwright acceptance resume ${own} where that is held, and ask again when it has passed.`
        : `rackwright acceptance run --gates ${numbers}, and ask again when it has passed.`,
      ...(red ? { faultDomain: red.faultDomain } : {}),
      details: { gates: missing.map(({ gate }) => gate) },
    },
  );
}

function wordsOf(standing: GateStanding | undefined, now: number, maxAge: number | undefined): string {
  if (standing === undefined) return 'never ran';
  const { outcome, runId, endedAt, since, failure } = standing;
  if (failure)
    return `is ${outcome} since ${since}, last in run ${runId}: ${failure.code}, ${failure.message}`;
  if (outcome === 'fail' || outcome === 'error') return `is ${outcome} since ${since}, last in run ${runId}`;
  const age = formatDuration((now - Date.parse(endedAt)) / 1000);
  return `was green ${age} ago, and may be ${formatDuration(maxAge ?? 0)} old`;
}
