import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTIVATION_LIMIT } from '../../workers/temporal/worker-options.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { until, workflowBundle } from './support.ts';

const QUEUE = { taskQueue: 'slow' };

let environment: TestWorkflowEnvironment;
let worker: Worker;
let ended: Promise<void>;

beforeAll(async () => {
  environment = await createLocalEnvironment();
  worker = await Worker.create({
    ...QUEUE,
    ...ACTIVATION_LIMIT,
    connection: environment.nativeConnection,
    workflowBundle: await workflowBundle('test/workflows/fixtures/slow'),
  });
  ended = worker.run();
  ended.catch(() => undefined);
});

afterAll(async () => {
  if (worker.getState() === 'RUNNING') worker.shutdown();
  await ended.catch(() => undefined);
  await environment.teardown();
});

const run = (milliseconds: number): Promise<string> =>
  environment.client.workflow.execute('slow', {
    ...QUEUE,
    workflowId: `slow-${milliseconds}`,
    args: [milliseconds],
    workflowTaskTimeout: '60s',
  });

describe('a worker goes on', () => {
  it('when a workflow computes for longer than the five seconds that the SDK grants', async () => {
    // With the SDK's limit this process, test and all, would end here.
    expect(await run(6000)).toBe('done');
  });

  it('when a workflow task fails with something left to be shown', async () => {
    const handle = await environment.client.workflow.start('stumbles', { ...QUEUE, workflowId: 'stumbles' });
    // Every attempt but the first begins after the worker has dropped what the one before left.
    await until(async () => ((await handle.describe()).raw.pendingWorkflowTask?.attempt ?? 0) >= 3);
    expect(await run(0)).toBe('done');
    expect(worker.getState()).toBe('RUNNING');
    await handle.terminate();
  });
});
