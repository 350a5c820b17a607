import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Watcher } from '../../activities/drivers/driver.ts';
import { WORKFLOW_QUEUE } from '../../core/names.ts';
import type { Observed } from '../../core/observed.ts';
import type { Look } from '../../core/watch.ts';
import { ensureWatch } from '../../workers/temporal/watch.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, NODE, SITE, until } from './support.ts';

const WATCH = `watch/${SITE}`;
const OTHER = 'n2';

let house: House;
/** What the BMCs say, and who was looked at. */
let world: { [node: string]: Look };
let looks: number;

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  house.inventory = { ...INVENTORY, bmc: { ...INVENTORY.bmc, watch: { interval: 0.1 } } };
  const watcher = (): Watcher => ({
    batch: 10,
    look: async (nodes) => {
      looks += 1;
      return new Map(nodes.map(({ name }) => [name, world[name] ?? {}]));
    },
    release: () => undefined,
  });
  Object.assign(house.driver, { watcher });
  house.driver.script['connect'] = async () => ({ summary: 'on', data: { power: 'on', health: 'OK' } });
  house.driver.script['set-power'] = async ({ args }) => {
    const power = args['state'] as 'on' | 'off';
    return { summary: power, data: { power } };
  };
  for (const node of [NODE, OTHER]) {
    await house.open(node);
    await house.run('enroll', {}, node);
  }
});
afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});
beforeEach(() => {
  looks = 0;
  world = { [NODE]: { power: 'on', health: 'OK' }, [OTHER]: { power: 'on', health: 'OK' } };
});

const watch = () => house.client.getHandle(WATCH);
const runOf = async (): Promise<string> => (await watch().describe()).runId;

/** Waits until everything was looked at again, from beginning to end. */
async function look(): Promise<void> {
  const enough = looks + 3;
  await until(() => looks >= enough, { what: `look ${enough}` });
}

/** What a node was told by the watch. */
async function told(node = NODE): Promise<Observed[]> {
  const { events } = await house.entity(node).fetchHistory();
  return (events ?? [])
    .map((event) => event.workflowExecutionSignaledEventAttributes)
    .filter((signal) => signal?.signalName === 'observed')
    .map((signal) => JSON.parse(Buffer.from(signal!.input!.payloads![0]!.data!).toString()) as Observed);
}

describe('the watch of a site', () => {
  it('is started by whoever comes first, and runs once', async () => {
    await ensureWatch(house.environment.client, SITE);
    const run = await runOf();
    await ensureWatch(house.environment.client, SITE);
    await look();
    expect(await runOf()).toBe(run);
    expect(await told()).toEqual([]);
  });

  it('tells a node that its power was changed, and the node names it until an operation sets the power', async () => {
    await look();
    world[NODE] = { power: 'off', health: 'OK' };
    await until(async () => (await house.state()).power === 'off');
    const { powerChange, changes } = await house.state();
    expect(powerChange).toMatchObject({ from: 'on', to: 'off', by: 'outside' });
    expect(changes).toMatchObject([{ what: 'power', from: 'on', to: 'off' }]);
    await until(async () => (await house.records.read(SITE, NODE))?.powerChange != null);
    await look();
    expect(await told()).toHaveLength(1);
    expect(await told(OTHER)).toEqual([]);
    await until(async () => {
      const { memo } = await house.entity().describe();
      return memo?.['power'] === 'off' && (memo['powerChange'] as { to: string } | null)?.to === 'off';
    });

    // The entity that comes after it has it from the record.
    await house.entity().terminate('by a test');
    await look();
    await house.open();
    expect((await house.state()).powerChange).toEqual(powerChange);

    await house.send('power', { requestId: 'mends-it', state: 'on' });
    world[NODE] = { power: 'on', health: 'OK' };
    await house.result('mends-it');
    await until(async () => (await house.state()).operation === null);
    expect(await house.state()).toMatchObject({ power: 'on', powerChange: null });
    await look();
    expect(await house.state()).toMatchObject({ power: 'on', powerChange: null });
    await until(async () => (await house.entity().describe()).memo?.['powerChange'] == null);
  });

  it('tells health, and that a BMC is silent', async () => {
    world[OTHER] = { power: 'on', health: 'Critical' };
    await until(async () => (await house.state(OTHER)).health === 'Critical');
    world[OTHER] = 'BMC_UNREACHABLE';
    await until(async () => (await house.state(OTHER)).unreachable != null);
    expect(await house.state(OTHER)).toMatchObject({
      power: 'unknown',
      health: 'unknown',
      unreachable: { why: 'BMC_UNREACHABLE' },
    });
    world[OTHER] = { power: 'on', health: 'OK' };
    await until(async () => (await house.state(OTHER)).unreachable === null);
    expect(await house.state(OTHER)).toMatchObject({ power: 'on', health: 'OK' });
    expect((await house.state(OTHER)).powerChange).toBeUndefined();
    await until(async () => (await house.entity(OTHER).describe()).memo?.['unreachable'] == null);
  });

  it('goes on in a run of its own, with a short history, when its worker stops', async () => {
    await look();
    const run = await runOf();
    const before = (await told(OTHER)).length;
    await house.stopWorkers('activities');
    await until(async () => (await runOf()) !== run);
    const { events } = await house.client.getHandle(WATCH, run).fetchHistory();
    expect(events!.length).toBeLessThan(12);
    await house.startActivities();
    await look();
    expect(await told(OTHER)).toHaveLength(before);
  });

  it('begins again when a worker starts after it was terminated', async () => {
    await watch().terminate('by a test');
    await ensureWatch(house.environment.client, SITE);
    await look();
    expect((await watch().describe()).status.name).toBe('RUNNING');
  });

  it.each([
    [WATCH + '-other', { site: SITE }, 'INVALID_WORKFLOW_ID'],
    ['watch/x', null, 'INVALID_MESSAGE'],
    ['watch/x', { site: 'X!' }, 'INVALID_MESSAGE'],
    ['watch/x', { site: 'x', node: 'n1' }, 'INVALID_MESSAGE'],
  ])('started wrongly, as %s with %j, it fails at once', async (workflowId, input, type) => {
    const handle = await house.client.start('watch', {
      workflowId: `${workflowId}`,
      taskQueue: WORKFLOW_QUEUE,
      args: [input],
    });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type } });
  });
});

