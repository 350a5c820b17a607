import { describe, expect, it } from 'vitest';
import {
  isStarting,
  readBootSetting,
  readFirmwareSettings,
} from '../../../core/redfish/firmware-settings.ts';

const bios = (Attributes: unknown) => ({ Attributes });
const override = (mode: string) => ({ Boot: { BootSourceOverrideMode: mode } });

describe('what BIOS attributes say of the boot', () => {
  it.each<[string, unknown, string | null, boolean | null]>([
    [
      'Dell',
      { BootMode: 'Uefi', SecureBoot: 'Disabled', SecureBootMode: 'DeployedMode', OneTimeBootMode: 'Bios' },
      'UEFI',
      false,
    ],
    ['HPE', { BootMode: 'LegacyBios', SecureBootStatus: 'Enabled' }, 'Legacy', true],
    [
      'Lenovo',
      { BootModes_SystemBootMode: 'UEFIMode', SecureBootConfiguration_SecureBootSetting: 'Enabled' },
      'UEFI',
      true,
    ],
    ['Supermicro', { BootModeSelect: 'LEGACY', SecureBootEnable: false }, 'Legacy', false],
    ['both at once', { BootModeSelect: 'DUAL' }, null, null],
    ['two that disagree', { BootMode: 'Uefi', BootModeSelect: 'Legacy' }, null, null],
    ['no attributes', 'none', null, null],
  ])('%s', (_name, attributes, mode, secureBoot) => {
    expect(readFirmwareSettings(bios(attributes))).toEqual({ mode, secureBoot });
  });
});

describe('how a system boots', () => {
  it('is what its BIOS says, else the mode of the override', () => {
    expect(readBootSetting(override('Legacy'), bios({ BootMode: 'Uefi' }), null)).toEqual({
      mode: 'UEFI',
      biosMode: 'UEFI',
      secureBoot: null,
      disagreements: ['boot mode: UEFI by the BIOS, Legacy by the boot override'],
    });
    expect(readBootSetting(override('UEFI'), null, null)).toEqual({
      mode: 'UEFI',
      biosMode: null,
      secureBoot: null,
      disagreements: [],
    });
  });

  it.each<[string, unknown, unknown, string[]]>([
    [
      'all alike',
      { SecureBootEnable: true, SecureBootCurrentBoot: 'Enabled' },
      { SecureBoot: 'Enabled' },
      [],
    ],
    [
      'set, and not yet booted with',
      { SecureBootEnable: true, SecureBootCurrentBoot: 'Disabled' },
      {},
      ['secure boot: enabled set, disabled of the running system'],
    ],
    [
      'set, and the BIOS says otherwise',
      { SecureBootEnable: false },
      { SecureBoot: 'Enabled' },
      ['secure boot: disabled set, enabled by the BIOS'],
    ],
    [
      'enabled where the boot mode has none',
      { SecureBootEnable: true },
      { BootMode: 'Bios' },
      ['secure boot is enabled, and the boot mode is Legacy'],
    ],
  ])('secure boot %s', (_name, shown, attributes, disagreements) => {
    expect(readBootSetting({}, bios(attributes), shown).disagreements).toEqual(disagreements);
  });

  it('is unknown while the firmware is still finding its hardware', () => {
    const state = (LastState: unknown) => isStarting({ BootProgress: { LastState } });
    expect(['MemoryInitializationStarted', 'PCIResourceConfigStarted'].map(state)).toEqual([true, true]);
    const through = ['SystemHardwareInitializationComplete', 'OSRunning', 'OEM', 'None', null];
    expect(through.map(state)).toEqual(through.map(() => false));
    expect(isStarting({})).toBe(false);
  });
});
