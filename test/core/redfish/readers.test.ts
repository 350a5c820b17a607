import { describe, expect, it } from 'vitest';
import {
  identityMacs,
  mergeNics,
  readBootOptionPort,
  readEthernetInterface,
} from '../../../core/redfish/nics.ts';
import { asName, asPercent, asPositive, asText, bareUri } from '../../../core/redfish/read.ts';
import * as read from '../../../core/redfish/readers.ts';
import { readControllers, readDrive, readVirtualDrive } from '../../../core/redfish/storage.ts';

describe('placeholders', () => {
  it.each(['To be filled by O.E.M.', 'Default string', 'Not Enumerated', 'NO DIMM', '          '])(
    '%j is no text',
    (value) => expect(asText(value)).toBeNull(),
  );
  it.each([255, -1, 'N/A', null])('%j is no percentage', (value) => expect(asPercent(value)).toBeNull());
  it.each([0, 100, '37'])('%j is one', (value) => expect(asPercent(value)).toBe(Number(value)));
  it.each([0, -1, 'N/A'])('%j is no speed, size or count', (value) => expect(asPositive(value)).toBeNull());
  it.each(['00000000-0000-0000-0000-000000000000', '03000200-0400-0500-0006-000700080009'])(
    '%s is no UUID',
    (UUID) => expect(read.readIdentity({ UUID }).uuid).toBeNull(),
  );
  it('a name is cut where it is longer than any', () => expect(asName('x'.repeat(1_000))).toHaveLength(255));
  it('a worn drive that says 255 says nothing', () =>
    expect(
      readDrive('/d', { PredictedMediaLifeLeftPercent: 255 }, null).predictedLifeLeftPercent,
    ).toBeNull());
  it('slashes at the end of a URI do not count', () =>
    expect([bareUri('/a//'), bareUri('/a'), bareUri('//')]).toEqual(['/a', '/a', '']));
});

describe('what is there', () => {
  it.each([
    [{ Status: { State: 'Absent' } }, true],
    [{ Status: { State: 'Disabled' }, Model: 'N/A', CapacityMiB: 0 }, true],
    [{ Status: { State: 'Disabled' }, CapacityMiB: 16_384 }, false],
    [{ Status: { State: 'Disabled' }, SerialNumber: 'S' }, false],
    [{}, false],
  ])('%j: absent %s', (body, expected) => expect(read.isAbsent(body)).toBe(expected));
  it.each([
    [{ ProcessorType: 'CPU' }, true],
    [{}, true],
    [{ ProcessorType: 'FPGA' }, false],
    [{ ProcessorType: 'Thread' }, false],
    [{ ProcessorType: 'GPU' }, false],
    [{ Model: 'NVIDIA H100 80GB' }, false],
  ])('%j: a CPU %s', (body, expected) => expect(read.isCpu(body)).toBe(expected));
  it.each([
    [
      { Id: 'TPM', TPM: {}, Status: { State: 'Enabled' } },
      { type: 'TPM', firmware: null, state: 'Enabled' },
    ],
    [{ Name: 'TPM 2.0', Status: { State: 'Absent' } }, null],
    [{ Id: 'iRoT0', Status: { State: 'Enabled' } }, null],
  ])('%j among the trusted components is %j', (body, expected) =>
    expect(read.readTrustedComponent(body)).toEqual(expected),
  );
});

describe('sums', () => {
  const summary = {
    ProcessorSummary: { LogicalProcessorCount: 48 },
    MemorySummary: { TotalSystemMemoryGiB: 0 },
  };
  const cpu = (TotalThreads: unknown) => read.readProcessor('/p', { TotalThreads });
  const dimm = (CapacityMiB: unknown) => read.readMemoryModule('/m', { CapacityMiB });
  it.each([
    [[cpu(16), cpu(16)], 32],
    [[cpu(16), cpu('N/A')], 48],
    [[], 48],
  ])('threads of %j', (cpus, expected) => expect(read.threadsOf(summary, cpus)).toBe(expected));
  it.each([
    [[dimm(16_384), dimm(16_384)], 32],
    [[dimm(16_384), dimm(null)], null],
    [[], null],
  ])('memory of %j', (modules, expected) => expect(read.memoryGiBOf(summary, modules)).toBe(expected));
});

describe('network interfaces', () => {
  const MAC = 'aa:00:00:00:00:01';
  const port = readEthernetInterface('/1', { Id: '1', MACAddress: MAC });
  const vlan = readEthernetInterface('/v', { Id: 'v', MACAddress: MAC, EthernetInterfaceType: 'Virtual' });
  const link = readEthernetInterface('/b', {
    MACAddress: 'aa:00:00:00:00:02',
    Links: { HostInterface: { '@odata.id': '/h' } },
  });
  const options = ['/o/1', '/o/2'].flatMap((uri) =>
    readBootOptionPort(uri, { UefiDevicePath: `PciRoot(0x0)/MAC(${'AA0000000003'.padEnd(64, '0')},0x1)` }),
  );
  it('what stands on a port does not make its MAC stand twice', () =>
    expect(mergeNics([vlan, port])).toMatchObject([{ mac: MAC, repeated: false, name: '1', role: 'port' }]));
  it('a virtual one alone, and the link to the BMC, identify nothing', () =>
    expect(identityMacs(mergeNics([vlan, link]))).toEqual([]));
  it('a port boots by more than one protocol', () =>
    expect(identityMacs(mergeNics(options))).toEqual(['aa:00:00:00:00:03']));
  it('a boot option that is no port shows none', () =>
    expect(readBootOptionPort('/o', { UefiDevicePath: 'HD(1,GPT,…)/\\EFI\\BOOT' })).toEqual([]));
});

describe('storage', () => {
  it('controllers inside a Storage resource, and one that is its own', () => {
    const inside = { StorageControllers: [{ Model: 'PERC', FirmwareVersion: '1' }, { Name: 'B' }] };
    expect(readControllers('/s', inside)).toMatchObject([
      { uri: '/s#/StorageControllers/0', model: 'PERC', firmware: '1' },
      { uri: '/s#/StorageControllers/1', name: 'B' },
    ]);
    expect(readControllers('/s', { Name: 'S' })).toMatchObject([{ uri: '/s', name: 'S' }]);
  });
  it('of a virtual drive, not which image is in it', () => {
    const drive = readVirtualDrive('/v', {
      Image: 'http://p/token/a.iso',
      Inserted: true,
      MediaTypes: ['CD'],
    });
    expect(drive).toEqual({ uri: '/v', mediaTypes: ['CD'], occupied: true, insertable: false });
  });
});
