import { describe, expect, it } from 'vitest';
import { accept, learn } from '../../../core/redfish/baseline.ts';
import { driftOf, driftText, wordsOf } from '../../../core/redfish/drift.ts';
import type { Drift, Finding } from '../../../core/redfish/findings.ts';
import type { Look, SeenPart } from '../../../core/redfish/look.ts';

const SYSTEM = '/redfish/v1/Systems/1';
const PORTS = '/redfish/v1/Chassis/1/NetworkAdapters/NIC/Ports';
const A = 'aa:00:00:00:00:0a';
const B = 'aa:00:00:00:00:0b';
const C = 'aa:00:00:00:00:0c';

const gpu = (i: number, id: string | null = `G${i}`): SeenPart => ({
  id,
  model: 'H100',
  sizeBytes: null,
  uri: `${SYSTEM}/Processors/GPU${i}`,
});
const drive = (bay: number, id: string | null, bytes: number | null = 4e12): SeenPart => ({
  id,
  model: 'PM9',
  sizeBytes: bytes,
  uri: `${SYSTEM}/Storage/1/Drives/${bay}`,
});
const nic = (mac: string, name: string, port: number, heard: string | null = null) => {
  const [systemName = null, portId = null] = heard?.split(' ') ?? [];
  return {
    mac,
    uris: [`${SYSTEM}/EthernetInterfaces/${name}`, `${PORTS}/${port}`],
    neighbour: heard === null ? null : { systemName, portId, chassisId: null, portDescription: null },
  };
};

const LOOK: Look = {
  at: '2030-01-01T00:00:00Z',
  requestId: 'r1',
  on: true,
  system: { serialNumber: 'S1', uuid: 'u1' },
  threads: 128,
  memoryGiB: 1024,
  nics: [nic(A, 'ens1', 1, 'leaf-1 swp1'), nic(B, 'ens2', 2)],
  blurred: [],
  gpus: [gpu(0), gpu(1)],
  drives: [drive(0, 'D0'), drive(1, 'D1')],
  bootMode: 'UEFI',
  secureBoot: true,
  tpm: true,
  firmware: { BMC: '1.0', BIOS: '2.0' },
  unsure: [],
};
const OFF: Look = {
  ...LOOK,
  on: false,
  tpm: false,
  gpus: [],
  drives: [],
  nics: [LOOK.nics[0]!],
  memoryGiB: 512,
};

const of = (look: Partial<Look>, was: Look = LOOK): Drift => driftOf(accept(was), { ...LOOK, ...look });
const brief = ({ what, was, is, faultDomain }: Finding): string =>
  `${what} | ${was} | ${is} | ${faultDomain}`;

