import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/canonical-json.ts';
import type { Evidence } from './evidence-store.ts';

/** The hash that a piece holds of all else that it holds. */
export const hashOf = (evidence: Omit<Evidence, 'sha256'>): string =>
  createHash('sha256').update(canonicalJson(evidence)).digest('hex');

/** Reads a piece; undefined where it is none. Whether it is the one that was stored, `isIntact` tells. */
export function parseEvidence(text: string): Evidence | undefined {
  try {
    const value = JSON.parse(text) as Evidence;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is the piece of this id, and what it holds is what its hash says. */
export function isIntact(evidence: Evidence | undefined, id: string): evidence is Evidence {
  if (evidence === undefined || evidence.id !== id) return false;
  const { sha256, ...rest } = evidence;
  return hashOf(rest) === sha256;
}
