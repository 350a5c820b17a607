import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Inventory } from '../contracts/inventory/inventory.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { GATE_NUMBERS, gateOf, isGateNumber, type GateNumber } from '../core/acceptance/gates.ts';
import type {
  AcceptanceInput,
  AcceptanceReport,
  ClosedAcceptance,
  OpenedAcceptance,
  PlannedCheck,
  PlannedGate,
} from '../core/acceptance/report.ts';
import { fail } from '../core/errors/failure.ts';
import type { JsonObject } from '../core/json.ts';
import { windowState } from '../core/windows.ts';
import { keptGates } from './acceptance-runs/kept.ts';
import { keepRun } from './evidence/attest.ts';
import type { GateCheck } from './gates/check.ts';
import { ACCEPTANCE_SUBJECT } from './records/safe-names.ts';
import type { Site } from './site.ts';
import { claimSite } from './standing/claim.ts';

const REPORT = /-acceptance\.report(\.r\d+)?$/;

/** How long a held run waits for someone, unless the contract says otherwise. */
const HOLD_FOR = 7 * 24 * 3600;

/** Stores the contract by its hash, and makes of it the gates and checks of a run as data. */
export async function openAcceptance(
  site: Site,
  input: AcceptanceInput,
  checks: readonly GateCheck[],
): Promise<OpenedAcceptance> {
  const { scheduledTimestampMs } = Context.current().info;
  await refuseKnown(site, input.runId);
  await claimSite(site, input, Date.now() - scheduledTimestampMs);
  const inventory = await site.inventory();
  const { acceptance } = inventory;
  const contractHash = await site.contracts.store(inventory);
  const fingerprint = await siteFingerprint(site, inventory);
  const numbers = input.gates ?? acceptance?.gates?.filter(isGateNumber) ?? GATE_NUMBERS;
  refuseUnbuilt(numbers, checks);
  const { from, of } = input;
  if (from !== undefined && !numbers.includes(from)) {
    const message = `acceptance: from must be one of the gates of the contract, ${numbers.join(', ')}: nothing else is run.`;
    throw fail('INVALID_MESSAGE', message, { details: { field: 'from' } });
  }
  const run = numbers.filter((number) => number >= (from ?? 1));
  if (run.every((number) => gateOf(number).disruptive)) requireWindow(inventory);
  const plans = GATE_NUMBERS.filter((number) => numbers.includes(number)).map((number) =>
    planned(number, inventory, checks),
  );
  const kept =
    from === undefined || of === undefined
      ? undefined
      : await keptGates(site, from, await reportOf(site, of), { contractHash, fingerprint, plans });
  return {
    contractHash,
    fingerprint,
    gates: plans.map((plan) => {
      const gate = kept?.get(plan.gate);
      return gate ? { ...plan, kept: gate } : plan;
    }),
    onFailure: input.onFailure ?? acceptance?.onFailure ?? inventory.onFailure ?? 'hold',
    holdForSeconds: acceptance?.holdFor ?? inventory.holdFor ?? HOLD_FOR,
  };
}

/** Temporal forgets runs, and their evidence is there for longer: another run would be written over it. */
async function refuseKnown(site: Site, runId: string): Promise<void> {
  const entries = await site.evidence.list(site.name, ACCEPTANCE_SUBJECT, runId);
  if (!entries.some(({ ref }) => REPORT.test(ref.id))) return;
  throw fail('RUN_EXISTS', `Site ${site.name} has the evidence of a run ${runId} already.`);
}

/** Where nothing else is asked for, there is nothing to do. */
function requireWindow(inventory: Inventory): void {
  const closed = closedWindow(inventory, new Date());
  if (closed !== null) throw fail('WINDOW_CLOSED', closed);
}

