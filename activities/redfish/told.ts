import { RackwrightError } from '../../core/errors/failure.ts';
import { asNumber, linkOf, linksOf } from '../../core/redfish/read.ts';
import { readResource, type Resource } from './service.ts';
import type { Bmc } from './transport.ts';

// For whoever has to be sure: that a BMC has none is another answer than that it cannot say so now, or that our
// account may not know.

const MAX_PAGES = 32;

/** What the members of a collection are, as far as they could be read, and how many there should be. */
export interface MembersTold {
  readonly members: readonly Resource[];
  readonly listed: number;
}

/** Reads a resource; null where the BMC has none, or has no such thing. What it cannot give now throws. */
export async function readTold(bmc: Bmc, uri: string): Promise<Resource | 'forbidden' | null> {
  try {
    return await readResource(bmc, uri);
  } catch (error) {
    if (!(error instanceof RackwrightError)) throw error;
    const { code } = error.failure;
    if (code === 'BMC_FORBIDDEN') return 'forbidden';
    if (code === 'BMC_NOT_FOUND' || code === 'BMC_REFUSED') return null;
    throw error;
  }
}

/** Reads a collection over its pages, with each of its members; null where the BMC has no such collection. */
export async function membersTold(
  bmc: Bmc,
  collection: string | null,
  max: number,
): Promise<MembersTold | 'forbidden' | null> {
  const links = new Set<string>();
  const seen = new Set<string>();
  let counted: number | undefined;
  let next = collection;
  while (next !== null && seen.size < MAX_PAGES && !seen.has(next)) {
    seen.add(next);
    const page: Resource | 'forbidden' | null = await readTold(bmc, next);
    if (page === 'forbidden') return page;
    if (page === null) break;
    counted ??= asNumber(page.body['Members@odata.count']) ?? 0;
    for (const link of linksOf(page.body['Members'])) if (links.size < max) links.add(link);
    next = linkOf(page.body['Members@odata.nextLink'] ?? page.body['@odata.nextLink']);
  }
  if (counted === undefined) return null;
  const members: Resource[] = [];
  for (const link of links) {
    const member = await readTold(bmc, link);
    if (member === 'forbidden') return member;
    if (member !== null) members.push(member);
  }
  return { members, listed: Math.max(links.size, Math.min(counted, max)) };
}
