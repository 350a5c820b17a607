import { describe, expect, it } from 'vitest';
import { TPM_CLEAR, tpmClearOf, tpmsOf, tpmStanding } from '../../../core/redfish/tpm.ts';

describe('the attribute that clears a TPM', () => {
  it.each([
    ['Dell', { TpmSecurity: 'On', Tpm2Hierarchy: 'Enabled' }, 'Tpm2Hierarchy', 'Clear'],
    ['Dell, TPM 1.2', { TpmCommand: 'None', TpmSecurity: 'On' }, 'TpmCommand', 'Clear'],
    ['HPE', { Tpm2Operation: 'NoAction', TpmState: 'PresentEnabled' }, 'Tpm2Operation', 'Clear'],
    ['HPE, TPM 1.2', { TpmOperation: 'NoAction' }, 'TpmOperation', 'Clear'],
    ['NVIDIA', { TpmOperation: 'None', TpmSupport: 'Enable' }, 'TpmOperation', 'TPM Clear'],
    [
      'Lenovo',
      { TrustedComputingGroup_DeviceOperation: 'None' },
      'TrustedComputingGroup_DeviceOperation',
      'Clear',
    ],
    ['Supermicro', { PendingOperation_00C9: 'None' }, 'PendingOperation_00C9', 'TPM Clear'],
    ['AMI', { TCG003: 'Enable', TCG006: 'None', TCG007: 'None' }, 'TCG006', 'TPM Clear'],
    ['Giga Computing', { TCG006: 'Disabled', TCG008: 'None' }, 'TCG008', 'TPM Clear'],
    ['one that waits already', { Tpm2Operation: 'Clear' }, 'Tpm2Operation', 'Clear'],
  ])('%s', (_, attributes, attribute, value) => {
    expect(tpmClearOf(attributes)).toEqual({ attribute, value });
  });

  it.each([
    ['nothing', {}],
    ['other switches of that name', { TCG006: 'Disabled', TpmOperation: 'Quick', Tpm2Hierarchy: null }],
    ['names that only begin so', { PendingOperationRaid: 'None', MyTpm2Operation: 'NoAction' }],
    ['what only speaks of a TPM', { TpmSecurity: 'On', TpmPpiBypassClear: 'Disabled' }],
  ])('is not known from %s', (_, attributes) => expect(tpmClearOf(attributes)).toBeUndefined());

  it('is known from somewhere, row by row', () => {
    for (const { source, idle, clear } of TPM_CLEAR) {
      expect(source).toMatch(/^[\w .,()]+: .*\w/);
      expect(idle).not.toContain(clear);
    }
  });
});

describe('a TPM', () => {
  const there = { InterfaceType: 'TPM2_0', Status: { State: 'Enabled' } };
  it.each([
    [{ TrustedModules: [there] }, ['TPM2_0']],
    [{ TrustedModules: [{ InterfaceType: 'TPM2_0' }] }, ['TPM2_0']],
    [{ TrustedModules: [{ FirmwareVersion: '7.2' }] }, ['TPM']],
    [{ TrustedModules: [{ ...there, Status: { State: 'Absent' } }] }, []],
    [{ TrustedModules: [{ ...there, Status: { State: 'Disabled' } }] }, []],
    [{ TrustedModules: [{ Status: { State: 'Absent' } }, there] }, ['TPM2_0']],
    [{ TrustedModules: [{ Oem: {} }] }, []],
    [{ TrustedModules: [] }, []],
    [{}, []],
  ])('of %j: %j', (system, expected) => expect(tpmsOf(system)).toEqual(expected));

  it.each([
    [{ Id: 'TPM', TPM: {}, Status: { State: 'Enabled' } }, ['TPM']],
    [{ Id: '1', Name: 'TPM for computer system' }, ['TPM']],
    [{ Id: '1', TPM: {}, Status: { State: 'Absent' } }, []],
    [{ Id: '1', Name: 'Root of trust' }, []],
    [undefined, []],
  ])('among the trusted components: %j is %j', (component, expected) => {
    expect(tpmsOf({}, [component])).toEqual(expected);
  });
});

describe('where a clear stands', () => {
  const clear = { attribute: 'Tpm2Operation', value: 'Clear' };
  const bios = (value: string | null, messages: unknown[] = []) => ({
    Attributes: value === null ? {} : { Tpm2Operation: value },
    '@Redfish.Settings': { Messages: messages },
  });
  const about = (over: object) => ({ RelatedProperties: ['#/Attributes/Tpm2Operation'], ...over });
  it.each([
    ['asked for in full settings', bios('NoAction'), bios('Clear'), 'pending'],
    ['asked for where settings show only what waits', bios('NoAction'), bios('Clear'), 'pending'],
    ['shown by the BIOS itself', bios('Clear'), bios(null), 'pending'],
    ['nothing waits', bios('NoAction'), bios('NoAction'), 'idle'],
    ['no settings but those that wait', bios('NoAction'), bios(null), 'idle'],
    ['no settings at all', bios('NoAction'), undefined, 'idle'],
    [
      'refused',
      bios('NoAction', [about({ MessageId: 'X.1.SettingNotApplied', MessageSeverity: 'Critical' })]),
      bios(null),
      'refused',
    ],
    [
      'refused, without severity',
      bios('NoAction', [about({ MessageId: 'Base.1.0.SettingsFailed' })]),
      bios(null),
      'refused',
    ],
    [
      'taken, with a message',
      bios('NoAction', [about({ MessageId: 'Base.1.0.Success', Severity: 'OK' })]),
      bios(null),
      'idle',
    ],
    [
      'another setting refused',
      bios('NoAction', [
        { MessageId: 'Base.1.0.SettingsFailed', RelatedProperties: ['/Attributes/Tpm2OperationX'] },
      ]),
      bios(null),
      'idle',
    ],
    // It waits again: what the last reset said is of no account.
    [
      'asked for again after a refusal',
      bios('NoAction', [about({ MessageSeverity: 'Critical', MessageId: 'X' })]),
      bios('Clear'),
      'pending',
    ],
  ])('%s', (_, shown, settings, state) => expect(tpmStanding(shown, settings, clear).state).toBe(state));
});
