import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../../core/redfish/bios-check.ts';
import { registryAnswersTo, registryUris } from '../../../core/redfish/bios-registry-file.ts';
import { biosRegistry } from '../../../core/redfish/bios-registry.ts';
import { biosStanding } from '../../../core/redfish/bios-standing.ts';
import { isActive, isBiosJob, jobLinksOf, jobNamed } from '../../../core/redfish/bios-jobs.ts';

import { allBodies, describeCaptures } from '../../activities/redfish/captures/payloads.ts';
import { BODY, CURRENT } from './bios-fixture.ts';

const SETTINGS = '/redfish/v1/Systems/1/Bios/Settings';

describe('which registry file a BIOS names', () => {
  it.each([
    [{ Registry: 'BiosAttributeRegistry.v1_0_3' }, 'BiosAttributeRegistry.v1_0_3', 'exact'],
    [{ Id: 'biosattributeregistry.v1_0_3.json' }, 'BiosAttributeRegistry.v1_0_3', 'exact'],
    [{ Registry: 'BiosAttributeRegistry.1.0.2' }, 'BiosAttributeRegistry.v1_0_3', 'family'],
    [{ Registry: 'BiosAttributeRegistryU46.v1_1_90' }, 'BiosAttributeRegistryA56.v1_1_90', null],
    [{ Registry: 'Base.1.5.0' }, 'BiosAttributeRegistry.v1_0_3', null],
    [{}, 'BiosAttributeRegistry.v1_0_3', null],
    [null, 'X', null],
  ])('%j for %s: %s', (file, name, match) => {
    expect(registryAnswersTo(file, name)).toBe(match);
  });

  it('and where it is read: here, in English first; one that is only published elsewhere is nowhere', () => {
    const location = [
      { Language: 'ja', Uri: '/r/ja.json' },
      { Language: 'en-US', Uri: '/r/en.json', PublicationUri: 'https://vendor.example/en.json' },
    ];
    expect(registryUris({ Location: location })).toEqual(['/r/en.json', '/r/ja.json']);
    expect(registryUris({ Location: [{ Language: 'en', Uri: { extref: '/r/old.json' } }] })).toEqual([
      '/r/old.json',
    ]);
    expect(registryUris({ Location: [{ PublicationUri: 'https://vendor.example/en.json' }] })).toEqual([]);
    expect(registryUris({ Location: 'x' })).toEqual([]);
  });
});

describe('jobs', () => {
  it.each([
    [{ JobType: 'BIOSConfiguration', JobState: 'Scheduled' }, true, true],
    [{ JobType: 'BIOSConfiguration', JobState: 'Completed' }, true, false],
    [{ JobType: 'FirmwareUpdate', Name: 'Firmware Update: BIOS', JobState: 'Scheduled' }, false, true],
    [{ Name: 'Configure: BIOS.Setup.1-1', TaskState: 'Starting' }, true, true],
    [{ Name: 'Firmware Update: BIOS', TaskState: 'Running' }, false, true],
    [{ Name: 'Configure: RAID', TaskState: 'New' }, false, true],
    [{ TaskState: 'Running', Payload: { TargetUri: `${SETTINGS}/` } }, true, true],
    [
      { Name: 'BIOS', TaskState: 'Exception', Payload: { TargetUri: '/redfish/v1/UpdateService' } },
      false,
      false,
    ],
    [{ Oem: { Dell: { JobType: 'BIOSConfiguration' } }, TaskState: 'Pending' }, true, true],
    [{}, false, false],
    [null, false, false],
  ])('%j: of the BIOS %s, to be done %s', (job, bios, active) => {
    expect([isBiosJob(job, SETTINGS), isActive(job)]).toEqual([bios, active]);
  });

  it.each([
    ['/redfish/v1/TaskService/Tasks/JID_1', undefined, '/redfish/v1/TaskService/Tasks/JID_1'],
    ['/redfish/v1/Managers/1/Oem/Dell/Jobs/JID_1', undefined, '/redfish/v1/Managers/1/Oem/Dell/Jobs/JID_1'],
    // Where the settings are is no job.
    [SETTINGS, undefined, null],
    [
      undefined,
      { '@odata.id': '/redfish/v1/TaskService/Tasks/7', TaskState: 'New' },
      '/redfish/v1/TaskService/Tasks/7',
    ],
    [undefined, { '@odata.id': SETTINGS, Attributes: {} }, null],
    [undefined, undefined, null],
  ])('are named by Location %s and body %j: %s', (location, body, job) => {
    expect(jobNamed(location, body)).toBe(job);
  });

  it('of a manager stand under the name of its maker', () => {
    const jobs = { Jobs: { '@odata.id': '/redfish/v1/Managers/1/Jobs' } };
    expect(jobLinksOf({ Links: { Oem: { Dell: jobs } } })).toEqual(['/redfish/v1/Managers/1/Jobs']);
    expect(jobLinksOf({ Oem: { Dell: { '@odata.type': 'x' }, Other: 3 } })).toEqual([]);
    expect(jobLinksOf(null)).toEqual([]);
  });
});

