import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { endpointOf } from '../../../activities/drivers/redfish/bmc.ts';
import { redfishDriver } from '../../../activities/drivers/redfish/driver.ts';
import { requireInventory } from '../../../activities/inventory/load.ts';
import { closeAllBmcs, withBmc } from '../../../activities/redfish/transport.ts';
import { resolveSecret } from '../../../activities/secrets/resolve.ts';
import type { Site } from '../../../activities/site.ts';
import { watchNodes } from '../../../activities/watch/watch.ts';
import { effectiveNode } from '../../../contracts/inventory/effective.ts';
import type { Inventory } from '../../../contracts/inventory/inventory.ts';
import { newNode, type NodeRecord } from '../../../core/node.ts';
import { afterLook, type Observed } from '../../../core/observed.ts';
import { startLab, type RunningLab } from '../../../lab/lab.ts';
import { until } from '../../workflows/support.ts';
import { aSite } from '../support.ts';

const [FIRST, SECOND, THIRD] = ['node-001', 'node-002', 'node-003'] as const;
const folder = mkdtempSync(join(tmpdir(), 'rackwright-watch-'));

let lab: RunningLab;
let contract: Inventory;
let site: Site;
/** What was signalled, in order. */
let signals: { node: string; seen: Observed }[];
/** Nodes without an entity. */
let absent: Set<string>;
/** Whether entities take what they are told, as they do while a worker runs. */
let answering: boolean;
let rounds: number;
let watching: { stop: AbortController; done: Promise<void> } | undefined;

