import { describe, expect, it } from 'vitest';
import {
  disksOfAll,
  judgeErasure,
  provesErasure,
  readErasure,
  shownErasure,
  skipHints,
  sortDisks,
  unseenDrives,
} from '../../../core/agent/erasure.ts';
import { readHardware, type AgentDisk } from '../../../core/agent/hardware.ts';

/** What the hardware manager returns of a disk; as it stands in agent/. */
const PROOF = {
  serial: 'S1',
  wwn: 'eui.1',
  model: 'SSD',
  sizeBytes: 1000,
  sampledBlocks: 1512,
  nonZeroBlocks: 0,
  leftBlocks: 0,
  leftAt: [],
  unreadableBlocks: 0,
  rule: 'zero',
  direct: true,
  readSizeBytes: 1000,
  verified: true,
  method: 'ata-secure-erase',
  startedAt: '2026-11-30T16:00:00.000Z',
  finishedAt: '2026-11-30T16:05:00.000Z',
  verifiedAt: '2026-11-30T16:06:00.000Z',
  failedMethods: [],
};

const disk = (name: string, serial: string | null, more: object = {}): AgentDisk =>
  readHardware({ disks: [{ name, serial, size: 1000, ...more }] }).disks[0]!;

const SDA = disk('/dev/sda', 'S1', { wwn: 'eui.1' });

/** What is said of one disk, and what is wrong with it. */
function judged(told: unknown, proved = true, one = SDA, all = [one]): [string, string | null] {
  const found = judgeErasure(all, readErasure(told), proved).find((each) => each.disk === one)!;
  return [shownErasure(found), found.problem];
}

it('reads a proof', () => {
  expect(readErasure({ '/dev/sda': PROOF })).toEqual([
    {
      name: '/dev/sda',
      serial: 'S1',
      wwn: 'eui.1',
      sizeBytes: 1000,
      method: 'ata-secure-erase',
      startedAt: '2026-11-30T16:00:00.000Z',
      finishedAt: '2026-11-30T16:05:00.000Z',
      failed: [],
      skipped: null,
      readBack: { places: 1512, left: 0, unreadable: 0, rule: 'zero', direct: true, verified: true },
    },
  ]);
});

it('reads what the plain agent returns, and anything else', () => {
  const bare = {
    serial: null,
    wwn: null,
    sizeBytes: null,
    method: null,
    startedAt: null,
    finishedAt: null,
    failed: [],
    skipped: null,
    readBack: null,
  };
  expect(readErasure({ '/dev/sda': null, '/dev/sdb': 'shred: done' })).toEqual([
    { name: '/dev/sda', ...bare },
    { name: '/dev/sdb', ...bare },
  ]);
  for (const nothing of [null, undefined, 'None', [], 7]) expect(readErasure(nothing)).toEqual([]);
});

it.each([
  [{ rackwright_hardware_manager: '1', generic_hardware_manager: '1.2' }, true],
  [{ generic_hardware_manager: '1.2' }, false],
  [{ lab_hardware_manager: '1' }, false],
  [null, false],
  ['rackwright_hardware_manager', false],
])('knows by the managers of an agent whether it reads back: %j', (versions, proves) => {
  expect(provesErasure(versions)).toBe(proves);
});

