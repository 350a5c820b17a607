import { describe, expect, it } from 'vitest';
import { followTask, taskFailure } from '../../../activities/redfish/task.ts';
import { opened } from './fixtures.ts';

const TASK = '/redfish/v1/TaskService/Tasks/9';

describe('task-37: the location of a task', () => {
  it.each([
    ['absolute', (url: string) => `${url}${TASK}?x=1`],
    ['absolute, with another name for the BMC', () => `https://bmc.example${TASK}?x=1`],
    ['relative to the origin', () => `${TASK}?x=1`],
    ['relative to the answer', () => '../../TaskService/Tasks/9?x=1'],
  ])('is %s', async (_name, location) => {
    const { server, bmc } = await opened();
    server.on('POST', '/redfish/v1/Systems/1/Do', () => ({
      status: 202,
      headers: { Location: location(server.url) },
    }));
    server.on('GET', `${TASK}?x=1`, () => ({ status: 200, body: { TaskState: 'Completed' } }));
    const answer = await bmc.send('POST', '/redfish/v1/Systems/1/Do', { body: {} });
    expect(await followTask(bmc, answer, { waitMs: 100 })).toMatchObject({
      state: 'done',
      uri: `${TASK}?x=1`,
    });
  });
});

describe('task-36: what a monitor answers', () => {
  it.each([
    [200, { TaskState: 'Completed' }, 'done'],
    [200, {}, 'done'],
    [202, undefined, 'running'],
    [204, undefined, 'done'],
    [303, undefined, 'done'],
    [404, {}, 'untracked'],
    [200, { TaskState: 'Downloading' }, 'running'],
  ])('%s %j', async (status, body, state) => {
    const { server, bmc } = await opened();
    server.on('POST', '/redfish/v1/Do', () => ({ status: 202, headers: { Location: TASK } }));
    const headers = status === 303 ? { Location: '/redfish/v1/Systems/1' } : {};
    server.on('GET', TASK, () => ({ status, body, headers }));
    const answer = await bmc.send('POST', '/redfish/v1/Do', { body: {} });
    expect((await followTask(bmc, answer, { waitMs: 20, pollMs: 5 })).state).toBe(state);
  });
});

it('task-32: a 202 that says nothing is untracked', async () => {
  const { server, bmc } = await opened();
  server.on('POST', '/redfish/v1/Do', () => ({ status: 202 }));
  const answer = await bmc.send('POST', '/redfish/v1/Do', { body: {} });
  expect(await followTask(bmc, answer, { waitMs: 20 })).toMatchObject({ state: 'untracked', uri: null });
});

it('task-33: a critical completion fails with its messages', async () => {
  const { server, bmc } = await opened();
  server.on('POST', '/redfish/v1/Do', () => ({ status: 202, headers: { Location: TASK } }));
  server.on('GET', TASK, () => ({
    status: 200,
    body: {
      TaskState: 'Completed',
      PercentComplete: 100,
      TaskStatus: 'Critical',
      Messages: [{ MessageId: 'JCP052', Message: 'The job completed with errors.', Severity: 'Critical' }],
    },
  }));
  const standing = await followTask(bmc, await bmc.send('POST', '/redfish/v1/Do', { body: {} }), {
    waitMs: 20,
  });
  expect(standing.state).toBe('failed');
  expect(taskFailure(standing, 'Updating').failure).toMatchObject({
    code: 'TASK_FAILED',
    message: 'Updating: the task ended as Completed: The job completed with errors.',
    details: { messageIds: ['JCP052'] },
  });
});
