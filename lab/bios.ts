import { BIOS_ATTRIBUTES } from './bios-attributes.ts';
import type { Faults } from './faults.ts';
import { TPM_ATTRIBUTE, type ServerState, type TaskState } from './state.ts';
import type { EventLog } from './store.ts';

/** What of a server its firmware works on. */
interface Parts {
  readonly state: Readonly<ServerState>;
  readonly faults: Faults;
  readonly log: EventLog;
  change(part: Partial<ServerState>): void;
}

type Attributes = ServerState['bios'];

/** The job that waits for a reset to apply settings. */
export const biosJob = ({ state }: Pick<Parts, 'state'>): TaskState | undefined =>
  state.tasks.find((task) => task.settings !== undefined && task.dueAt > Date.now());

/** What the firmware does with settings that waited for a reset. */
export function applyPendingBios(server: Parts): void {
  const { pendingBios, bios } = server.state;
  if (pendingBios === null) return;
  const job = biosJob(server);
  if (server.faults.on('biosNeedsJob') && job === undefined) return;
  const failed = job !== undefined && server.faults.take('biosJobFails');
  if (job !== undefined) endJob(server, job, failed);
  if (failed) {
    server.change({ pendingBios: null });
    return;
  }
  const { [TPM_ATTRIBUTE]: operation, ...rest } = pendingBios;
  const asked = operation !== undefined;
  const ignored = asked && server.faults.take('tpmClearIgnored');
  const refused = asked && !ignored && server.faults.take('tpmClearRefused');
  const taken = takenOf(server, rest);
  const dropped = Object.keys(rest).filter((name) => !(name in taken));
  server.change({
    bios: { ...bios, ...taken },
    biosBefore:
      server.faults.values()['biosFlips'] === undefined
        ? {}
        : Object.fromEntries(Object.keys(taken).map((name) => [name, bios[name]!])),
    pendingBios: ignored ? { [TPM_ATTRIBUTE]: operation } : null,
    refusedBios: refused ? [TPM_ATTRIBUTE, ...dropped] : dropped,
  });
  if (asked && !ignored && !refused) clearTpm(server);
  const applied = Object.keys(ignored || refused ? taken : { ...taken, ...(asked ? pendingBios : {}) });
  server.log.append('bios-applied', { attributes: applied.filter((name) => !dropped.includes(name)) });
}

/** What the firmware takes of the settings: all of them as they are, unless a fault says so. */
function takenOf({ state, faults }: Parts, settings: Attributes): Attributes {
  const entries = Object.entries(settings);
  if (entries.length > 0 && faults.take('biosRefuses')) return Object.fromEntries(entries.slice(1));
  if (entries.length === 0 || !faults.take('biosClamps')) return settings;
  return Object.fromEntries(entries.map(([name, value]) => [name, clamped(state.bios[name], name, value)]));
}

/** Another value than the one that was asked for, and than the one that was there. */
function clamped(
  now: Attributes[string] | undefined,
  name: string,
  value: Attributes[string],
): Attributes[string] {
  if (typeof value === 'number') return value - 1 === now ? value - 2 : value - 1;
  return BIOS_ATTRIBUTES[name]?.values?.find((each) => each !== now && each !== value) ?? value;
}

function endJob(server: Parts, job: TaskState, failed: boolean): void {
  const ended = { ...job, dueAt: Date.now(), failed };
  server.change({ tasks: server.state.tasks.map((task) => (task.id === job.id ? ended : task)) });
  server.log.append('bios-job-ended', { id: job.id, failed });
}

function clearTpm(server: Parts): void {
  const { sealed } = server.state.tpm;
  server.change({ tpm: { sealed: [] } });
  server.log.append('tpm-cleared', { sealed });
}

/** A system keeps something in the TPM, if there is one. */
export function seal(server: Parts, what: string): void {
  const { sealed } = server.state.tpm;
  if (!server.faults.on('noTpm') && !sealed.includes(what))
    server.change({ tpm: { sealed: [...sealed, what] } });
}
