import { describe, expect, it } from 'vitest';
import { readHardware, type AgentDisk } from '../../../core/agent/hardware.ts';
import { agentHints, chooseRootDevice, shownDisk } from '../../../core/agent/root-device.ts';

const GIB = 1024 ** 3;
const { disks } = readHardware({
  disks: [
    { name: '/dev/sda', size: 480 * GIB, model: 'SSD A', serial: 'S-A', rotational: false, wwn: '0xA' },
    { name: '/dev/sdb', size: 480 * GIB + 5, model: 'SSD A', serial: ['S-B', 'S-B2'], rotational: false },
    { name: '/dev/sdc', size: 8000 * GIB, model: 'HDD', serial: 'S-C', rotational: true },
    { size: 1 },
  ],
});
const chosen = (
  hints: Parameters<typeof chooseRootDevice>[1],
  from: readonly AgentDisk[] = disks,
): unknown => {
  const choice = chooseRootDevice(from, hints);
  return 'disk' in choice ? choice.disk.name : [choice.problem, choice.candidates.map((disk) => disk.name)];
};

describe('the root device', () => {
  it.each([
    [{ serial: 's-b' }, '/dev/sdb'],
    [{ model: 'SSD A', wwn: '0xa' }, '/dev/sda'],
    [{ rotational: true }, '/dev/sdc'],
    [{ minSizeGiB: 481 }, '/dev/sdc'],
    [{ name: '/dev/sda', sizeGiB: 480 }, '/dev/sda'],
    [{ sizeGiB: 480 }, ['several', ['/dev/sda', '/dev/sdb']]],
    [{ serial: 'S-A', rotational: true }, ['none', []]],
    [{ vendor: 'X' }, ['none', []]],
    [undefined, ['several', ['/dev/sda', '/dev/sdb', '/dev/sdc']]],
  ] as const)('by %o is %s', (hints, expected) => {
    expect(chosen(hints)).toEqual(expected);
  });

  it('without hints is the only disk there is', () => {
    expect(chosen(undefined, disks.slice(0, 1))).toBe('/dev/sda');
    expect(chosen(undefined, [])).toEqual(['none', []]);
  });
});

it('tells the agent the hints in its own words', () => {
  expect(agentHints({ byPath: '/dev/disk/by-path/x', sizeGiB: 480, rotational: false })).toEqual({
    by_path: 's== /dev/disk/by-path/x',
    size: '>= 480',
    rotational: false,
  });
  expect(agentHints(undefined)).toBeUndefined();
});

it('shows a disk in one line', () => {
  expect(shownDisk(disks[0]!)).toBe('/dev/sda (480 GiB, SSD A, serial S-A, wwn 0xA)');
  expect(shownDisk({ ...disks[0]!, sizeBytes: 805_306_368 })).toContain('(768 MiB, ');
});
