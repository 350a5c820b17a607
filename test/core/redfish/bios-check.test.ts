import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../../core/redfish/bios-check.ts';
import { biosRegistry } from '../../../core/redfish/bios-registry.ts';
import { BODY, CURRENT, map, when } from './bios-fixture.ts';

const registry = biosRegistry(BODY);
const problems = (wanted: Parameters<typeof checkSettings>[2]) =>
  checkSettings(registry, CURRENT, wanted).problems;

describe('settings held against the attribute registry', () => {
  it.each([
    [{ LogicalProc: 'Disabled' }, []],
    [
      { LogicalProc: 'disabled' },
      ['LogicalProc does not take "disabled", but "Enabled", "Disabled"; "Disabled" may be meant'],
    ],
    [
      { LogicalProc: 'Enabled (shown)' },
      ['LogicalProc does not take "Enabled (shown)", but "Enabled", "Disabled"; "Enabled" may be meant'],
    ],
    [{ LogicalProc: true }, ['LogicalProc does not take "true", but "Enabled", "Disabled"']],
    // The value's name is a text that looks like a number.
    [{ NumaNodesPerSocket: 4 }, []],
    [{ NumaNodesPerSocket: 2 }, ['NumaNodesPerSocket does not take "2", but "0", "1", "4"']],
    [{ Cores: 64 }, []],
    [{ Cores: '64' }, []],
    [{ Cores: 66 }, ['Cores takes a whole number from 2 to 64 in steps of 2, not 66']],
    [{ Cores: 7 }, ['Cores takes a whole number from 2 to 64 in steps of 2, not 7']],
    [{ Cores: 'many' }, ['Cores takes a whole number from 2 to 64 in steps of 2, not "many"']],
    [{ Watts: -5 }, []],
    [{ Watts: 501 }, ['Watts takes a whole number of at most 500, not 501']],
    [{ Quiet: 'true' }, []],
    [{ Quiet: 'yes' }, ['Quiet takes true or false, not "yes"']],
    [{ AssetTag: 'RACK1' }, []],
    [{ AssetTag: 'A' }, ['AssetTag takes a text of at least 2 characters, not of 1']],
    [{ AssetTag: 'ABCDEFGHI' }, ['AssetTag takes a text of at most 8 characters, not of 9']],
    [{ AssetTag: 'rack' }, ['AssetTag takes a text that fits "^[A-Z0-9]+$", not "rack"']],
    [{ BiosVersion: '9' }, ['BiosVersion is read-only; it is "2.4.1"']],
    [{ Sockets: 4 }, ['Sockets tells of the hardware and cannot be set; it is 2']],
    // What is so already is not written, and nothing can be wrong with it.
    [{ BiosVersion: '2.4.1', Sockets: 2, NotInRegistry: 7 }, []],
    [{ NotInRegistry: 'x' }, ['NotInRegistry takes a number, not "x"']],
    [
      { TpmOperation: 'Clear' },
      ['TpmOperation asks for an action and reverts: nothing would show that it was applied'],
    ],
    [{ SetupPassword: 'hunter22' }, ['SetupPassword holds a secret: passwords are not set by this verb']],
    [
      { SHA256SetupPassword: 'ab' },
      ['SHA256SetupPassword holds a secret: passwords are not set by this verb'],
    ],
    [{ PasswordStatus: 'Locked' }, []],
    [{ logicalproc: 'Disabled' }, ['logicalproc is no attribute of this BIOS; there is "LogicalProc"']],
    [{ LogicalPorc: 'Disabled' }, ['LogicalPorc is no attribute of this BIOS; there is "LogicalProc"']],
    [{ MegaRaid: 'Off' }, ['MegaRaid is no attribute of this BIOS; there is "MegaRaid_00A4"']],
    [{ MegaRaid_00B7: 'Off' }, ['MegaRaid_00B7 is no attribute of this BIOS; there is "MegaRaid_00A4"']],
    [{ Zebra: 1 }, ['Zebra is no attribute of this BIOS']],
    [{ constructor: 1 }, ['constructor is no attribute of this BIOS']],
  ])('%j: %j', (wanted, expected) => {
    expect(problems(wanted)).toEqual(expected);
  });

  it('says all that is wrong at once', () => {
    expect(problems({ Zebra: 1, Cores: 7, LogicalProc: 'Disabled', BiosVersion: '9' })).toHaveLength(3);
  });
});

