import { expect } from 'vitest';
import { redfishDriver } from '../../activities/drivers/redfish/driver.ts';
import type { LabEvent } from '../activities/drivers/redfish/bench.ts';
import { failureOf, NODE } from './lane.ts';
import type { Case } from './row.ts';

const CD = '/Systems/1/VirtualMedia/Cd';
const INSERT = `${CD}/Actions/VirtualMedia.InsertMedia`;
type Request = { readonly path: string; readonly body: { readonly [name: string]: unknown } | null };

/** The requests for an insert that the BMC got. */
export const inserts = (events: readonly LabEvent[]): Request[] =>
  events
    .filter((e) => e.event === 'request' && String(e['path']).endsWith('InsertMedia'))
    .map((e) => e as unknown as Request);

const insertFails = (
  code: 'MEDIA_FETCH_FAILED' | 'MEDIA_REFUSED',
  says: RegExp,
): NonNullable<Case['fails']> => ({
  step: 'insert-media',
  code,
  domain: code === 'MEDIA_FETCH_FAILED' ? 'media-publisher' : 'bmc',
  says,
  ...(code === 'MEDIA_FETCH_FAILED' ? { waits: true } : {}),
});

/** At most one more request for what an error names, and what was learned is kept for the next operation. */
const atMost =
  (most: number) =>
  (events: readonly LabEvent[]): void => {
    const paths = inserts(events).map(({ path }) => path);
    for (const path of paths) expect(paths.filter((p) => p === path).length).toBeLessThanOrEqual(most);
  };
const dummies = (events: readonly LabEvent[]): void => {
  const sent = inserts(events).map(({ body }) => body?.['UserName']);
  expect(sent).toContain('none');
  expect(sent.filter((name) => name !== undefined && name !== 'none')).toEqual([]);
};
/** The image was shown before the machine was started. */
const shownBeforeOn = (events: readonly LabEvent[]): void => {
  const fired = events.findLastIndex((e) => e['fault'] === 'insertShowsLate');
  const on = events.findIndex((e) => e.event === 'power' && e['state'] === 'On');
  expect(fired).toBeLessThan(on);
};

