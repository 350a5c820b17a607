import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../contracts/canonical-json.ts';
import { fail } from '../../core/errors/failure.ts';
import type { Json } from '../../core/json.ts';
import type { EvidenceRef } from '../../core/operations.ts';
import { hasCode, namesIn, replaceFile } from '../records/atomic-file.ts';
import { safeLabel, safeName, safeRequestId } from '../records/safe-names.ts';
import { redact, type SecretSet } from '../secrets/redact.ts';
import type { Evidence, EvidenceEntry, EvidenceInput, EvidenceStore } from './evidence-store.ts';

/** Longest answer that is kept whole, in bytes of JSON. */
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_ASKED_BYTES = 64 * 1024;
const FILE_NAME = /^(\d{4,9})-([a-zA-Z0-9][a-zA-Z0-9_-]{0,63}(?:\.[a-zA-Z0-9_-]{1,70}){1,2})\.json$/;

/** Redacts first and cuts then: a cut must not make half a secret of a whole one. */
function capped(value: Json, limit: number): { value: Json; from?: number } {
  const text = JSON.stringify(value) ?? 'null';
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limit) return { value };
  return { value: bytes.toString('utf8', 0, limit).replace(/\uFFFD$/, ''), from: bytes.length };
}

const hashOf = (evidence: Omit<Evidence, 'sha256'>): string =>
  createHash('sha256').update(canonicalJson(evidence)).digest('hex');

/** What makes a piece the same one when it is put again. */
function keyOf(input: EvidenceInput): string {
  const run = input.run ?? 1;
  if (!Number.isSafeInteger(run) || run < 1)
    throw fail('STORE_NAME_INVALID', 'The run of a step counts from 1.');
  const key = `${safeLabel(input.step)}.${safeLabel(input.name)}`;
  return run === 1 ? key : `${key}.r${run}`;
}

const pieceOf = (evidence: Evidence, bytes: number): EvidenceRef => ({
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
  return join(root, safeName(site), safeName(node), safeRequestId(requestId), `${piece}.json`);
}

function parseEvidence(text: string): Evidence | undefined {
  try {
    const value = JSON.parse(text) as Evidence;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isIntact(evidence: Evidence | undefined, id: string): evidence is Evidence {
  if (evidence === undefined || evidence.id !== id) return false;
  const { sha256, ...rest } = evidence;
  return hashOf(rest) === sha256;
}

/** Evidence as files: `<root>/<site>/<node>/<requestId>/<seq>-<step>.<name>.json`. */
export function fileEvidenceStore(root: string): EvidenceStore {
  const folderOf = (site: string, node: string, requestId: string): string =>
    join(root, safeName(site), safeName(node), safeRequestId(requestId));

  return {
    async put(input: EvidenceInput, secrets: SecretSet) {
      const { site, node, requestId, step, name, of, from } = input;
      const folder = folderOf(site, node, requestId);
      const key = keyOf(input);
      const found = (await namesIn(folder)).flatMap((file) => {
        const [, sequence, ofKey] = FILE_NAME.exec(file) ?? [];
        return sequence === undefined ? [] : [{ sequence: Number(sequence), key: ofKey }];
      });
      const last = found.reduce((most, { sequence }) => Math.max(most, sequence), 0);
      const sequence = found.find((piece) => piece.key === key)?.sequence ?? last + 1;
      const piece = `${String(sequence).padStart(4, '0')}-${key}`;

      const answer = capped(redact(input.answer, secrets), MAX_ANSWER_BYTES);
      const unhashed = {
        id: `${site}/${node}/${requestId}/${piece}`,
        site,
        node,
        requestId,
        step,
        name,
        run: input.run ?? 1,
        asked: capped(redact(input.asked, secrets), MAX_ASKED_BYTES).value,
        of: redact(of, secrets),
        from: redact(from, secrets),
        answer: answer.value,
        ...(answer.from === undefined ? {} : { truncatedFrom: answer.from }),
        at: input.at ?? new Date().toISOString(),
      };
      const evidence: Evidence = { ...unhashed, sha256: hashOf(unhashed) };
      const text = `${canonicalJson(evidence)}\n`;
      await replaceFile(join(folder, `${piece}.json`), text);
      return pieceOf(evidence, Buffer.byteLength(text));
    },

    async read(id, sha256) {
      const file = fileOfId(root, id);
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
        throw fail('EVIDENCE_UNKNOWN', `There is no evidence ${id}.`);
      });
      const evidence = parseEvidence(text);
      if (!isIntact(evidence, id) || (sha256 !== undefined && evidence.sha256 !== sha256)) {
        throw fail('EVIDENCE_ALTERED', `Evidence ${id} is not what was stored.`);
      }
      return evidence;
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
            ? { ref: pieceOf(evidence, bytes), step: evidence.step, at: evidence.at, altered: false }
            : { ref: { id, name: file, sha256: '', bytes }, step: '', at: '', altered: true },
        );
      }
      return entries;
    },
  };
}
