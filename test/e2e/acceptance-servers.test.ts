import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import type { LabServer } from '../activities/drivers/redfish/bench.ts';
import { startOutsideLab, type OutsideLab } from './kill9/site.ts';
import { startProduct, type Product } from './support/product.ts';

// Gate 7 where the contract names a cloud, with the product as its users have it: the server is asked of Nova.

const home = mkdtempSync(join(tmpdir(), 'rackwright-servers-'));
const NODE = 'node-002';
let lab: OutsideLab;
let product: Product;

beforeAll(async () => {
  product = await startProduct({
    inventory: async ({ gatewayUrl }) => {
      lab = await startOutsideLab(join(home, 'lab'), { servers: 2, speed: 5, gatewayUrl, openstack: true });
      const { contract } = lab;
      return stringify({
        ...contract,
        acceptance: { ...contract.acceptance, gates: [7], timeouts: { firstBoot: '2m', handOver: '2m' } },
      });
    },
  });
});
afterAll(async () => {
  await product?.stop();
  await lab?.stop();
  await rm(home, { recursive: true, force: true });
});
beforeEach(async () => {
  for (const name of ['nova', 'ironic']) await lab.service(name);
});

async function acceptance(...args: string[]): Promise<{ code: number; report: AcceptanceReport }> {
  const { code, document } = await product.answer<AcceptanceReport>('acceptance', ...args);
  return { code, report: document };
}

const outcomes = ({ gates }: AcceptanceReport) =>
  Object.fromEntries(gates.at(-1)!.checks.map(({ id, outcome }) => [id, outcome]));

/** The machine is off, and its disk has nothing on it. */
async function free(): Promise<void> {
  expect((await lab.ask<LabServer>(NODE)).power).toBe('Off');
}

it('passes, and the machine is given back', async () => {
  const { code, report } = await acceptance('run');
  expect([code, report.outcome, report.failure]).toEqual([0, 'pass', undefined]);
  expect(new Set(Object.values(outcomes(report)))).toEqual(new Set(['pass']));
  await free();
});

it('stops where Nova finds no host, says why, and passes after the correction', async () => {
  await lab.service('nova', { ironicComputeMissing: true });
  const { code, report } = await acceptance('run');
  expect([code, report.held, report.stoppedAt]).toEqual([4, true, 7]);
  expect(report.failure).toMatchObject({ code: 'CHECK_FAILED', faultDomain: 'openstack' });
  expect(report.failure!.message).toContain('No nova-compute has node');
  await lab.service('nova');
  const after = await acceptance('resume', report.runId);
  expect([after.code, after.report.outcome]).toEqual([0, 'pass']);
  await free();
});

it('ends with the same verdict when everything is killed once the server is asked for', async () => {
  const { runId } = await product.json<{ runId: string }>('acceptance', 'run', '--no-wait');
  await until(runId, 'server-requested', 'pass');
  await product.kill9();
  await product.restart();
  const { code, report } = await acceptance('watch', runId);
  expect([code, report.outcome, report.failure]).toEqual([0, 'pass', undefined]);
  await free();
});

/** Waits until a check of a run has come to that. */
async function until(runId: string, check: string, outcome: string): Promise<void> {
  for (const end = Date.now() + 120_000; ;) {
    const { report } = await acceptance('show', runId);
    if (report.gates?.at(-1)?.checks.some((each) => each.id === check && each.outcome === outcome)) return;
    if (Date.now() > end || report.outcome !== undefined) throw new Error(`${check} is not ${outcome}`);
    await sleep(200);
  }
}
