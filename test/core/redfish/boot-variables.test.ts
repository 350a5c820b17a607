import { describe, expect, it } from 'vitest';
import {
  bootDifferences,
  leadsToDisk,
  matchesName,
  readBootOption,
  readBootOrder,
  withoutRemoved,
  type BootVariables,
} from '../../../core/redfish/boot-variables.ts';

const DISK = { reference: 'Boot0001', name: 'UEFI: Hard Disk', path: null };
const PXE = { reference: 'Boot0002', name: 'UEFI: PXE IPv4 52:54:00:00:00:01', path: null };
const OS = { reference: 'Boot0007', name: 'ubuntu', path: null };
const shown = (over: Partial<BootVariables>): BootVariables => ({
  order: ['Boot0001', 'Boot0002'],
  options: [DISK, PXE],
  secureBoot: false,
  forbidden: [],
  ...over,
});
const bootOptions = ['UEFI: Hard Disk', 'UEFI: PXE IPv4 *'];

describe('a name with *', () => {
  it.each([
    ['ubuntu', 'ubuntu', true],
    ['ubuntu', 'Ubuntu', false],
    ['ubuntu', ' ubuntu ', true],
    ['*', 'anything', true],
    ['UEFI: PXE *', 'UEFI: PXE IPv4', true],
    ['UEFI: PXE *', 'UEFI: HTTP IPv4', false],
    ['*IPv4', 'UEFI: PXE IPv4', true],
    ['*IPv4', 'UEFI: PXE IPv4 again', false],
    ['UEFI*NIC*IPv4', 'UEFI: the NIC in slot 3, IPv4', true],
    ['UEFI*NIC*IPv4', 'UEFI: the port in slot 3, IPv4', false],
    // What stands before and after must not overlap.
    ['aba*aba', 'ababa', false],
    ['a*b*b', 'ab', false],
    ['.*', 'x', false],
  ])('%s and %s: %s', (pattern, name, expected) => expect(matchesName(pattern, name)).toBe(expected));

  it('is matched in time that does not explode', () => {
    expect(matchesName('a*'.repeat(500) + 'b', 'a'.repeat(1024))).toBe(false);
  });
});

describe('reading', () => {
  it('takes the order as it stands, and knows when there is none', () => {
    expect(readBootOrder({ Boot: { BootOrder: ['Boot0001', null, 'NIC.1'] } })).toEqual([
      'Boot0001',
      'NIC.1',
    ]);
    expect(readBootOrder({ Boot: { BootOrder: [] } })).toEqual([]);
    expect(readBootOrder({ Boot: {} })).toBeNull();
  });

  it('takes the display name only: the name of the resource says "Boot Option"', () => {
    const body = { Id: '3', Name: 'Boot Option', BootOptionReference: 'Boot0003', DisplayName: 'ubuntu' };
    expect(readBootOption({ ...body, UefiDevicePath: 'HD(1,GPT)' })).toEqual({
      reference: 'Boot0003',
      name: 'ubuntu',
      path: 'HD(1,GPT)',
    });
    expect(readBootOption({ Id: 'Boot0003', Name: 'Boot Option' })).toEqual({
      reference: 'Boot0003',
      name: null,
      path: null,
    });
  });
});

describe('a device path', () => {
  it.each([
    ['HD(1,GPT,8a1b,0x800,0x32000)/\\EFI\\ubuntu\\shimx64.efi', true],
    ['PciRoot(0x0)/Pci(0x1d,0x0)/NVMe(0x1,00-00-00)/HD(1,GPT,8a1b,0x800,0x32000)/File(\\x.efi)', true],
    ['PciRoot(0x4)/Pci(0x0,0x0)/Sata(0x0,0xFFFF,0x0)/HD(1,MBR,0x0)', true],
    // The agent does not see it at all, and so does not remove it.
    ['PcieRoot(0x4)/Pci(0x0,0x0)/Sata(0x0,0xFFFF,0x0)/HD(1,MBR,0x0)', false],
    ['PciRoot(0x0)/Pci(0x1,0x0)/MAC(525400000001,0x1)/IPv4(0.0.0.0)', false],
    // A text of whoever made the entry, and no node.
    ['PciRoot(0x0)/Pci(0x1,0x0)/MAC(5254,0x1)/IPv4(0.0.0.0)/Uri(http://192.0.2.1/HD(1)/x.efi)', false],
    ['Uri(HD(1,GPT)', false],
    ['PciRoot(0x0)/MAC(5254,0x1)/IPv4(192.0.2.1)/iSCSI(iqn.2026-01.test,0x1,0x0)/HD(1,GPT,8a1b)', false],
    ['PciRoot(0x0)/Pci(0x1,0x0)/CDROM(0x1)/HD', false],
    ['FvVol(8a1b)/FvFile(9c2d)', false],
  ])('%s leads to a disk: %s', (path, expected) => expect(leadsToDisk(path)).toBe(expected));
});

