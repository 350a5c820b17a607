import { describe, expect, it } from 'vitest';
import { clearingPatches, isCleared, readBoot, settingsObject } from '../../../core/redfish/boot.ts';
import {
  holds,
  insertBody,
  isOccupied,
  readSlot,
  saysNotFetched,
  shownUrl,
  takesCd,
} from '../../../core/redfish/media.ts';
import { identityMacs, mergeNics, normaliseMac, readEthernetInterface } from '../../../core/redfish/nics.ts';
import { readPower, readResetTypes, resetCandidates } from '../../../core/redfish/power.ts';
import { asksTheManager, compareVersions, QUIRKS, quirksFor } from '../../../core/redfish/quirks.ts';
import { asBoolean, asNumber, asText, linksOf } from '../../../core/redfish/read.ts';
import { isGpu, readHealth } from '../../../core/redfish/readers.ts';
import { readTask, taskLocation } from '../../../core/redfish/task.ts';

describe('lenient values', () => {
  it.each([
    ['N/A', null],
    ['  ', null],
    [null, null],
    [{}, null],
    [' x ', 'x'],
    [7, '7'],
  ])('text of %j is %j', (value, expected) => expect(asText(value)).toBe(expected));
  it.each([
    ['N/A', null],
    ['16', 16],
    [16, 16],
    [Number.NaN, null],
    ['16 GiB', null],
  ])('number of %j is %j', (value, expected) => expect(asNumber(value)).toBe(expected));
  it.each([
    ['True', true],
    [false, false],
    ['yes', null],
    [undefined, null],
  ])('boolean of %j is %j', (value, expected) => expect(asBoolean(value)).toBe(expected));
  it('links of a list are those that are any, once', () =>
    expect(linksOf([{ '@odata.id': '/a' }, {}, null, { '@odata.id': '/a' }, '/b'])).toEqual(['/a', '/b']));
});

describe('MACs', () => {
  it.each([
    ['AA:BB:CC:DD:EE:FF', 'aa:bb:cc:dd:ee:ff'],
    ['aabb.ccdd.eeff', 'aa:bb:cc:dd:ee:ff'],
    ['AABBCCDDEEFF', 'aa:bb:cc:dd:ee:ff'],
    ['AA-BB-CC-DD-EE-FF', 'aa:bb:cc:dd:ee:ff'],
    ['00:00:00:00:00:00', null],
    ['', null],
    [null, null],
    ['N/A', null],
    ['aa:bb:cc:dd:ee', null],
  ])('%j is %j', (value, expected) => expect(normaliseMac(value)).toBe(expected));

  it('a MAC that stands twice in one list identifies nothing', () => {
    const nic = (id: string, MACAddress: string): ReturnType<typeof readEthernetInterface> =>
      readEthernetInterface(`/nic/${id}`, { Id: id, MACAddress });
    const merged = mergeNics([
      nic('1', 'aa:00:00:00:00:01'),
      nic('2', 'aa:00:00:00:00:01'),
      nic('3', 'AA:00:00:00:00:02'),
    ]);
    expect(merged.map((n) => [n.mac, n.repeated])).toEqual([
      ['aa:00:00:00:00:01', true],
      ['aa:00:00:00:00:02', false],
    ]);
    expect(identityMacs(merged)).toEqual(['aa:00:00:00:00:02']);
  });
});

describe('power', () => {
  it.each([
    ['On', 'on'],
    ['Paused', 'on'],
    ['Off', 'off'],
    ['PoweringOff', 'changing'],
    [null, 'unknown'],
  ])('%j reads as %s', (PowerState, expected) => expect(readPower({ PowerState })).toBe(expected));
  it.each([
    [
      ['On', 'ForceOff'],
      ['On', 'ForceOff'],
    ],
    [['ForceOffGracefulShutdown'], ['GracefulShutdown', 'ForceOff']],
    [['ForceOn'], ['ForceOn']],
    [[], null],
  ])('advertised %j reads as %j', (values, expected) =>
    expect(
      readResetTypes({
        Actions: { '#ComputerSystem.Reset': { 'ResetType@Redfish.AllowableValues': values } },
      }),
    ).toEqual(expected),
  );
  it('never presses a button that toggles', () =>
    expect([
      ...resetCandidates('on', false, ['PushPowerButton']),
      ...resetCandidates('off', true, null),
    ]).not.toContain('PushPowerButton'));
});

