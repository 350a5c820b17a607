import type { GateNumber } from '../../core/acceptance/gates.ts';
import { whyNotKept } from '../../core/acceptance/kept.ts';
import type {
  AcceptanceReport,
  GateReport,
  OpenedAcceptance,
  PlannedGate,
} from '../../core/acceptance/report.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import type { Site } from '../site.ts';

/**
 * The gates before the one to begin at, as another run left them. Throws EVIDENCE_OUTDATED where they hold no more, and
 * EVIDENCE_ALTERED where a piece is not what was stored: such evidence is not taken over by another run.
 *
 * @param now what is to be run
 */
export async function keptGates(
  site: Pick<Site, 'evidence'>,
  from: GateNumber,
  other: AcceptanceReport,
  now: Pick<OpenedAcceptance, 'contractHash' | 'fingerprint'> & { readonly plans: readonly PlannedGate[] },
): Promise<Map<GateNumber, GateReport>> {
  const { runId } = other;
  const outdated = (why: string): Error =>
    fail('EVIDENCE_OUTDATED', `The evidence of run ${runId} is not used again: ${why}.`);
  if (other.contractHash !== now.contractHash) throw outdated('the contract has changed since');
  if (other.fingerprint !== now.fingerprint)
    throw outdated('hardware, firmware or a promoted image has changed since');
  const kept = new Map<GateNumber, GateReport>();
  for (const plan of now.plans.filter(({ gate }) => gate < from)) {
    const gate = other.gates.find((each) => each.gate === plan.gate);
    const why = whyNotKept(plan, gate) ?? (await whatIsGone(site, gate!));
    if (why !== undefined) throw outdated(why);
    const { endedAt } = gate!;
    kept.set(plan.gate, { ...gate!, kept: gate!.kept ?? { runId, endedAt: endedAt! } });
  }
  return kept;
}

/** Holds each piece that a gate points to to the hash in its report. Throws EVIDENCE_ALTERED. */
async function whatIsGone(
  { evidence }: Pick<Site, 'evidence'>,
  gate: GateReport,
): Promise<string | undefined> {
  for (const { id, sha256 } of gate.checks.flatMap((check) => check.evidence ?? [])) {
    try {
      await evidence.read(id, sha256);
    } catch (error) {
      if (error instanceof RackwrightError && error.failure.code === 'EVIDENCE_UNKNOWN') {
        return `its piece ${id} is gone`;
      }
      throw error;
    }
  }
  return undefined;
}