describe('once the entries of disks were removed', () => {
  const LEFT = { reference: 'Boot0007', name: 'ubuntu', path: 'HD(1,GPT,8a1b)/\\EFI\\ubuntu\\shimx64.efi' };
  const HTTP = { reference: 'Boot0008', name: 'ironic1', path: 'MAC(5254)/Uri(http://192.0.2.1/x.efi)' };
  const OURS = { reference: 'Boot0009', name: 'ironic1', path: null };
  const judged = (options: BootVariables['options'], order: readonly string[] | null): object => {
    const { rest, stillShown } = withoutRemoved(shown({ options, order }), { bootOptions });
    return { stillShown, found: bootDifferences(rest, { bootOptions }).differences.length };
  };
  it.each([
    ['one of a disk', [DISK, LEFT], ['Boot0007', 'Boot0001'], 1, 0],
    ['one of a disk, where no order is shown', [DISK, LEFT], null, 1, 0],
    ['one that the agent wrote, without a path', [OURS], ['Boot0009'], 1, 0],
    ['one of the network, whatever its name', [HTTP], ['Boot0008'], 0, 1],
    ['one without a path', [OS], ['Boot0007'], 0, 1],
    ['one that is expected', [{ ...LEFT, name: 'UEFI: Hard Disk' }], ['Boot0007'], 0, 0],
    ['one of which only the order tells', [DISK], ['Boot0007'], 0, 1],
    ['no options at all', null, ['Boot0007'], 0, 1],
  ] as const)('%s', (_, options, order, stillShown, found) => {
    expect(judged(options, order)).toEqual({ stillShown, found });
  });
});

describe('boot variables against the machine type', () => {
  const finding = (where: string, name: string): string =>
    `boot option ${where}"${name}" is not among those of the machine type`;
  it.each([
    ['as expected', shown({}), []],
    [
      'an option that a tenant left',
      shown({ order: ['Boot0007', 'Boot0001'], options: [DISK, PXE, OS] }),
      [finding('Boot0007 ', 'ubuntu')],
    ],
    ['one that stands in no order', shown({ options: [DISK, PXE, OS] }), []],
    [
      'one that counts, where no order is shown',
      shown({ order: null, options: [OS] }),
      [finding('Boot0007 ', 'ubuntu')],
    ],
    ['a reference without an option', shown({ order: ['NIC.Slot.3-1-1'] }), [finding('', 'NIC.Slot.3-1-1')]],
    [
      'an option without a name',
      shown({ order: ['Boot0009'], options: [{ reference: 'Boot0009', name: null, path: null }] }),
      [finding('', 'Boot0009')],
    ],
    ['an empty order', shown({ order: [] }), []],
  ])('%s', (_, seen, differences) => {
    expect(bootDifferences(seen, { bootOptions, secureBoot: false })).toEqual({
      differences,
      untold: [],
      forbidden: [],
    });
  });

  it('may name an option by its reference', () => {
    const seen = shown({ order: ['NIC.Slot.3-1-1'], options: null });
    expect(bootDifferences(seen, { bootOptions: ['NIC.Slot.3-1-1'] }).differences).toEqual([]);
  });

  it.each([
    [true, true, []],
    [true, false, ['secure boot is enabled, and disabled expected']],
    [false, true, ['secure boot is disabled, and enabled expected']],
  ])('secure boot %s, expected %s', (secureBoot, wanted, differences) => {
    expect(bootDifferences(shown({ secureBoot }), { secureBoot: wanted }).differences).toEqual(differences);
  });

  it('that our account may not read are neither told nor untold', () => {
    const kept = shown({
      options: null,
      order: null,
      secureBoot: null,
      forbidden: ['secure boot', 'boot options'],
    });
    expect(bootDifferences(kept, { bootOptions, secureBoot: true })).toEqual({
      differences: [],
      untold: [],
      forbidden: ['secure boot', 'boot options'],
    });
    expect(bootDifferences(kept, {}).forbidden).toEqual([]);
  });

  it('that are not shown are untold, and those that are not spoken of make no difference', () => {
    const blind: BootVariables = { order: null, options: null, secureBoot: null, forbidden: [] };
    expect(bootDifferences(blind, { bootOptions, secureBoot: true })).toEqual({
      differences: [],
      untold: ['secure boot', 'boot options'],
      forbidden: [],
    });
    expect(bootDifferences(shown({ order: ['Boot0007'], secureBoot: true }), {})).toEqual({
      differences: [],
      untold: [],
      forbidden: [],
    });
  });
});
