import type { Disk } from '../hardware.ts';
import { AgentError } from './commands.ts';

const GIB = 1024 ** 3;

const FACTS: Record<string, (disk: Disk) => string> = {
  serial: (disk) => disk.serial,
  model: (disk) => disk.model,
  name: (disk) => disk.device,
  wwn: (disk) => disk.wwn,
  by_path: (disk) => disk.byPath,
  rotational: () => 'false',
  size: (disk) => String(Math.floor(disk.sizeBytes / GIB)),
};

/** The disk that an image goes to: all hints match, or, without hints, the smallest one of 4 GiB or more. */
export function rootDevice(disks: readonly Disk[], hints: Record<string, unknown> | undefined): Disk {
  const wanted = Object.entries(hints ?? {});
  const candidates =
    wanted.length > 0
      ? disks.filter((disk) => wanted.every(([key, value]) => matches(FACTS[key]?.(disk), String(value))))
      : disks.filter((disk) => disk.sizeBytes >= 4 * GIB).sort((a, b) => a.sizeBytes - b.sizeBytes);
  if (candidates[0] !== undefined) return candidates[0];
  throw new AgentError(
    'DeviceNotFound',
    404,
    'Error finding the disk or partition device to deploy the image onto',
    `No suitable device was found for deployment using these hints ${JSON.stringify(hints ?? {})}`,
  );
}

/** Values carry an optional operator: `s== x`, `>= 100`, or stand alone. */
function matches(fact: string | undefined, wanted: string): boolean {
  if (fact === undefined) return false;
  const [, operator = '', value = ''] = /^\s*(s==|s!=|>=|<=|==|!=|=|>|<)?\s*(.*?)\s*$/.exec(wanted)!;
  const [a, b] = [fact.toLowerCase(), value.toLowerCase()];
  if (operator === 's!=' || operator === '!=') return a !== b;
  if (operator === '>=' || operator === '=') return operator === '=' && Number.isNaN(+b) ? a === b : +a >= +b;
  if (operator === '<=') return +a <= +b;
  if (operator === '>') return +a > +b;
  if (operator === '<') return +a < +b;
  return a === b;
}
