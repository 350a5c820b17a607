import type { Server } from '../server.ts';
import type { TaskState, UpdateTask } from '../state.ts';
import { message, noContent, problem, type Answer, type MessageKey } from './messages.ts';
import { collection, isoTime, resource, ROOT, type Resource, type Tree } from './services.ts';

const TASK_MS = 1500;
const QUERY = '?owner=lab';
/** What the BMC calls itself; nobody else does. */
const OWN_NAME = 'bmc.lab.invalid';
const TASKS = `${ROOT}/TaskService/Tasks`;
/** The task of somebody else, that the switch `updateBusy` shows. */
const FOREIGN: TaskState = {
  id: 'F1',
  name: 'Firmware update',
  startedAt: 0,
  dueAt: 0,
  failed: false,
  update: { image: 'https://updates.example/firmware.bin', ended: false },
};

/** Starts a task for what the action at `url` does, and answers 202 with where it is. */
export function task(server: Server, failed: boolean, url: string): Answer {
  const added = addTask(server, 'Insert media', url);
  if (failed) {
    const { tasks } = server.state;
    server.change({ tasks: tasks.map((each) => (each.id === added.id ? { ...each, failed } : each)) });
  }
  return started(server, added, url);
}

/** Remembers a new task. One that stands for an update ends when that says so; any other after its time. */
export function addTask(server: Server, name: string, url: string, update?: UpdateTask): TaskState {
  const { nextId, tasks } = server.state;
  const { faults } = server;
  const now = Date.now();
  const bent = faults.take('taskLocationAbsolute')
    ? 'absolute'
    : faults.take('taskLocationRelative')
      ? 'relative'
      : undefined;
  const added: TaskState = {
    id: String(nextId),
    name,
    startedAt: now,
    dueAt: now + TASK_MS / server.speed,
    failed: false,
    action: new URL(url).pathname,
    ...(bent === undefined ? {} : { wantsQuery: bent }),
    ...(update === undefined ? {} : { update }),
  };
  server.change({ nextId: nextId + 1, tasks: [...tasks.slice(-19), added] });
  return added;
}

/** The 202 that says where a task is, or hides it. */
export function started(server: Server, { id, wantsQuery }: TaskState, url: string): Answer {
  const { faults } = server;
  const path = `${ROOT}/TaskService/TaskMonitors/${id}`;
  // Up to the service root, from where the action is.
  const up = '../'.repeat(new URL(url).pathname.split('/').length - ROOT.split('/').length - 1);
  const location =
    wantsQuery === 'absolute'
      ? `https://${OWN_NAME}${path}${QUERY}`
      : wantsQuery === 'relative'
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

/** The tasks of a BMC. */
export function taskTree(server: Server): Tree {
  const ids = shownTasks(server).map(({ id }) => id);
  return {
    [TASKS]: () => collection(TASKS, 'Task', ids),
    ...Object.fromEntries(ids.map((id) => [`${TASKS}/${id}`, () => taskResource(server, id)])),
  };
}

/** The tasks that the BMC shows. */
const shownTasks = ({ state, faults }: Server): readonly TaskState[] =>
  faults.on('updateBusy') ? [...state.tasks, { ...FOREIGN, startedAt: Date.now() }] : state.tasks;

const isDone = ({ dueAt, update }: TaskState): boolean =>
  update === undefined ? Date.now() >= dueAt : update.ended;

/** A task as it is now. A failed one may end Completed too, and Critical: `TaskState` alone says little. */
function taskResource(server: Server, id: string, ended?: boolean): Resource {
  const task = shownTasks(server).find((t) => t.id === id)!;
  const { update } = task;
  const done = ended ?? isDone(task);
  const broken = done && task.failed;
  return resource(`${TASKS}/${id}`, 'Task.v1_7_0.Task', task.name, {
    TaskState: done
      ? update?.problem === 'not-fetched' || update?.problem === 'wrong-file'
        ? 'Exception'
        : 'Completed'
      : update?.scheduled
        ? 'Pending'
        : server.faults.on('taskStateUnknown')
          ? 'Downloading'
          : 'Running',
    TaskStatus: broken ? 'Critical' : 'OK',
    PercentComplete: done ? 100 : 50,
    StartTime: isoTime(task.startedAt),
    ...(done ? { EndTime: isoTime(task.dueAt) } : {}),
    TaskMonitor: `${ROOT}/TaskService/TaskMonitors/${id}`,
    ...payloadOf(task),
    Messages: done || update?.scheduled ? messagesOf(task) : [],
  });
}

/** What was asked for: settings that are applied, or an action. */
function payloadOf({ settings, action }: TaskState): Resource {
  if (settings !== undefined) return { Payload: { TargetUri: settings, HttpOperation: 'PATCH' } };
  return action === undefined ? {} : { Payload: { TargetUri: action, HttpOperation: 'POST' } };
}

const PROBLEMS: { readonly [kind in NonNullable<UpdateTask['problem']>]: MessageKey } = {
  'not-fetched': 'TransferFailed',
  'wrong-file': 'VerificationFailed',
  failed: 'ApplyFailed',
};

function messagesOf({ failed, update, settings }: TaskState): Resource[] {
  if (failed && update?.problem) return [message(PROBLEMS[update.problem], ['image', update.why ?? ''])];
  if (failed && settings !== undefined) return [message('SettingNotApplied', ['BIOS'])];
  if (failed) return [message('VirtualMediaNotFetched', ['image', 'it did not answer'])];
  if (!update?.pending && !update?.scheduled) return [];
  return [{ ...message('RebootPending'), MessageSeverity: 'OK', Severity: 'OK' }];
}

/** A task monitor: 202 with the task while it runs, then 200. */
export function taskMonitor(server: Server, id: string, url: string): Answer {
  const found = shownTasks(server).find((t) => t.id === id);
  const known = found !== undefined && (found.wantsQuery === undefined || url.endsWith(QUERY));
  if (!known) return problem(404, 'ResourceNotFound', ['Task', id]);
  // Whoever looks for the first time finds it running, however fast the lab is.
  const first = found.seen !== true && found.update === undefined;
  if (first) {
    found.seen = true;
    server.change({ tasks: server.state.tasks });
  }
  const done = !first && isDone(found);
  if (done && server.faults.take('taskMonitorNoContent')) return noContent;
  if (done && server.faults.take('taskMonitorRedirects'))
    return { status: 303, headers: { location: `${TASKS}/${id}` } };
  return { status: done ? 200 : 202, body: taskResource(server, id, done) };
}
