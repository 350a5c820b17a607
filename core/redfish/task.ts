import { readMessages, type RedfishMessage } from './messages.ts';
import { asList, asNumber, asObject, asText, linkOf } from './read.ts';

/** What a task says of itself. `reboot-needed`: done as far as it goes without a reboot. */
export interface TaskReading {
  readonly state: 'running' | 'done' | 'failed' | 'reboot-needed';
  readonly taskState: string | null;
  readonly percent: number | null;
  readonly messages: readonly RedfishMessage[];
}

const FAILED = new Set(['exception', 'killed', 'cancelled', 'failed', 'completedwitherrors', 'interrupted']);
const DONE = new Set(['completed', 'completedok', 'done', 'success']);
const REBOOT =
  /(reboot|reset|restart)[^.]{0,40}(pending|required|needed|scheduled)|(pending|requires?|needs?)[^.]{0,40}(reboot|restart)/i;

/**
 * Reads a task or what a task monitor answered. A state that we do not know is active: the caller's
 * deadline ends it. "Completed" with a critical status is a failure.
 */
export function readTask(status: number, body: unknown): TaskReading {
  const task = asObject(body);
  const raw = asText(task['TaskState'] ?? task['JobState']);
  const messages = [...readMessages(body), ...readMessages({ Messages: asList(task['Messages']) })].filter(
    (m, i, all) => all.findIndex((o) => o.id === m.id && o.text === m.text) === i,
  );
  const state = raw?.toLowerCase().replace(/[^a-z]/g, '') ?? '';
  const critical = /critical/i.test(asText(task['TaskStatus'] ?? task['JobStatus']) ?? '');
  const reading = { taskState: raw, percent: asNumber(task['PercentComplete']), messages };
  if (raw === null) {
    if (status === 202) return { ...reading, state: 'running' };
    return { ...reading, state: status >= 200 && status < 400 ? 'done' : 'failed' };
  }
  if (FAILED.has(state)) return { ...reading, state: 'failed' };
  if (DONE.has(state)) {
    if (critical) return { ...reading, state: 'failed' };
    const texts = [...messages.map((m) => m.text ?? ''), asText(task['Message']) ?? ''];
    return { ...reading, state: texts.some((t) => REBOOT.test(t)) ? 'reboot-needed' : 'done' };
  }
  if (/^(reboot|pendingreboot|rebootpending|completedrebootpending)/.test(state)) {
    return { ...reading, state: 'reboot-needed' };
  }
  return { ...reading, state: 'running' };
}

/**
 * Where the task of a 202 is to be read: Location, then the body, then the arguments and texts of its
 * messages; null if it is nowhere, and only the effect can be watched.
 */
export function taskLocation(location: string | undefined, body: unknown): string | null {
  if (location !== undefined && location.trim() !== '') return location.trim();
  const task = asObject(body);
  const type = asText(task['@odata.type']) ?? '';
  const isTask =
    /#?(Task|Job)\./.test(type) || task['TaskState'] !== undefined || task['TaskMonitor'] !== undefined;
  const monitor = asText(task['TaskMonitor']);
  if (monitor !== null) return monitor;
  const own = linkOf(task);
  if (own !== null && (isTask || /\/(Tasks|TaskMonitors|Jobs)\//.test(own))) return own;
  const path = /\/redfish\/v1\/(?:TaskService\/)?(?:Tasks|TaskMonitors)\/[^\s"'<>,;]+/;
  for (const m of readMessages(body)) {
    for (const text of [...m.args, m.text ?? '']) {
      const hit = path.exec(text);
      if (hit !== null) return hit[0].replace(/[.)]+$/, '');
    }
  }
  return null;
}