describe('a registry', () => {
  it('is read whatever is missing or misspelt in it', () => {
    const attributes = [
      {
        AttributeName: 'A',
        Type: 'enumeration',
        Value: ['1', 2, { ValueName: 'x' }, {}, null],
        ReadOnly: 'True',
      },
      { AttributeName: 'B', Type: 'Integer', LowerBound: '0', UpperBound: 'N/A' },
      { AttributeName: 'C', Type: 'Tristate' },
      { Type: 'Integer' },
      null,
    ];
    const { attributes: read } = biosRegistry({ RegistryEntries: { Attributes: attributes } })!;
    expect([...read.keys()]).toEqual(['A', 'B', 'C']);
    expect(read.get('A')).toMatchObject({
      type: 'Enumeration',
      values: [{ name: '1' }, { name: '2' }, { name: 'x' }],
      readOnly: true,
    });
    expect(read.get('B')).toMatchObject({ type: 'Integer', lower: 0, upper: null, readOnly: false });
    expect(read.get('C')!.type).toBeNull();
  });

  it('that is none is none', () => {
    for (const body of [
      null,
      undefined,
      '',
      [],
      {},
      { RegistryEntries: [] },
      { RegistryEntries: { Attributes: [] } },
    ])
      expect(biosRegistry(body)).toBeNull();
  });

  it('never breaks what reads it, whatever a BMC has put into some places of it', () => {
    const places = placesIn(BODY);
    const strange = fc.oneof(
      fc.anything(),
      fc.constantFrom('__proto__', 'constructor', 'EQU', 'ReadOnly', 'LogicalProc'),
    );
    const change = fc.tuple(fc.constantFrom(...places), strange);
    const wanted = { LogicalProc: 'x', Cores: 3, Watts: 7, AssetTag: 'a', constructor: true };
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
        const body = structuredClone(BODY) as object;
        for (const [path, value] of changes) put(body, path, value);
        const { problems } = checkSettings(biosRegistry(body), CURRENT, wanted);
        biosStanding({ Attributes: CURRENT }, body, wanted);
        expect(problems.filter((each) => typeof each !== 'string' || each.includes('\n'))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

/** The path of everything in a JSON value. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, each]) => placesIn(each, [...path, key]));
  return path.length === 0 ? inner : [path, ...inner];
}

/** Puts something at a path, as far as it is still there. */
function put(body: object, path: readonly string[], value: unknown): void {
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], body);
  if (typeof parent === 'object' && parent !== null && !Object.isFrozen(parent))
    Reflect.set(parent, path.at(-1)!, value);
}

describeCaptures('captured BIOSes and registries', () => {
  const captured = (name: string): Record<string, unknown> =>
    allBodies().find((each) => each.name.endsWith(name))!.body as Record<string, unknown>;

  it('of a ZT server (AMI): two attributes of many are described', () => {
    const registry = biosRegistry(captured('errors/bios_attribute_registry_zthardware.json'))!;
    const bios = captured('errors/bios_zt.json');
    const attributes = bios['Attributes'] as Record<string, unknown>;
    const file = captured('errors/bios_attribute_registry_file_zthardware.json');
    expect(registryAnswersTo(file, String(bios['AttributeRegistry']))).toBe('exact');
    expect(registryUris(file)).toEqual(['/redfish/v1/Registries/BiosAttributeRegistryProt0.208.208.0.json']);
    expect([...registry.attributes.keys()]).toEqual(['TCG003', 'TCG023']);
    expect(registry.dependencies).toEqual([
      {
        terms: [
          { attribute: 'ACPI004', property: 'currentvalue', condition: 'EQU', value: true, join: 'AND' },
        ],
        attribute: 'ACPI002',
        property: 'hidden',
        value: 'true',
      },
    ]);
    expect(
      checkSettings(registry, attributes, { TCG003: 'Disabled', TCG023: 'Enabled', IPMI101: 'x', TCG03: 1 })
        .problems,
    ).toEqual([
      'TCG003 does not take "Disabled", but "Disable", "Enable"; "Disable" may be meant',
      'IPMI101 takes a number, not "x"',
      'TCG03 is no attribute of this BIOS; there is "TCG003"',
    ]);
  });

  it('of a PowerEdge (iDRAC 9): numbers as texts, and a password that reads as nothing', () => {
    const bios = captured('dell-idrac9-r6515/redfish/v1/Systems/System.Embedded.1/Bios/index.json');
    const attributes = bios['Attributes'] as Record<string, unknown>;
    expect(
      checkSettings(null, attributes, { NumaNodesPerSocket: 4, SysPassword: 'x', LogicalProcessor: 'x' })
        .problems,
    ).toEqual([
      'SysPassword holds a secret: passwords are not set by this verb',
      'LogicalProcessor is no attribute of this BIOS',
    ]);
    expect(biosStanding(bios, null, { NumaNodesPerSocket: 1, LogicalProc: 'Disabled' })).toMatchObject({
      applied: ['NumaNodesPerSocket'],
      missing: ['LogicalProc'],
    });
  });
});