describe('an entity that is told what was seen', () => {
  const NODE3 = 'n3';
  const send = (seen: unknown) => house.entity(NODE3).signal('observed', seen);
  const seen = (over: object): object => ({
    at: '2026-03-01T10:00:00Z',
    reachable: true,
    power: 'off',
    ...over,
  });
  /** Waits until the entity has heard everything that was sent before. */
  async function heard(): Promise<void> {
    const reason = randomUUID();
    await house.send('maintenance', { on: true, reason }, NODE3);
    await until(async () => (await house.records.read(SITE, NODE3))?.flags.maintenance === reason);
  }

  it('ignores a look that began before the end of the last operation', async () => {
    // The watch leaves it alone: what it is told comes from this test.
    world[NODE3] = {};
    await house.open(NODE3);
    let enter: () => void = () => undefined;
    let leave: () => void = () => undefined;
    const inside = new Promise<void>((resolve) => (enter = resolve));
    const gate = new Promise<void>((resolve) => (leave = resolve));
    const { script } = house.driver;
    const usual = script['set-power']!;
    script['set-power'] = async (input, context) => {
      enter();
      await gate;
      return usual(input, context);
    };
    await house.send('power', { requestId: 'on', state: 'on' }, NODE3);
    await inside;
    const { generation } = (await house.records.read(SITE, NODE3))!;
    await send(seen({ generation }));
    leave();
    await house.result('on', NODE3);
    await send(seen({ generation }));
    await until(async () => (await house.state(NODE3)).operation === null);
    await send(seen({ generation }));
    await heard();
    script['set-power'] = usual;
    expect(await house.state(NODE3)).toMatchObject({ power: 'on' });
    expect((await house.state(NODE3)).powerChange).toBeUndefined();

    // And takes one that came after it.
    await send(seen({ generation: (await house.records.read(SITE, NODE3))!.generation }));
    await until(async () => (await house.state(NODE3)).power === 'off');
    expect((await house.state(NODE3)).powerChange).toMatchObject({ from: 'on', to: 'off' });
  });

  it('goes on whatever it is told', async () => {
    const wrong = [
      null,
      'off',
      [],
      {},
      seen({}),
      seen({ generation: 'x' }),
      seen({ generation: 1, power: 7 }),
    ];
    for (const each of wrong) await send(each);
    await house.entity(NODE3).signal('observed');
    await heard();
    const { refused } = await house.state(NODE3);
    expect(refused.filter(({ verb }) => verb === 'observed')).toHaveLength(wrong.length + 1);
    expect(refused.at(-2)).toMatchObject({
      code: 'INVALID_MESSAGE',
      message: expect.stringContaining('power'),
    });
  });
});