describe('what is said of a disk, and what is wrong with it', () => {
  const left = { verified: false, leftBlocks: 3, nonZeroBlocks: 3 };
  const frozen = { failedMethods: [{ method: 'ata-secure-erase', reason: 'it is frozen' }] };
  it.each<[string, unknown, string, string | null]>([
    ['empty', PROOF, 'sda S1 ata-secure-erase, read back at 1,512 places: empty', null],
    [
      'its key is gone',
      { ...PROOF, method: 'nvme-crypto-erase', rule: 'changed', nonZeroBlocks: 1512 },
      'sda S1 nvme-crypto-erase, read back at 1,512 places: nothing of what was there',
      null,
    ],
    [
      'a fall-back, by its name',
      { ...PROOF, method: 'overwrite', ...frozen },
      'sda S1 overwrite (ata-secure-erase: it is frozen), read back at 1,512 places: empty',
      null,
    ],
    [
      'not empty',
      { ...PROOF, ...left },
      expect.any(String) as string,
      'ata-secure-erase, 3 of 1,512 places not erased',
    ],
    [
      'not empty, after a fall-back',
      { ...PROOF, ...left, ...frozen, method: 'overwrite', unreadableBlocks: 1 },
      expect.any(String) as string,
      'overwrite, 3 of 1,512 places not erased, 1 of 1,512 places unreadable (ata-secure-erase: it is frozen)',
    ],
    [
      'not empty, though it says that it is',
      { ...PROOF, leftBlocks: 1 },
      expect.any(String) as string,
      'ata-secure-erase, 1 of 1,512 places not erased',
    ],
    [
      'not verified',
      { ...PROOF, verified: false },
      expect.any(String) as string,
      'ata-secure-erase, not verified',
    ],
    [
      'skipped',
      { serial: 'S1', skipped: 'raid-member' },
      'sda S1 left alone: raid-member',
      'left alone by the agent: raid-member',
    ],
    [
      'virtual media, which is on USB, or a disk with its label',
      { serial: 'S1', skipped: 'virtual-media' },
      'sda S1 left alone: virtual-media',
      'left alone by the agent: virtual-media',
    ],
    ['not read back, though it could be', null, 'sda S1', 'not read back, though the agent can'],
    [
      'of another disk that took its name',
      { ...PROOF, serial: 'S9' },
      'sda S1',
      'missing in what the agent erased',
    ],
    ['of its WWN another', { ...PROOF, wwn: 'eui.9' }, 'sda S1', 'missing in what the agent erased'],
  ])('%s', (_, told, said, problem) => {
    expect(judged({ '/dev/sda': told })).toEqual([said, problem]);
  });

  it('nothing at all', () => {
    expect(judged({})).toEqual(['sda S1', 'missing in what the agent erased']);
    expect(judged(null)).toEqual(['sda S1', 'missing in what the agent erased']);
  });

  it('the plain agent is believed where no proof is asked for, of disks that it names', () => {
    expect(judged({ '/dev/sda': null }, false)).toEqual(['sda S1', null]);
    expect(judged({ '/dev/sdb': null }, false)[1]).toBe('missing in what the agent erased');
    expect(judged({ '/dev/sda': { ...PROOF, sampledBlocks: 0 } })[1]).toContain('read back nowhere');
    // What it does tell counts all the same.
    expect(judged({ '/dev/sda': { ...PROOF, ...left } }, false)[1]).toContain('3 of 1,512 places not erased');
  });

  it('a disk that has another name now is known by its serial; another namespace of its controller is not', () => {
    const told = { '/dev/nvme0n1': PROOF };
    const renamed = disk('/dev/nvme1n1', 'S1', { wwn: 'eui.1' });
    expect(judged(told, true, renamed)[1]).toBeNull();
    const second = disk('/dev/nvme0n2', 'S1', { wwn: 'eui.2' });
    expect(judged(told, true, second)[1]).toBe('missing in what the agent erased');
    const [one, two] = [disk('/dev/nvme0n1', 'S1'), disk('/dev/nvme0n2', 'S1')];
    expect(judged(told, true, two, [one, two])[1]).toBe('missing in what the agent erased');
  });
});

it('leaves disks on USB alone, and the volumes of a software RAID to what they are made of', () => {
  const usb = disk('/dev/sdb', 'U', { tran: 'usb' });
  const old = disk('/dev/sdc', 'V', {
    by_path: '/dev/disk/by-path/pci-0000:00:14.0-usb-0:3:1.0-scsi-0:0:0:0',
  });
  const volume = disk('/dev/md127', null);
  const sorted = sortDisks([SDA, usb, old, volume]);
  expect(sorted).toEqual({ erase: [SDA], leave: [usb, old], volumes: [volume] });
  expect(skipHints(sorted)).toEqual([{ name: 's== /dev/sdb' }, { name: 's== /dev/sdc' }]);
});

it('does not forget a disk that is gone', () => {
  const [gone, renamed] = [disk('/dev/sdb', 'S2'), disk('/dev/sdc', 'S1', { wwn: 'eui.1' })];
  expect(disksOfAll([[SDA, gone], [renamed]])).toEqual([renamed, gone]);
  const namespaces = [disk('/dev/nvme0n1', 'S1'), disk('/dev/nvme0n2', 'S1')];
  expect(disksOfAll([namespaces, namespaces])).toEqual(namespaces);
  // Firmware that gives two drives one name: neither is forgotten.
  const twins = ['/dev/nvme0n1', '/dev/nvme1n1'].map((name) => ({
    ...SDA,
    name,
    serial: null,
    wwn: 'eui.0',
  }));
  expect(disksOfAll([twins, twins])).toEqual(twins);
  expect(disksOfAll([twins, [twins[0]!]])).toEqual(twins);
  const successor = disk('/dev/nvme0n1', 'S9');
  expect(disksOfAll([namespaces, [successor]])).toEqual([...namespaces, successor]);
});

it('tells which drives of the BMC the agent does not see', () => {
  const drives = [' s1 ', 'S2', null, '', 'EUI.1'].map((id) => ({ id }));
  expect(unseenDrives(drives, [SDA])).toEqual(['S2']);
});
