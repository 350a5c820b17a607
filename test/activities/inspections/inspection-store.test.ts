import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileInspectionStore } from '../../../activities/inspections/inspection-store.ts';
import { compareKept, positionsFor, withLook, type KeptInspections } from '../../../core/redfish/kept.ts';
import type { Look } from '../../../core/redfish/look.ts';
import { codeOf } from '../support.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inspections-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const LOOK: Look = {
  at: '2030-01-01T00:00:00Z',
  requestId: 'r1',
  on: true,
  system: { serialNumber: 'S1', uuid: null },
  threads: 128,
  memoryGiB: 1024,
  nics: [{ mac: 'aa:00:00:00:00:0a', uris: ['/redfish/v1/Systems/1/EthernetInterfaces/1'], neighbour: null }],
  blurred: [],
  gpus: [],
  drives: [],
  bootMode: null,
  secureBoot: null,
  tpm: null,
  firmware: { BMC: '1' },
  unsure: [],
};
const kept = (look: Look = LOOK): KeptInspections => withLook(undefined, look, { '/log': ['1 0'] });

test('what is written is read again, whole, by its owner only', async () => {
  const store = fileInspectionStore(root);
  expect(await store.read('site', 'n1')).toBeUndefined();
  const { kept: compared } = compareKept(kept(), false);
  await store.write('site', 'n1', compared);
  expect(await store.read('site', 'n1')).toEqual(compared);
  expect(await store.read('site', 'n2')).toBeUndefined();
  expect(readdirSync(join(root, 'site'))).toEqual(['n1.json']);
  expect(statSync(join(root, 'site', 'n1.json')).mode & 0o777).toBe(0o600);
});

test.each([
  '',
  '{"version":1',
  'null',
  '[]',
  '{"version":2}',
  '{"version":1,"look":{},"baseline":null,"logs":{},"logsBefore":{}}',
  JSON.stringify({ ...kept(), baseline: { at: 'x' } }),
])('what can be understood no more counts as lost: %j', async (content) => {
  const store = fileInspectionStore(root);
  await store.write('site', 'n1', kept());
  writeFileSync(join(root, 'site', 'n1.json'), content);
  expect(await store.read('site', 'n1')).toBeUndefined();
  await store.write('site', 'n1', kept());
  expect(await store.read('site', 'n1')).toEqual(kept());
});

test('no name leads out of the folder', async () => {
  const store = fileInspectionStore(root);
  expect(await codeOf(store.read('site', '../n1'))).toBe('STORE_NAME_INVALID');
  expect(await codeOf(store.write('..', 'n1', kept()))).toBe('STORE_NAME_INVALID');
});

test('an operation that looks again begins in the logs where it began before', () => {
  const first = kept();
  expect(positionsFor(first, 'r1')).toEqual({});
  expect(positionsFor(first, 'r2')).toEqual({ '/log': ['1 0'] });
  const second = withLook(first, { ...LOOK, requestId: 'r2' }, { '/log': ['5 0'] });
  expect(positionsFor(second, 'r2')).toEqual({ '/log': ['1 0'] });
  const again = withLook(second, { ...LOOK, requestId: 'r2' }, { '/other': [] });
  // A log that could not be read this time is not forgotten.
  expect(again.logs).toEqual({ '/log': ['1 0'], '/other': [] });
});

test('the first inspection is the baseline; one with drift changes nothing of it; accepting does', () => {
  const { kept: first, since, accepted } = compareKept(kept(), false);
  expect([since, accepted, first.baseline?.requestId]).toEqual([null, true, 'r1']);
  const less = withLook(first, { ...LOOK, requestId: 'r2', memoryGiB: 512, firmware: { BMC: '2' } }, {});
  const drifted = compareKept(less, false);
  expect(drifted).toMatchObject({ accepted: false, since: { requestId: 'r1' }, drift: { findings: [{}] } });
  expect(drifted.kept.baseline).toEqual(first.baseline);
  const accepting = compareKept(less, true);
  expect(accepting).toMatchObject({ accepted: true, drift: { findings: [{ what: 'less memory' }] } });
  expect(compareKept(accepting.kept, false).drift.findings).toEqual([]);
});
