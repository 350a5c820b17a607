import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convergeBootOnce, convergeNoOverride, readBootOverride } from '../../../activities/redfish/boot.ts';
import type { BmcEndpoint } from '../../../activities/redfish/endpoint.ts';
import { inspectSystem } from '../../../activities/redfish/inspect.ts';
import { listMedia } from '../../../activities/redfish/media-drives.ts';
import { convergeMedia, convergeNoMedia } from '../../../activities/redfish/media.ts';
import { convergePower } from '../../../activities/redfish/power.ts';
import { findSystem, type SystemFound } from '../../../activities/redfish/service.ts';
import { closeAllBmcs, withBmc, type Bmc } from '../../../activities/redfish/transport.ts';
import { RackwrightError } from '../../../core/errors/failure.ts';
import type { Convergence } from '../../../core/redfish/convergence.ts';
import { isCleared } from '../../../core/redfish/boot.ts';
import { isOccupied } from '../../../core/redfish/media.ts';
import { startLab, type RunningLab } from '../../../lab/lab.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'rackwright-redfish-lab-'));
let lab: RunningLab;
let publisher: Server;
let ours: string;
let endpoint: BmcEndpoint;
let faultsUrl: string;

beforeAll(async () => {
  publisher = createServer((_req, res) => {
    res.setHeader('content-length', 4096);
    res.end(Buffer.alloc(4096));
  });
  await new Promise<void>((done) => publisher.listen(0, '127.0.0.1', done));
  ours = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/media/`;
  lab = await startLab({ dataDir, servers: 1, speed: 100 });
  const { servers } = (await (await fetch(`${lab.controlUrl}/servers`)).json()) as {
    servers: { name: string; bmc: string }[];
  };
  const [{ name, bmc }] = servers as [{ name: string; bmc: string }];
  faultsUrl = `${lab.controlUrl}/servers/${name}/faults`;
  endpoint = {
    address: bmc,
    credentials: {
      username: 'admin',
      password: readFileSync(join(dataDir, 'secrets', 'bmc-password'), 'utf8'),
    },
    tls: { ca: readFileSync(join(dataDir, 'ca.pem'), 'utf8') },
    timeouts: { requestMs: 700, retryPausesMs: [10, 20] },
  };
});

afterAll(async () => {
  await closeAllBmcs();
  await lab?.close();
  publisher?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const quick = { watchMs: 300, pollMs: 20, retryAfterMs: 50, patienceMs: 1_500 };

/** Calls a step again for as long as its failure may pass, as the activity's retry policy does. */
async function step(look: (bmc: Bmc, system: SystemFound) => Promise<Convergence>): Promise<void> {
  const ends = Date.now() + 20_000;
  for (;;) {
    let wait: number;
    let last: unknown;
    try {
      const result = await withBmc(endpoint, async (bmc) => look(bmc, await findSystem(bmc)));
      if (result.state === 'reached') return;
      wait = result.retryAfterMs;
      last = result.why;
    } catch (error) {
      if (!(error instanceof RackwrightError) || !error.failure.retryable) throw error;
      wait = error.retryAfterMs ?? 100;
      last = error;
    }
    if (Date.now() > ends) throw new Error('not in time', { cause: last });
    await sleep(Math.min(wait, 200));
  }
}

/** The whole way of a boot from virtual media, and the clean-up after it. */
async function wholeWay(token: string): Promise<void> {
  const media = { ...quick, ours: [ours], insertMs: 700 };
  await step((bmc, { uri }) => convergePower(bmc, uri, 'off', quick));
  await step((bmc, system) => convergeMedia(bmc, system, `${ours}${token}/deploy.iso`, media));
  await step((bmc, system) => convergeBootOnce(bmc, system, 'Cd', { ...quick, mode: 'UEFI' }));
  await step((bmc, { uri }) => convergePower(bmc, uri, 'on', quick));
  await step((bmc, { uri }) => convergePower(bmc, uri, 'off', quick));
  await step((bmc, system) => convergeNoMedia(bmc, system, { ...media, all: true }));
  await step((bmc, system) => convergeNoOverride(bmc, system, quick));
}

const FAULTS: Record<string, number | true>[] = [
  {},
  ...['reset', 'insertMedia', 'ejectMedia', 'patchBoot', 'createSession'].flatMap((write) =>
    ['lostResponse', 'commitAfterTimeout', 'acceptNotApply', 'status500', 'status503RetryAfter'].map(
      (fault) => ({
        [`${write}.${fault}`]: 1,
      }),
    ),
  ),
  { bmcDown: 3 },
  { insertNeedsProtocol: true },
  { insertNeedsCredentials: true },
  { insertNeedsProtocol: true, insertNeedsCredentials: true, insertWantsMinimalBody: true },
  { mediaStaysAfterEject: 3 },
  { ejectEmptyIsError: true },
  { mediaOnlyUnderSystem: true },
  { mediaOnlyUnderManager: true },
  { insertShowsLate: 3 },
  { insertIsTask: true },
  { bootNeedsEtag: true },
  { bootRefusesMode: true },
  { onceShowsContinuous: true },
  { bootInPost: 2 },
  { overrideStays: true },
  { sameStateIsConflict: true },
  { onAfterOffConflict: 2 },
  { sessionLimit: 1 },
  { sessionsForgotten: 2 },
];

describe('the whole way through the lab, with', () => {
  it.each(FAULTS.map((faults) => [JSON.stringify(faults), faults] as const))(
    '%s',
    async (name, faults) => {
      const put = await fetch(faultsUrl, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(faults),
      });
      expect(put.status, await put.text()).toBeLessThan(300);
      await closeAllBmcs();
      try {
        await wholeWay(`t${name.length}`);
      } finally {
        await fetch(faultsUrl, { method: 'DELETE' });
      }
      await withBmc(endpoint, async (bmc) => {
        const system = await findSystem(bmc);
        expect(system.body['PowerState']).toBe('Off');
        expect((await listMedia(bmc, system)).filter(isOccupied)).toEqual([]);
        expect(isCleared(await readBootOverride(bmc, system.uri))).toBe(true);
      });
    },
    90_000,
  );

  it('an image that the BMC cannot fetch: the publisher is named', async () => {
    await fetch(faultsUrl, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mediaUnreachable: true }),
    });
    const look = withBmc(endpoint, async (bmc) =>
      convergeMedia(bmc, await findSystem(bmc), `${ours}secret-token/deploy.iso`, { ...quick, ours: [ours] }),
    );
    const error = await look.then(
      () => undefined,
      (e: unknown) => e,
    );
    await fetch(faultsUrl, { method: 'DELETE' });
    expect(error).toBeInstanceOf(RackwrightError);
    const { failure } = error as RackwrightError;
    expect(failure).toMatchObject({ code: 'MEDIA_FETCH_FAILED', faultDomain: 'media-publisher' });
    expect(JSON.stringify(failure)).not.toContain('secret-token');
  });

  it('an inspection', async () => {
    const found = await withBmc(endpoint, async (bmc) => inspectSystem(bmc, await findSystem(bmc)));
    expect(found.macs.length).toBeGreaterThan(0);
    expect(found.drives.length).toBeGreaterThan(0);
    expect(found.unread).toEqual([]);
  });
});
