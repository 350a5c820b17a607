import { describe, expect, it } from 'vitest';
import { surveyDifferences, type BootAsked, type Survey } from '../../../core/redfish/survey.ts';

const BEFORE: Survey = {
  power: 'on',
  boot: { mode: 'UEFI', override: 'none', order: ['Boot0001', 'Boot0002'], secureBoot: true },
  nics: { '52:54:00:00:00:01': 'ens1f0', '52:54:00:00:00:02': null },
  gpus: ['G1', 'H100', 'H100'],
  drives: ['D1'],
  firmware: { BMC: '1.0', BIOS: '2.0', CPLD: null },
  unread: [],
};
const after = (over: Partial<Survey>): Survey => ({ ...BEFORE, ...over });
const boot = (over: Partial<Survey['boot']>): Survey => after({ boot: { ...BEFORE.boot, ...over } });

describe('what a service may not leave behind', () => {
  it.each<[string, Survey, string[]]>([
    ['nothing changed', BEFORE, []],
    ['the power is not compared', after({ power: 'off' }), []],
    ['more is shown than before', after({ gpus: [...BEFORE.gpus, 'G2'], drives: ['D1', 'D2'] }), []],
    ['a boot option came', boot({ order: ['Boot0004', 'Boot0001', 'Boot0002'] }), []],
    [
      'the boot order turned',
      boot({ order: ['Boot0002', 'Boot0001'] }),
      ['the boot order was Boot0001, Boot0002, and is Boot0002, Boot0001'],
    ],
    ['the boot mode flipped', boot({ mode: 'Legacy' }), ['the boot mode was UEFI, and is Legacy']],
    ['an override came', boot({ override: 'Pxe (Once)' }), ['the boot override was none, and is Pxe (Once)']],
    ['secure boot went', boot({ secureBoot: false }), ['secure boot was on, and is off']],
    [
      'a NIC is another',
      after({ nics: { '52:54:00:00:00:09': 'ens1f0', '52:54:00:00:00:02': null } }),
      ['NIC "ens1f0" 52:54:00:00:00:01 (new: 52:54:00:00:00:09) is gone'],
    ],
    [
      'a NIC has another name',
      after({ nics: { ...BEFORE.nics, '52:54:00:00:00:01': 'ens1f0np0' } }),
      ['the name of NIC 52:54:00:00:00:01 was "ens1f0", and is "ens1f0np0"'],
    ],
    ['one of two like GPUs is gone', after({ gpus: ['G1', 'H100'] }), ['GPU "H100" is gone']],
    ['a drive is gone', after({ drives: [] }), ['drive "D1" is gone']],
    [
      'other firmware changed',
      after({ firmware: { ...BEFORE.firmware, BMC: '1.1' } }),
      ['the firmware of "BMC" was "1.0", and is "1.1"'],
    ],
    ['what was updated may have', after({ firmware: { ...BEFORE.firmware, BIOS: '3.0' } }), []],
    [
      'a component is gone',
      after({ firmware: { BIOS: '2.0', CPLD: null } }),
      ['the firmware of "BMC" is gone'],
    ],
  ])('%s', (_what, seen, expected) => {
    expect(surveyDifferences(BEFORE, seen, new Set(['BIOS'])).map(({ what }) => what)).toEqual(expected);
  });

  it('takes how it boots for no change where the BIOS settings asked for it, and for one where they did not', () => {
    const whats = (seen: Survey, asked: BootAsked): string[] =>
      surveyDifferences(BEFORE, seen, new Set(), asked).map(({ what }) => what);
    const legacy = boot({ mode: 'Legacy', secureBoot: false, order: ['HardDisk0'] });
    expect(whats(legacy, { mode: 'Legacy', secureBoot: false })).toEqual([]);
    expect(whats(legacy, { mode: 'Legacy', secureBoot: null })).toEqual(['secure boot was on, and is off']);
    expect(whats(legacy, { mode: 'UEFI', secureBoot: false })).toEqual([
      'the boot mode was UEFI, and is Legacy',
      'the boot order was Boot0001, Boot0002, and is HardDisk0',
    ]);
    expect(whats(boot({ order: [] }), { mode: 'UEFI', secureBoot: true })).toEqual([
      'the boot order was Boot0001, Boot0002, and is empty',
    ]);
    expect(whats(boot({ order: [] }), { mode: null, secureBoot: null, order: true })).toEqual([]);
  });

  it('says whose it is', () => {
    const [gpu, mode] = [after({ gpus: [] }), boot({ mode: 'Legacy' })].map((seen) =>
      surveyDifferences(BEFORE, seen),
    );
    expect(gpu![0]).toMatchObject({ faultDomain: 'hardware', missing: true });
    expect(mode![0]).toMatchObject({ faultDomain: 'firmware', missing: false });
  });
});
