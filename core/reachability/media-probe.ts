import type { HostFinding } from '../host/finding.ts';
import { fileName, isOccupied, type MediaSlot } from '../redfish/media.ts';

/** The file that a BMC is given to fetch: no other media of ours is called so. */
export const PROBE_FILE = 'rackwright-probe.iso';

/** How long a drive that shows an image may take to fetch it. */
export const FETCH_SECONDS = 45;

/** One request for a probe image, as the publisher saw it. */
export interface MediaAccess {
  /** ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** The address that it came from. */
  readonly from: string;
  readonly agent?: string;
  readonly range?: string;
  /** Why it was refused. */
  readonly refused?: string;
}

/** Whether a drive holds a probe image, whoever inserted it, and whichever it is. */
export const holdsProbe = (slot: Pick<MediaSlot, 'image' | 'imageName'> & MediaSlot): boolean =>
  isOccupied(slot) && fileName(slot.image ?? slot.imageName ?? '') === PROBE_FILE;

/** What the requests say: where from the BMC asked, or what is wrong; undefined while there is none. */
export function judgeAccesses(
  node: string,
  accesses: readonly MediaAccess[],
): { readonly right: string } | { readonly wrong: HostFinding } | undefined {
  const given = accesses.filter(({ refused }) => refused === undefined);
  if (given.length > 0) {
    const methods = [...new Set(given.map(({ method }) => method))].join(' and ');
    const from = [...new Set(given.map((each) => each.from))].join(', ');
    return { right: `the BMC of ${node} asked for the probe image with ${methods} from ${from}` };
  }
  const [first] = accesses;
  if (first === undefined) return undefined;
  return {
    wrong: {
      message: `The probe image of ${node} was asked for from ${first.from}, and refused: ${first.refused}`,
      correction:
        'Correct `bmc.address` of the node; where BMCs are seen with another address than their own, say `nat: true` of their management network.',
      faultDomain: 'contract',
    },
  };
}

/** What is wrong where a BMC shows the image and nobody has asked for it. */
export const neverAsked = (node: string, publisher: string): HostFinding => ({
  message: `The BMC of ${node} shows the probe image as inserted, and has not asked the publisher for it within ${FETCH_SECONDS} s.`,
  correction: `Look at route, firewall and proxy from the BMC to ${publisher}. A BMC that fetches no media before a server boots: \`acceptance.reachability.bmcFetches: boot\`.`,
  faultDomain: 'management-network',
});
