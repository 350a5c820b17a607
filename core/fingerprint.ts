import { canonicalJson } from './canonical-json.ts';
import type { Json } from './json.ts';

/**
 * 53-bit hash of a JSON value as 14 hex digits (cyrb53). It tells requests apart; it protects nothing:
 * where an adversary matters, activities use SHA-256.
 */
export function fingerprint(value: Json): string {
  const text = canonicalJson(value);
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 2654435761);
    b = Math.imul(b ^ c, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, '0');
}
