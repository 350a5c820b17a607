import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PAYLOAD_TYPE, readStatement, type Statement } from '../../core/acceptance/reports/statement.ts';
import {
  added,
  compareFiles,
  compareReport,
  isOfRun,
  placeOf,
  reportSubject,
  type Problem,
} from '../../core/acceptance/reports/verify.ts';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import { hasCode } from '../records/atomic-file.ts';
import { ACCEPTANCE_SUBJECT } from '../records/safe-names.ts';
import { STATEMENT_FILE } from './file-evidence-store.ts';
import { isIntact, parseEvidence } from './piece.ts';
import { isBy, readEnvelope, type Key } from './signing.ts';

/** Where a run's evidence lies: in the store, or in a folder that was exported or copied from it. */
export interface RunFolder {
  readonly folder: string;
  /** The run that it has to be of, where one was asked for. */
  readonly of?: { readonly site: string; readonly runId: string };
}

/** Evidence of other runs and of operations that an exported folder holds, as `SUBJECT/ID/FILE`. */
export const OTHERS_FOLDER = 'referenced';

/** What was verified, or what keeps it from being. */
export interface Verification {
  readonly verified: boolean;
  readonly problems: readonly Problem[];
  /** The key that was given. */
  readonly keyId: string;
  /** What is proven, and of which run; there is none before the signature is found to be good. */
  readonly run?: { readonly site: string; readonly runId: string };
  readonly report?: AcceptanceReport;
  /** How many files were signed. */
  readonly files?: number;
}

/** Verifies a run's evidence against the statement beside it, with a key that came from somewhere else. */
export async function verifyRun(place: RunFolder, key: Key): Promise<Verification> {
  const refused = (problem: Problem): Verification => ({
    verified: false,
    problems: [problem],
    keyId: key.id,
  });
  const opened = await openStatement(place.folder, key);
  if ('kind' in opened) return refused(opened);
  const of = reportSubject(opened);
  if (of === undefined) {
    return refused({
      kind: 'statement-unreadable',
      message: 'The statement is about no report of a run, or several.',
    });
  }
  const { site, runId } = of;
  if (place.of && (place.of.site !== site || place.of.runId !== runId)) {
    const message = `The statement is about run ${runId} of ${site}, not about run ${place.of.runId} of ${place.of.site}.`;
    return refused({ kind: 'another-run', message });
  }
  const { files, strange } = await readFiles(place.folder, { site, runId }, opened, place.of !== undefined);
  const digests = new Map([...files].map(([name, bytes]) => [name, sha256(bytes)]));
  const changed = [...compareFiles(opened.subject, digests), ...strange];
  const whole = { keyId: key.id, run: { site, runId }, files: opened.subject.length };
  if (changed.length > 0) return { verified: false, problems: changed, ...whole };
  const report = readReport(files.get(of.name)!);
  if (report === undefined || report.site !== site || report.runId !== runId) {
    const message = `${of.name} is no report of run ${runId} of ${site}.`;
    return {
      verified: false,
      problems: [{ kind: 'report-unreadable', file: of.name, message }],
      ...whole,
    };
  }
  const problems = compareReport(opened, report, hashesIn(files));
  return { verified: problems.length === 0, problems, report, ...whole };
}