beforeAll(async () => {
  lab = await startLab({ dataDir: folder, servers: 3, speed: 200 });
  contract = await requireInventory(lab.inventory);
});
afterAll(async () => {
  await closeAllBmcs();
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Plays the entities: each takes what it is told into its record, by the rule of core. */
function client(): Client {
  const signal = async (workflowId: string, seen: Observed): Promise<void> => {
    const node = workflowId.split('/')[2]!;
    if (absent.has(node)) throw new WorkflowNotFoundError('none', workflowId, undefined);
    signals.push({ node, seen });
    const record = (await site.records.read('lab', node))!;
    const next = answering ? afterLook(record, seen, false) : undefined;
    if (next) await site.records.write({ ...next, generation: next.generation + 1 }, record.generation);
  };
  const getHandle = (workflowId: string) => ({
    signal: (name: string, seen: Observed) => {
      expect(name).toBe('observed');
      return signal(workflowId, seen);
    },
  });
  return { workflow: { getHandle } } as unknown as Client;
}

beforeEach(async () => {
  signals = [];
  absent = new Set();
  answering = true;
  site = await aSite({
    name: 'lab',
    client: client(),
    inventory: async () => ({ ...contract, bmc: { ...contract.bmc, watch: { interval: 0.1 } } }),
    secret: (reference) => resolveSecret(reference, { allowExec: false, baseDir: folder }),
  });
  for (const node of [FIRST, SECOND, THIRD]) {
    await faults(node, null);
    await reset(node, 'ForceOff');
    await write(node, { phase: 'available', power: 'off', health: 'OK' });
  }
});
afterEach(async () => {
  await stop();
});

async function write(node: string, over: Partial<NodeRecord>): Promise<void> {
  const record = await site.records.read('lab', node);
  const generation = (record?.generation ?? 0) + 1;
  await site.records.write({ ...(record ?? newNode('lab', node)), ...over, generation }, generation - 1);
}

function start(): void {
  rounds = 0;
  const stop = new AbortController();
  const done = watchNodes(site, [redfishDriver], { signal: stop.signal, onRound: () => (rounds += 1) });
  watching = { stop, done };
}
async function stop(): Promise<void> {
  watching?.stop.abort();
  await watching?.done;
  watching = undefined;
}

/** Waits until the watch has looked at everything again, from beginning to end. */
async function look(times = 1): Promise<void> {
  const enough = rounds + times + 1;
  await until(() => rounds >= enough, { what: `round ${enough}` });
}

async function faults(node: string, given: object | null): Promise<void> {
  await fetch(`${lab.controlUrl}/servers/${node}/faults`, {
    method: given === null ? 'DELETE' : 'PUT',
    ...(given === null
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(given) }),
  });
}

/** Someone else at the BMC: not through any operation. */
async function reset(node: string, ResetType: string): Promise<void> {
  const endpoint = await endpointOf({ node: effectiveNode(contract, node), secret: (r) => site.secret(r) });
  const uri = '/redfish/v1/Systems/1';
  const goal = ResetType === 'On' ? 'On' : 'Off';
  await withBmc(endpoint, async (bmc) => {
    const power = async () => ((await bmc.get(uri)).body as { PowerState: string }).PowerState;
    if ((await power()) !== goal) {
      await bmc.send('POST', `${uri}/Actions/ComputerSystem.Reset`, { body: { ResetType } });
    }
    await until(async () => (await power()) === goal, { what: `${node} is ${goal}` });
  });
}

it('nothing is told of servers that are as their nodes have them', async () => {
  start();
  await look(5);
  expect(signals).toEqual([]);
});

it('each change from outside is told once, of its node and no other', async () => {
  start();
  await look();
  await reset(SECOND, 'On');
  await until(() => signals.length > 0);
  await look(3);
  expect(signals).toMatchObject([{ node: SECOND, seen: { generation: 1, reachable: true, power: 'on' } }]);
  expect(await site.records.read('lab', SECOND)).toMatchObject({
    power: 'on',
    powerChange: { from: 'off', to: 'on', by: 'outside' },
  });
  await reset(SECOND, 'ForceOff');
  await reset(THIRD, 'On');
  await until(() => signals.length > 2);
  await look(3);
  expect(signals.slice(1).toSorted((a, b) => (a.node < b.node ? -1 : 1))).toMatchObject([
    { node: SECOND, seen: { power: 'off', generation: 2 } },
    { node: THIRD, seen: { power: 'on', generation: 1 } },
  ]);
});

it('a watch that begins anew tells only what became different meanwhile', async () => {
  start();
  await look();
  await stop();
  await reset(THIRD, 'On');
  expect(signals).toEqual([]);
  start();
  await look(3);
  expect(signals).toMatchObject([{ node: THIRD, seen: { power: 'on' } }]);
  await stop();
  start();
  await look(3);
  expect(signals).toHaveLength(1);
});

it('what a node does not take is told once for each of its records', async () => {
  answering = false;
  await reset(FIRST, 'On');
  start();
  await look(4);
  expect(signals).toMatchObject([{ node: FIRST, seen: { generation: 1 } }]);
  await write(FIRST, {});
  await look(4);
  expect(signals).toMatchObject([{ seen: { generation: 1 } }, { seen: { generation: 2 } }]);
});

it('a node without an entity is passed over, and told when it has one', async () => {
  absent.add(FIRST);
  await reset(FIRST, 'On');
  await reset(SECOND, 'On');
  start();
  await look(3);
  expect(signals.map(({ node }) => node)).toEqual([SECOND]);
  absent.clear();
  await look(2);
  expect(signals.map(({ node }) => node)).toEqual([SECOND, FIRST]);
});

it('a BMC is not disturbed while an operation runs, and looked at while one is held', async () => {
  const operation = { requestId: 'r', kind: 'deploy', args: {}, step: null, failure: null } as const;
  await write(FIRST, { operation: { ...operation, held: false } });
  await write(SECOND, { operation: { ...operation, held: true } });
  await faults(FIRST, { bmcDown: 1000 });
  await faults(SECOND, { bmcDown: true });
  start();
  await until(() => signals.length > 0);
  expect(signals).toMatchObject([{ node: SECOND, seen: { reachable: false, why: 'BMC_CONNECTION_LOST' } }]);
  const left = (await (await fetch(`${lab.controlUrl}/servers/${FIRST}/faults`)).json()) as object;
  expect(left).toEqual({ faults: { bmcDown: 1000 } });
});

it('a BMC that does not answer is told after three looks, and its return at once', async () => {
  start();
  await look();
  await faults(FIRST, { bmcDown: true });
  await until(() => signals.length > 0);
  await look(2);
  await faults(FIRST, null);
  await until(() => signals.length > 1);
  await look(2);
  expect(signals).toMatchObject([
    { node: FIRST, seen: { reachable: false, why: 'BMC_CONNECTION_LOST' } },
    { node: FIRST, seen: { reachable: true, power: 'off', health: 'OK' } },
  ]);
  expect((await site.records.read('lab', FIRST))!.unreachable).toBeNull();
});

it('a contract that is wrong leaves the one before in force, and `off` is obeyed with the next round', async () => {
  let current: () => Promise<Inventory> = site.inventory;
  const right = site.inventory;
  site = { ...site, inventory: () => current() };
  start();
  await look();
  current = () => Promise.reject(new Error('being written'));
  await reset(FIRST, 'On');
  await until(() => signals.length === 1);
  current = async () => {
    const inventory = await right();
    const nodes = inventory.nodes.map((node) =>
      node.name === SECOND ? { ...node, bmc: { ...node.bmc!, watch: 'off' as const } } : node,
    );
    return { ...inventory, nodes };
  };
  await look();
  await reset(SECOND, 'On');
  await reset(THIRD, 'On');
  await until(() => signals.length === 2);
  await look(2);
  expect(signals.map(({ node }) => node)).toEqual([FIRST, THIRD]);
  let asked = 0;
  current = async () => {
    asked += 1;
    return { ...contract, bmc: { ...contract.bmc, watch: 'off' } };
  };
  await until(() => asked > 0, { what: 'a look at the contract' });
  await reset(THIRD, 'ForceOff');
  await stop();
  expect([asked, signals.length]).toEqual([1, 2]);
});