describe('drift from the accepted inspection', () => {
  it('is none where nothing changed', () => {
    expect(of({})).toEqual({ findings: [], notes: [], untold: [] });
  });

  const only = (nics: Look['nics']): Partial<Look> => ({ nics });
  it.each<[string, Partial<Look>, string[]]>([
    ['a NIC gone', only([LOOK.nics[0]!]), [`NIC gone | ${B} (ens2) | none | hardware`]],
    [
      'a NIC renamed',
      only([LOOK.nics[0]!, nic(B, 'enp2s0', 2)]),
      [`NIC ${B} renamed | ens2 | enp2s0 | firmware`],
    ],
    [
      'ports numbered the other way',
      only([nic(A, 'ens1', 2, 'leaf-1 swp1'), nic(B, 'ens2', 1)]),
      [`NIC ${A} renamed | 1 | 2 | firmware`, `NIC ${B} renamed | 2 | 1 | firmware`],
    ],
    [
      'an adapter under another name, its ports numbered alike',
      only([
        LOOK.nics[0]!,
        {
          ...nic(B, 'ens2', 2),
          uris: [`${SYSTEM}/EthernetInterfaces/ens2`, `${PORTS.replace('NIC', 'Slot7')}/2`],
        },
      ]),
      [`NIC ${B} renamed | NIC/2 | Slot7/2 | firmware`],
    ],
    [
      'another MAC in the place of one',
      only([LOOK.nics[0]!, nic(C, 'ens2', 2)]),
      [`NIC replaced | ${B} (ens2) | ${C} (ens2) | hardware`],
    ],
    [
      'a cable in another port',
      only([nic(A, 'ens1', 1, 'leaf-1 swp9'), LOOK.nics[1]!]),
      [
        `NIC ${A} plugged in elsewhere | switch leaf-1 port swp1 | switch leaf-1 port swp9 | provisioning-network`,
      ],
    ],
    ['no NIC at all', only([]), ['all NICs gone | 2 NICs | none | bmc']],
    ['a GPU gone', { gpus: [gpu(1)] }, ['GPU gone | H100 (G0) | none | hardware']],
    [
      'a GPU gone, and the others counted anew',
      { gpus: [{ ...gpu(0), id: 'G1' }] },
      ['GPU gone | H100 (G0) | none | hardware'],
    ],
    ['a GPU replaced', { gpus: [gpu(0), gpu(1, 'X')] }, ['GPU replaced | H100 (G1) | H100 (X) | hardware']],
    ['no GPU at all', { gpus: [] }, ['all GPUs gone | 2 GPUs | none | bmc']],
    ['a drive gone', { drives: [drive(0, 'D0')] }, ['drive gone | PM9 (D1) 4 TB | none | hardware']],
    [
      'a drive that is smaller',
      { drives: [drive(0, 'D0'), drive(1, 'D1', 2e12)] },
      ['drive D1 smaller | 4 TB | 2 TB | hardware'],
    ],
    [
      'a smaller drive in the place of another',
      { drives: [drive(0, 'D0'), drive(1, 'X', 960e9)] },
      ['drive replaced | PM9 (D1) 4 TB | PM9 (X) 960 GB | hardware'],
    ],
    ['less memory', { memoryGiB: 960 }, ['less memory | 1024 GiB | 960 GiB | hardware']],
    ['half the threads', { threads: 64 }, ['fewer CPU threads | 128 | 64 | firmware']],
    ['some threads less', { threads: 120 }, ['fewer CPU threads | 128 | 120 | hardware']],
    ['another boot mode', { bootMode: 'Legacy' }, ['boot mode | UEFI | Legacy | firmware']],
    ['no TPM any more', { tpm: false }, ['TPM gone | shown | none | firmware']],
    ['secure boot off', { secureBoot: false }, ['secure boot | enabled | disabled | firmware']],
    [
      'another machine, and nothing else is said of it',
      { system: { serialNumber: 'S2', uuid: 'u2' }, gpus: [], nics: [] },
      ['another machine | serial number S1 | serial number S2 | hardware'],
    ],
    [
      'another machine by its UUID, where no serial number is told',
      { system: { serialNumber: null, uuid: 'u2' } },
      ['another machine | UUID u1 | UUID u2 | hardware'],
    ],
  ])('%s', (_name, look, findings) => {
    expect(of(look).findings.map(brief)).toEqual(findings);
    for (const { correction } of of(look).findings) expect(correction).toMatch(/\w.*\.$/);
  });

  it.each<[string, Partial<Look>]>([
    ['drives that changed their bays', { drives: [drive(0, 'D1'), drive(1, 'D0')] }],
    ['serial numbers that are not told any more', { drives: [drive(0, null), drive(1, null)] }],
    ['a size that is not told any more', { drives: [drive(0, 'D0', null), drive(1, 'D1', null)] }],
    ['a size that was rounded', { drives: [drive(0, 'D0', 3.99e12), drive(1, 'D1')] }],
    ['memory that firmware takes', { memoryGiB: 1020 }],
    [
      'totals, serial number and settings that are not told',
      {
        threads: null,
        memoryGiB: null,
        bootMode: null,
        secureBoot: null,
        system: { serialNumber: null, uuid: null },
      },
    ],
    [
      'a switch that tells its name in full',
      only([nic(A, 'ens1', 1, 'Leaf-1.dc.example swp1'), LOOK.nics[1]!]),
    ],
    ['a MAC of which LLDP says nothing', only([nic(A, 'ens1', 1), LOOK.nics[1]!])],
    [
      'one of several places of a MAC hidden',
      only([{ ...LOOK.nics[0]!, uris: [`${PORTS}/1`] }, LOOK.nics[1]!]),
    ],
  ])('no drift: %s', (_name, look) => {
    expect(of(look).findings).toEqual([]);
  });

  it('notes what is no drift: new parts, other firmware, more memory', () => {
    const { findings, notes } = of({
      firmware: { BMC: '1.1', BIOS: '2.0', NIC: '3' },
      memoryGiB: 2048,
      drives: [...LOOK.drives, drive(2, 'D2')],
      nics: [...LOOK.nics, nic(C, 'ens3', 3)],
      system: { serialNumber: 'S1', uuid: 'u2' },
    });
    expect(findings).toEqual([]);
    expect(notes).toEqual([
      `new NICs: ${C} (ens3)`,
      'new drives: PM9 (D2) 4 TB',
      'memory: 2048 GiB, and 1024 GiB before',
      'firmware BMC: 1.0, now 1.1',
      'UUID of the system: u1, now u2',
    ]);
  });

  it('takes nothing for gone that could not be read', () => {
    const { findings, untold } = of({
      unsure: ['gpus', 'drives', 'nics'],
      gpus: [],
      drives: [drive(0, 'D0')],
      nics: [],
    });
    expect(findings).toEqual([]);
    expect(untold).toEqual([
      `${A} (ens1) (not all could be read)`,
      `${B} (ens2) (not all could be read)`,
      '2 GPUs (not all could be read)',
      '1 drive (not all could be read)',
    ]);
  });

  it('takes no NIC for gone whose MAC is hidden or stands twice', () => {
    const blurred = [A, `${PORTS}/2`];
    expect(of({ nics: [], blurred })).toMatchObject({
      findings: [],
      untold: [`the MAC of ${A} (ens1)`, `the MAC of ${B} (ens2)`],
    });
  });
});

