import { WorkflowNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { createActivities } from '../../activities/index.ts';
import { findOperation, loadNode, saveNode, watchOperation } from '../../activities/nodes.ts';
import type { Site } from '../../activities/site.ts';
import { fail } from '../../core/errors/failure.ts';
import { newNode } from '../../core/node.ts';
import { INVENTORY, SITE } from '../workflows/support.ts';
import { aSite, codeOf } from './support.ts';

const N1 = { site: SITE, node: 'n1' };
const R1 = { ...N1, requestId: 'r1' };

/** A client that knows one workflow, or none. */
const knowing = (status?: string, memo?: object, result?: object): Pick<Site, 'client'> => ({
  client: {
    workflow: {
      getHandle: (workflowId: string) => ({
        async describe() {
          if (!status) throw new WorkflowNotFoundError('not found', workflowId, undefined);
          return { status: { name: status }, memo };
        },
        result: async () => result,
      }),
    },
  } as never,
});

describe('what is known of a node outside Temporal', () => {
  it('is its record, and what the contract says', async () => {
    const site = await aSite();
    expect(await loadNode(site, N1)).toMatchObject({ record: null, known: true, retired: false });
    expect((await loadNode(site, N1)).supports).toContain('deploy');
    const record = { ...newNode(SITE, 'n1'), generation: 1 };
    expect(await saveNode(site, { record })).toEqual({ written: true });
    expect((await loadNode(site, N1)).record).toEqual(record);
    expect(await loadNode(site, { site: SITE, node: 'n9' })).toMatchObject({ known: false, supports: [] });
    const retired = { ...INVENTORY, nodes: INVENTORY.nodes.map((node) => ({ ...node, retired: true })) };
    expect(await loadNode({ ...site, inventory: async () => retired }, N1)).toMatchObject({ retired: true });
  });

  it('is written under its generation once; a later one is told, and so is that there is none', async () => {
    const site = await aSite();
    const first = { ...newNode(SITE, 'n1'), generation: 1 };
    expect(await saveNode(site, { record: first })).toEqual({ written: true });
    expect(await saveNode(site, { record: first })).toEqual({ written: true });
    const other = { ...first, health: 'OK' };
    expect(await saveNode(site, { record: other })).toEqual({ written: false, stored: first });
    const gone = { ...newNode(SITE, 'n2'), generation: 7 };
    expect(await saveNode(site, { record: gone })).toEqual({ written: false, stored: null });
  });

  it('is read again and again, whatever is wrong: an entity never ends for it', async () => {
    let sound = false;
    const site = await aSite();
    const inventory = async () => {
      if (!sound) throw fail('CONTRACT_INVALID', 'line 3');
      return INVENTORY;
    };
    const { loadNode: load } = createActivities({ ...site, inventory }, []) as {
      loadNode: (input: object) => Promise<unknown>;
    };
    const environment = new MockActivityEnvironment();
    const error = await environment.run(load, N1).catch((e: object) => e);
    expect(error).toMatchObject({ type: 'CONTRACT_INVALID', nonRetryable: false, nextRetryDelay: 10_000 });
    sound = true;
    expect(await environment.run(load, N1)).toMatchObject({ known: true });
  });
});

describe('the second witness', () => {
  const site = (given: Pick<Site, 'client'>) => aSite(given);

  it('is patient while the operation runs', async () => {
    const error = await watchOperation(await site(knowing('RUNNING')), R1).catch((e: object) => e);
    expect(error).toMatchObject({ failure: { code: 'BUSY', retryable: true }, retryAfterMs: 20_000 });
  });

  it.each(['TERMINATED', 'FAILED', 'CANCELLED', 'TIMED_OUT', undefined])('%s is lost', async (status) => {
    expect(await watchOperation(await site(knowing(status)), R1)).toEqual({ status: 'lost' });
  });

  it('tells how it ended as the operation itself would have', async () => {
    const data = { power: 'on', health: 'OK', drift: true, image: 'x' };
    const report = { outcome: 'pass', phase: 'active', residue: [], steps: [], data };
    expect(await watchOperation(await site(knowing('COMPLETED', {}, report)), R1)).toEqual({
      status: 'ended',
      end: { outcome: 'pass', phase: 'active', residue: [], power: 'on', health: 'OK', drift: true },
    });
  });

  it('finds what a requestId of long ago stands for', async () => {
    const found = async (status?: string, memo?: object) =>
      findOperation(await site(knowing(status, memo)), R1);
    expect(await found('RUNNING', { fingerprint: 'f' })).toEqual({ status: 'running', fingerprint: 'f' });
    expect(await found('TERMINATED', {})).toEqual({ status: 'closed', fingerprint: null });
    expect(await found()).toEqual({ status: 'none', fingerprint: null });
  });

  it('does not take an unreachable Temporal for a lost operation', async () => {
    const client = {
      workflow: {
        getHandle: () => ({
          describe: async () => {
            throw new Error('unavailable');
          },
        }),
      },
    } as never;
    expect(await codeOf(watchOperation(await site({ client }), R1))).toBe('Error');
  });
});
