import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationVerbName } from '../../../core/verbs.ts';
import type { JsonObject } from '../../../core/json.ts';
import { startProduct, type Product } from '../support/product.ts';
import { count, effectsOf, LabView } from './lab-view.ts';
import { PowerCuts, secondsToProgress } from './power-cuts.ts';
import { startOutsideLab, type OutsideLab } from './site.ts';

/**
 * Ten deployments at once, and three power cuts at moments that nobody chose: between any two requests. A
 * server that boots from our media while nobody serves it finds nothing to boot: its agent stays silent
 * until the wait for it is over, and is booted again. Everything goes on by itself.
 */
const NODES = Array.from({ length: 10 }, (_, index) => `node-${String(index + 1).padStart(3, '0')}`);
const UNDISTURBED = 'node-011';
const CUTS = 3;
const SEED = Number(process.env['KILL9_SEED'] ?? 20_261_130);
const WITHIN_SECONDS = 60;
/** An agent that booted has called long before this, and by then all cuts are over: see STILL_MS. */
const AGENT_BOUND = '90s';
const STILL_MS = 30_000;
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
      const contract = { ...lab.contract, timeouts: { agent: AGENT_BOUND } };
      return stringify(contract, { aliasDuplicateObjects: false });
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

/** Waits for a moment, or until nothing moves any more: then that is the moment. */
async function reached(moment: number): Promise<void> {
  let [seen, since] = [-1, Date.now()];
  while (seen < moment && Date.now() - since < STILL_MS) {
    await sleep(50);
    const now = await view.pulse(NODES);
    if (now !== seen) [seen, since] = [now, Date.now()];
  }
}

test(`three power cuts while ten nodes are deployed (seed ${SEED})`, async () => {
  await view.news(UNDISTURBED);
  await all([UNDISTURBED], 'deploy', IMAGE);
  const events = (await view.news(UNDISTURBED)).length;
  for (const node of NODES) await view.news(node);

  const ids = await Promise.all(NODES.map((node) => cuts.request(node, 'deploy', IMAGE)));
  const ready: number[] = [];
  for (const moment of moments(events * NODES.length)) {
    await reached(moment);
    ready.push(await cuts.cut());
  }
  const times: number[] = [];
  let bootedAgain = 0;
  for (const report of await Promise.all(ids.map((id) => cuts.result(id)))) {
    const { node } = report;
    const what = `${node}: ${JSON.stringify(report.failure)}`;
    expect.soft(report, what).toMatchObject({ outcome: 'pass', phase: 'active', residue: [] });
    const news = await view.news(node);
    const finished = count(news, 'image-write-finished');
    expect.soft({ ...effectsOf(news), finished }, node).toEqual({ writes: 1, erasures: {}, finished: 1 });
    const foundNothing = count(news, 'boot-media-failed');
    expect.soft(count(news, 'boot-media'), `boots of the agent of ${node}`).toBe(1);
    if (foundNothing > 0) bootedAgain += 1;
    else for (const readyAt of ready) times.push(secondsToProgress(report, readyAt) ?? 0);
    const { left, sessions, runs } = await view.leftOn(node);
    expect.soft({ left, runs }, node).toEqual({ left: [], runs: 'disk' });
    expect.soft(sessions, `sessions on ${node}`).toBeLessThanOrEqual(2);
  }
  const slowest = Math.max(...times);
  expect(slowest).toBeLessThan(WITHIN_SECONDS);
  console.log(`${CUTS} cuts; next step after ${slowest.toFixed(1)} s at most; ${bootedAgain} booted again`);
});
