import type { Json } from '../../core/json.ts';
import type { EvidenceRef } from '../../core/operations.ts';
import type { SecretSet } from '../secrets/redact.ts';

/** One piece of evidence as it is handed in. */
export interface EvidenceInput {
  readonly site: string;
  readonly node: string;
  readonly requestId: string;
  /** The step that asked. */
  readonly step: string;
  /** What it is, as a label: `power-state`, `agent-status`, … */
  readonly name: string;
  /** Tells apart the runs of a step that is run again after a hold. @default 1 */
  readonly run?: number;
  /** What was asked, of whom, and from where. */
  readonly asked: Json;
  readonly of: string;
  readonly from: string;
  readonly answer: Json;
  /** ISO 8601; now, unless it is given. */
  readonly at?: string;
}

/** One piece of evidence as it is stored: redacted, capped, with its hash. */
export interface Evidence extends Required<EvidenceInput> {
  readonly id: string;
  /** Bytes of the redacted answer as JSON, when it was too long; `answer` is then its beginning. */
  readonly truncatedFrom?: number;
  /** SHA-256 of everything else here, as canonical JSON. */
  readonly sha256: string;
}

/** What a look into the store found. `altered`: the bytes are not those that were stored. */
export interface EvidenceEntry {
  readonly ref: EvidenceRef;
  readonly step: string;
  readonly at: string;
  readonly altered: boolean;
}

export interface EvidenceStore {
  /**
   * Stores a piece. The same operation, step, name and run again replaces it: retries do not pile up.
   *
   * @param options.limit longest answer that is kept whole, in bytes of JSON. @default 256 KiB
   */
  put(input: EvidenceInput, secrets: SecretSet, options?: { readonly limit?: number }): Promise<EvidenceRef>;
  /**
   * Reads a piece and verifies its hash. Throws EVIDENCE_UNKNOWN or EVIDENCE_ALTERED.
   *
   * @param sha256 the hash that a report holds; without it the piece is held to its own
   */
  read(id: string, sha256?: string): Promise<Evidence>;
  /** All pieces of an operation in the order they came, the altered ones marked. */
  list(site: string, node: string, requestId: string): Promise<EvidenceEntry[]>;
  /**
   * SHA-256 of the bytes of a piece as they lie there, once they are found to be what was stored; undefined if there
   * is none. Throws EVIDENCE_ALTERED: nobody is to vouch for other bytes.
   *
   * @param sha256 the hash that a report holds; without it the piece is held to its own
   */
  digest(id: string, sha256?: string): Promise<string | undefined>;
  /** Keeps the signed statement about a run or an operation beside its pieces; it takes the place of an earlier one. */
  attest(site: string, node: string, requestId: string, envelope: string): Promise<void>;
  /** Takes a signed statement away; that there is none is fine. */
  unattest(site: string, node: string, requestId: string): Promise<void>;
}
