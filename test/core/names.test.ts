import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isName,
  isRequestId,
  nodeWorkflowId,
  operationWorkflowId,
  parseOperationWorkflowId,
  SEARCH_ATTRIBUTES,
  siteQueue,
  WORKFLOW_QUEUE,
} from '../../core/names.ts';

describe('names that others rely on', () => {
  it('are what was promised', () => {
    expect(WORKFLOW_QUEUE).toBe('rackwright');
    expect(siteQueue('fra1')).toBe('rackwright-fra1');
    expect(nodeWorkflowId('fra1', 'gpu-01')).toBe('node/fra1/gpu-01');
    expect(operationWorkflowId('fra1', 'gpu-01', 'r1')).toBe('op/fra1/gpu-01/r1');
    expect(SEARCH_ATTRIBUTES).toEqual({
      RackwrightSite: 'KEYWORD',
      RackwrightNode: 'KEYWORD',
      RackwrightPhase: 'KEYWORD',
      RackwrightOperation: 'KEYWORD',
      RackwrightGate: 'KEYWORD',
      RackwrightFaultDomain: 'KEYWORD',
      RackwrightOutcome: 'KEYWORD',
      RackwrightTenant: 'KEYWORD',
      RackwrightFlags: 'KEYWORD_LIST',
    });
  });

  it.each(['a', '0', 'gpu-01', 'r1.gpu1', 'a'.repeat(63)])('%s is a name', (name) => {
    expect(isName(name)).toBe(true);
  });

  it.each(['', '-a', '.a', 'A', 'a b', 'a/b', 'a_b', 'a\n', 'ä', 'a'.repeat(64), null, 1, ['a']])(
    '%j is none',
    (name) => {
      expect(isName(name)).toBe(false);
    },
  );

  it.each(['r1', 'A.b_c-9', '9', 'x'.repeat(128)])('%s is a requestId', (id) => {
    expect(isRequestId(id)).toBe(true);
  });

  it.each(['', '.', '..', '-r', 'a/b', 'a b', 'r1\n', 'x'.repeat(129), null, 7])('%j is none', (id) => {
    expect(isRequestId(id)).toBe(false);
  });
});

describe('the workflow id of an operation', () => {
  it.each([
    'op/a/b',
    'op/a/b/c/d',
    'node/a/b/c',
    'op/A/b/c',
    'op/a/B/c',
    'op/a/b/',
    'op//b/c',
    'op/a/b/.c',
    '',
  ])('%j is none', (id) => {
    expect(parseOperationWorkflowId(id)).toBeUndefined();
  });

  it('is read back as what it was made of', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,62}$/);
    const requestId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/);
    fc.assert(
      fc.property(name, name, requestId, (site, node, id) => {
        expect(parseOperationWorkflowId(operationWorkflowId(site, node, id))).toEqual({
          site,
          node,
          requestId: id,
        });
      }),
    );
  });
});
