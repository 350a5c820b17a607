import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { GateCheck } from '../../activities/gates/check.ts';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import { AcceptanceRuns } from '../../client/sdk/acceptance.ts';
import { check } from '../../core/acceptance/check.ts';
import type { GateNumber } from '../../core/acceptance/gates.ts';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import { acceptanceWorkflowId } from '../../core/names.ts';
import { Inventory } from '../../contracts/inventory/inventory.ts';
import { baseIso, pretendImage } from '../../lab/supplies.ts';
import { aSource, digest, type Source } from '../activities/gates/images/support.ts';
import { shownFailing } from '../support/shown.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, SITE, until } from './support.ts';

/** Gate 5 in whole runs: an image of the lab behind a server, and the lab's base ISO, each with one fault at a time. */

const IMAGE = pretendImage('a', 2 * 1024 * 1024);
const CHANGED = Buffer.from(IMAGE);
CHANGED[1_000_000]! ^= 1;
const ISO = Buffer.from(baseIso());
const shown = shownFailing('the lab', ['deploy-media', 'image-format', 'image-digests']);

let house: House;
let runs: AcceptanceRuns;
let source: Source;
let folder: string;
let iso: string;
/** What the server of images does. */
let answer: RequestListener;
/** The checks that ran to their end, in order. */
let calls: string[];

/** A check of another gate, which passes. */
const other = (gate: GateNumber): GateCheck => ({
  check: check({
    id: `other${gate}`,
    gate,
    title: `Other ${gate}`,
    shows: 'It is so.',
    from: 'worker',
    faultDomain: 'control-host',
  }),
  run: async () => ({ outcome: 'pass', summary: 'fine', findings: [], targets: 1, evidence: [] }),
});

const counted = (made: GateCheck): GateCheck => ({
  ...made,
  run: async (context) => {
    const result = await made.run(context);
    calls.push(made.check.id);
    return result;
  },
});
const CHECKS = [
  ...([1, 4, 7] as const).map(other),
  ...GATE_CHECKS.filter((made) => ['deploy-media', 'image-format', 'image-digests'].includes(made.check.id)),
].map(counted);
const GATES: GateNumber[] = [1, 4, 5, 7];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-gate5-'));
  iso = join(folder, 'base.iso');
  source = await aSource((request, response) => answer(request, response));
  house = await House.build(await createLocalEnvironment());
  await house.stopWorkers('activities');
  house.checks = CHECKS;
  house.inventory = Inventory.parse({
    ...INVENTORY,
    media: { gatewayUrl: 'http://127.0.0.1:1', iso, checksum: digest(ISO) },
    images: [
      {
        name: 'a',
        url: `${source.url}/a.raw`,
        checksum: digest(IMAGE),
        format: 'raw',
        architecture: 'x86_64',
        bootMode: 'uefi',
      },
    ],
  });
  await house.startActivities();
  runs = new AcceptanceRuns(house.environment.client, SITE);
});
afterAll(async () => {
  await house.close();
  await house.environment.teardown();
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  calls = [];
  mend();
});

const serving =
  (bytes: Buffer, start = 0): RequestListener =>
  (request, response) => {
    const range = /^bytes=0-(\d+)$/.exec(request.headers.range ?? '');
    const part = range ? bytes.subarray(start, start + Number(range[1]) + 1) : bytes;
    response.writeHead(range ? 206 : 200, { 'content-length': part.length });
    response.end(request.method === 'HEAD' ? undefined : part);
  };

/** Everything as it should be. */
function mend(): void {
  answer = serving(IMAGE);
  writeFileSync(iso, ISO);
}

const handle = (runId: string) => house.client.getHandle(acceptanceWorkflowId(SITE, runId));
const result = (runId: string) => handle(runId).result() as Promise<AcceptanceReport>;
const checksOf = ({ gates }: AcceptanceReport): { [id: string]: string | undefined } =>
  Object.fromEntries(gates.find(({ gate }) => gate === 5)!.checks.map(({ id, outcome }) => [id, outcome]));
const GREEN = { 'deploy-media': 'pass', 'image-format': 'pass', 'image-digests': 'pass' };

const changedIso = (): void => {
  const bytes = Buffer.from(ISO);
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(iso, bytes);
};