describe('drives', () => {
  const URL_ = 'http://p/m/t/a.iso';
  it.each([
    [{ Inserted: true, Image: URL_, ConnectedVia: 'URI' }, true, true],
    [{ Inserted: false, Image: URL_ }, false, false],
    [{ Inserted: true, Image: URL_, ConnectedVia: 'NotConnected' }, false, false],
    [{ Image: URL_ }, true, true],
    [{ Inserted: true, Image: '', ImageName: 'a.iso' }, true, true],
    [{ Inserted: true, Image: null, ImageName: null }, false, false],
    [{ Inserted: true, Image: 'http://other/b.iso' }, true, false],
    [{}, false, false],
  ])('%j: occupied %s, holds %s', (body, occupied, held) => {
    const slot = readSlot('/cd', 'system', body, null);
    expect([isOccupied(slot), holds(slot, URL_)]).toEqual([occupied, held]);
  });
  it.each([
    ['/VirtualMedia/1', ['DVD', 'USBStick'], true],
    ['/VirtualMedia/1', ['Floppy'], false],
    ['/VirtualMedia/CD1', [], true],
    ['/VirtualMedia/1', [], false],
  ])('%s with %j takes a CD: %s', (uri, MediaTypes, expected) =>
    expect(takesCd(readSlot(uri, 'system', { MediaTypes }, null))).toBe(expected),
  );
  it('an insert carries the image and no more than was asked for', () => {
    expect(insertBody(URL_, [], undefined)).toEqual({ Image: URL_ });
    expect(insertBody(URL_, ['TransferProtocolType', 'WriteProtected'], undefined)).toEqual({
      Image: URL_,
      TransferProtocolType: 'HTTP',
      WriteProtected: true,
    });
  });
  it('a URL is shown without what its path carries', () =>
    expect(shownUrl('https://u:p@gw:1/media/token/a.iso?sig=1')).toBe('https://gw:1/…/a.iso'));
  it.each([
    ['Failed fetching image from URL http://x', true],
    ['Unable to connect to the remote share.', true],
    ['The action InsertMedia is not supported.', false],
    ['Unable to locate the resource.', false],
    ['The drive is in use.', false],
  ])('%j says that the image was not fetched: %s', (text, expected) =>
    expect(
      saysNotFetched([{ id: null, text, args: [], severity: null, resolution: null, properties: [] }]),
    ).toBe(expected),
  );
});