/** The statement, once its signature is found to be by the key. What is not signed is not looked into. */
async function openStatement(folder: string, key: Key): Promise<Statement | Problem> {
  const bytes = await readPlain(join(folder, STATEMENT_FILE));
  if (bytes === undefined) {
    return {
      kind: 'unsigned',
      file: STATEMENT_FILE,
      message: `There is no file ${STATEMENT_FILE}: nothing here is signed.`,
    };
  }
  const envelope = readEnvelope(bytes.toString('utf8'));
  if (envelope === undefined) {
    return {
      kind: 'envelope-unreadable',
      file: STATEMENT_FILE,
      message: `${STATEMENT_FILE} is no DSSE envelope.`,
    };
  }
  if (envelope.payloadType !== PAYLOAD_TYPE) {
    const message = `The envelope's payloadType is ${JSON.stringify(envelope.payloadType)}, not ${PAYLOAD_TYPE}.`;
    return { kind: 'payload-type', file: STATEMENT_FILE, message };
  }
  if (!isBy(envelope, key)) {
    const others = envelope.signatures.map(({ keyid }) => keyid).filter((id) => id !== key.id);
    const message =
      others.length < envelope.signatures.length
        ? 'The statement was changed after it was signed: the signature does not fit.'
        : `The statement is signed with another key (${others.join(', ') || 'it does not say which'}) than the given one (${key.id}), or not at all.`;
    return { kind: 'signature-invalid', file: STATEMENT_FILE, message };
  }
  const read = readStatement(Buffer.from(envelope.payload, 'base64').toString('utf8'));
  if ('wrong' in read) {
    return {
      kind: 'statement-unreadable',
      file: STATEMENT_FILE,
      message: `The statement cannot be used: ${read.wrong}.`,
    };
  }
  return read.statement;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The bytes of a file; undefined where there is none, or something else: a pipe would be waited for. */
async function readPlain(path: string): Promise<Buffer | undefined> {
  try {
    return (await lstat(path)).isFile() ? await readFile(path) : undefined;
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    return undefined;
  }
}

interface Found {
  /** Every file that is there, by the name that it has as a subject. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** What can be no subject. */
  readonly strange: readonly Problem[];
}

async function readFiles(
  folder: string,
  { site, runId }: { site: string; runId: string },
  { subject }: Statement,
  inStore: boolean,
): Promise<Found> {
  const files = new Map<string, Buffer>();
  const strange: Problem[] = [];
  const take = async (path: string, name: string): Promise<void> => {
    const bytes = await readPlain(join(folder, path));
    if (bytes === undefined) strange.push(added(path, 'it is no plain file'));
    else files.set(name, bytes);
  };
  const own = `${ACCEPTANCE_SUBJECT}/${runId}/`;
  for (const file of await filesIn(folder, inStore)) {
    if (file === STATEMENT_FILE || file.startsWith(`${OTHERS_FOLDER}/`)) continue;
    await take(file, `${site}/${own}${file}`);
  }
  const others = await filesIn(join(folder, OTHERS_FOLDER), inStore);
  for (const other of others) {
    const path = `${OTHERS_FOLDER}/${other}`;
    // It would take the place of the one that lies where those of the run do.
    if (other.startsWith(own))
      strange.push(added(path, `what is of the run does not lie in ${OTHERS_FOLDER}`));
    else await take(path, `${site}/${other}`);
  }
  if (others.length > 0) return { files, strange };
  // In the store they lie with the run or the operation that they are of, among other pieces of it.
  for (const { name } of subject) {
    const place = placeOf(name);
    if (place === undefined || isOfRun(place, runId) || place.site !== site) continue;
    const bytes = await readPlain(join(folder, '..', '..', place.subject, place.requestId, place.file));
    if (bytes !== undefined) files.set(name, bytes);
  }
  return { files, strange };
}

/** What is in a folder and in those below, by its path, but for folders; in the store without files of unfinished writes. */
async function filesIn(folder: string, inStore: boolean): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && !(inStore && entry.name.startsWith('.tmp-')))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

function readReport(bytes: Buffer): AcceptanceReport | undefined {
  const report = parseEvidence(bytes.toString('utf8'))?.answer as unknown as
    Partial<AcceptanceReport> | null | undefined;
  return typeof report === 'object' && report !== null && Array.isArray(report.gates)
    ? (report as AcceptanceReport)
    : undefined;
}

/** The hash of each piece, by the id that its place gives it; null where it is not the one that the piece holds. */
const hashesIn = (files: ReadonlyMap<string, Buffer>): Map<string, string | null> =>
  new Map(
    [...files].map(([name, bytes]) => {
      const id = name.replace(/\.json$/, '');
      const piece = parseEvidence(bytes.toString('utf8'));
      return [id, isIntact(piece, id) ? piece.sha256 : null];
    }),
  );