describe('a host that is off', () => {
  it('may hide what was only ever seen of one that is on', () => {
    const { findings, untold } = driftOf(accept(LOOK), OFF);
    expect(findings).toEqual([]);
    expect(untold).toEqual([
      `${B} (ens2) (shown only of a host that is on)`,
      '2 GPUs (the BMC shows them only of a host that is on)',
      '2 drives (the BMC shows them only of a host that is on)',
    ]);
  });

  it('hides nothing that was shown of it before', () => {
    const baseline = learn(accept(LOOK), { ...LOOK, on: false });
    expect(driftOf(baseline, OFF).findings.map(brief)).toEqual([
      `NIC gone | ${B} (ens2) | none | hardware`,
      'all GPUs gone | 2 GPUs | none | bmc',
      'all drives gone | 2 drives | none | bmc',
      'less memory | 1024 GiB | 512 GiB | hardware',
    ]);
  });

  it('tells less: the first look at the running host completes the baseline, and nothing of it is new', () => {
    expect(driftOf(accept(OFF), LOOK)).toEqual({ findings: [], notes: [], untold: [] });
    const baseline = learn(accept(OFF), LOOK);
    expect(driftOf(baseline, LOOK)).toEqual({ findings: [], notes: [], untold: [] });
    expect(driftOf(baseline, OFF).findings).toEqual([]);
    expect(driftOf(baseline, { ...LOOK, gpus: [gpu(0)] }).findings.map(brief)).toEqual([
      'GPU gone | H100 (G1) | none | hardware',
    ]);
  });

  it('shows devices that are processors of one that is on', () => {
    const device = { ...gpu(0, null), model: 'GH100', uri: '/redfish/v1/Chassis/1/PCIeDevices/7' };
    const off = { ...LOOK, on: false, gpus: [device, { ...device, uri: `${device.uri}1` }] };
    expect(driftOf(accept(off), LOOK).findings).toEqual([]);
    const baseline = learn(accept(off), LOOK);
    expect(driftOf(baseline, off).findings).toEqual([]);
    expect(driftOf(baseline, { ...off, gpus: [device] }).findings.map(brief)).toEqual([
      'GPU gone | GH100 (G1) | none | hardware',
    ]);
  });
});

describe('what a baseline learns', () => {
  it('is no part that came later: it stays new until it is accepted', () => {
    const look = { ...LOOK, gpus: [...LOOK.gpus, gpu(2)] };
    const baseline = learn(accept(LOOK), look);
    expect(driftOf(baseline, look).notes).toEqual(['new GPUs: H100 (G2)']);
    expect(driftOf(baseline, LOOK).findings).toEqual([]);
    expect(driftOf(accept(look), look).notes).toEqual([]);
  });

  it('is firmware: a new version is noted once', () => {
    const look = { ...LOOK, firmware: { BMC: '1.1' } };
    expect(driftOf(accept(LOOK), look).notes).toEqual(['firmware BMC: 1.0, now 1.1']);
    expect(driftOf(learn(accept(LOOK), look), look).notes).toEqual([]);
  });
});

describe('the text of a flag', () => {
  it('names what fits, and how many more there are', () => {
    expect(driftText(['x', 'y'])).toBe('x; y');
    const many = Array.from({ length: 40 }, (_, i) => `GPU ${i} gone: was H100, is none (hardware)`);
    expect(driftText(many).length).toBeLessThanOrEqual(300);
    expect(driftText(many)).toMatch(/^GPU 0 gone: was H100, is none \(hardware\); .*; and \d+ more$/);
    expect(driftText(['z'.repeat(900)])).toHaveLength(300);
  });

  it('says of a finding what it was, what it is, and whose it is', () => {
    expect(of({ memoryGiB: 960 }).findings.map(wordsOf)).toEqual([
      'less memory: was 1024 GiB, is 960 GiB (hardware)',
    ]);
  });

  it('is one line, whatever a BMC calls its parts', () => {
    const evil = `G${String.fromCharCode(27)}[31m\n# x`;
    const [found] = of({ gpus: [gpu(0)] }, { ...LOOK, gpus: [gpu(0), gpu(1, evil)] }).findings;
    expect(found!.was).toBe('H100 (G [31m # x)');
    expect(
      of({ gpus: [gpu(0)] }, { ...LOOK, gpus: [gpu(0), gpu(1, 'q'.repeat(255))] }).findings[0]!.was,
    ).toHaveLength(120);
  });
});
