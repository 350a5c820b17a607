import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeAllBmcs } from '../../activities/redfish/transport.ts';
import { FAULT_SWITCHES } from '../../lab/fault-switches.ts';
import { BOOT_CASES } from './boot-cases.ts';
import { Lane, NODE } from './lane.ts';
import { MEDIA_CASES } from './media-cases.ts';
import { SERVICE_CASES } from './service-cases.ts';

// Faults of BMCs that were met in the field, each played by the lab while whole operations run over HTTPS: that it
// struck, how the operation ends, and what it leaves on the BMC.

const IDS = `
  vm-1 vm-2 vm-4 vm-6 vm-8 vm-10 vm-12 vm-14 vm-15 vm-16
  boot-17 boot-18 boot-19 boot-21 boot-22 boot-24 boot-25
  power-28 power-29 power-30
  task-32 task-33 task-34 task-36 task-37
  sess-38 sess-41 sess-44 sess-46 sess-47
  shape-43 shape-49 shape-50 shape-63
  bios-52 bios-53 bios-55 raid-56
  life-57 life-60 life-64 life-66`
  .trim()
  .split(/\s+/);

/** What is not played here, and why. */
const WAITS_FOR: { readonly [id: string]: string } = {
  'bios-52': 'a verb that sets BIOS settings: the one write there is, clearing the TPM, makes no job',
  'bios-53': 'a verb that sets BIOS settings',
  'raid-56': 'a verb that makes volumes',
  'life-57': 'the workflow that bounds the wait for the agent: it is not part of the driver',
  'life-60': 'the gateway: test/activities/drivers/redfish/safety.test.ts plays an agent with other MACs',
  'life-64': 'a verb that updates firmware',
};

const CASES = [...MEDIA_CASES, ...BOOT_CASES, ...SERVICE_CASES];
const LANES = 4;
const lanes: Lane[] = [];
const free: Lane[] = [];
const waiting: ((lane: Lane) => void)[] = [];
const passed = new Map<string, number>();

const borrow = (): Promise<Lane> =>
  new Promise((take) => {
    const lane = free.shift();
    if (lane === undefined) waiting.push(take);
    else take(lane);
  });

beforeAll(async () => {
  for (let i = 0; i < LANES; i += 1) lanes.push(await Lane.open());
  free.push(...lanes);
});

function giveBack(lane: Lane): void {
  const next = waiting.shift();
  if (next === undefined) free.push(lane);
  else next(lane);
}

afterAll(async () => {
  await closeAllBmcs();
  const sessions = await Promise.all(lanes.map(async ({ bench }) => (await bench.server(NODE)).sessions));
  for (const { bench } of lanes) await bench.close();
  const line = (id: string, what: string, how: string): string => `${id.padEnd(9)} ${what.padEnd(76)} ${how}`;
  const played = CASES.map(({ id, what }) => {
    const ms = passed.get(`${id} ${what}`);
    return line(id, what, ms === undefined ? 'not ok' : `ok ${(ms / 1000).toFixed(1)} s`);
  });
  const left = Object.entries(WAITS_FOR).map(([id, why]) => line(id, why, 'waits'));
  process.stdout.write(`\n${[...played, ...left].join('\n')}\n`);
  expect(sessions, 'sessions that are left on the BMCs').toEqual(lanes.map(() => 0));
});

it('knows every row, and every switch that stands for one', () => {
  const played = new Set(CASES.map(({ id }) => id));
  expect(IDS.filter((id) => played.has(id) === id in WAITS_FOR)).toEqual([]);
  expect([...played, ...Object.keys(WAITS_FOR)].filter((id) => !IDS.includes(id))).toEqual([]);
  const used = new Set(CASES.flatMap(({ faults }) => Object.keys(faults)));
  const idle = FAULT_SWITCHES.filter(
    ({ name, report }) => report !== undefined && !used.has(name) && !(report in WAITS_FOR),
  );
  expect(idle.map(({ name }) => name)).toEqual([]);
});

describe.concurrent('played through whole operations', () => {
  it.each(CASES.map((each) => [`${each.id}: ${each.what}`, each] as const))(
    '%s',
    async (_name, each) => {
      const lane = await borrow();
      const began = Date.now();
      try {
        await lane.play(each);
        passed.set(`${each.id} ${each.what}`, Date.now() - began);
      } finally {
        giveBack(lane);
      }
    },
    300_000,
  );
});
