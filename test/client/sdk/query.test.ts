import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { queried } from '../../../client/sdk/query.ts';
import { createLocalEnvironment } from '../../support/temporal.ts';
import { workflowBundle } from '../../workflows/support.ts';

const SHORT_MS = 500;
const QUERY = '__stack_trace';

let environment: TestWorkflowEnvironment;
beforeAll(async () => {
  environment = await createLocalEnvironment();
});
afterAll(() => environment.teardown());

const start = (taskQueue: string) =>
  environment.client.workflow.start('slow', {
    taskQueue,
    workflowId: taskQueue,
    args: [0],
    workflowTaskTimeout: '3s',
  });

it('a workflow whose task died with its worker is waited for, though that takes longer than a query may', async () => {
  const taskQueue = 'died';
  await start(taskQueue);
  // Takes its task, as a worker does, and is heard of no more.
  const { connection } = environment;
  const { taskToken } = await connection.withDeadline(Date.now() + 60_000, () =>
    connection.workflowService.pollWorkflowTaskQueue({
      namespace: 'default',
      taskQueue: { name: taskQueue },
      identity: 'dead',
    }),
  );
  expect(taskToken.length).toBeGreaterThan(0);
  const worker = await Worker.create({
    taskQueue,
    connection: environment.nativeConnection,
    workflowBundle: await workflowBundle('test/workflows/fixtures/slow'),
  });
  const answer = await worker.runUntil(queried(environment.client, taskQueue, QUERY, SHORT_MS));
  expect(answer).toBeTypeOf('string');
});

it('one whose task nobody has taken is not waited for: there is no worker', async () => {
  await start('nobody');
  await expect(queried(environment.client, 'nobody', QUERY, SHORT_MS)).rejects.toMatchObject({
    failure: { code: 'NOT_READY' },
  });
});

it('one that there is not answers nothing', async () => {
  expect(await queried(environment.client, 'none', QUERY)).toBeUndefined();
});
