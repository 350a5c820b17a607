import type { Faults } from '../faults.ts';
import type { DiskStore } from '../disks.ts';
import type { Hardware } from '../hardware.ts';
import type { Pause } from '../timing.ts';
import type { CommandRecord } from './commands.ts';

/** What the ramdisk of a deploy agent holds. A restart of the lab must not lose it; a power cycle does. */
export interface AgentMemory {
  port: number;
  key: string;
  cert: string;
  token: string | null;
  uuid: string | null;
  /** The node as the conductor gave it last: at the lookup, or with a command. */
  node: Record<string, unknown> | null;
  lockedDown: boolean;
  commands: CommandRecord[];
}

/** A boot entry that a system on a disk has in the firmware's variables. */
export interface BootEntry {
  readonly id: string;
  readonly label: string;
  /** As UEFI writes it down. */
  readonly path: string;
}

export interface AgentOptions {
  /** The conductor: `<gateway>/agent/<token>`. */
  readonly apiUrl: string;
  /** A token given beforehand (`ipa-agent-token`). */
  readonly agentToken?: string;
  /** The version of the conductor's API (`ipa-ironic-api-version`). @default what the conductor says */
  readonly apiVersion?: string;
  /** Whether it listens for LLDP (`ipa-collect-lldp`). @default false */
  readonly collectLldp?: boolean;
  /** The machine that it was started on. */
  readonly hardware: Hardware;
  /** The machine as it is when the agent looks again. @default as it was */
  readonly look?: () => Hardware;
  readonly disks: DiskStore;
  readonly pause: Pause;
  /** The loopback address that the agent's API listens on. @default '127.0.0.1' */
  readonly advertiseHost?: string;
  /** Where the ramdisk is kept. @default in memory only */
  readonly ramdisk?: { load(): AgentMemory | undefined; save(memory: AgentMemory): void };
  /** What systems on its disks have in the firmware's variables, in boot order. @default none are kept */
  readonly bootEntries?: { read(): readonly BootEntry[]; write(entries: readonly BootEntry[]): void };
  /** @default none */
  readonly faults?: Pick<Faults, 'take'>;
  readonly log?: (event: string, details?: Record<string, unknown>) => void;
  /** The agent ran `poweroff`. */
  readonly onPowerOff: () => void;
  /** The agent ran `reboot`. */
  readonly onReboot: () => void;
}

/** Reads `key=value` words of a deploy medium's `/parameters.txt`; comments and padding are left out. */
export function parseParameters(text: string): Record<string, string> {
  const words = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.split(/\s+/))
    .filter((word) => word.includes('='));
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );
}
