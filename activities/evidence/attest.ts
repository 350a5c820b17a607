import {
  PAYLOAD_TYPE,
  payloadOf,
  statementOf,
  subjectOf,
  type Subject,
} from '../../core/acceptance/reports/statement.ts';
import type { AcceptanceReport, ClosedAcceptance, Signature } from '../../core/acceptance/report.ts';
import { RackwrightError } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { ACCEPTANCE_SUBJECT } from '../records/safe-names.ts';
import type { Site } from '../site.ts';
import { seal, signingKey, type Key } from './signing.ts';

/** The report is what all the rest is found by: it is kept whole, whatever its length. */
const LIMIT = 4 * 1024 * 1024;

/**
 * Keeps the report of a run, and a signed statement about it and all evidence of the run, if the contract names a key.
 * Safe to run again: report and statement take the place of those before. A key that cannot be used is told in the
 * report, and costs nobody the verdict.
 */
export async function keepRun(site: Site, report: AcceptanceReport): Promise<ClosedAcceptance> {
  const found = await keyOf(site, report.contractHash);
  const signature: Signature =
    'why' in found
      ? { signed: false, why: found.why }
      : { signed: true, keyId: found.id, algorithm: found.algorithm };
  const signed: AcceptanceReport = { ...report, signature };
  const ref = await site.evidence.put(
    {
      site: report.site,
      node: ACCEPTANCE_SUBJECT,
      requestId: report.runId,
      step: 'acceptance',
      name: 'report',
      asked: `acceptance of ${report.site}`,
      of: report.site,
      from: `run ${report.runId}`,
      answer: signed as unknown as JsonObject,
    },
    site.secrets,
    { limit: LIMIT },
  );
  const { runId } = report;
  if ('why' in found) {
    await site.evidence.unattest(report.site, ACCEPTANCE_SUBJECT, runId);
  } else {
    const payload = payloadOf(statementOf(signed, await subjectsOf(site, report)));
    const envelope = `${JSON.stringify(seal(PAYLOAD_TYPE, payload, found))}\n`;
    await site.evidence.attest(report.site, ACCEPTANCE_SUBJECT, runId, envelope);
  }
  return { evidence: [ref], signature };
}

/** The key that the contract names, or why there is none that signs. */
async function keyOf(site: Site, contractHash: string | undefined): Promise<Key | { why: string }> {
  if (contractHash === undefined) return { why: 'The run had no contract: it could not be opened.' };
  try {
    const { acceptance } = await site.contracts.load(contractHash);
    if (acceptance?.signingKey === undefined) {
      return { why: 'The contract names no key: `acceptance.signingKey`.' };
    }
    return signingKey(await site.secret(acceptance.signingKey));
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    return { why: error.failure.message };
  }
}

/** Every piece of the run, and those of other runs and of operations that its report points to; what is gone is left out. */
async function subjectsOf(site: Site, report: AcceptanceReport): Promise<Subject[]> {
  const own = await site.evidence.list(report.site, ACCEPTANCE_SUBJECT, report.runId);
  const named = report.gates.flatMap(({ checks }) => checks.flatMap(({ evidence = [] }) => evidence));
  const ids = new Set([...own.map(({ ref }) => ref.id), ...named.map(({ id }) => id)]);
  const subjects: Subject[] = [];
  for (const id of ids) {
    const digest = await site.evidence.digest(id);
    if (digest !== undefined) subjects.push(subjectOf(id, digest));
  }
  return subjects;
}