export const MEDIA_CASES: readonly Case[] = [
  {
    id: 'vm-1',
    what: 'TransferProtocolType in MessageArgs',
    faults: { insertNeedsProtocol: true },
    check: atMost(3),
  },
  {
    id: 'vm-1',
    what: 'TransferProtocolType in RelatedProperties',
    faults: { insertNeedsProtocolRelated: true },
  },
  { id: 'vm-1', what: 'TransferProtocolType in the text only', faults: { insertNeedsProtocolText: true } },
  {
    id: 'vm-1',
    what: 'it is asked for though it was given: one more request, then an error',
    faults: { insertAlwaysWantsProtocol: true },
    fails: insertFails('MEDIA_REFUSED', /TransferProtocolType/),
    check: atMost(2),
  },
  {
    id: 'vm-2',
    what: 'UserName and Password, even dummies',
    faults: { insertNeedsCredentials: true },
    check: dummies,
  },
  {
    id: 'vm-2',
    what: 'the same, and the errors have no code',
    faults: { insertNeedsCredentials: true, insertNeedsProtocol: true, errorWithoutCode: true },
    check: dummies,
  },
  {
    id: 'vm-2',
    what: 'those of the contract are sent, where it has some',
    contract: (inventory) => ({
      ...inventory,
      media: { ...inventory.media!, credentials: { username: 'reader', password: 'env:HOME' } },
    }),
    faults: { insertNeedsCredentials: true },
    never: ['insertNeedsCredentials'],
    check: (events) => {
      const names = inserts(events).map(({ body }) => body?.['UserName']);
      expect([names.length > 0, new Set(names)]).toEqual([true, new Set(['reader'])]);
    },
    probe: async (lane) => {
      expect(await lane.write('POST', INSERT, { Image: 'http://127.0.0.1:1/a.iso' })).toBe(400);
    },
  },
  {
    id: 'vm-4',
    what: 'Inserted and WriteProtected are refused: never sent unasked',
    faults: { insertWantsMinimalBody: true },
    never: ['insertWantsMinimalBody'],
    probe: async (lane) => {
      expect(await lane.write('POST', INSERT, { Image: 'http://127.0.0.1:1/a.iso', Inserted: true })).toBe(
        400,
      );
    },
  },
  { id: 'vm-6', what: 'the old image is shown for some reads', faults: { mediaStaysAfterEject: 8 } },
  { id: 'vm-6', what: 'the old URL stays for ever', faults: { mediaUrlStays: true } },
  {
    id: 'vm-6',
    what: 'Inserted stays for ever, ConnectedVia does not',
    faults: { mediaLooksInserted: true },
  },
  {
    id: 'vm-6',
    what: 'everything stays for ever: an error that says so',
    before: [['clean', { erase: 'metadata' }]],
    faults: { mediaStaysAfterEject: true },
    fails: {
      step: 'insert-media',
      code: 'MEDIA_NOT_EJECTED',
      domain: 'bmc',
      waits: true,
      says: /still shows/,
    },
  },
  {
    id: 'vm-6',
    what: 'the very URL is inserted again while the old one is shown',
    faults: { mediaStaysAfterEject: 60 },
    run: async (lane) => {
      const operation = lane.begin('clean', { erase: 'metadata' });
      await operation.run('set-boot');
      // An attempt to make the node safe that was not repeated: the drive shows the image still.
      const settle = redfishDriver.settle(operation.context('settle'), ['media']);
      expect(await failureOf(settle)).toMatchObject({ code: 'MEDIA_NOT_EJECTED', retryable: true });
      await operation.step('insert-media');
      expect((await lane.bench.server(NODE)).media['Cd']!.inserted).toBe(true);
      await operation.run();
      operation.end();
    },
    check: (events) => expect(events.filter(({ event }) => event === 'insert')).toHaveLength(2),
  },
  {
    id: 'vm-8',
    what: 'a second eject of a drive that is empty, and shown as full, is an error',
    faults: { 'ejectMedia.lostResponse': 1, mediaStaysAfterEject: 8, ejectEmptyIsError: true },
  },
  { id: 'vm-10', what: 'drives under the system only', faults: { mediaOnlyUnderSystem: true } },
  { id: 'vm-10', what: 'drives under the manager only', faults: { mediaOnlyUnderManager: true } },
  { id: 'vm-10', what: 'under both, those of the system refuse', faults: { systemMediaRefuses: true } },
  {
    id: 'vm-10',
    what: 'under both, those of the system take it and show nothing; found out once',
    faults: { systemMediaDead: true },
    check: (events) =>
      expect(inserts(events).filter(({ path }) => path.includes('/Systems/'))).toHaveLength(1),
  },
  { id: 'vm-12', what: 'a slot without InsertMedia, DVD instead of CD', faults: { firstSlotDead: true } },
  { id: 'vm-12', what: 'a slot that answers 405', faults: { firstSlotRefuses: true } },
  {
    id: 'vm-12',
    what: 'no slot that takes an image: an error',
    faults: { noSlotInserts: true },
    fails: insertFails('MEDIA_REFUSED', /No virtual drive took/),
  },
  { id: 'vm-14', what: 'the drive is patched, Inserted is absent', faults: { mediaByPatch: true } },
  {
    id: 'vm-15',
    what: 'the BMC cannot fetch the image',
    faults: { mediaUnreachable: true },
    fails: insertFails('MEDIA_FETCH_FAILED', /could not fetch/),
  },
  {
    id: 'vm-15',
    what: 'the same as RAC0904',
    faults: { fetchFailsWithId: true },
    fails: insertFails('MEDIA_FETCH_FAILED', /could not fetch/),
  },
  {
    id: 'vm-15',
    what: 'the same as a text',
    faults: { fetchFailsInText: true },
    fails: insertFails('MEDIA_FETCH_FAILED', /could not fetch/),
  },
  { id: 'vm-16', what: 'the insert is a task', faults: { insertIsTask: true } },
  { id: 'vm-16', what: 'the image is shown late', faults: { insertShowsLate: 5 }, check: shownBeforeOn },
  {
    id: 'vm-16',
    what: 'a task, and shown late',
    faults: { insertIsTask: 1, insertShowsLate: 5 },
    check: shownBeforeOn,
  },
  {
    id: 'task-32',
    what: 'the task is in the body',
    faults: { insertIsTask: true, taskWithoutLocation: true },
  },
  { id: 'task-32', what: 'the task is in MessageArgs', faults: { insertIsTask: true, taskOnlyInArgs: true } },
  {
    id: 'task-32',
    what: 'the task is in the body, and has failed',
    faults: { insertTaskFails: true, taskWithoutLocation: true },
    fails: insertFails('MEDIA_FETCH_FAILED', /could not be fetched/),
  },
  {
    id: 'task-32',
    what: 'the task is in MessageArgs, and has failed',
    faults: { insertTaskFails: true, taskOnlyInArgs: true },
    fails: insertFails('MEDIA_FETCH_FAILED', /could not be fetched/),
  },
  {
    id: 'task-32',
    what: 'the task is nowhere',
    faults: { insertIsTask: true, taskNowhere: true, insertShowsLate: 3 },
  },
  {
    id: 'task-33',
    what: 'Completed, 100 %, Critical: a failure',
    faults: { insertTaskFails: true },
    fails: insertFails('MEDIA_FETCH_FAILED', /could not be fetched/),
  },
  {
    id: 'task-34',
    what: 'a state that is in no standard',
    faults: { insertIsTask: true, taskStateUnknown: true },
  },
  {
    id: 'task-36',
    what: 'the monitor answers 204',
    faults: { insertIsTask: true, taskMonitorNoContent: true },
  },
  {
    id: 'task-36',
    what: 'the monitor answers 303',
    faults: { insertIsTask: true, taskMonitorRedirects: true },
  },
  {
    id: 'task-36',
    what: 'the monitor answers 303, and the task has failed',
    faults: { insertTaskFails: true, taskMonitorRedirects: true },
    fails: insertFails('MEDIA_FETCH_FAILED', /could not be fetched/),
  },
  {
    id: 'task-37',
    what: 'an absolute Location with a query',
    faults: { insertIsTask: true, taskLocationAbsolute: true },
  },
  {
    id: 'task-37',
    what: 'an absolute Location, of a task that has failed',
    faults: { insertTaskFails: true, taskLocationAbsolute: true },
    fails: insertFails('MEDIA_FETCH_FAILED', /could not be fetched/),
  },
  {
    id: 'task-37',
    what: 'a relative Location, of a task that has failed',
    faults: { insertTaskFails: true, taskLocationRelative: true },
    fails: insertFails('MEDIA_FETCH_FAILED', /could not be fetched/),
  },
  {
    id: 'task-37',
    what: 'a relative Location with a query',
    faults: { insertIsTask: true, taskLocationRelative: true },
  },
];
