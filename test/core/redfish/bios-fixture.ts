/** An attribute with a list of values. */
const choice = (name: string, ...values: string[]) => ({
  AttributeName: name,
  Type: 'Enumeration',
  Value: values.map((each) => ({ ValueName: each, ValueDisplayName: `${each} (shown)` })),
});
/** A dependency: while the terms hold, a property of an attribute has this value. */
export const map = (from: object[], attribute: string, property: string, value: unknown) => ({
  Type: 'Map',
  DependencyFor: attribute,
  Dependency: { MapFrom: from, MapToAttribute: attribute, MapToProperty: property, MapToValue: value },
});
/** A term of a dependency. */
export const when = (attribute: string, condition: string, value: unknown, more: object = {}) => ({
  MapFromAttribute: attribute,
  MapFromProperty: 'CurrentValue',
  MapFromCondition: condition,
  MapFromValue: value,
  ...more,
});

/** An attribute registry with something of everything. */
export const BODY = {
  Id: 'BiosAttributeRegistryX.v1_0_0',
  RegistryEntries: {
    Attributes: [
      choice('LogicalProc', 'Enabled', 'Disabled'),
      choice('SysProfile', 'PerfOptimized', 'Custom'),
      { ...choice('ProcTurbo', 'Enabled', 'Disabled'), ReadOnly: true },
      { ...choice('CStates', 'Enabled', 'Disabled') },
      { AttributeName: 'Cores', Type: 'Integer', LowerBound: 2, UpperBound: 64, ScalarIncrement: 2 },
      { AttributeName: 'Watts', Type: 'Integer', UpperBound: 500 },
      { AttributeName: 'Quiet', Type: 'Boolean' },
      {
        AttributeName: 'AssetTag',
        Type: 'String',
        MinLength: 2,
        MaxLength: 8,
        ValueExpression: '^[A-Z0-9]+$',
      },
      { AttributeName: 'SetupPassword', Type: 'Password' },
      { AttributeName: 'SHA256SetupPassword', Type: 'String' },
      { ...choice('PasswordStatus', 'Unlocked', 'Locked') },
      { AttributeName: 'BiosVersion', Type: 'String', ReadOnly: true },
      { AttributeName: 'Sockets', Type: 'Integer', Immutable: true },
      { ...choice('TpmOperation', 'NoAction', 'Clear'), WriteOnly: true },
      { ...choice('NumaNodesPerSocket', '0', '1', '4'), DisplayName: 'NUMA Nodes Per Socket' },
      choice('MegaRaid_00A4', 'On', 'Off'),
    ],
    Dependencies: [
      map([when('SysProfile', 'NEQ', 'Custom')], 'ProcTurbo', 'Readonly', 'true'),
      map([when('LogicalProc', 'EQU', 'Disabled')], 'Cores', 'UpperBound', 32),
      map(
        [when('Cores', 'GTR', 16), when('Quiet', 'EQU', true, { MapTerms: 'AND' })],
        'Watts',
        'UpperBound',
        300,
      ),
      map([when('LogicalProc', 'EQU', 'Disabled')], 'CStates', 'GrayOut', true),
      map(
        [{ ...when('CStates', 'EQU', true), MapFromProperty: 'GrayOut' }],
        'PasswordStatus',
        'ReadOnly',
        true,
      ),
    ],
  },
};
/** What a BIOS with that registry has. */
export const CURRENT = {
  LogicalProc: 'Enabled',
  SysProfile: 'PerfOptimized',
  ProcTurbo: 'Enabled',
  CStates: 'Enabled',
  Cores: 32,
  Watts: 400,
  Quiet: false,
  AssetTag: 'AB',
  SetupPassword: null,
  SHA256SetupPassword: '',
  PasswordStatus: 'Unlocked',
  BiosVersion: '2.4.1',
  Sockets: 2,
  TpmOperation: 'NoAction',
  NumaNodesPerSocket: '1',
  MegaRaid_00A4: 'On',
  NotInRegistry: 7,
};