describe('a run whose gate 5', () => {
  it.each<[string, string, () => void, string, string, string?]>([
    [
      'image-digests',
      'one byte of an image is another',
      () => (answer = serving(CHANGED)),
      'fail',
      'image-supply',
    ],
    [
      'image-format',
      'a mirror answers ranges wrongly',
      () => (answer = serving(IMAGE, 64 * 512)),
      'fail',
      'image-supply',
    ],
    ['deploy-media', 'one byte of the base ISO is another', changedIso, 'fail', 'media-publisher'],
    [
      'deploy-media',
      'the base ISO is gone',
      () => rmSync(iso),
      'fail',
      'media-publisher',
      'MEDIA_BASE_INVALID',
    ],
  ])(
    'has %s fail, for %s, stops there, and passes after the correction',
    async (id, _what, spoil, outcome, domain, code = 'CHECK_FAILED') => {
      spoil();
      const { runId } = await runs.start({ gates: GATES });
      await until(async () => (await runs.report(runId)).held, { what: 'the hold' });
      const held = await runs.report(runId);
      expect(held).toMatchObject({ stoppedAt: 5, failure: { code, faultDomain: domain } });
      expect(checksOf(held)).toEqual({ ...GREEN, [id]: outcome });
      expect(held.gates.map((gate) => gate.state)).toEqual(['done', 'done', 'done', 'pending']);
      expect(calls.filter((each) => each.startsWith('other'))).toEqual(['other1', 'other4']);
      calls = [];
      mend();
      await runs.control(runId, 'resume', {});
      const report = await result(runId);
      expect(report.outcome).toBe('pass');
      expect(checksOf(report)).toEqual(GREEN);
      expect(calls.sort()).toEqual(['deploy-media', 'image-digests', 'image-format', 'other7']);
      expect(report.gates.map((gate) => gate.runs)).toEqual([1, 1, 2, 1]);
      shown(id);
    },
  );

  it('cannot be told, for the server of images has trouble, stops there as an error', async () => {
    answer = (_request, response) => void response.writeHead(503).end();
    const { runId } = await runs.start({ gates: GATES, onFailure: 'fail' });
    const report = await result(runId);
    expect(report).toMatchObject({
      outcome: 'error',
      stoppedAt: 5,
      failure: { code: 'IMAGE_SOURCE_UNREACHABLE' },
    });
    expect(checksOf(report)).toEqual({ ...GREEN, 'image-format': 'error', 'image-digests': 'error' });
  });

  it('reads a large image shows how far it is, and an abort stops the reading', async () => {
    let closed: () => void;
    const end = new Promise<void>((resolve) => (closed = resolve));
    answer = (request, response) => {
      if (request.method === 'HEAD' || request.headers.range) return serving(IMAGE)(request, response);
      response.writeHead(200, { 'content-length': IMAGE.length });
      response.once('close', () => closed());
      response.write(IMAGE.subarray(0, 500_000));
    };
    const { runId } = await runs.start({ gates: GATES });
    const far = async (): Promise<unknown[]> => {
      const { raw } = await handle(runId).describe();
      return (raw.pendingActivities ?? [])
        .filter(({ activityType }) => activityType?.name === 'gates.image-digests')
        .flatMap(({ heartbeatDetails }) => heartbeatDetails?.payloads ?? [])
        .map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString() || 'null') as unknown);
    };
    await until(async () => JSON.stringify(await far()) === '[{"image":"a","read":500000,"of":null}]');
    await runs.control(runId, 'abort', { reason: 'not now' });
    expect(await result(runId)).toMatchObject({ outcome: 'aborted' });
    await end;
    expect(calls).not.toContain('image-digests');
  });

  it('reads an image when its worker goes reads it again with the next one, to the same verdict', async () => {
    let began: () => void;
    const reading = new Promise<void>((resolve) => (began = resolve));
    answer = (request, response) => {
      if (request.method === 'HEAD' || request.headers.range) return serving(CHANGED)(request, response);
      response.writeHead(200, { 'content-length': IMAGE.length });
      response.write(CHANGED.subarray(0, 500_000), () => began());
    };
    const { runId } = await runs.start({ gates: GATES, onFailure: 'fail' });
    await reading;
    answer = serving(CHANGED);
    await house.stopWorkers('activities');
    await house.startActivities();
    const report = await result(runId);
    expect(report).toMatchObject({ outcome: 'fail', stoppedAt: 5 });
    expect(checksOf(report)).toEqual({ ...GREEN, 'image-digests': 'fail' });
  });
});
