import { differingDisks, gpuDifferences, type Expected } from './expectations.ts';
import { countOf, objectOf, objectsOf, textOf } from './read.ts';

/** What a guest said of itself at its first boot, as far as we compare it. */
export interface GuestReport {
  readonly hostname: string | null;
  readonly addresses: readonly { readonly interface: string | null; readonly address: string }[];
  readonly gpus: readonly (string | null)[];
  readonly diskBytes: readonly number[];
  /** By MAC address, in lower case; null for up: not told. */
  readonly links: readonly { readonly mac: string; readonly up: boolean | null }[];
  /** Where something is mounted; null if it was not told. */
  readonly mounts: readonly string[] | null;
}

/** Reads a guest's report; the guest is not trusted with types or sizes. */
export function readGuestReport(report: unknown): GuestReport {
  const fields = objectOf(report);
  const { mounts } = fields;
  return {
    hostname: textOf(fields['hostname']),
    addresses: objectsOf(fields['addresses']).flatMap((entry) => {
      const address = textOf(entry['address']);
      return address === null ? [] : [{ interface: textOf(entry['interface']), address }];
    }),
    gpus: objectsOf(fields['gpus']).map((gpu) => textOf(gpu['model'])),
    diskBytes: objectsOf(fields['disks']).map((disk) => countOf(disk['sizeBytes']) ?? 0),
    links: objectsOf(fields['links']).flatMap((link) => {
      const mac = textOf(link['mac'])?.toLowerCase();
      const { up } = link;
      return mac === undefined ? [] : [{ mac, up: typeof up === 'boolean' ? up : null }];
    }),
    mounts: Array.isArray(mounts) ? mounts.flatMap((path: unknown) => textOf(path) ?? []) : null,
  };
}

const isLocal = ({ interface: name, address }: GuestReport['addresses'][number]): boolean =>
  name === 'lo' || /^(127\.0\.0\.1|::1|169\.254\.[\d.]+|fe80:[\da-f:]*)([/%].*)?$/i.test(address);

/**
 * What is missing of the guest for a hand-over.
 *
 * @param ports MAC addresses of the ports that are to have link; one that the guest does not tell of, since it
 *   may have given it another address in a bond, is not judged
 */
export const guestDifferences = (
  guest: GuestReport,
  expected: Expected,
  ports: readonly string[],
): string[] => [
  ...(guest.addresses.some((address) => !isLocal(address))
    ? []
    : ['no address that anyone else could reach']),
  ...gpuDifferences(guest.gpus, expected),
  ...differingDisks(guest.diskBytes, expected),
  ...ports
    .filter((port) => guest.links.some(({ mac, up }) => mac === port && up === false))
    .map((port) => `no link on ${port}`),
  ...missingMounts(guest, expected),
];

function missingMounts({ mounts }: GuestReport, expected: Expected): string[] {
  const wanted = expected.mounts ?? [];
  if (wanted.length === 0) return [];
  if (mounts === null) return [`mounts ${wanted.join(', ')} expected, and it does not tell what is mounted`];
  return wanted.filter((path) => !mounts.includes(path)).map((path) => `nothing is mounted at ${path}`);
}
