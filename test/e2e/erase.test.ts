import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OperationReport } from '../../core/operations.ts';
import type { LabServer } from '../activities/drivers/redfish/bench.ts';
import { startOutsideLab, type OutsideLab } from './kill9/site.ts';
import { startProduct, type Product } from './support/product.ts';

// What becomes of a node whose disks could not be shown to be erased, with the product as its users have it.

const home = mkdtempSync(join(tmpdir(), 'rackwright-erase-'));
let lab: OutsideLab;
let product: Product;

beforeAll(async () => {
  product = await startProduct({
    inventory: async ({ gatewayUrl }) => {
      lab = await startOutsideLab(join(home, 'lab'), { servers: 2, speed: 50, gatewayUrl });
      return stringify({ ...lab.contract, erase: { proof: 'required' } });
    },
  });
});
afterAll(async () => {
  await product?.stop();
  await lab?.stop();
  await rm(home, { recursive: true, force: true });
});

const ask = <T>(path: string): Promise<T> => lab.ask<T>(path);
const faults = (node: string, switches: object): Promise<unknown> => lab.faults(node, switches);

const verb = async (...args: string[]): Promise<OperationReport> =>
  (await product.answer<OperationReport>('node', ...args)).document;
const ok = { outcome: 'pass' };
const image = (): string => lab.contract.images[0]!.name;

/** It is off, with nothing of ours left, its data is where it was, and nobody is given it. */
async function outOfUse(node: string, owner: string, code: string): Promise<void> {
  const { power, override, media, disks } = await ask<LabServer>(node);
  expect([power, override.enabled]).toEqual(['Off', 'Disabled']);
  expect(Object.values(media).some((slot) => slot.inserted)).toBe(false);
  expect(disks.some(({ canaries }) => canaries.length > 0)).toBe(true);
  await refused(node, owner, code);
}

async function refused(node: string, owner: string, code: string): Promise<void> {
  const { exitCode, said } = await deploy(node, owner);
  expect([exitCode, said]).toEqual([1, expect.stringContaining(code)]);
}

async function deploy(node: string, owner: string): Promise<{ exitCode: number | null; said: string }> {
  const { code, stdout, stderr } = await product.cli(
    'node',
    'deploy',
    node,
    '--image',
    image(),
    '--owner',
    owner,
  );
  return { exitCode: code, said: stdout + stderr };
}

it('a disk that is read back and not empty: clean-failed, off, and nobody gets it until it is erased', async () => {
  const node = 'node-001';
  expect(await verb('enroll', node)).toMatchObject(ok);
  await faults(node, { eraseLeavesData: 1 });
  const report = await verb('clean', node, '--on-failure', 'fail');
  expect(report).toMatchObject({ outcome: 'fail', phase: 'clean-failed', residue: [] });
  expect(report.failure).toMatchObject({ code: 'ERASE_FAILED', faultDomain: 'hardware' });
  expect(report.failure!.message).toMatch(/serial LAB001ROOT.*nvme-format, 1 of 1,512 places not erased/);
  await outOfUse(node, 'team-a', 'ILLEGAL_VERB');
  const cleaned = await verb('clean', node);
  expect(cleaned).toMatchObject({ ...ok, phase: 'available' });
  const step = cleaned.steps.find(({ id }) => id === 'erase');
  expect(step?.summary).toBe(
    'Erased in full: nvme0n1 LAB001ROOT nvme-format, read back at 1,512 places: empty; nvme1n1 LAB001DATA nvme-format, read back at 1,512 places: empty.',
  );
  expect((await ask<LabServer>(node)).disks.flatMap(({ canaries }) => canaries)).toEqual([]);
});

it('a disk that was gone while an owner was released, and who may have the node after a clean of metadata', async () => {
  const node = 'node-001';
  expect((await deploy(node, 'team-a')).exitCode).toBe(0);
  await faults(node, { eraseMissesDisk: 1 });
  const report = await verb('release', node, '--on-failure', 'fail');
  expect(report).toMatchObject({ outcome: 'fail', phase: 'clean-failed', residue: [] });
  expect(report.failure!.message).toMatch(/serial LAB001ROOT.*missing in what the agent erased/);
  await outOfUse(node, 'team-b', 'ILLEGAL_VERB');
  // Its data is still there after that, so that no other owner may have it: neither by name nor without one.
  expect(await verb('clean', node, '--erase', 'metadata')).toMatchObject({ ...ok, phase: 'available' });
  await outOfUse(node, 'team-b', 'ERASE_REQUIRED');
  const { code } = await product.cli('node', 'deploy', node, '--image', image());
  expect(code).toBe(1);
  expect((await deploy(node, 'team-a')).exitCode).toBe(0);
  // A release is never one of metadata only, whatever was cleaned before.
  expect(await verb('release', node)).toMatchObject({ ...ok, phase: 'available' });
  expect((await ask<LabServer>(node)).disks.flatMap(({ canaries }) => canaries)).toEqual([]);
  expect((await deploy(node, 'team-b')).exitCode).toBe(0);
});

it('a ramdisk that cannot prove what it erases, where the contract wants that: nothing is erased', async () => {
  const node = 'node-002';
  expect(await verb('enroll', node)).toMatchObject(ok);
  await faults(node, { plainAgent: true });
  const report = await verb('clean', node, '--on-failure', 'fail');
  expect(report).toMatchObject({ outcome: 'fail', phase: 'clean-failed', residue: [] });
  expect(report.failure).toMatchObject({ code: 'ERASE_PROOF_UNAVAILABLE', faultDomain: 'deploy-agent' });
  await outOfUse(node, 'team-a', 'ILLEGAL_VERB');
});
