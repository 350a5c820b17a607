import { createHash } from 'node:crypto';

/** The UUID under which a deploy agent knows its node: the same for the same site and node, for ever. */
export function nodeUuid(site: string, node: string): string {
  const hash = createHash('sha256').update(`rackwright-node:${site}/${node}`).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.subarray(0, 16).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
