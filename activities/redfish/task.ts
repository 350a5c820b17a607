import { fail, type RackwrightError } from '../../core/errors/failure.ts';
import { readTask, taskLocation, type TaskReading } from '../../core/redfish/task.ts';
import { at } from '../../core/redfish/read.ts';
import { mostSevere } from '../../core/redfish/messages.ts';
import { shownText, shownTexts, type RedfishResponse } from './errors.ts';
import { pathOf } from './session.ts';
import type { Bmc } from './transport.ts';

/** Where a task stands. `untracked`: the BMC did not say where the task is; only the effect can be watched. */
export interface TaskStanding extends Omit<TaskReading, 'state'> {
  readonly state: TaskReading['state'] | 'untracked';
  readonly uri: string | null;
}

/** The path of the task that a 202 started; null if it is nowhere. */
export function taskOf(response: RedfishResponse): string | null {
  const location = taskLocation(response.headers.location, response.body);
  return location === null ? null : pathOf(location, response.url);
}

/**
 * Looks at a task once. A monitor may answer 200, 202, 204, or 303 to where the outcome stands; one that is
 * gone has ended.
 */
export async function lookAtTask(bmc: Bmc, uri: string): Promise<TaskStanding> {
  const monitor = await bmc.send('GET', uri, { redirect: 'manual' });
  const answer = await outcomeOf(bmc, monitor);
  if (answer.status === 404 || answer.status === 410) {
    return { state: 'untracked', uri, taskState: null, percent: null, messages: [] };
  }
  return { ...readTask(answer.status, answer.body), uri };
}

/** What a monitor that has ended points to, where that is a task; the monitor's own answer where it is not. */
async function outcomeOf(bmc: Bmc, monitor: RedfishResponse): Promise<RedfishResponse> {
  const { location } = monitor.headers;
  if (monitor.status !== 303 || location === undefined) return monitor;
  const outcome = await bmc.send('GET', pathOf(location, monitor.url));
  return outcome.status === 200 && at(outcome.body, 'TaskState') !== undefined ? outcome : monitor;
}

/**
 * Follows what a write started until it ends or the time is over; then it is still `running`. An answer
 * other than 202 is read as what it is: done, or failed.
 */
export async function followTask(
  bmc: Bmc,
  response: RedfishResponse,
  options: { readonly waitMs: number; readonly pollMs?: number },
): Promise<TaskStanding> {
  if (response.status !== 202) return { ...readTask(response.status, response.body), uri: null };
  const uri = taskOf(response);
  if (uri === null) return { state: 'untracked', uri, taskState: null, percent: null, messages: [] };
  const ends = Date.now() + options.waitMs;
  const pollMs = options.pollMs ?? 1_000;
  for (;;) {
    const standing = await lookAtTask(bmc, uri);
    if (standing.state !== 'running' || Date.now() + pollMs >= ends) return standing;
    await bmc.pause(pollMs);
  }
}

/** The error of a task that failed. */
export function taskFailure(standing: TaskStanding, what: string): RackwrightError {
  const text = mostSevere(standing.messages)?.text;
  return fail(
    'TASK_FAILED',
    `${what}: the task ended as ${standing.taskState ?? 'failed'}${text ? `: ${shownText(text)}` : ''}`,
    {
      details: {
        uri: standing.uri,
        taskState: standing.taskState,
        messageIds: standing.messages.map((m) => m.id).filter((id): id is string => id !== null),
        messages: shownTexts(standing.messages),
      },
    },
  );
}
