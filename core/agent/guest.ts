import type { GuestPort } from '../guest-network.ts';
import { differingDisks, gpuDifferences, type Expected } from './expectations.ts';
import type { GuestReport } from './guest-report.ts';
import { clockDifferences, networkDifferences } from './guest-standing.ts';

/** Whether nobody else could reach the guest at an address. */
export const isLocal = ({ interface: name, address }: GuestReport['addresses'][number]): boolean =>
  name === 'lo' || /^(127\.0\.0\.1|::1|169\.254\.[\d.]+|fe80:[\da-f:]*)([/%].*)?$/i.test(address);

/**
 * What is missing of the guest for a hand-over.
 *
 * @param ports MAC addresses of the ports that are to have link; one that the guest does not tell of, since it
 *   may have given it another address in a bond, is not judged
 * @param network what the contract gave it of its network
 */
export const guestDifferences = (
  guest: GuestReport,
  expected: Expected,
  ports: readonly string[],
  network: readonly GuestPort[] = [],
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
  ...networkDifferences(guest, network),
  ...clockDifferences(guest),
];

function missingMounts({ mounts }: GuestReport, expected: Expected): string[] {
  const wanted = expected.mounts ?? [];
  if (wanted.length === 0) return [];
  if (mounts === null) return [`mounts ${wanted.join(', ')} expected, and it does not tell what is mounted`];
  return wanted.filter((path) => !mounts.includes(path)).map((path) => `nothing is mounted at ${path}`);
}
