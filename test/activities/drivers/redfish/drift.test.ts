import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../core/json.ts';
import { startBench, type Bench, type Running } from './bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench({ servers: 2 });
});
afterAll(() => bench.close());

const NODE = 'node-001';
const OTHER = 'node-002';
const keptFile = (node: string): string =>
  join(dirname(bench.lab.inventory), 'inspections', bench.inventory.site, `${node}.json`);

async function run(
  verb: 'enroll' | 'inspect' | 'adopt' | 'power' | 'service',
  args: JsonObject = {},
  node = NODE,
): Promise<Running> {
  const operation = bench.begin(verb, node, args);
  try {
    await operation.run();
  } finally {
    operation.end();
  }
  return operation;
}

interface Compared {
  readonly drift?: boolean;
  readonly drifted: string;
  readonly findings: readonly {
    readonly what: string;
    readonly faultDomain: string;
    readonly correction: string;
  }[];
}
const dataOf = (operation: Running): Compared =>
  operation.outputs.get('compare')!.data as unknown as Compared;
const summaryOf = (operation: Running, step: string): string => operation.outputs.get(step)!.summary;
const evidenceOf = (operation: Running, piece: string): Json | undefined =>
  bench.evidence.get(`${operation.ref.requestId}/${piece}`);
const setFaults = (faults: object, node = NODE): Promise<void> => bench.faults(node, faults);

beforeEach(async () => {
  rmSync(keptFile(NODE), { force: true });
  await run('enroll');
});
afterEach(() => setFaults({ gpuMissing: false, nicMissing: false, nicRenamed: false, diskSmaller: false }));

it('nothing drifts where nothing changed', async () => {
  const operation = await run('inspect');
  expect(dataOf(operation)).toEqual({ drift: false, drifted: '', findings: [] });
  expect(summaryOf(operation, 'compare')).toMatch(
    /^As the contract says; nothing drifted since \d{4}-\d\d-\d\d$/,
  );
});

it.each<[string, string, string, string]>([
  ['nicMissing', 'NIC gone', 'hardware', 'NIC gone: was 52:54:01:00:01:01 (ens2f0), is none (hardware)'],
  [
    'nicRenamed',
    'NIC 52:54:01:00:01:00 renamed',
    'firmware',
    'NIC 52:54:01:00:01:00 renamed: was ens1f0, is ens1f0np0 (firmware)',
  ],
  [
    'diskSmaller',
    'drive LAB001DATA smaller',
    'hardware',
    'drive LAB001DATA smaller: was 4 TB, is 2 TB (hardware)',
  ],
])('%s: %s is drift, and is over when the hardware is back', async (fault, what, faultDomain, text) => {
  await setFaults({ [fault]: true });
  for (let time = 0; time < 2; time += 1) {
    const operation = await run('inspect');
    expect(dataOf(operation)).toMatchObject({
      drift: true,
      drifted: text,
      findings: [{ what, faultDomain, correction: expect.stringMatching(/\w/) }],
    });
    expect(summaryOf(operation, 'compare')).toContain(text);
    expect(evidenceOf(operation, 'compare/comparison')).toMatchObject({ changes: [{ what, faultDomain }] });
  }
  await setFaults({ [fault]: false });
  expect(dataOf(await run('inspect'))).toEqual({ drift: false, drifted: '', findings: [] });
});

it('a GPU that is missing differs from the contract and from before; both are told, and each names its domain', async () => {
  await setFaults({ gpuMissing: true });
  const { drift, drifted, findings } = dataOf(await run('inspect'));
  expect(drift).toBe(true);
  expect(drifted).toContain('GPU gone: was NVIDIA H100 80GB HBM3 (LAB001GPU0), is none (hardware)');
  expect(findings.map(({ what, faultDomain }) => [what, faultDomain])).toEqual([
    ['not as the contract says', 'hardware'],
    ['GPU gone', 'hardware'],
  ]);
});

it('what is accepted is drift no more; what the contract forbids stays so', async () => {
  await setFaults({ diskSmaller: true, gpuMissing: true });
  const accepting = await run('inspect', { accept: true });
  expect(dataOf(accepting)).toMatchObject({
    drift: true,
    drifted: expect.stringMatching(/^8 GPUs .* expected/),
  });
  expect(summaryOf(accepting, 'compare')).toContain('accepted since');
  await setFaults({ gpuMissing: false });
  expect(dataOf(await run('inspect')).drift).toBe(false);
});

it('taking a node in anew makes what is there the baseline', async () => {
  await setFaults({ diskSmaller: true });
  expect(dataOf(await run('inspect')).drift).toBe(true);
  const enrolled = await run('enroll');
  expect(dataOf(enrolled)).toMatchObject({ drift: false, drifted: '' });
  expect(summaryOf(enrolled, 'compare')).toContain('drive LAB001DATA smaller');
  expect(dataOf(await run('inspect')).drift).toBe(false);
});

