import { readPower } from './power.ts';
import { asText, at } from './read.ts';

const IN_POST = /Initialization|HardwareInitComplete|SetupEntered|StartedUp|BusInit/i;

/**
 * What shows that a host that is on was restarted since the BMC told this time of its last reset; null if
 * nothing does. By the BMC's own clock, which may be any.
 */
export function restartShown(system: unknown, resetAt: string | null): string | null {
  if (readPower(system) !== 'on') return null;
  const now = asText(at(system, 'LastResetTime'));
  if (resetAt !== null && now !== null && now !== resetAt) return 'the BMC tells of a later reset';
  const progress = asText(at(system, 'BootProgress', 'LastState')) ?? '';
  return IN_POST.test(progress) ? `the host is starting (${progress})` : null;
}
