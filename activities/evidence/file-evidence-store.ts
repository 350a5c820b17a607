import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../core/canonical-json.ts';
import { fail } from '../../core/errors/failure.ts';
import type { Json } from '../../core/json.ts';
import type { EvidenceRef } from '../../core/operations.ts';
import { hasCode, namesIn, removeFile, replaceFile } from '../records/atomic-file.ts';
import { safeLabel, safeName, safeRequestId, safeSubject } from '../records/safe-names.ts';
import { redact, type SecretSet } from '../secrets/redact.ts';
import type { Evidence, EvidenceEntry, EvidenceInput, EvidenceStore } from './evidence-store.ts';
import { hashOf, isIntact, parseEvidence } from './piece.ts';
import { FILE_NAME, pieceNames, type WritePiece } from './piece-names.ts';

/** The signed statement beside the pieces. Its name is none that a piece can have. */
export const STATEMENT_FILE = 'acceptance.intoto.json';
/** Longest answer that is kept whole, in bytes of JSON. */
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_ASKED_BYTES = 64 * 1024;

/** Redacts first and cuts then: a cut must not make half a secret of a whole one. */
function capped(value: Json, limit: number): { value: Json; from?: number } {
  const text = JSON.stringify(value) ?? 'null';
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limit) return { value };
  return { value: bytes.toString('utf8', 0, limit).replace(/\uFFFD$/, ''), from: bytes.length };
}

/** What makes a piece the same one when it is put again. */
function keyOf(input: EvidenceInput): string {
  const run = input.run ?? 1;
  if (!Number.isSafeInteger(run) || run < 1)
    throw fail('STORE_NAME_INVALID', 'The run of a step counts from 1.');
  const key = `${safeLabel(input.step)}.${safeLabel(input.name)}`;
  return run === 1 ? key : `${key}.r${run}`;
}

const refOf = (evidence: Evidence, bytes: number): EvidenceRef => ({
  id: evidence.id,
  name: evidence.name,
  sha256: evidence.sha256,
  bytes,
});

/** Splits `<site>/<node>/<requestId>/<seq>-<key>`; throws STORE_NAME_INVALID. */
function fileOfId(root: string, id: string): string {
  const parts = typeof id === 'string' ? id.split('/') : [];
  const [site, node, requestId, piece = ''] = parts;
  if (parts.length !== 4 || !FILE_NAME.test(`${piece}.json`)) {
    throw fail('STORE_NAME_INVALID', 'An id of evidence is SITE/NODE/REQUEST-ID/PIECE.');
  }
  return join(root, safeName(site), safeSubject(node), safeRequestId(requestId), `${piece}.json`);
}

/** A piece as it lies there, held to its hash; undefined if there is none. Throws EVIDENCE_ALTERED. */
async function readPiece(
  root: string,
  id: string,
  sha256: string | undefined,
): Promise<{ readonly evidence: Evidence; readonly bytes: Buffer } | undefined> {
  const bytes = await readFile(fileOfId(root, id)).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    return undefined;
  });
  if (bytes === undefined) return undefined;
  const evidence = parseEvidence(bytes.toString('utf8'));
  if (!isIntact(evidence, id) || (sha256 !== undefined && evidence.sha256 !== sha256)) {
    throw fail('EVIDENCE_ALTERED', `Evidence ${id} is not what was stored.`);
  }
  return { evidence, bytes };
}

/** What is stored: redacted, capped, with its hash. */
function seal(input: EvidenceInput, id: string, secrets: SecretSet, limit: number): Evidence {
  const { site, node, requestId, step, name } = input;
  const answer = capped(redact(input.answer, secrets), limit);
  const unhashed = {
    id,
    site,
    node,
    requestId,
    step,
    name,
    run: input.run ?? 1,
    asked: capped(redact(input.asked, secrets), MAX_ASKED_BYTES).value,
    of: redact(input.of, secrets),
    from: redact(input.from, secrets),
    answer: answer.value,
    ...(answer.from === undefined ? {} : { truncatedFrom: answer.from }),
    at: input.at ?? new Date().toISOString(),
  };
  return { ...unhashed, sha256: hashOf(unhashed) };
}

/** Runs pieces of work one after the other that have the same key. */
function inTurn(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    const forget = (): void => {
      if (last.get(key) === turn) last.delete(key);
    };
    last.set(key, turn);
    turn.then(forget, forget);
    return turn;
  };
}

/** Evidence as files: `<root>/<site>/<node>/<requestId>/<seq>-<step>.<name>.json`. */
export function fileEvidenceStore(root: string, writePiece: WritePiece = pieceNames()): EvidenceStore {
  const oneByOne = inTurn();
  const folderOf = (site: string, node: string, requestId: string): string =>
    join(root, safeName(site), safeSubject(node), safeRequestId(requestId));

  return {
    async put(input, secrets, { limit = MAX_ANSWER_BYTES } = {}) {
      const { site, node, requestId } = input;
      const folder = folderOf(site, node, requestId);
      const key = keyOf(input);
      const write = async (piece: string): Promise<EvidenceRef> => {
        const evidence = seal(input, `${site}/${node}/${requestId}/${piece}`, secrets, limit);
        const text = `${canonicalJson(evidence)}\n`;
        await replaceFile(join(folder, `${piece}.json`), text);
        return refOf(evidence, Buffer.byteLength(text));
      };
      return oneByOne(folder, () => writePiece(folder, key, write));
    },

    async read(id, sha256) {
      const piece = await readPiece(root, id, sha256);
      if (piece === undefined) throw fail('EVIDENCE_UNKNOWN', `There is no evidence ${id}.`);
      return piece.evidence;
    },

    async list(site, node, requestId) {
      const folder = folderOf(site, node, requestId);
      const entries: EvidenceEntry[] = [];
      for (const file of await namesIn(folder)) {
        if (!FILE_NAME.test(file)) continue;
        const id = `${site}/${node}/${requestId}/${file.slice(0, -'.json'.length)}`;
        const text = await readFile(join(folder, file), 'utf8');
        const evidence = parseEvidence(text);
        const bytes = Buffer.byteLength(text);
        entries.push(
          isIntact(evidence, id)
            ? { ref: refOf(evidence, bytes), step: evidence.step, at: evidence.at, altered: false }
            : { ref: { id, name: file, sha256: '', bytes }, step: '', at: '', altered: true },
        );
      }
      return entries;
    },

    async digest(id, sha256) {
      const piece = await readPiece(root, id, sha256);
      return piece && createHash('sha256').update(piece.bytes).digest('hex');
    },

    async attest(site, node, requestId, envelope) {
      await replaceFile(join(folderOf(site, node, requestId), STATEMENT_FILE), envelope);
    },

    async unattest(site, node, requestId) {
      await removeFile(join(folderOf(site, node, requestId), STATEMENT_FILE));
    },
  };
}
