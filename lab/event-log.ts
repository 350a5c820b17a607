import type { BmcLogEntry, ServerState } from './state.ts';

/** More than these the BMC does not keep: it wraps. */
const KEPT = 64;

/** Faults of the hardware that a BMC notices, and what it writes of them. */
const NOTICED: { readonly [fault: string]: readonly [BmcLogEntry['severity'], string] } = {
  gpuMissing: ['Critical', 'GPU0 is not responding on the PCIe bus'],
  nicMissing: ['Warning', 'A network port was not found at power-on'],
  diskSmaller: ['Warning', 'A drive reports less capacity than before'],
  noLink: ['Warning', 'A network port has lost its link'],
};

interface Keeper {
  readonly state: Readonly<ServerState>;
  change(part: Partial<ServerState>): void;
}

function record(server: Keeper, severity: BmcLogEntry['severity'], message: string): void {
  const { eventLog } = server.state;
  const id = (eventLog.at(-1)?.id ?? 0) + 1;
  const entry = { id, createdAt: Date.now(), severity, message };
  server.change({ eventLog: [...eventLog, entry].slice(-KEPT) });
}

/** A fault fired: the BMC may have noticed. */
export function recordFault(server: Keeper, fault: string): void {
  const noticed = NOTICED[fault];
  if (noticed !== undefined) record(server, ...noticed);
}

export const recordPower = (server: Keeper, state: 'On' | 'Off'): void =>
  record(server, 'OK', `The host was switched ${state.toLowerCase()}`);