describe('boot', () => {
  it.each([
    [{}, true],
    [{ Boot: { BootSourceOverrideEnabled: 'Disabled', BootSourceOverrideTarget: 'Cd' } }, true],
    [{ Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'None' } }, true],
    [{ Boot: { BootSourceOverrideEnabled: 'Continuous', BootSourceOverrideTarget: 'Hdd' } }, false],
    [{ Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe' } }, false],
  ])('%j: cleared %s', (system, expected) => expect(isCleared(readBoot(system))).toBe(expected));
  it('the disk as a lasting source is the last way, and only where "None" is not offered', () => {
    const offering = (targets: string[]): unknown[] =>
      clearingPatches(readBoot({ Boot: { 'BootSourceOverrideTarget@Redfish.AllowableValues': targets } }));
    const off = { BootSourceOverrideEnabled: 'Disabled' };
    expect(offering(['Cd', 'Hdd'])).toEqual([
      off,
      { BootSourceOverrideEnabled: 'Continuous', BootSourceOverrideTarget: 'Hdd' },
    ]);
    expect(offering(['None', 'Hdd'])).toEqual([off, { ...off, BootSourceOverrideTarget: 'None' }]);
  });
  it('a settings annotation without an object names none', () =>
    expect(settingsObject({ '@Redfish.Settings': { Time: 'x' } })).toBeNull());
});

describe('tasks', () => {
  it.each([
    [{ TaskState: 'Completed', TaskStatus: 'OK' }, 'done'],
    [{ TaskState: 'Completed', PercentComplete: 100, TaskStatus: 'Critical' }, 'failed'],
    [{ TaskState: 'Exception' }, 'failed'],
    [{ TaskState: 'Cancelled' }, 'failed'],
    [{ TaskState: 'Scheduled' }, 'running'],
    [{ TaskState: 'Downloading' }, 'running'],
    [{ TaskState: 'Whatever' }, 'running'],
    [{ TaskState: 'Completed', Messages: [{ Message: 'Completed, reboot pending.' }] }, 'reboot-needed'],
    [{ JobState: 'RebootPending' }, 'reboot-needed'],
  ])('%j is %s', (body, expected) => expect(readTask(200, body).state).toBe(expected));
  it.each([
    ['/t/1?x=1', {}, '/t/1?x=1'],
    [
      undefined,
      { '@odata.type': '#Task.v1_4_0.Task', '@odata.id': '/redfish/v1/TaskService/Tasks/2' },
      '/redfish/v1/TaskService/Tasks/2',
    ],
    [
      undefined,
      { error: { '@Message.ExtendedInfo': [{ MessageArgs: ['/redfish/v1/TaskService/Tasks/3'] }] } },
      '/redfish/v1/TaskService/Tasks/3',
    ],
    [
      undefined,
      { error: { message: 'See /redfish/v1/TaskService/Tasks/4.' } },
      '/redfish/v1/TaskService/Tasks/4',
    ],
    [undefined, { '@odata.id': '/redfish/v1/Systems/1' }, null],
    [undefined, undefined, null],
  ])('task-32: Location %j, body %j: %j', (location, body, expected) =>
    expect(taskLocation(location, body)).toBe(expected),
  );
});

describe('inspection readers', () => {
  it.each([
    [{ ProcessorType: 'GPU' }, true],
    [{ ProcessorType: 'CPU', Model: 'NVIDIA Grace' }, false],
    [{ Name: 'NVIDIA H200 SXM' }, true],
    [{ Name: 'NVIDIA ConnectX-7 NIC' }, false],
    [{ Name: 'ASPEED Graphics' }, false],
    [{ Name: 'Samsung NVMe' }, false],
  ])('%j is a GPU: %s', (body, expected) => expect(isGpu(body)).toBe(expected));
  it.each([
    [{ Status: { Health: 'OK', HealthRollup: 'Critical' } }, 'Critical'],
    [{ Status: { Health: 'Warning' } }, 'Warning'],
    [{}, null],
  ])('health of %j is %j', (body, expected) => expect(readHealth(body)).toBe(expected));
});

describe('quirks', () => {
  it('fits by vendor, product and firmware', () => {
    const rows = [
      {
        report: 'a',
        vendor: /^x/i,
        firmware: { from: '6.0', to: '6.10' },
        flags: { bootThroughSettings: true },
      },
    ];
    const fits = (firmware: string | null, vendor = 'X Corp'): boolean =>
      quirksFor({ vendor, product: null, manager: null, firmware }, rows).reports.length === 1;
    expect([
      fits('6.0'),
      fits('6.9.1'),
      fits('6.10'),
      fits('6.11'),
      fits('5.9'),
      fits(null),
      fits('6.1', 'Y'),
    ]).toEqual([true, true, true, false, false, false, false]);
  });
  it.each([
    [{ vendor: 'Dell', manager: '17G Monolithic' }, ['boot-17']],
    [{ vendor: 'Dell Inc.', manager: '17G Modular' }, ['boot-17']],
    [{ vendor: 'Dell', manager: '16G Monolithic' }, []],
    [{ vendor: 'Dell', manager: null, product: 'iDRAC10' }, []],
    [{ vendor: 'Supermicro', manager: '17G Monolithic' }, []],
    [{ vendor: 'NVIDIA', product: 'DGX H100' }, ['vm-2']],
    [{ vendor: 'NVIDIA', product: 'HGX H100' }, []],
    [{ vendor: 'Cisco Systems Inc', product: 'UCSC-C845A-M8' }, ['vm-1']],
    [{ vendor: 'Nokia Solutions and Networks' }, ['vm-1']],
    [{}, []],
  ])('%j has %j', (identity, reports) => {
    const unknown = { vendor: null, product: null, manager: null, firmware: null };
    expect(quirksFor({ ...unknown, ...identity }).reports).toEqual(reports);
  });
  it.each([
    ['Dell', true],
    ['Supermicro', false],
    [null, false],
  ])('of %s the manager is asked: %s', (vendor, asked) => expect(asksTheManager(vendor)).toBe(asked));
  it('names a field report in each row', () => {
    for (const row of QUIRKS) expect(row.report).toMatch(/^[a-z]+-\d+$/);
  });
  it.each([
    ['1.9', '1.10', -1],
    ['2.0', '2', 0],
    ['7.10.30.00', '7.9', 1],
  ])('%s against %s is %d', (a, b, expected) => expect(compareVersions(a, b)).toBe(expected));
});
