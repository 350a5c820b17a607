import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../core/json.ts';
import type { OperationReport } from '../../../core/operations.ts';
import { DRIVER_PLANS, supportedVerbs, type DriverName } from '../../../core/plans/index.ts';
import type { OperationVerbName } from '../../../core/verbs.ts';
import { FIRMWARE_BASELINE } from '../../../lab/supplies.ts';
import { startIronic, type IronicPeer } from '../../peers/ironic.ts';
import { startProduct, type Product } from '../support/product.ts';
import { count, effectsOf, LabView } from './lab-view.ts';
import { namesOf, wavesOf, type Share } from './points.ts';
import { PowerCuts, secondsToNext, type Stopped } from './power-cuts.ts';
import { ironicNames, startOutsideLab, withIronic, type OutsideLab } from './site.ts';

/**
 * All of the product is killed before and after the effect of every step that the drivers' plans have,
 * many nodes at once, and must go on where it was. The lab and Ironic are hardware: they stay.
 */
const [LIVES, EXTRAS] = [6, 6];
const [IRONIC_LIVES, IRONIC_EXTRAS] = [4, 4];
const WITHIN_SECONDS = 60;

const numbered = (first: number, length: number): string[] =>
  Array.from({ length }, (_, index) => `node-${String(first + index).padStart(3, '0')}`);
const lives = numbered(1, LIVES);
const extras = numbered(LIVES + 1, EXTRAS);
const fakes = ironicNames(IRONIC_LIVES + IRONIC_EXTRAS);
const [ironicLives, ironicExtras] = [fakes.slice(0, IRONIC_LIVES), fakes.slice(IRONIC_LIVES)];

interface Task extends Share {
  readonly args?: JsonObject;
  /** Without a stop: it only brings the nodes to the phase that the next round needs. */
  readonly plain?: true;
}

const redfish = (nodes: readonly string[], verb: OperationVerbName, args?: JsonObject): Task => ({
  driver: 'redfish',
  nodes,
  verb,
  ...(args ? { args } : {}),
});
const ironic = (nodes: readonly string[], verb: OperationVerbName, args?: JsonObject): Task => ({
  ...redfish(nodes, verb, args),
  driver: 'ironic',
});

/** What runs at the same time. Each round leaves the nodes in the phase that the next one begins with. */
const ROUNDS: readonly (readonly Task[])[] = [
  [
    redfish(lives, 'enroll'),
    redfish(extras, 'adopt', { owner: 'carol' }),
    ironic(ironicLives, 'enroll'),
    { ...ironic(ironicExtras, 'enroll'), plain: true },
  ],
  [
    redfish(lives, 'clean'),
    redfish(extras, 'inspect'),
    ironic(ironicLives, 'clean'),
    ironic(ironicExtras, 'inspect'),
  ],
  [
    redfish(lives, 'deploy', { image: 'ubuntu-24.04', owner: 'alice' }),
    redfish(extras, 'power', { state: 'reboot' }),
    ironic(ironicLives, 'deploy', { image: 'fake-one', owner: 'alice' }),
    ironic(ironicExtras, 'power', { state: 'on' }),
  ],
  // Their firmware is at the baseline: what is in the way of an update has tests of its own.
  [
    redfish(extras.slice(0, 4), 'service', {
      steps: ['firmware', { step: 'bios', settings: { LogicalProc: 'Disabled' } }],
    }),
  ],
  [redfish(lives, 'reimage', { image: 'rocky-9' }), ironic(ironicLives, 'reimage', { image: 'fake-two' })],
  [redfish(lives, 'release'), ironic(ironicLives, 'release')],
  [redfish(lives, 'decommission'), ironic(ironicLives, 'decommission')],
];
const STOPPING = ROUNDS.flat().filter(({ plain }) => plain !== true);
const ALL_POINTS = STOPPING.flatMap(namesOf);

const home = mkdtempSync(join(tmpdir(), 'rackwright-kill9-'));
const pauses = join(home, 'pauses');
const times: number[] = [];
let peer: IronicPeer;
let lab: OutsideLab;
let view: LabView;
let product: Product;
let cuts: PowerCuts;

beforeAll(async () => {
  peer = await startIronic();
  product = await startProduct({
    env: { RACKWRIGHT_PAUSE_DIR: pauses, RACKWRIGHT_PAUSE_AT: ALL_POINTS.join(',') },
    inventory: async ({ gatewayUrl }) => {
      lab = await startOutsideLab(join(home, 'outside'), {
        servers: LIVES + EXTRAS,
        speed: 20,
        gatewayUrl,
      });
      return withIronic(lab.contract, peer.url, fakes);
    },
  });
  view = new LabView(lab.controlUrl);
  for (const node of extras) await view.setFirmware(node, FIRMWARE_BASELINE);
  cuts = new PowerCuts(product, lab.contract.site, pauses);
});
afterAll(async () => {
  await cuts?.close();
  await product?.stop();
  await lab?.stop();
  await peer?.stop();
  await rm(home, { recursive: true, force: true });
});

