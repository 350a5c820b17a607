import { expect } from 'vitest';
import type { LabEvent } from '../activities/drivers/redfish/bench.ts';
import type { Lane } from './lane.ts';
import type { Case } from './row.ts';

const MODE = 'BootSourceOverrideMode';
const writeMode = (lane: Lane, mode: string) => lane.write('PATCH', '/Systems/1', { Boot: { [MODE]: mode } });
const ON = [['power', { state: 'on' }]] as const;
const OFF = [['power', { state: 'off' }]] as const;
const REBOOT = [['power', { state: 'reboot' }]] as const;

/** A reboot is off, proven, then on. */
const offThenOn = (events: readonly LabEvent[]): void =>
  expect(events.filter(({ event }) => event === 'power').map((e) => e['state'])).toEqual(['Off', 'On']);

export const BOOT_CASES: readonly Case[] = [
  { id: 'boot-17', what: 'Boot is read-only on the system', faults: { bootOnlyOnSettings: true } },
  { id: 'boot-18', what: 'the settings object has BootOrder only', faults: { settingsHaveOrderOnly: true } },
  { id: 'boot-19', what: '428 without If-Match', faults: { bootNeedsEtag: true } },
  {
    id: 'boot-19',
    what: 'the same for drives that are patched',
    faults: { patchNeedsEtag: true, mediaByPatch: true },
  },
  {
    id: 'boot-19',
    what: 'the same for a settings object',
    faults: { patchNeedsEtag: true, bootOnlyOnSettings: true },
  },
  {
    id: 'boot-21',
    what: 'the mode is read-only: not sent, since it does not differ',
    faults: { bootRefusesMode: true },
    never: ['bootRefusesMode'],
    probe: async (lane) => expect(await writeMode(lane, 'UEFI')).toBe(400),
  },
  { id: 'boot-21', what: 'the mode is required', faults: { bootNeedsMode: true } },
  { id: 'boot-21', what: 'the mode is unknown', faults: { bootHidesMode: true } },
  {
    id: 'boot-21',
    what: 'the mode is read-only and another one: an error that shows it',
    faults: { bootRefusesMode: true },
    prepare: (lane) => writeMode(lane, 'Legacy'),
    fails: { step: 'set-boot', code: 'BOOT_NOT_APPLIED', domain: 'bmc', waits: true, says: /Legacy/ },
    probe: async (lane) => {
      await lane.clearFaults();
      await writeMode(lane, 'UEFI');
    },
  },
  {
    id: 'boot-22',
    what: 'an equal mode would queue a job: not written',
    faults: { equalModeQueuesJob: 1 },
    never: ['equalModeQueuesJob'],
    probe: (lane) => writeMode(lane, 'UEFI'),
  },
  { id: 'boot-22', what: 'a job is pending: waits', faults: { bootJobPending: 2 } },
  { id: 'boot-24', what: 'Once reads back as Continuous', faults: { onceShowsContinuous: true } },
  { id: 'boot-24', what: 'Once stays after the boot', faults: { overrideStays: true } },
  { id: 'boot-24', what: 'only Continuous is offered', faults: { bootContinuousOnly: true } },
  { id: 'boot-25', what: 'in POST: backs off', faults: { bootInPost: 2 } },
  {
    id: 'boot-25',
    what: 'in POST for ever: an error that says so',
    faults: { bootInPost: true },
    fails: { step: 'set-boot', code: 'BMC_STATE_REFUSED', domain: 'bmc', waits: true, says: /in POST/ },
  },
  {
    id: 'boot-25',
    what: 'the same for media and power',
    faults: { mediaInPost: 2, resetInPost: 2 },
  },
  { id: 'life-66', what: 'reads right once, then flips', faults: { overrideFlips: 2 } },
  {
    id: 'power-28',
    what: '409 to ForceOff when off',
    faults: { powerShowsOpposite: 1, sameStateIsConflict: 1 },
  },
  {
    id: 'power-28',
    what: '400 to ForceOff when off',
    faults: { powerShowsOpposite: 1, sameStateIsBadRequest: 1 },
  },
  {
    id: 'power-28',
    what: '409 to On when on',
    before: [['deploy']],
    faults: { powerShowsOpposite: 1, sameStateIsConflict: 1 },
    ops: ON,
  },
  { id: 'power-29', what: '409 to On right after off', faults: { onAfterOffConflict: 2 } },
  { id: 'power-30', what: 'two reset types are glued together', faults: { resetValuesGlued: true } },
  { id: 'power-30', what: 'the list lacks what works', faults: { resetValuesLack: true } },
  {
    id: 'power-30',
    what: 'restarts are refused: not asked for',
    before: [['deploy']],
    faults: { restartRefused: 1 },
    never: ['restartRefused'],
    ops: REBOOT,
    check: offThenOn,
    probe: (lane) =>
      lane.write('POST', '/Systems/1/Actions/ComputerSystem.Reset', { ResetType: 'GracefulRestart' }),
  },
  {
    id: 'power-30',
    what: 'a shutdown is refused: forced',
    before: [['deploy']],
    faults: { gracefulRefused: 1 },
    ops: REBOOT,
    check: offThenOn,
  },
  {
    id: 'power-30',
    what: 'a shutdown is accepted, and the system goes on: forced after its time',
    before: [['deploy']],
    contract: (inventory) => ({ ...inventory, bmc: { ...inventory.bmc, timeouts: { shutdown: 1 } } }),
    faults: { gracefulIgnored: 1 },
    ops: OFF,
    check: (events) => {
      const sent = events.filter(({ path }) => String(path).endsWith('ComputerSystem.Reset'));
      const types = sent.map(({ body }) => (body as { ResetType?: string }).ResetType);
      expect(types).toEqual(['GracefulShutdown', 'ForceOff']);
    },
  },
];