describe('what depends on other settings', () => {
  it.each([
    // Shown as read-only since the profile makes it so: with another profile it is not.
    [{ ProcTurbo: 'Disabled' }, ['ProcTurbo is read-only; it is "Enabled"']],
    [{ ProcTurbo: 'Disabled', SysProfile: 'Custom' }, []],
    [
      { Cores: 64, LogicalProc: 'Disabled' },
      ['Cores takes a whole number from 2 to 32 in steps of 2, not 64'],
    ],
    // Two terms that both have to hold; one of them as the BIOS has it now.
    [{ Watts: 350 }, []],
    [{ Watts: 350, Quiet: true }, ['Watts takes a whole number of at most 300, not 350']],
    [{ Watts: 350, Quiet: true, Cores: 8 }, []],
    // Through what another dependency gives.
    [
      { PasswordStatus: 'Locked', LogicalProc: 'Disabled' },
      ['PasswordStatus is read-only; it is "Unlocked"'],
    ],
  ])('%j: %j', (wanted, expected) => {
    expect(problems(wanted)).toEqual(expected);
  });

  it('may be grayed out, which is told and not refused', () => {
    expect(checkSettings(registry, CURRENT, { CStates: 'Disabled', LogicalProc: 'Disabled' })).toMatchObject({
      problems: [],
      remarks: ['CStates has no effect with the other settings as they are'],
    });
  });

  it('is left alone where a condition is not understood', () => {
    const odd = map([when('LogicalProc', 'XOR', 'Enabled')], 'Watts', 'ReadOnly', true);
    const entries = { ...BODY.RegistryEntries, Dependencies: [odd, null, 'x', {}, { Dependency: 1 }] };
    const strange = biosRegistry({ ...BODY, RegistryEntries: entries });
    expect(strange!.dependencies).toEqual([]);
    expect(checkSettings(strange, CURRENT, { Watts: 350 }).problems).toEqual([]);
  });

  it('ends where dependencies go in circles', () => {
    const ring = [
      map([{ ...when('Watts', 'EQU', true), MapFromProperty: 'ReadOnly' }], 'Cores', 'ReadOnly', false),
      map([{ ...when('Cores', 'EQU', false), MapFromProperty: 'ReadOnly' }], 'Watts', 'ReadOnly', true),
    ];
    const circle = biosRegistry({
      ...BODY,
      RegistryEntries: { ...BODY.RegistryEntries, Dependencies: ring },
    });
    expect(checkSettings(circle, CURRENT, { Watts: 350 }).problems).toEqual([
      'Watts is read-only; it is 400',
    ]);
  });
});

describe('without a registry', () => {
  it.each([
    [{ LogicalProc: 'Whatever', Cores: 9999 }, []],
    [{ Cores: 'many' }, ['Cores takes a number, not "many"']],
    [{ Quiet: 'maybe' }, ['Quiet takes true or false, not "maybe"']],
    [{ LogicalPorc: 'x' }, ['LogicalPorc is no attribute of this BIOS; there is "LogicalProc"']],
    [{ SetupPassword: 'x' }, ['SetupPassword holds a secret: passwords are not set by this verb']],
  ])('existence and type are told from the BIOS: %j: %j', (wanted, expected) => {
    expect(checkSettings(null, CURRENT, wanted).problems).toEqual(expected);
  });
});

describe('an expression of a registry', () => {
  it.each(['^(a+)+$', '([', '^(a|a)*$', `^${'a*'.repeat(8)}b$`])(
    'that is none, or could take for ever, limits nothing: %s',
    (expression) => {
      const body = {
        RegistryEntries: {
          Attributes: [{ AttributeName: 'T', Type: 'String', ValueExpression: expression }],
        },
      };
      expect(checkSettings(biosRegistry(body), { T: '' }, { T: 'a'.repeat(64) }).problems).toEqual([]);
    },
  );
});
