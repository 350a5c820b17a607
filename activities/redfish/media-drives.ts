import { readSlot, type MediaAsked, type MediaSlot, type Ours } from '../../core/redfish/media.ts';
import { linkOf } from '../../core/redfish/read.ts';
import { collectionMembers, managersOf, readResource, tryResource, type SystemFound } from './service.ts';
import type { Bmc } from './transport.ts';

export interface MediaOptions {
  /** Images whose URL begins so are ours: an old one may be replaced. Put the origin and path of the publisher here. */
  readonly ours: readonly string[];
  /** File names of our images, for drives that show no URL. Those that this process inserted are known. */
  readonly names?: readonly string[];
  /** Only these are ours: none that this process has inserted beside them may be replaced. */
  readonly only?: boolean;
  /** What the BMC shows to the publisher; dummies are sent where a BMC insists and there are none. */
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
  /** What an earlier look had asked, if another process made it. */
  readonly asked?: MediaAsked | undefined;
  /** How long one look watches for the effect of its own request. @default 5000 */
  readonly watchMs?: number;
  /** How long a drive may take to show an image it accepted, before the next drive is tried. @default 45000 */
  readonly patienceMs?: number;
  /** The pause between two reads. @default 500 */
  readonly pollMs?: number;
  /** When to look again. @default 3000 */
  readonly retryAfterMs?: number;
  /** The bound of the insert request: some BMCs fetch the whole image before they answer. @default 50000 */
  readonly insertMs?: number;
}

/** What tells our images from those of others on this BMC. */
export const oursOn = (bmc: Bmc, options: Pick<MediaOptions, 'ours' | 'names' | 'only'>): Ours => ({
  prefixes: options.ours,
  names: [...(options.names ?? []), ...(options.only === true ? [] : bmc.memory.mediaNames)],
});

/** Every virtual drive of the system: under the system, and under its managers. */
export async function listMedia(bmc: Bmc, system: SystemFound): Promise<MediaSlot[]> {
  const found = new Map<string, MediaSlot>();
  const add = async (collection: string | null, under: MediaSlot['under']): Promise<void> => {
    if (collection === null) return;
    for (const { uri, body, etag } of await collectionMembers(bmc, collection, 16)) {
      if (!found.has(uri)) found.set(uri, readSlot(uri, under, body, etag));
    }
  };
  await add(linkOf(system.body['VirtualMedia']), 'system');
  for (const uri of (await managersOf(bmc, system)).slice(0, 4)) {
    const manager = await tryResource(bmc, uri);
    if (manager !== null) await add(linkOf(manager.body['VirtualMedia']), 'manager');
  }
  return [...found.values()];
}

/** Reads a drive until it is as wanted, or the time is over; returns the last reading. */
export async function watch(
  bmc: Bmc,
  slot: MediaSlot,
  wanted: (slot: MediaSlot) => boolean,
  options: Pick<MediaOptions, 'watchMs' | 'pollMs'>,
): Promise<MediaSlot> {
  const { watchMs = 5_000, pollMs = 500 } = options;
  const ends = Date.now() + watchMs;
  for (;;) {
    const { body, etag } = await readResource(bmc, slot.uri);
    const now = readSlot(slot.uri, slot.under, body, etag);
    if (wanted(now) || Date.now() + pollMs >= ends) return now;
    await bmc.pause(pollMs);
  }
}
