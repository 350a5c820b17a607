import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, expect, test } from 'vitest';
import { ensureSearchAttributes } from '../../../workers/temporal/namespace.ts';
import { createTimeSkippingEnvironment, startDevServer } from '../../support/temporal.ts';

const folder = mkdtempSync(join(tmpdir(), 'dev-server-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a dev server keeps search attributes and retention over kill -9', async () => {
  const dbFile = join(folder, 'temporal.db');
  const first = await startDevServer({ dbFile });
  await first.kill9();
  const second = await startDevServer({ dbFile, port: Number(first.address.split(':')[1]) });
  expect(second.address).toBe(first.address);
  const connection = await Connection.connect({ address: second.address });
  const { config } = await connection.workflowService.describeNamespace({ namespace: second.namespace });
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 86_400);
  await connection.close();
  await second.stop();
});

test('a search attribute of another type is a clear error', async () => {
  const wrong = await startDevServer();
  const connection = await Connection.connect({ address: wrong.address });
  const namespace = 'other';
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await untilFound(() =>
    connection.operatorService.addSearchAttributes({ namespace, searchAttributes: { RackwrightGate: 3 } }),
  );
  await expect(ensureSearchAttributes(connection, namespace)).rejects.toMatchObject({
    failure: {
      code: 'SEARCH_ATTRIBUTES_WRONG',
      message: 'Search attribute RackwrightGate is INT in this namespace and must be KEYWORD.',
    },
  });
  await connection.close();
  await wrong.stop();
});

test('the time-skipping server starts with the search attributes', async () => {
  const environment = await createTimeSkippingEnvironment();
  expect(environment.supportsTimeSkipping).toBe(true);
  await environment.teardown();
});

/** A new namespace is known to all parts of the server a moment later. */
async function untilFound(action: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await action();
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
