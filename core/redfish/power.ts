import { asText, at, textsOf } from './read.ts';

export type PowerGoal = 'on' | 'off';
export type PowerReading = 'on' | 'off' | 'changing' | 'unknown';

/** What the BMC was asked for last, and when (milliseconds since the epoch). Plain JSON. */
export interface PowerAsked {
  readonly goal: PowerGoal;
  readonly resetType: string;
  readonly at: number;
  /** When the first request towards this goal was sent: the time of a graceful shutdown counts from it. */
  readonly since: number;
}

/** Reads PowerState. `Paused` is a powered system. */
export function readPower(system: unknown): PowerReading {
  switch (asText(at(system, 'PowerState'))?.toLowerCase()) {
    case 'on':
    case 'paused':
      return 'on';
    case 'off':
      return 'off';
    case 'poweringon':
    case 'poweringoff':
      return 'changing';
    default:
      return 'unknown';
  }
}

const RESET_TYPES = [
  'GracefulShutdown',
  'GracefulRestart',
  'ForceRestart',
  'PushPowerButton',
  'FullPowerCycle',
  'PowerCycle',
  'ForceOff',
  'ForceOn',
  'Suspend',
  'Resume',
  'Pause',
  'Nmi',
  'On',
] as const;

/** The advertised reset types; two names glued together count as both. Null if nothing is advertised. */
export function readResetTypes(system: unknown): string[] | null {
  const raw = textsOf(at(system, 'Actions', '#ComputerSystem.Reset', 'ResetType@Redfish.AllowableValues'));
  if (raw.length === 0) return null;
  const split = raw.flatMap((value) => {
    const found: string[] = [];
    let rest = value;
    for (const type of RESET_TYPES) {
      if (!rest.includes(type)) continue;
      found.push(type);
      rest = rest.replaceAll(type, ' ');
    }
    return found.length > 0 ? found : [value];
  });
  return [...new Set(split)];
}

/** The target of the reset action; the standard path where the system does not name one. */
export const resetTarget = (system: unknown, uri: string): string =>
  asText(at(system, 'Actions', '#ComputerSystem.Reset', 'target')) ??
  `${uri.replace(/\/+$/, '')}/Actions/ComputerSystem.Reset`;

/**
 * The reset types to try, in order. The advertised list is a hint and no more: it may lack what works.
 * A power button is never pressed: it toggles.
 */
export function resetCandidates(
  goal: PowerGoal,
  graceful: boolean,
  advertised: readonly string[] | null,
): string[] {
  if (goal === 'off') return graceful ? ['GracefulShutdown', 'ForceOff'] : ['ForceOff', 'GracefulShutdown'];
  const forced = advertised !== null && advertised.includes('ForceOn') && !advertised.includes('On');
  return forced ? ['ForceOn', 'On'] : ['On', 'ForceOn'];
}
