import type { Faults } from '../faults.ts';
import type { CloudState, Due } from './state.ts';
import type { CloudService } from './switches.ts';

/** The lab server that Ironic has, as the cloud acts on it. */
export interface Machine {
  readonly name: string;
  readonly uuid: string;
  readonly bmc: string;
  readonly nics: readonly { readonly mac: string; readonly address: string }[];
  /** The deployment has put a system of this name on its disk, and starts it. */
  deployed(name: string): void;
  /** It was taken back: it is off, and its disk is empty. */
  released(): void;
  power(on: boolean): void;
}

export interface Account {
  readonly name: string;
  readonly password: string;
  readonly roles: readonly string[];
}

/** What the services of a cloud share. */
export interface Cloud {
  readonly state: CloudState;
  readonly faults: { readonly [service in CloudService]: Faults };
  readonly accounts: readonly Account[];
  /** None: the cloud is new and empty. */
  readonly machine?: Machine | undefined;
  /** Where bytes of images lie. */
  readonly imageDir: string;
  readonly speed: number;
  /** `https://127.0.0.1:PORT`. */
  url(): string;
  /** The page that consoles are seen on. */
  consoles(): string;
  save(): void;
  /** Has something happen after so many milliseconds at speed 1. */
  later(ms: number, what: Due['what'], id: string): void;
}

export const REGION = 'RegionOne';
export const PROJECT = 'acceptance';
export const CONTROLLERS = ['controller-1', 'controller-2', 'controller-3'] as const;
export const COMPUTES = ['compute-1', 'compute-2'] as const;
/** The nova-compute that speaks to Ironic. */
export const IRONIC_COMPUTE = 'controller-1-ironic';
/** The conductors of Ironic. */
export const CONDUCTORS = ['controller-1', 'controller-2'] as const;
/** The controller, compute host and conductor that faults happen to. */
export const VICTIM = {
  controller: 'controller-3',
  compute: 'compute-1',
  conductor: 'controller-2',
} as const;
