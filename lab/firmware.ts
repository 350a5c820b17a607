import { request } from 'undici';
import { lenient, MediaError } from './media.ts';
import type { Faults } from './faults.ts';
import type { Hardware, Nic } from './hardware.ts';
import type { ServerState, TaskState, UpdateTask } from './state.ts';
import type { EventLog } from './store.ts';
import { TIMING, type Pause } from './timing.ts';

/** What of a server an update works on. */
interface Parts {
  readonly hardware: Hardware;
  readonly state: Readonly<ServerState>;
  readonly faults: Faults;
  readonly log: EventLog;
  readonly pause: Pause;
  /** Aborted when the pretence ends. */
  readonly closed: AbortSignal;
  change(part: Partial<ServerState>): void;
  restartBmc(): void;
}

/** What a firmware file of the lab begins with; one line of JSON follows. */
export const FIRMWARE_MAGIC = 'RACKWRIGHT LAB FIRMWARE\n';
const MAX_BYTES = 64 * 1024 * 1024;

/** The head of a firmware file: for which hardware it is, and what it brings. */
interface FirmwareHead {
  readonly model: string;
  readonly component: string;
  readonly version: string;
}

/** Goes on with updates that were under way when the lab ended. */
export function resumeUpdates(server: Parts): void {
  for (const { id, update } of server.state.tasks) if (update && !update.ended) runUpdate(server, id);
}

/** Does the work that a task of an update stands for: fetches the file, writes it, and tells how it went. */
export function runUpdate(server: Parts, id: string): void {
  work(server, id).catch((error: unknown) => {
    if (!server.closed.aborted) server.log.append('update-crashed', { reason: String(error) });
  });
}

async function work(server: Parts, id: string): Promise<void> {
  const { image } = server.state.tasks.find((task) => task.id === id)!.update!;
  const { faults, closed } = server;
  let head: FirmwareHead;
  try {
    if (faults.take('updateFetchFails')) throw new MediaError('the image server could not be reached');
    head = headOf(server, await fetched(image, closed));
  } catch (error) {
    closed.throwIfAborted();
    const kind = error instanceof WrongFile ? 'wrong-file' : 'not-fetched';
    return end(server, id, { problem: kind, why: (error as Error).message });
  }
  await server.pause(TIMING.updateFirmware, closed);
  if (faults.take('updateFails'))
    return end(server, id, { problem: 'failed', why: 'the flash did not verify' });
  apply(server, id, head);
}

async function fetched(url: string, signal: AbortSignal): Promise<Buffer> {
  const answer = await request(url, {
    dispatcher: lenient,
    signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
  }).catch((error: unknown) => {
    throw new MediaError(`the image server could not be reached: ${(error as Error).message}`);
  });
  if (answer.statusCode !== 200) {
    await answer.body.dump();
    throw new MediaError(`the image server answered ${answer.statusCode}`);
  }
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  if (bytes.length > MAX_BYTES) throw new MediaError('the image is too large');
  return bytes;
}

class WrongFile extends Error {}

function headOf({ hardware, state }: Parts, bytes: Buffer): FirmwareHead {
  const text = bytes.subarray(0, 4096).toString('latin1');
  if (!text.startsWith(FIRMWARE_MAGIC)) throw new WrongFile('it is no firmware of this BMC');
  const line = text.slice(FIRMWARE_MAGIC.length).split('\n', 1)[0]!;
  const head = JSON.parse(line) as FirmwareHead;
  if (head.model !== hardware.model) throw new WrongFile(`it is for ${head.model}`);
  if (!(head.component in state.firmware)) throw new WrongFile(`there is no ${head.component}`);
  return head;
}

/** A BMC takes its own firmware at once and restarts; everything else waits for a reset of the host. */
function apply(server: Parts, id: string, { component, version }: FirmwareHead): void {
  const { firmware, stagedFirmware } = server.state;
  server.log.append('firmware-written', { component, version });
  if (component === 'BMC') {
    end(server, id, {});
    server.change({ firmware: { ...firmware, BMC: version }, tasks: [] });
    server.log.append('firmware-applied', { component, version });
    server.restartBmc();
    return;
  }
  server.change({ stagedFirmware: { ...stagedFirmware, [component]: version } });
  const scheduled = server.faults.take('updateScheduled');
  const pending = !scheduled && server.faults.take('updateRebootPending');
  end(server, id, scheduled ? { scheduled } : pending ? { pending } : {}, !scheduled);
}

function end(server: Parts, id: string, how: Partial<UpdateTask>, ended = true): void {
  const change = (task: TaskState): TaskState =>
    task.id === id
      ? {
          ...task,
          dueAt: Date.now(),
          failed: how.problem !== undefined,
          update: { ...task.update!, ...how, ended },
        }
      : task;
  server.change({ tasks: server.state.tasks.map(change) });
  server.log.append('update-ended', { task: id, ...how });
}

/** What a reset of the host does with firmware that waited for it. */
export function applyStagedFirmware(server: Parts): void {
  const { stagedFirmware, firmware, tasks } = server.state;
  const components = Object.keys(stagedFirmware);
  if (components.length === 0) return;
  const { faults } = server;
  const flips = 'BIOS' in stagedFirmware && faults.take('firmwareFlips');
  const nic = 'NIC' in stagedFirmware;
  const renamed = nic && faults.take('nicRenamedAfterUpdate');
  const gone = nic && !renamed && faults.take('nicGoneAfterUpdate');
  server.change({
    firmware: { ...firmware, ...stagedFirmware },
    stagedFirmware: {},
    biosFlip: flips ? { old: firmware['BIOS']!, reads: 0 } : null,
    ...(renamed || gone ? { nicAfterUpdate: renamed ? ('renamed' as const) : ('gone' as const) } : {}),
    tasks: tasks.map((task) =>
      task.update?.scheduled ? { ...task, update: { ...task.update, scheduled: false, ended: true } } : task,
    ),
  });
  for (const component of components)
    server.log.append('firmware-applied', { component, version: stagedFirmware[component] });
}

/** The NICs as their firmware shows them: an update may have renamed one, or lost it. */
export function nicsAfterUpdate({ state }: Parts, nics: readonly Nic[]): readonly Nic[] {
  if (state.nicAfterUpdate === 'gone') return nics.slice(0, -1);
  if (state.nicAfterUpdate !== 'renamed') return nics;
  return nics.map((nic, i) => (i === nics.length - 1 ? { ...nic, name: `${nic.name}np0` } : nic));
}
