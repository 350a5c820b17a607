import { describe, expect, it } from 'vitest';
import { closeOperation, openOperation } from '../../activities/operations.ts';
import type { Site } from '../../activities/site.ts';
import { fail } from '../../core/errors/failure.ts';
import type { OperationInput, OperationReport } from '../../core/operations.ts';
import { INVENTORY } from '../workflows/support.ts';
import { aRecord, anInput, aSite, codeOf } from './support.ts';

/** Opens an operation that the node's record names. */
async function open(input: OperationInput, over: Partial<Site> = {}) {
  const site = await aSite(over);
  await site.records.write(aRecord(input), input.generation - 1);
  return openOperation(site, input);
}

describe('opening an operation', () => {
  it('makes the plan under a stored version of the contract', async () => {
    const site = await aSite();
    await site.records.write(aRecord(anInput()), 0);
    const { ref, steps, driver, observed } = await openOperation(site, anInput());
    expect(ref).toMatchObject({ site: 'test', node: 'n1', requestId: 'r1', kind: 'deploy', generation: 1 });
    expect(await site.contracts.load(ref.contractHash)).toEqual(INVENTORY);
    expect(driver).toBe('redfish');
    expect(steps.map(({ id }) => id)).toContain('write-image');
    expect(observed).toContain('agent-alive');
  });

  it('keeps the promoted version of its image to its end, whatever is promoted later', async () => {
    let checksum = `sha256:${'1'.repeat(64)}`;
    const asked = { at: '', by: '', reason: null };
    const promoted = async (name: string) => ({
      version: {
        version: 1,
        source: '/srv/a',
        kept: true,
        checksum,
        size: 7,
        format: 'qcow2' as const,
        ...asked,
      },
      url: `/kept/${name}`,
    });
    const site = await aSite({ promoted });
    await site.records.write(aRecord(anInput()), 0);
    const { ref } = await openOperation(site, anInput());
    checksum = `sha256:${'2'.repeat(64)}`;
    const { images, ...rest } = await site.contracts.load(ref.contractHash);
    expect(images.find(({ name }) => name === 'a')).toMatchObject({
      url: '/kept/a',
      checksum: `sha256:${'1'.repeat(64)}`,
      size: 7,
      format: 'qcow2',
    });
    const { images: before, ...contract } = INVENTORY;
    expect(rest).toEqual(contract);
    expect(images.filter(({ name }) => name !== 'a')).toEqual(before.filter(({ name }) => name !== 'a'));
    // An operation that writes none takes the contract as it is.
    await site.records.write(aRecord(anInput({ generation: 2, kind: 'clean', args: {} })), 1);
    const clean = await openOperation(site, anInput({ generation: 2, kind: 'clean', args: {} }));
    expect(await site.contracts.load(clean.ref.contractHash)).toEqual(INVENTORY);
  });

  it('is only for the operation that the record names', async () => {
    const site = await aSite();
    expect(await codeOf(openOperation(site, anInput()))).toBe('GENERATION_CONFLICT');
    await site.records.write(aRecord(anInput({ requestId: 'other' })), 0);
    expect(await codeOf(openOperation(site, anInput()))).toBe('GENERATION_CONFLICT');
    expect(await codeOf(openOperation(site, anInput({ requestId: 'other', generation: 2 })))).toBe(
      'GENERATION_CONFLICT',
    );
    expect(await codeOf(openOperation(site, anInput({ requestId: 'other' })))).toBe('passed');
  });

  it('fails with the failure of the contract, and for a verb that the driver cannot do', async () => {
    const broken = async (): Promise<never> => {
      throw fail('CONTRACT_INVALID', 'line 3');
    };
    expect(await codeOf(open(anInput(), { inventory: broken }))).toBe('CONTRACT_INVALID');
    expect(await codeOf(open(anInput({ kind: 'rescue' })))).toBe('NOT_SUPPORTED');
    const without = { ...INVENTORY, nodes: INVENTORY.nodes.slice(1) };
    expect(await codeOf(open(anInput(), { inventory: async () => without }))).toBe('NODE_UNKNOWN');
  });

  it.each<[OperationInput['source'], 'hold' | 'fail' | undefined, 'hold' | 'fail' | undefined, string]>([
    ['update', undefined, 'fail', 'hold'],
    ['update', 'fail', undefined, 'fail'],
    ['signal', undefined, undefined, 'hold'],
    ['signal', undefined, 'fail', 'fail'],
    ['signal', 'hold', 'fail', 'hold'],
    ['schedule', undefined, 'hold', 'fail'],
    ['schedule', 'hold', undefined, 'hold'],
    ['internal', undefined, undefined, 'fail'],
  ])('%s, asked %s, contract %s: a failure means %s', async (source, asked, contract, means) => {
    const inventory = { ...INVENTORY, ...(contract ? { onFailure: contract } : {}) };
    const input = anInput({ source, ...(asked ? { onFailure: asked } : {}) });
    expect((await open(input, { inventory: async () => inventory })).onFailure).toBe(means);
  });

  it('takes bounds from request, contract, and its own defaults, in this order', async () => {
    const timeouts = { deadlines: { deploy: 7200 }, power: 42 };
    const inventory = async () => ({ ...INVENTORY, timeouts, holdFor: 60, onHold: 'leave' as const });
    const own = await open(anInput());
    expect(own).toMatchObject({ deadlineSeconds: 8 * 3600, holdForSeconds: 7 * 86_400, onHold: 'safe' });
    const given = await open(anInput(), { inventory });
    expect(given).toMatchObject({ deadlineSeconds: 7200, holdForSeconds: 60, onHold: 'leave' });
    expect(given.steps.find(({ id }) => id === 'boot-agent')!.bounds.total).toBe(42);
    expect(given.steps.find(({ id }) => id === 'erase')?.bounds.total).toBeUndefined();
    expect((await open(anInput({ deadlineSeconds: 5 }), { inventory })).deadlineSeconds).toBe(5);
  });

  it.each<[OperationInput['cleanup'], OperationInput['residue'], string[]]>([
    [{ kind: 'deploy', lost: false }, ['media'], ['media']],
    [{ kind: 'deploy', lost: true }, [], ['media', 'override', 'power']],
    [{ kind: 'inspect', lost: true }, [], []],
    [{ kind: 'inspect', lost: true }, ['media'], ['media']],
    [{ kind: 'deploy', lost: true }, ['allocation'], ['media', 'override', 'power', 'allocation']],
    [{ kind: 'cleanup', lost: true }, ['override'], ['override']],
    [undefined, ['media'], []],
  ])('a clean-up of %j with %j left removes %j', async (cleanup, residue, removes) => {
    const input = anInput({ residue, ...(cleanup ? { kind: 'cleanup', cleanup } : {}) });
    expect((await open(input)).residue).toEqual(removes);
  });
});

describe('closing an operation', () => {
  const report = { site: 'test', node: 'n1', requestId: 'r1', kind: 'deploy', outcome: 'pass' };

  it('keeps the report, and deletes the secret input, however often', async () => {
    const site = await aSite();
    const request = { site: 'test', node: 'n1', requestId: 'r1' };
    const { reference: userData } = await site.blobs.put(Buffer.from('#cloud-config'), request);
    const input = { report: report as OperationReport, args: { userData } };
    const [ref] = await closeOperation(site, input);
    expect(ref).toMatchObject({ name: 'report' });
    expect(await codeOf(site.blobs.get(userData))).not.toBe('passed');
    expect(await codeOf(closeOperation(site, input))).toBe('passed');
  });

  it('leaves references alone that are not its own', async () => {
    const deleted: string[] = [];
    const site = await aSite();
    const blobs = { ...site.blobs, delete: async (id: string) => void deleted.push(id) };
    await closeOperation(
      { ...site, blobs },
      { report: report as OperationReport, args: { userData: 'env:A' } },
    );
    expect(deleted).toEqual([]);
  });
});
