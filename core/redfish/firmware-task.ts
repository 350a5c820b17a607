import { anyMessage, type RedfishMessage } from './messages.ts';
import { asObject, asText, at } from './read.ts';
import { readTask, type TaskReading } from './task.ts';

/** Where an update stands by its task; `untracked`: no task tells. */
export type UpdateStanding = TaskReading['state'] | 'untracked';

const WAITS = /^(pending|scheduled|waiting)/i;
const FOR_REBOOT = /re(boot|set|start)/i;
/** A task that waits this long without a change, and without a word why, waits for the reset. */
const WAITS_MS = 120_000;

/**
 * Where an update stands. A task that waits is taken to wait for a reset of the host if it says so, or if
 * nothing has changed for a while: a job that was made for the next reset never starts without one.
 */
export function updateStanding(
  task: {
    readonly state: UpdateStanding;
    readonly taskState: string | null;
    readonly messages: readonly RedfishMessage[];
  },
  unchangedMs: number,
): UpdateStanding {
  if (task.state !== 'running' || task.taskState === null || !WAITS.test(task.taskState)) return task.state;
  return anyMessage(task.messages, FOR_REBOOT) || unchangedMs >= WAITS_MS ? 'reboot-needed' : 'running';
}

const FETCH =
  /TransferFailed|RAC0904|RED0(06|16|17)|curl error|(unable|fail\w*|could not|cannot)\b[^.]{0,40}\b(download|fetch|transfer|retrieve|access|connect|reach)|(download|transfer|fetch)\b[^.]{0,40}\b(fail|unsuccessful|error)|(server|host|share)\b[^.]{0,40}\b(not (be )?(reachable|accessible|reached))/i;

/** Whether messages say that the BMC could not fetch the file. */
export const fileNotFetched = (messages: readonly RedfishMessage[]): boolean => anyMessage(messages, FETCH);

/** Supermicro calls the task of a file that it got "BIOS Verify". */
const ABOUT_UPDATES =
  /firmware|update ?service|simple ?update|\bupdate\b|\bflash|\b(bios|bmc|cpld) verify\b/i;

/** Whether a task, or a job of a vendor's, is about an update of firmware. */
export function isUpdateTask(body: unknown): boolean {
  const task = asObject(body);
  const texts = [
    asText(at(task, 'Payload', 'TargetUri')),
    asText(task['JobType']),
    asText(task['Name']),
    asText(task['Description']),
  ];
  return texts.some((text) => text !== null && ABOUT_UPDATES.test(text));
}

/** Whether it has not ended yet. One that waits for a reset holds the updater, too. */
export const isActiveTask = (body: unknown): boolean =>
  readTask(200, body).state === 'running' && hasState(body);

const hasState = (body: unknown): boolean =>
  asText(at(body, 'TaskState')) !== null || asText(at(body, 'JobState')) !== null;
