import { describe, expect, it } from 'vitest';
import {
  inOrder,
  kindOf,
  matching,
  sameVersion,
  shownChange,
  standingOf,
  type FirmwareEntry,
} from '../../../core/redfish/firmware.ts';
import {
  fileNotFetched,
  isActiveTask,
  isUpdateTask,
  updateStanding,
} from '../../../core/redfish/firmware-task.ts';
import { readMessages } from '../../../core/redfish/messages.ts';

const entry = (id: string, name: string | null, version: string | null = '1'): FirmwareEntry => ({
  uri: `/redfish/v1/UpdateService/FirmwareInventory/${id}`,
  id,
  name,
  version,
});

const INVENTORY = [
  entry('Installed-159-2.1.0__BIOS.Setup.1-1', 'BIOS', '2.1.0'),
  entry('Previous-159-2.0.0__BIOS.Setup.1-1', 'BIOS', '2.0.0'),
  entry('Installed-25227-7.10__iDRAC.Embedded.1-1', 'Integrated Dell Remote Access Controller', '7.10'),
  entry('Installed-1__NIC.Slot.3-1-1', 'ConnectX-7 - 94:6d:ae:00:00:01', '28.39'),
  entry('Installed-1__NIC.Slot.4-1-1', 'ConnectX-7 - 94:6d:ae:00:00:02', '28.40'),
  entry('BMC', null),
  entry('Backup_BMC', null),
];

describe('a component of a baseline', () => {
  it.each([
    ['BIOS', ['Installed-159-2.1.0__BIOS.Setup.1-1']],
    ['bios', ['Installed-159-2.1.0__BIOS.Setup.1-1']],
    ['Previous-159-2.0.0__BIOS.Setup.1-1', ['Previous-159-2.0.0__BIOS.Setup.1-1']],
    ['ConnectX-7 *', ['Installed-1__NIC.Slot.3-1-1', 'Installed-1__NIC.Slot.4-1-1']],
    ['Integrated  Dell Remote Access Controller', ['Installed-25227-7.10__iDRAC.Embedded.1-1']],
    ['BMC', ['BMC']],
    ['*BMC', ['BMC', 'Backup_BMC']],
    ['CPLD', []],
    ['ConnectX.7 *', []],
  ])('%s is %j', (component, ids) => {
    expect(matching(component, INVENTORY).map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['BIOS', null, 'bios'],
    ['SystemRom', 'System ROM', 'bios'],
    ['iDRAC.Embedded.1', 'Integrated Dell Remote Access Controller', 'bmc'],
    ['1', 'iLO 6', 'bmc'],
    ['Backup_BMC', null, 'bmc'],
    ['NIC.Slot.3', 'Mellanox ConnectX-7 Adapter', 'nic'],
    ['2', 'Intel(R) Ethernet Network Adapter E810', 'nic'],
    ['CPLD', 'System CPLD', 'other'],
    ['PSU.Slot.1', 'Power Supply', 'other'],
    ['GPU_0', 'HGX_FW_GPU_0', 'other'],
  ])('%s, %s, is of kind %s', (id, name, kind) => {
    expect(kindOf(undefined, { id, name })).toBe(kind);
    expect(kindOf('other', { id, name })).toBe('other');
  });

  it('has its version exactly, or differs: newer is not the same', () => {
    expect(sameVersion(' 2.14  rc1', '2.14 rc1')).toBe(true);
    expect([sameVersion('2.15', '2.14'), sameVersion('2.14.0', '2.14'), sameVersion(null, '2')]).toEqual([
      false,
      false,
      false,
    ]);
    const nics = standingOf({ component: 'ConnectX-7 *', version: '28.40' }, INVENTORY)!;
    expect([nics.kind, nics.entries.length, nics.differing.map(({ version }) => version)]).toEqual([
      'nic',
      2,
      ['28.39'],
    ]);
    expect(standingOf({ component: 'CPLD', version: '1' }, INVENTORY)).toBeUndefined();
  });

  it('says what changes, and that a downgrade is one', () => {
    expect(shownChange('2.1.0', '2.10.0')).toBe('2.1.0 → 2.10.0');
    expect(shownChange('2.10.0', '2.9')).toBe('2.10.0 → 2.9 (a downgrade)');
    expect(shownChange(null, '1')).toBe('not told → 1');
  });

  it('comes in its order; those without one come last, as they stand', () => {
    const all = [
      { component: 'a', version: '1' },
      { component: 'b', version: '1', order: 2 },
      { component: 'c', version: '1' },
      { component: 'd', version: '1', order: 1 },
    ];
    expect(inOrder(all).map(({ component }) => component)).toEqual(['d', 'b', 'a', 'c']);
  });
});

describe('the task of an update', () => {
  const task = (taskState: string | null, text?: string) => ({
    state: 'running' as const,
    taskState,
    messages: text === undefined ? [] : readMessages({ Messages: [{ Message: text }] }),
  });
  it.each([
    ['New', undefined, 0, 'running'],
    ['Downloading', undefined, 900, 'running'],
    ['Scheduled', undefined, 10, 'running'],
    ['Scheduled', undefined, 120, 'reboot-needed'],
    ['Pending', 'The update takes effect at the next reboot.', 0, 'reboot-needed'],
    ['Pending', undefined, 119, 'running'],
  ])('that is %s (%s) for %i s is %s', (state, text, seconds, expected) => {
    expect(updateStanding(task(state, text), seconds * 1000)).toBe(expected);
  });

  it('that is over is what it is', () => {
    for (const state of ['done', 'failed', 'reboot-needed', 'untracked'] as const)
      expect(updateStanding({ state, taskState: 'Scheduled', messages: [] }, 999_000)).toBe(state);
  });

  it.each([
    [{ Name: 'Firmware Update: BIOS', TaskState: 'Running' }, true, true],
    [{ Payload: { TargetUri: '/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate' } }, true, false],
    [{ JobType: 'FirmwareUpdate', JobState: 'Downloading' }, true, true],
    [{ Name: 'Firmware Update', JobState: 'Completed' }, true, false],
    [{ Name: 'Insert media', TaskState: 'Running' }, false, true],
  ])('%j is about updates: %s, active: %s', (body, about, active) => {
    expect([isUpdateTask(body), isActiveTask(body)]).toEqual([about, active]);
  });

  it.each([
    [{ MessageId: 'Update.1.0.TransferFailed', Message: 'Transfer of image failed.' }, true],
    [{ Message: 'Unable to download the firmware image from the server.' }, true],
    [{ MessageId: 'IDRAC.2.8.RAC0904' }, true],
    [{ MessageId: 'Update.1.0.ApplyFailed', Message: 'Installation of image failed.' }, false],
    [{ Message: 'The image does not verify.' }, false],
  ])('%j says that the file was not fetched: %s', (message, expected) => {
    expect(fileNotFetched(readMessages({ Messages: [message] }))).toBe(expected);
  });
});