/** Runs a round with its power cuts; answers every report. */
async function run(round: readonly Task[]): Promise<Map<Task, OperationReport[]>> {
  const asked = new Map<Task, string[]>();
  for (const task of round) {
    asked.set(task, await Promise.all(task.nodes.map((node) => cuts.request(node, task.verb, task.args))));
  }
  const stopping = round.filter(({ plain }) => plain !== true);
  const waves = new Map(stopping.map((task) => [task, wavesOf(task)]));
  const stopped: { task: Task; stop: Stopped }[] = [];
  for (let wave = 0; wave < Math.max(...[...waves.values()].map(({ length }) => length)); wave++) {
    const now = stopping.map((task) => ({ task, stops: waves.get(task)![wave]?.stops ?? [] }));
    await Promise.all(now.map(({ task, stops }) => cuts.reached(task.verb, stops)));
    const readyAt = await cuts.cut();
    for (const { task, stops } of now)
      stopped.push(...stops.map((stop) => ({ task, stop: { ...stop, readyAt } })));
  }
  const reports = new Map<Task, OperationReport[]>();
  for (const [task, ids] of asked) reports.set(task, await Promise.all(ids.map((id) => cuts.result(id))));
  for (const { task, stop } of stopped) {
    const report = reports.get(task)!.find(({ node }) => node === stop.node)!;
    expect.soft(report, JSON.stringify(report.failure)).toMatchObject({ outcome: 'pass', residue: [] });
    const seconds = secondsToNext(report, stop);
    times.push(seconds);
    const where = `${stop.node}: ${task.verb}, ${stop.point.when} ${stop.point.step}`;
    expect.soft(seconds, `seconds to the next step of ${where}`).toBeLessThan(WITHIN_SECONDS);
  }
  return reports;
}

/** What one operation of a verb does to a server of the lab, exactly. */
const WRITES: { readonly [verb: string]: number } = { deploy: 1, reimage: 1 };
const ERASES = ['clean', 'release', 'decommission'];
/** Verbs that write BIOS settings: what is asked for, and the clear of a TPM. */
const SETTINGS = ['service', 'clean', 'release'];

async function checkLab(task: Task): Promise<void> {
  for (const node of task.nodes) {
    const news = await view.news(node);
    const { writes, erasures } = effectsOf(news);
    const what = `${node} after ${task.verb}`;
    expect.soft(writes, `images written to ${what}`).toBe(WRITES[task.verb] ?? 0);
    const expected = ERASES.includes(task.verb) ? [1, 1] : [];
    expect.soft(Object.values(erasures), `erasures of the disks of ${what}`).toEqual(expected);
    const settings = SETTINGS.includes(task.verb) ? 1 : 0;
    expect.soft(count(news, 'bios-pending'), `writes of BIOS settings of ${what}`).toBe(settings);
    const agents = writes + expected.length > 0 ? 1 : 0;
    expect.soft(count(news, 'boot-media'), `boots of the agent of ${what}`).toBe(agents);
    const { left, sessions } = await view.leftOn(node);
    expect.soft(left, what).toEqual([]);
    // What was logged in when the power went is logged out by the next login.
    expect.soft(sessions, `sessions on ${what}`).toBeLessThanOrEqual(2);
  }
}

/** How often Ironic began each cleaning and ended each deployment, by its own log. */
function ironicEffects(): Map<string, number> {
  const log = readFileSync(join(peer.dir, 'ironic.log'), 'utf8');
  const found = new Map<string, number>();
  for (const [, cleaned, deployed] of log.matchAll(
    /Executing manual cleaning on node (\S+), remaining steps: \[\{|Successfully deployed node (\S+) with/g,
  )) {
    const key = cleaned === undefined ? `deployed ${deployed}` : `cleaned ${cleaned}`;
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return found;
}

describe('the points', () => {
  test.each(Object.keys(DRIVER_PLANS) as DriverName[])('are there for every verb of %s', (driver) => {
    const stopped = STOPPING.filter((task) => task.driver === driver).map(({ verb }) => verb);
    expect(stopped.toSorted()).toEqual(supportedVerbs(driver).toSorted());
  });
  test('are all different', () => expect(new Set(ALL_POINTS).size).toBe(ALL_POINTS.length));
});

describe('kill -9 before and after every step', () => {
  test.each(ROUNDS.map((round) => [round[0]!.verb, round] as const))('of %s', async (_, round) => {
    await run(round);
    for (const task of round) if (task.driver === 'redfish') await checkLab(task);
  });

  test('reached every point, each exactly once', () => {
    expect(readdirSync(pauses).toSorted()).toEqual(ALL_POINTS.toSorted());
    const [slowest, kills] = [Math.max(...times).toFixed(1), cuts.kills];
    console.log(`${ALL_POINTS.length} points, ${kills} kills, next step after ${slowest} s at most`);
  });

  test('Ironic was told to clean and to deploy once by each operation', () => {
    const effects = [...ironicEffects()];
    const times = (what: string): number[] =>
      effects.filter(([key]) => key.startsWith(what)).map(([, n]) => n);
    // Cleaned by clean, release and decommission; deployed by deploy and reimage.
    expect(times('cleaned')).toEqual(ironicLives.map(() => 3));
    expect(times('deployed')).toEqual(ironicLives.map(() => 2));
  });
});