it('a node that is not as the contract says is not taken in, and nothing of it is accepted', async () => {
  await setFaults({ gpuMissing: true });
  await expect(run('enroll')).rejects.toMatchObject({ failure: { code: 'HARDWARE_MISMATCH' } });
  await setFaults({ gpuMissing: false });
  expect(dataOf(await run('inspect')).drift).toBe(false);
});

it('another machine behind the address is named, and nothing else', async () => {
  const { site } = bench.inventory;
  const kept = (await bench.inspections.read(site, NODE))!;
  const system = { ...kept.baseline!.system, serialNumber: 'ANOTHER' };
  await bench.inspections.write(site, NODE, { ...kept, baseline: { ...kept.baseline!, system } });
  expect(dataOf(await run('inspect')).drifted).toBe(
    'another machine: was serial number ANOTHER, is serial number LAB001 (hardware)',
  );
});

it('lost or unreadable, the next inspection is the first', async () => {
  writeFileSync(keptFile(NODE), '{"version":1,"look":');
  await setFaults({ diskSmaller: true });
  const first = await run('inspect');
  expect(dataOf(first).drift).toBe(false);
  expect(summaryOf(first, 'compare')).toContain('no inspection before it');
  await setFaults({ diskSmaller: false });
  expect(dataOf(await run('inspect')).drift).toBe(false);
});

it('log entries are told once: those since the last look, the worst by name', async () => {
  const quiet = await run('inspect');
  expect(summaryOf(quiet, 'inspect')).toContain('no log entries since the last look');
  await setFaults({ gpuMissing: true });
  const operation = await run('inspect');
  const text = '1 log entry since the last look, 1 critical, 0 warnings: Critical: GPU0 is not responding';
  expect(summaryOf(operation, 'inspect')).toContain(text);
  expect(evidenceOf(operation, 'inspect/logs')).toMatchObject({
    logs: [{ name: 'BMC log Sel', kind: 'since', new: { OK: 0, Warning: 0, Critical: 1 } }],
    entries: [
      { log: 'BMC log Sel', severity: 'Critical', message: 'GPU0 is not responding on the PCIe bus' },
    ],
    unread: [],
  });
  // An attempt whose answer was lost is made again, and tells the same.
  expect((await operation.step('inspect')).summary).toContain(text);
  expect(summaryOf(await run('inspect'), 'inspect')).toContain('no log entries since the last look');
});

it('a host that is switched on drifts not, and its neighbours are told', async () => {
  await run('enroll', {}, OTHER);
  await run('power', { state: 'on' }, OTHER);
  const operation = await run('inspect', {}, OTHER);
  expect(dataOf(operation)).toEqual({ drift: false, drifted: '', findings: [] });
  expect(evidenceOf(operation, 'inspect/inspection')).toMatchObject({
    neighbours: [{ mac: '52:54:01:00:02:00', systemName: 'leaf-1.lab.example', portId: 'swp2' }, {}],
    boot: { mode: 'UEFI', biosMode: 'UEFI', disagreements: [] },
  });
  await setFaults({ cableInWrongPort: true }, OTHER);
  expect(dataOf(await run('inspect', {}, OTHER)).drifted).toBe(
    'NIC 52:54:01:00:02:00 plugged in elsewhere: was switch leaf-1.lab.example port swp2, is switch leaf-1.lab.example (52:54:02:00:00:01) port swp64 (provisioning-network)',
  );
  await setFaults({ cableInWrongPort: false, noTpm: true }, OTHER);
  expect(dataOf(await run('inspect', {}, OTHER)).drifted).toBe('TPM gone: was shown, is none (firmware)');
});

it('a boot mode that a service was asked for is no drift; one that comes of itself is', async () => {
  const bios = (value: string) => ({ steps: [{ step: 'bios', settings: { BootMode: value } }] });
  const served = await run('service', bios('Bios'));
  expect(summaryOf(served, 'compare-survey')).toBe(
    'As before, on two looks in a row; by the BIOS settings, the boot mode was UEFI, and is Legacy',
  );
  expect(dataOf(await run('inspect')).drifted).toBe('');
  const { site } = bench.inventory;
  const kept = (await bench.inspections.read(site, NODE))!;
  await bench.inspections.write(site, NODE, { ...kept, baseline: { ...kept.baseline!, bootMode: 'UEFI' } });
  expect(dataOf(await run('inspect')).drifted).toContain('boot mode');
  await run('service', bios('Uefi'));
});
