import { Client, Connection, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { failure } from '../../../core/errors/failure.ts';
import { operationError, temporalOperations } from '../../../workers/gateway/operations.ts';

const refusedWith = (cause: Error): Error => new WorkflowUpdateFailedError('refused', cause);
const known = failure('AGENT_CHANGED', 'another certificate');

it.each([
  ['a missing workflow', new WorkflowNotFoundError('x', 'op/s/n/r', undefined), 'OPERATION_OVER'],
  [
    'a refusal with its failure',
    refusedWith(ApplicationFailure.create({ type: 'AGENT_CHANGED', details: [known] })),
    'AGENT_CHANGED',
  ],
  [
    'a refusal by its code only',
    refusedWith(ApplicationFailure.create({ type: 'TOKEN_EXPIRED' })),
    'TOKEN_EXPIRED',
  ],
  ['an end that overtook it', refusedWith(new Error('workflow completed')), 'OPERATION_OVER'],
  [
    'an end that overtook an accepted update',
    refusedWith(ApplicationFailure.create({ type: 'AcceptedUpdateCompletedWorkflow' })),
    'OPERATION_OVER',
  ],
  [
    'a time-out',
    refusedWith(new TimeoutFailure('late', undefined, 'SCHEDULE_TO_CLOSE')),
    'GATEWAY_UNAVAILABLE',
  ],
  ['anything else', new Error('connection refused'), 'GATEWAY_UNAVAILABLE'],
])('%s means %s', (_what, error, code) => {
  expect(operationError(error).failure.code).toBe(code);
});

it('says that the orchestrator is away, and when to ask again', async () => {
  const connection = Connection.lazy({ address: '127.0.0.1:1', connectTimeout: '1s' });
  try {
    const operations = temporalOperations(new Client({ connection }));
    await expect(operations.access({ site: 's', node: 'n', requestId: 'r' })).rejects.toMatchObject({
      failure: { code: 'GATEWAY_UNAVAILABLE' },
      retryAfterMs: 5000,
    });
  } finally {
    await connection.close();
  }
});
