import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_SWITCHES } from '../../lab/fault-switches.ts';
import { BY_THE_PRODUCT, CASES, IDS, nameOf, WAITS_FOR } from './cases.ts';
import { Lanes } from './lanes.ts';

// Faults of BMCs that were met in the field, each played by the lab while whole operations run over HTTPS: that it
// struck, how the operation ends, and what it leaves on the BMC.

/** A handling that is switched off may make a case wait for ever. */
const WITHOUT = process.env['RACKWRIGHT_WITHOUT'] !== undefined;
const LONGEST_MS = WITHOUT ? 150_000 : 300_000;

const lanes = new Lanes();
const passed = new Map<string, number>();

beforeAll(() => lanes.open(WITHOUT ? 2 : 8));

afterAll(async () => {
  await lanes.close();
  if (WITHOUT) return;
  const line = (id: string, what: string, how: string): string => `${id.padEnd(9)} ${what.padEnd(76)} ${how}`;
  const played = CASES.map((each) => {
    const ms = passed.get(nameOf(each));
    return line(each.id, each.what, ms === undefined ? 'not ok' : `ok ${(ms / 1000).toFixed(1)} s`);
  });
  const left = Object.entries(WAITS_FOR).map(([id, why]) => line(id, why, 'waits'));
  process.stdout.write(`\n${[...played, ...left].join('\n')}\n`);
});

it('knows every row, and every switch that stands for one', () => {
  const played = new Set([...CASES.map(({ id }) => id), ...BY_THE_PRODUCT]);
  expect(IDS.filter((id) => played.has(id) === id in WAITS_FOR)).toEqual([]);
  expect([...played, ...Object.keys(WAITS_FOR)].filter((id) => !IDS.includes(id))).toEqual([]);
  const used = new Set(CASES.flatMap(({ faults }) => Object.keys(faults)));
  const elsewhere = (report: string): boolean => report in WAITS_FOR || BY_THE_PRODUCT.includes(report);
  const idle = FAULT_SWITCHES.filter(
    ({ name, report }) => report !== undefined && !used.has(name) && !elsewhere(report),
  );
  expect(idle.map(({ name }) => name)).toEqual([]);
});

describe.concurrent('played through whole operations', () => {
  it.each(CASES.map((each) => [nameOf(each), each] as const))(
    '%s',
    (name, each) =>
      lanes.on(async (lane) => {
        const began = Date.now();
        await lane.play(each);
        passed.set(name, Date.now() - began);
      }),
    LONGEST_MS,
  );
});
