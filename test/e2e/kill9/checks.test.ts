import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHECKS } from '../../../core/acceptance/checks.ts';
import type { AcceptanceReport, CheckReport } from '../../../core/acceptance/report.ts';
import { AcceptanceRuns } from '../../../client/sdk/acceptance.ts';
import { connect, type Connected } from '../../../client/sdk/connect.ts';
import { startProduct, type Product } from '../support/product.ts';
import { startOutsideLab, type OutsideLab } from './site.ts';

/**
 * All of the product is killed at every check of an acceptance run, when it has seen what it was to see and nobody has
 * heard of it; what the run leaves is what an undisturbed one leaves.
 */
const home = mkdtempSync(join(tmpdir(), 'rackwright-kill9-checks-'));
const pauses = join(home, 'pauses');
const pointOf = (check: string): string => `acceptance:${check}:after`;
const PATIENCE_MS = 300_000;

let lab: OutsideLab;
let product: Product;
let node: string;
let connected: Connected | undefined;

beforeAll(async () => {
  product = await startProduct({
    env: {
      RACKWRIGHT_PAUSE_DIR: pauses,
      RACKWRIGHT_PAUSE_AT: CHECKS.map(({ id }) => pointOf(id)).join(','),
    },
    inventory: async ({ gatewayUrl }) => {
      lab = await startOutsideLab(join(home, 'lab'), { servers: 2, speed: 50, gatewayUrl, openstack: true });
      node = lab.contract.nodes.at(-1)!.name;
      return stringify(lab.contract);
    },
  });
  for (const verb of ['enroll', 'clean']) await product.json('node', verb, node);
});
afterAll(async () => {
  await connected?.close();
  await product?.stop();
  await lab?.stop();
  await rm(home, { recursive: true, force: true });
});

const checksOf = ({ gates }: AcceptanceReport): CheckReport[] => gates.flatMap(({ checks }) => [...checks]);
/** Looks at a run with a connection that lasts until the next power cut. */
async function show(runId: string): Promise<AcceptanceReport> {
  connected ??= await connect({ address: product.urls.temporal, namespace: 'default' });
  return new AcceptanceRuns(connected.client, lab.contract.site).report(runId);
}
async function cutPower(): Promise<void> {
  await connected?.close();
  connected = undefined;
  await product.kill9();
  await product.restart();
}

/** The points that checks have come to. */
const reached = (): Set<string> => new Set(readdirSync(pauses));

/** Waits until each check that is being made waits to be killed; answers false where the run is over instead. */
async function allWait(runId: string, cut: ReadonlySet<string>): Promise<boolean> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(100)) {
    const waiting = [...reached()].filter((point) => !cut.has(point));
    const report = await show(runId);
    if (report.outcome !== undefined) return false;
    if (report.held) throw new Error(`the run is held: ${JSON.stringify(report.failure)}`);
    const running = checksOf(report).filter(({ state }) => state === 'running');
    if (waiting.length > 0 && running.every(({ id }) => waiting.includes(pointOf(id)))) return true;
  }
  throw new Error(`no check came to its end in time`);
}

/** What of a piece of evidence is the same in each run: not times, counts, ids and digests, and how wide they are. */
function lasting(value: unknown): unknown {
  const plain = (text: string): string => text.replaceAll(/ *[0-9a-f]*\d[0-9a-f-]*/gi, '#');
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return plain(value);
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [plain(key), lasting(inner)]));
}

/** What a run has kept of its checks: what was asked of whom, from where, and the form of the answers. */
async function kept({ runId }: AcceptanceReport): Promise<string[]> {
  const folder = join(home, runId);
  await product.cli('evidence', 'export', runId, '--out', folder);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && !file.includes('acceptance.report'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .map((piece) => JSON.stringify(lasting(JSON.parse(piece)), null, 1))
    .toSorted();
}

test('a run that is killed at every check ends as one that is not', async () => {
  mkdirSync(pauses);
  for (const { id } of CHECKS) writeFileSync(join(pauses, pointOf(id)), '');
  const { document: undisturbed } = await product.answer<AcceptanceReport>('acceptance', 'run');
  expect([undisturbed.outcome, undisturbed.failure]).toEqual(['pass', undefined]);
  const made = checksOf(undisturbed).flatMap(({ id, outcome }) => (outcome === 'skipped' ? [] : [id]));

  for (const point of reached()) rmSync(join(pauses, point));
  const { runId } = await product.json<{ runId: string }>('acceptance', 'run', '--no-wait');
  const cut = new Set<string>();
  let kills = 0;
  while (await allWait(runId, cut)) {
    for (const point of reached()) cut.add(point);
    await cutPower();
    kills += 1;
  }
  console.log(`${made.length} checks, ${kills} kills`);
  expect(made.filter((id) => !cut.has(pointOf(id)))).toEqual([]);
  const report = await show(runId);
  const verdicts = (of: AcceptanceReport) =>
    of.gates.map(({ gate, outcome, runs, checks }) => [
      gate,
      outcome,
      runs,
      checks.map((each) => [each.id, each.outcome, each.targets]),
    ]);
  expect(verdicts(report)).toEqual(verdicts(undisturbed));
  const evidence = await kept(undisturbed);
  expect(evidence.length).toBeGreaterThan(made.length);
  expect(await kept(report)).toEqual(evidence);
});
