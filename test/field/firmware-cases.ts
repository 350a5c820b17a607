import { expect } from 'vitest';
import { FIRMWARE_BASELINE } from '../../lab/supplies.ts';
import { redfishDriver } from '../../activities/drivers/redfish/driver.ts';
import type { LabEvent } from '../activities/drivers/redfish/bench.ts';
import { failureOf, NODE, type Lane } from './lane.ts';
import type { Case, Op } from './row.ts';

const SERVICE: Op = ['service', { steps: ['firmware'] }];
const started = (events: readonly LabEvent[]): number =>
  events.filter(({ event }) => event === 'update-started').length;
/** Updates are played by themselves: not in combinations of what a boot from media meets. */
const contract: NonNullable<Case['contract']> = (inventory) => inventory;
/** What is no NIC is not known to need a reset: its task says so. */
const nicOfNoKind: NonNullable<Case['contract']> = ({ firmware, ...inventory }) => {
  const baselines = firmware!.baselines.map((baseline) => ({
    ...baseline,
    components: baseline.components.map((each) =>
      each.component === 'NIC' ? { ...each, kind: 'other' as const } : each,
    ),
  }));
  return { ...inventory, firmware: { ...firmware!, baselines } };
};
const ALL = Object.keys(FIRMWARE_BASELINE).length;

/** A server with the firmware that it was shipped with. */
const old = async (lane: Lane): Promise<void> => {
  await lane.bench.updates.remove(NODE);
  await lane.bench.oldFirmware(NODE);
};
/** Each component was updated once, and no more. */
const once = (events: readonly LabEvent[]): void => expect(started(events)).toBe(ALL);

const updated = (id: string, what: string, faults: Case['faults']): Case => ({
  id,
  what: `firmware: ${what}`,
  faults,
  contract,
  prepare: old,
  ops: [SERVICE],
  check: once,
});

/** Fields of a failure that comes at the first update. */
const stops = (
  id: string,
  what: string,
  faults: Case['faults'],
  fails: NonNullable<Case['fails']>,
): Case => ({
  id,
  what: `firmware: ${what}`,
  faults,
  contract,
  prepare: old,
  ops: [SERVICE],
  fails,
});

export const FIRMWARE_CASES: readonly Case[] = [
  updated('task-32', 'a task without Location, in arguments only, nowhere', {
    taskWithoutLocation: 1,
    taskOnlyInArgs: 1,
    taskNowhere: 1,
  }),
  updated('task-32', 'every task is nowhere: the effect is watched', { taskNowhere: true }),
  stops(
    'task-33',
    'Completed, 100 %, Critical: a failure',
    { updateFails: 1 },
    {
      step: 'update-firmware',
      code: 'FIRMWARE_UPDATE_FAILED',
      domain: 'firmware',
      says: /did not verify/,
    },
  ),
  updated('task-34', 'a state that is in no standard', { taskStateUnknown: true }),
  {
    ...updated('task-34', 'completed, reboot pending', { updateRebootPending: 2 }),
    contract: nicOfNoKind,
  },
  updated('task-34', 'a task that waits for the reset of the host', { updateScheduled: 2 }),
  updated('task-36', 'monitors answer 204 and 303', { taskMonitorNoContent: 1, taskMonitorRedirects: 1 }),
  updated('task-37', 'Locations absolute and relative, with a query', {
    taskLocationAbsolute: 1,
    taskLocationRelative: 1,
  }),
  updated('sess-41', 'the BMC comes back late from its own update', { bmcSlowToReturn: 1 }),
  updated('sess-41', 'an answer that is lost: no second update', { 'simpleUpdate.lostResponse': 3 }),
  updated('sess-41', '503 to SimpleUpdate, with Retry-After', { 'simpleUpdate.status503RetryAfter': 1 }),
  updated('life-66', 'the BIOS shows the new version once, then the old one', { firmwareFlips: 1 }),
  {
    id: 'life-64',
    what: 'firmware: a second updater finds nothing to do, and that is success',
    faults: {},
    contract,
    prepare: old,
    ops: [SERVICE, SERVICE],
    check: once,
  },
  {
    id: 'life-64',
    what: 'firmware: somebody else updates: nothing is started before that ends',
    faults: { updateBusy: true },
    contract,
    prepare: old,
    run: async (lane) => {
      const operation = lane.begin(...SERVICE);
      await operation.run('check-firmware');
      const begun = (await lane.bench.log(NODE)).length;
      const attempt = redfishDriver.steps['update-firmware']!(operation.context('update-firmware'));
      const failure = await failureOf(attempt);
      expect(failure).toMatchObject({ code: 'FIRMWARE_BUSY', faultDomain: 'firmware', retryable: true });
      expect(failure.message).toContain('Firmware update');
      expect(started(await lane.since(begun))).toBe(0);
      await lane.bench.faults(NODE, { updateBusy: false });
      for (const step of ['update-firmware', 'compare-survey', 'restore-power']) await operation.step(step);
      expect(started(await lane.since(begun))).toBe(ALL);
      operation.end();
    },
  },
  stops(
    'vm-15',
    'the BMC cannot fetch the file',
    { updateFetchFails: 1 },
    {
      step: 'update-firmware',
      code: 'FIRMWARE_UPDATE_FAILED',
      domain: 'media-publisher',
      says: /could not be reached/,
    },
  ),
];
