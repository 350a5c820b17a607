import type { BootEntry } from './agent/options.ts';
import type { FaultValues } from './faults.ts';

export type PowerState = 'On' | 'Off' | 'PoweringOn' | 'PoweringOff';

export interface Override {
  enabled: 'Disabled' | 'Once' | 'Continuous';
  target: string;
  mode: 'UEFI' | 'Legacy';
}

export interface Medium {
  image: string | null;
  inserted: boolean;
  writeProtected: boolean;
  transferMethod: 'Stream' | 'Upload' | null;
}

export interface TaskState {
  id: string;
  name: string;
  startedAt: number;
  /** When the work that the task stands for is done. */
  dueAt: number;
  /** Somebody has looked at it. */
  seen?: boolean;
  failed: boolean;
  /** The settings object that it applies, if it does. */
  settings?: string;
  /** Path of the action that started it. */
  action?: string;
  /** Its Location is of this form, and its monitor is known by its query too. */
  wantsQuery?: 'absolute' | 'relative';
  /** Set where it stands for an update of firmware. */
  update?: UpdateTask;
}

/** An update of firmware, and how it went. */
export interface UpdateTask {
  image: string;
  ended: boolean;
  problem?: 'not-fetched' | 'wrong-file' | 'failed';
  why?: string;
  /** It says that a reboot is pending, when it has ended or until the host was reset. */
  pending?: boolean;
  scheduled?: boolean;
}

export interface BmcLogEntry {
  id: number;
  createdAt: number;
  severity: 'OK' | 'Warning' | 'Critical';
  message: string;
}

/** All that a server and its BMC remember. Saved before any write is acknowledged. */
export interface ServerState {
  power: PowerState;
  /** When a change of power is done (milliseconds since 1970). */
  changeDueAt: number | null;
  /** Power comes back after it is off: a restart. */
  backOn: boolean;
  override: Override;
  media: Record<string, Medium>;
  /** The medium that an eject left on show (`mediaStaysAfterEject`). */
  ejected: Record<string, string | null>;
  /** What was chosen at power-on, and, once an agent was started, its parameters. */
  running: { from: 'media' | 'disk'; parameters: string | null } | null;
  bios: Record<string, string | number | boolean>;
  pendingBios: Record<string, string | number | boolean> | null;
  /** What the attributes were that the last reset changed. */
  biosBefore: Record<string, string | number | boolean>;
  /** Attributes that the firmware did not take at the last reset. */
  refusedBios: string[];
  /** What systems have sealed into the TPM. Only clearing it takes that away. */
  tpm: { sealed: string[] };
  secureBoot: boolean;
  /** Boot entries of systems that are or were on the disks, in boot order: before the firmware's own. */
  bootEntries: readonly BootEntry[];
  /** The same as the firmware found them when it last started; left out until it has. */
  bootEntriesAtPost?: readonly BootEntry[];
  /** The log that the BMC keeps of the hardware, oldest first. */
  eventLog: BmcLogEntry[];
  account: { username: string; password: string };
  sessions: { id: string; tokenHash: string; username: string; createdAt: number; usedAt: number }[];
  /** Versions of the firmware, by component. */
  firmware: Record<string, string>;
  /** Versions that wait for a reset of the host. */
  stagedFirmware: Record<string, string>;
  /** The version that the BIOS shows again after it has shown the new one (`firmwareFlips`). */
  biosFlip: { old: string; reads: number } | null;
  /** What an update of the NIC's firmware made of the last NIC. */
  nicAfterUpdate: 'renamed' | 'gone' | null;
  nextId: number;
  tasks: TaskState[];
  faults: FaultValues;
}

/** Ids of the virtual drives, what they take, and the boot target that stands for them. `Cd2` is hidden as a rule. */
export const SLOTS = {
  Cd: { types: ['CD', 'DVD'], target: 'Cd' },
  Cd2: { types: ['DVD'], target: 'Cd' },
  Usb: { types: ['USBStick'], target: 'Usb' },
} as const;
export type Slot = keyof typeof SLOTS;

export const noMedium = (): Medium => ({
  image: null,
  inserted: false,
  writeProtected: true,
  transferMethod: null,
});

/** The BIOS attribute that clears the TPM; it reads `NoAction` again once that is done. */
export const TPM_ATTRIBUTE = 'Tpm2Operation';

/** Versions of the firmware of a new server, by component. */
export const FIRMWARE_AS_SHIPPED = { BMC: '2.14.0', BIOS: '1.8.2', NIC: '28.39.1002' } as const;

/** A server as it came out of its box: off, with an old system on its disks. */
export const newState = (account: { username: string; password: string }): ServerState => ({
  power: 'Off',
  changeDueAt: null,
  backOn: false,
  override: { enabled: 'Disabled', target: 'None', mode: 'UEFI' },
  media: { Cd: noMedium(), Cd2: noMedium(), Usb: noMedium() },
  ejected: {},
  running: null,
  bios: {
    BootMode: 'Uefi',
    ProcVirtualization: 'Enabled',
    LogicalProc: 'Enabled',
    NumaNodesPerSocket: 4,
    SysProfile: 'PerfPerWattOptimized',
    ProcTurbo: 'Enabled',
    AssetTag: 'unset',
    [TPM_ATTRIBUTE]: 'NoAction',
    TpmState: 'PresentEnabled',
  },
  pendingBios: null,
  biosBefore: {},
  refusedBios: [],
  tpm: { sealed: ['keys of the previous owner'] },
  secureBoot: false,
  bootEntries: [],
  eventLog: [{ id: 1, createdAt: Date.now(), severity: 'OK', message: 'The log was cleared' }],
  account,
  sessions: [],
  firmware: { ...FIRMWARE_AS_SHIPPED },
  stagedFirmware: {},
  biosFlip: null,
  nicAfterUpdate: null,
  nextId: 1,
  tasks: [],
  faults: {},
});
