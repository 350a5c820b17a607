import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationVerbName } from '../../../core/verbs.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { OperationReport } from '../../../core/operations.ts';
import { startProduct, type Product } from '../support/product.ts';
import { effectsOf, LabView } from './lab-view.ts';
import { PowerCuts, secondsToProgress } from './power-cuts.ts';
import { startOutsideLab, type OutsideLab } from './site.ts';

/** Ten deployments at once, and three power cuts at moments that nobody chose: between any two requests. */
const NODES = Array.from({ length: 10 }, (_, index) => `node-${String(index + 1).padStart(3, '0')}`);
const UNDISTURBED = 'node-011';
const CUTS = 3;
const SEED = Number(process.env['KILL9_SEED'] ?? 20_261_130);
const WITHIN_SECONDS = 60;
const BOUND_MS = 300_000;
const IMAGE = { image: 'ubuntu-24.04', owner: 'alice' };

const home = mkdtempSync(join(tmpdir(), 'rackwright-kill9-'));
let lab: OutsideLab;
let view: LabView;
let product: Product;
let cuts: PowerCuts;

beforeAll(async () => {
  product = await startProduct({
    inventory: async ({ gatewayUrl }) => {
      lab = await startOutsideLab(join(home, 'outside'), { servers: 11, speed: 10, gatewayUrl });
      return stringify(lab.contract, { aliasDuplicateObjects: false });
    },
  });
  view = new LabView(lab.controlUrl);
  cuts = new PowerCuts(product, lab.contract.site, join(home, 'pauses'));
  for (const verb of ['enroll', 'clean'] as const) await all([...NODES, UNDISTURBED], verb);
});
afterAll(async () => {
  await cuts?.close();
  await product?.stop();
  await lab?.stop();
  await rm(home, { recursive: true, force: true });
});

/** Carries a verb out on all nodes at once; all must pass. */
async function all(nodes: readonly string[], verb: OperationVerbName, args?: JsonObject): Promise<void> {
  const ids = await Promise.all(nodes.map((node) => cuts.request(node, verb, args)));
  for (const report of await Promise.all(ids.map((id) => cuts.result(id))))
    expect(report, `${report.node}: ${JSON.stringify(report.failure)}`).toMatchObject({ outcome: 'pass' });
}

/** Numbers from 0 to 1 that are the same for the same seed. */
function* randoms(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Moments, as how many things the lab's servers have seen by then: some time between first and last. */
function moments(total: number): number[] {
  const random = randoms(SEED);
  return Array.from({ length: CUTS }, () => Math.round(total * (0.03 + 0.9 * random.next().value))).toSorted(
    (a, b) => a - b,
  );
}

test(`three power cuts while ten nodes are deployed (seed ${SEED})`, async () => {
  await view.news(UNDISTURBED);
  await all([UNDISTURBED], 'deploy', IMAGE);
  const events = (await view.news(UNDISTURBED)).length;
  for (const node of NODES) await view.news(node);

  const ids = await Promise.all(NODES.map((node) => cuts.request(node, 'deploy', IMAGE)));
  const ready: number[] = [];
  for (const moment of moments(events * NODES.length)) {
    const deadline = Date.now() + BOUND_MS;
    while ((await view.pulse(NODES)) < moment) {
      if (Date.now() > deadline) throw new Error(`the lab never saw ${moment} events`);
      await sleep(50);
    }
    ready.push(await cuts.cut());
  }
  const reports: OperationReport[] = await Promise.all(ids.map((id) => cuts.result(id)));
  const times: number[] = [];
  for (const report of reports) {
    const what = `${report.node}: ${JSON.stringify(report.failure)}`;
    expect.soft(report, what).toMatchObject({ outcome: 'pass', phase: 'active', residue: [] });
    for (const readyAt of ready) times.push(secondsToProgress(report, readyAt) ?? 0);
    const { writes, erasures } = effectsOf(await view.news(report.node));
    expect.soft({ writes, erasures }, report.node).toEqual({ writes: 1, erasures: {} });
    const { left, sessions, runs } = await view.leftOn(report.node);
    expect.soft({ left, runs }, report.node).toEqual({ left: [], runs: 'disk' });
    expect.soft(sessions, `sessions on ${report.node}`).toBeLessThanOrEqual(CUTS + 1);
  }
  expect(Math.max(...times)).toBeLessThan(WITHIN_SECONDS);
  console.log(`${CUTS} cuts, the next step after ${Math.max(...times).toFixed(1)} s at most`);
});