/** Why what is disruptive may not be done now; null: it may. */
function closedWindow({ maintenance }: Inventory, at: Date): string | null {
  const state = windowState(maintenance?.windows ?? [], maintenance?.timeZone ?? 'UTC', at);
  if (state.open) return null;
  const next = state.next === null ? 'none opens' : `the next opens ${state.next}`;
  return `It is outside of the maintenance windows; ${next}.`;
}

/** Whether the contract lets a disruptive gate run now; else why not. */
export async function maintenanceWindow(
  site: Pick<Site, 'contracts'>,
  { contractHash }: { contractHash: string },
): Promise<{ closed: string | null }> {
  return { closed: closedWindow(await site.contracts.load(contractHash), new Date()) };
}

/** A gate without checks would be green whatever the site is like. */
function refuseUnbuilt(numbers: readonly GateNumber[], checks: readonly GateCheck[]): void {
  const has = (number: GateNumber): boolean => checks.some(({ check }) => check.gate === number);
  const unbuilt = numbers.filter((number) => !has(number));
  if (unbuilt.length === 0) return;
  const built = GATE_NUMBERS.filter(has);
  throw fail(
    'GATE_NOT_SUPPORTED',
    `This version has no checks of gate ${unbuilt.join(', ')}; it has those of gate ${built.join(', ')}.`,
  );
}

function planned(gate: GateNumber, inventory: Inventory, checks: readonly GateCheck[]): PlannedGate {
  const own = checks.filter(({ check }) => check.gate === gate);
  return {
    gate,
    checks: own.map((made): PlannedCheck => {
      const { gate: _gate, shows: _shows, faultDomain: _domain, ...plan } = made.check;
      const skipped = made.skip?.(inventory);
      if (skipped !== undefined) return { ...plan, skipped };
      return { ...plan, bounds: made.bounds?.(inventory, plan.bounds) ?? plan.bounds };
    }),
  };
}

/** The report of a run that is over, from the evidence. Throws RUN_UNKNOWN, and EVIDENCE_ALTERED. */
export async function reportOf(
  site: Pick<Site, 'name' | 'evidence'>,
  runId: string,
): Promise<AcceptanceReport> {
  const entries = await site.evidence.list(site.name, ACCEPTANCE_SUBJECT, runId);
  const entry = entries.find(({ ref }) => REPORT.test(ref.id));
  if (!entry) throw fail('RUN_UNKNOWN', `Site ${site.name} has no report of a run ${runId}.`);
  const { answer, truncatedFrom } = await site.evidence.read(entry.ref.id);
  if (truncatedFrom !== undefined) {
    throw fail('EVIDENCE_OUTDATED', `The report of run ${runId} was too long to be kept whole.`);
  }
  return answer as unknown as AcceptanceReport;
}

/**
 * Of what evidence depends on beside the contract: hardware, firmware and BIOS, as the last inspections of its nodes
 * saw them, and which bytes its images are, where some were promoted.
 */
async function siteFingerprint(site: Site, inventory: Inventory): Promise<string> {
  const seen: JsonObject = {};
  const promoted: JsonObject = {};
  for (const { name } of inventory.images) {
    const found = await site.promoted(name);
    if (found) promoted[name] = found.version.checksum;
  }
  // No node is called so.
  if (Object.keys(promoted).length > 0) seen['_images'] = promoted;
  for (const { name } of inventory.nodes) {
    const kept = await site.inspections.read(site.name, name);
    if (!kept) continue;
    const { requestId: _by, at: _when, on: _power, unsure: _unread, ...hardware } = kept.look;
    seen[name] = hardware as unknown as JsonObject;
  }
  return createHash('sha256').update(canonicalJson(seen)).digest('hex');
}

/** Keeps the final report of a run as evidence, and signs what the run left if the contract names a key. */
export const closeAcceptance = (
  site: Site,
  { report }: { report: AcceptanceReport },
): Promise<ClosedAcceptance> =>
  report.failure?.code === 'RUN_EXISTS'
    ? Promise.resolve({ evidence: [], signature: { signed: false, why: report.failure.message } })
    : keepRun(site, report);
