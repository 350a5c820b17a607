import {
  PAYLOAD_TYPE,
  payloadOf,
  statementOf,
  subjectOf,
  type Subject,
} from '../../core/acceptance/reports/statement.ts';
import type { AcceptanceReport, ClosedAcceptance, Signature } from '../../core/acceptance/report.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { ACCEPTANCE_SUBJECT } from '../records/safe-names.ts';
import type { Site } from '../site.ts';
import { seal, signingKey, type Key } from './signing.ts';

/** The report is what all the rest is found by: it is kept whole, whatever its length. */
const LIMIT = 4 * 1024 * 1024;
/** What the report is as a piece of evidence. */
const STEP = 'acceptance';
const NAME = 'report';

/**
 * Keeps the report of a run, and a signed statement about it and all evidence of the run, if the contract names a key.
 * Safe to run again: report and statement take the place of those before. A key that cannot be used is told in the
 * report, and costs nobody the verdict; so is a piece of evidence that is gone or not what was stored: a signature would vouch
 * for whatever it was made into.
 */
export async function keepRun(site: Site, report: AcceptanceReport): Promise<ClosedAcceptance> {
  const found = await signerOf(site, report);
  const signature: Signature =
    'why' in found
      ? { signed: false, why: found.why }
      : { signed: true, keyId: found.key.id, algorithm: found.key.algorithm };
  const signed: AcceptanceReport = { ...report, signature };
  const ref = await site.evidence.put(
    {
      site: report.site,
      node: ACCEPTANCE_SUBJECT,
      requestId: report.runId,
      step: STEP,
      name: NAME,
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
    const subjects = [...found.subjects, ...(await subjectsOf(site, [[ref.id, ref.sha256]]))];
    const payload = payloadOf(statementOf(signed, subjects));
    const envelope = `${JSON.stringify(seal(PAYLOAD_TYPE, payload, found.key))}\n`;
    await site.evidence.attest(report.site, ACCEPTANCE_SUBJECT, runId, envelope);
  }
  return { evidence: [ref], signature };
}

type Unsigned = { readonly why: string };

/** The key, and what it is to vouch for beside the report; or why nothing is signed. */
async function signerOf(
  site: Site,
  report: AcceptanceReport,
): Promise<{ readonly key: Key; readonly subjects: readonly Subject[] } | Unsigned> {
  const key = await keyOf(site, report.contractHash);
  if ('why' in key) return key;
  try {
    return { key, subjects: await subjectsOf(site, await piecesOf(site, report)) };
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    const { code, message } = error.failure;
    if (code === 'EVIDENCE_ALTERED') return { why: `${message} It was altered before the run was signed.` };
    if (code === 'EVIDENCE_UNKNOWN') return { why: `${message} The report of the run points to it.` };
    throw error;
  }
}

/** The key that the contract names, or why there is none that signs. */
async function keyOf(site: Site, contractHash: string | undefined): Promise<Key | Unsigned> {
  if (contractHash === undefined)
    return { why: 'The run ended before its first gate: there is nothing to sign.' };
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

/** The hash that a report holds of a piece, by the id of the piece; undefined where the report does not name it. */
type Pieces = Iterable<readonly [id: string, sha256: string | undefined]>;

/** Every piece of the run but its report, and those of other runs and of operations that the report points to. */
async function piecesOf(site: Site, report: AcceptanceReport): Promise<Pieces> {
  const own = await site.evidence.list(report.site, ACCEPTANCE_SUBJECT, report.runId);
  const named = report.gates.flatMap(({ checks }) => checks.flatMap(({ evidence = [] }) => evidence));
  return new Map([
    // The report of a run that is closed again is about to be replaced.
    ...own
      .filter(({ ref }) => !ref.id.endsWith(`-${STEP}.${NAME}`))
      .map(({ ref }) => [ref.id, undefined] as const),
    ...named.map(({ id, sha256 }) => [id, sha256] as const),
  ]);
}

/** Throws EVIDENCE_ALTERED; EVIDENCE_UNKNOWN where the report points to what is gone: that would verify nowhere. */
async function subjectsOf(site: Site, pieces: Pieces): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const [id, sha256] of pieces) {
    const digest = await site.evidence.digest(id, sha256);
    if (digest !== undefined) subjects.push(subjectOf(id, digest));
    else if (sha256 !== undefined) throw fail('EVIDENCE_UNKNOWN', `Evidence ${id} is not there.`);
  }
  return subjects;
}
