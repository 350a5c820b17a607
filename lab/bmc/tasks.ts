import type { Server } from '../server.ts';
import { message, noContent, problem, type Answer } from './messages.ts';
import { ROOT, taskResource } from './services.ts';

const TASK_MS = 1500;
const QUERY = '?owner=lab';
/** What the BMC calls itself; nobody else does. */
const OWN_NAME = 'bmc.lab.invalid';

/** Starts a task for what the action at `url` does, and answers 202 with where it is. */
export function task(server: Server, failed: boolean, url: string): Answer {
  const { nextId, tasks } = server.state;
  const { faults } = server;
  const id = String(nextId);
  const now = Date.now();
  const absolute = faults.take('taskLocationAbsolute');
  const relative = !absolute && faults.take('taskLocationRelative');
  const added = {
    id,
    name: 'Insert media',
    startedAt: now,
    dueAt: now + TASK_MS / server.speed,
    failed,
    ...(absolute || relative ? { wantsQuery: true } : {}),
  };
  server.change({ nextId: nextId + 1, tasks: [...tasks.slice(-19), added] });
  const path = `${ROOT}/TaskService/TaskMonitors/${id}`;
  // Up to the service root, from where the action is.
  const up = '../'.repeat(new URL(url).pathname.split('/').length - ROOT.split('/').length - 1);
  const location = absolute
    ? `https://${OWN_NAME}${path}${QUERY}`
    : relative
      ? `${up}${path.slice(ROOT.length + 1)}${QUERY}`
      : path;
  if (faults.take('taskNowhere')) return { status: 202 };
  if (faults.take('taskOnlyInArgs')) {
    const info = { ...message('TaskStarted', [path]), MessageSeverity: 'OK', Severity: 'OK' };
    return { status: 202, body: { '@Message.ExtendedInfo': [info] } };
  }
  const headers = faults.take('taskWithoutLocation') ? {} : { location };
  return { status: 202, body: taskResource(server, id), headers: { ...headers, 'retry-after': '1' } };
}

/** A task monitor: 202 with the task while it runs, then 200. */
export function taskMonitor(server: Server, id: string, url: string): Answer {
  const found = server.state.tasks.find((t) => t.id === id);
  const known = found !== undefined && (found.wantsQuery !== true || url.endsWith(QUERY));
  if (!known) return problem(404, 'ResourceNotFound', ['Task', id]);
  // Whoever looks for the first time finds it running, however fast the lab is.
  const first = found.seen !== true;
  found.seen = true;
  server.change({ tasks: server.state.tasks });
  const done = !first && Date.now() >= found.dueAt;
  if (done && server.faults.take('taskMonitorNoContent')) return noContent;
  if (done && server.faults.take('taskMonitorRedirects'))
    return { status: 303, headers: { location: `${ROOT}/TaskService/Tasks/${id}` } };
  return { status: done ? 200 : 202, body: taskResource(server, id, done) };
}
