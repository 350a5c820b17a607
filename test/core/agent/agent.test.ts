import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hardwareDifferences } from '../../../core/agent/expectations.ts';
import { parseCidr } from '../../../core/addresses.ts';
import { guestDifferences } from '../../../core/agent/guest.ts';
import { readGuestReport } from '../../../core/agent/guest-report.ts';
import { readHardware } from '../../../core/agent/hardware.ts';
import { readHeartbeat, readLookup } from '../../../core/agent/messages.ts';
import { parametersArea, patched } from '../../../core/agent/parameters.ts';
import { parseRange } from '../../../core/agent/ranges.ts';

describe('the reserved area', () => {
  it('holds the parameters, one a line, and newlines', () => {
    const area = parametersArea({ 'ipa-api-url': 'http://g/agent/t', 'ipa-lookup-timeout': '60' });
    expect(area.length).toBe(4096);
    const text = Buffer.from(area).toString();
    expect(text.startsWith('ipa-api-url=http://g/agent/t\nipa-lookup-timeout=60\n\n')).toBe(true);
    expect(text.trimEnd().split('\n')).toHaveLength(2);
  });

  it.each([
    ['a line break', { 'ipa-api-url': 'x\nipa-debug=1' }],
    ['a space', { 'ipa-api-url': 'x ipa-debug=1' }],
    ['too much', { 'ipa-api-url': 'x'.repeat(4096) }],
  ])('refuses %s', (_what, parameters) => {
    expect(() => parametersArea(parameters)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'MEDIA_BASE_INVALID' }) }),
    );
  });

  it('replaces the same bytes however the file is cut into pieces', () => {
    const cuts = fc.array(fc.nat(300), { maxLength: 8 });
    fc.assert(
      fc.property(cuts, fc.nat(200), (at, areaAt) => {
        const whole = Uint8Array.from({ length: 300 }, (_, i) => i % 250);
        const area = new Uint8Array(40).fill(255);
        const expected = Uint8Array.from(whole);
        expected.set(area, areaAt);
        const edges = [0, ...at.sort((a, b) => a - b), 300];
        const pieces = edges.slice(1).map((end, i) => {
          const start = edges[i]!;
          return Buffer.from(patched(whole.subarray(start, end), start, areaAt, area));
        });
        expect(Buffer.concat(pieces).equals(expected)).toBe(true);
      }),
      { seed: 1 },
    );
  });
});

it.each([
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=50-1000', { start: 50, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-1', undefined],
  ['bytes=0-1,4-5', undefined],
  ['bytes=', undefined],
  [undefined, undefined],
])('reads the range %s of 100 bytes', (header, range) => {
  expect(parseRange(header, 100)).toEqual(range);
});

const GIVEN = {
  mac: '52:54:00:00:00:01',
  cidr: parseCidr('10.2.0.0/24')!,
  address: '10.2.0.11',
  gateway: '10.2.0.1',
  dns: ['10.2.0.53'],
};

describe('messages of agents and guests', () => {
  it('of any kind are read without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        readLookup(value);
        readLookup({ addresses: value });
        readHeartbeat(value);
        readHardware(value);
        readHardware({ disks: [value], interfaces: [value], gpus: [value], cpu: value, memory: value });
        guestDifferences(readGuestReport(value), {}, []);
        for (const field of ['addresses', 'disks', 'gpus', 'links', 'mounts', 'routes', 'dns', 'time']) {
          const told = { receivedAt: '2026-03-01T00:00:00Z', [field]: [value] };
          guestDifferences(readGuestReport(told), { mounts: ['/'] }, ['52:54:00:00:00:01'], [GIVEN]);
          readGuestReport({ [field]: value });
        }
        return true;
      }),
      { seed: 1 },
    );
  });

  it('keep every usable address of a lookup, once', () => {
    expect(readLookup({ addresses: '52-54-00-00-00-0A, 52:54:00:00:00:0a,x,,00:11:22:33:44:55' })).toEqual({
      value: { macs: ['00:11:22:33:44:55', '52:54:00:00:00:0a'], uuid: null },
    });
  });
});

describe('expectations of a machine type', () => {
  const expected = {
    cpus: 8,
    memoryMiB: 1000,
    nics: 1,
    gpus: { count: 2, model: 'H100' },
    disks: [{ minBytes: 100, count: 1 }],
  };
  const info = {
    cpu: { count: 8 },
    memory: { physical_mb: 960 },
    interfaces: [{ name: 'a', mac_address: '52:54:00:00:00:01' }],
    disks: [{ name: '/dev/sda', size: 100 }],
  };

  it('are met, with a little memory kept by firmware and accelerators untold', () => {
    expect(hardwareDifferences(readHardware(info), expected)).toEqual([]);
  });

  it('name what is missing', () => {
    const poor = { cpu: { count: 4 }, memory: { physical_mb: 900 }, gpus: [{ model: 'NVIDIA H100 80GB' }] };
    expect(hardwareDifferences(readHardware(poor), expected)).toEqual([
      '8 CPUs expected, 4 seen',
      '1000 MiB of memory expected, 900 seen',
      '1 network interfaces expected, 0 seen',
      '1 disks of at least 100 bytes expected, 0 seen',
      '2 GPUs H100 expected, seen: NVIDIA H100 80GB',
    ]);
  });

  it('want an address of the guest that others can reach', () => {
    const guest = (...addresses: string[]) =>
      guestDifferences(readGuestReport({ addresses: addresses.map((address) => ({ address })) }), {}, []);
    expect(guest('127.0.0.1', '::1', 'fe80::1', '169.254.1.2/16')).toEqual([
      'no address that anyone else could reach',
    ]);
    expect(guest('127.0.0.1', '10.0.0.7/24')).toEqual([]);
    expect(guest('fd00::7/64')).toEqual([]);
  });

  const up = { addresses: [{ address: '10.0.0.7' }] };
  const [first, second] = ['52:54:00:00:00:01', '52:54:00:00:00:0a'];
  it.each([
    ['no links told', up, {}, [first], []],
    ['a link that is up', { ...up, links: [{ mac: first, up: true }] }, {}, [first], []],
    [
      'one that is down, in other letters',
      { ...up, links: [{ mac: second.toUpperCase(), up: false }] },
      {},
      [first, second],
      [`no link on ${second}`],
    ],
    ['one that is down and not ours', { ...up, links: [{ mac: second, up: false }] }, {}, [first], []],
    ['a link of which nothing is known', { ...up, links: [{ mac: first, up: null }] }, {}, [first], []],
    ['mounts that are there', { ...up, mounts: ['/', '/scratch'] }, { mounts: ['/scratch'] }, [], []],
    [
      'a mount that is not',
      { ...up, mounts: ['/', '/scratch2'] },
      { mounts: ['/scratch'] },
      [],
      ['nothing is mounted at /scratch'],
    ],
    [
      'mounts that are not told',
      up,
      { mounts: ['/scratch', '/data'] },
      [],
      ['mounts /scratch, /data expected, and it does not tell what is mounted'],
    ],
    ['mounts that nobody asked for', { ...up, mounts: [] }, {}, [], []],
  ])('of a guest: %s', (_what, report, wanted, ports, differences) => {
    expect(guestDifferences(readGuestReport(report), wanted, ports)).toEqual(differences);
  });
});
