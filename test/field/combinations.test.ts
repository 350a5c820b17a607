import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convergeBootOnce, convergeNoOverride } from '../../activities/redfish/boot.ts';
import type { BmcEndpoint } from '../../activities/redfish/endpoint.ts';
import { convergeMedia, convergeNoMedia } from '../../activities/redfish/media.ts';
import { forgetMemory } from '../../activities/redfish/memory.ts';
import { convergePower } from '../../activities/redfish/power.ts';
import { findSystem, type SystemFound } from '../../activities/redfish/service.ts';
import { closeAllBmcs, withBmc, type Bmc } from '../../activities/redfish/transport.ts';
import { RackwrightError } from '../../core/errors/failure.ts';
import type { Convergence } from '../../core/redfish/convergence.ts';
import { startLab, type RunningLab } from '../../lab/lab.ts';
import type { LabServer } from '../activities/drivers/redfish/bench.ts';
import { BOOT_CASES } from './boot-cases.ts';
import { MEDIA_CASES } from './media-cases.ts';
import { SERVICE_CASES } from './service-cases.ts';

// Three faults at once, of those that an operation gets over: the way into a boot from media and out of it.

const SEED = 20_240_607;
const MANY = 100;
const SERVERS = 5;

/** Switches that no BMC could have together. */
const APART: readonly (readonly string[])[] = [
  ['mediaOnlyUnderSystem', 'mediaOnlyUnderManager', 'systemMediaRefuses', 'systemMediaDead'],
  ['bootNeedsMode', 'bootHidesMode'],
  ['bootNeedsMode', 'equalModeQueuesJob'],
  ['settingsHaveOrderOnly', 'bootOnlyOnSettings'],
  // An old image in a drive that has no action any more.
  ['firstSlotDead', 'mediaStaysAfterEject'],
];

type Faults = { readonly [name: string]: number | true };
const POOL = [...MEDIA_CASES, ...BOOT_CASES, ...SERVICE_CASES].filter(
  ({ fails, run, never, before, faults }) =>
    !fails && !run && !never && !before && Object.keys(faults).length > 0,
);

/** A generator of numbers in [0, 1) that gives the same ones each time (mulberry32). */
function seeded(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function combinations(): { index: number; name: string; faults: Faults }[] {
  const next = seeded(SEED);
  const found = new Map<string, Faults>();
  while (found.size < MANY) {
    const three = [...new Set(Array.from({ length: 3 }, () => Math.floor(next() * POOL.length)))].sort();
    const faults: Faults = Object.assign({}, ...three.map((i) => POOL[i]!.faults));
    const apart = APART.some((names) => names.filter((name) => name in faults).length > 1);
    if (three.length === 3 && !apart)
      found.set(three.map((i) => `${POOL[i]!.id} ${POOL[i]!.what}`).join(' + '), faults);
  }
  return [...found].map(([name, faults], index) => ({ index, name, faults }));
}

const dataDir = mkdtempSync(join(tmpdir(), 'rackwright-combinations-'));
let lab: RunningLab;
let publisher: Server;
let ours: string;
const free: { name: string; endpoint: BmcEndpoint }[] = [];

beforeAll(async () => {
  publisher = createServer((_request, response) => {
    response.setHeader('content-length', 4096);
    response.end(Buffer.alloc(4096));
  });
  await new Promise<void>((done) => publisher.listen(0, '127.0.0.1', done));
  ours = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/media/`;
  lab = await startLab({ dataDir, servers: SERVERS, speed: 100 });
  const { servers } = (await (await fetch(`${lab.controlUrl}/servers`)).json()) as {
    servers: { name: string; bmc: string }[];
  };
  const password = readFileSync(join(dataDir, 'secrets', 'bmc-password'), 'utf8').trim();
  const tls = { ca: readFileSync(join(dataDir, 'ca.pem'), 'utf8') };
  for (const { name, bmc } of servers) {
    const timeouts = { requestMs: 2_000, retryPausesMs: [10, 20] };
    free.push({
      name,
      endpoint: { address: bmc, credentials: { username: 'admin', password }, tls, timeouts },
    });
  }
});
afterAll(async () => {
  await closeAllBmcs();
  await lab?.close();
  publisher?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const quick = { watchMs: 300, pollMs: 20, retryAfterMs: 50, patienceMs: 6_000 };

type Look = (bmc: Bmc, system: SystemFound) => Promise<Convergence>;

/** Looks again for as long as it may pass, as the retry policy of an activity does. */
async function step(endpoint: BmcEndpoint, look: Look): Promise<void> {
  const ends = Date.now() + 40_000;
  for (;;) {
    let last: unknown;
    try {
      const result = await withBmc(endpoint, async (bmc) => look(bmc, await findSystem(bmc)));
      if (result.state === 'reached') return;
      last = result.why;
    } catch (error) {
      if (!(error instanceof RackwrightError) || !error.failure.retryable) throw error;
      last = error;
    }
    if (Date.now() > ends) throw new Error('not in time', { cause: last });
    await sleep(50);
  }
}

describe.concurrent('three faults at once', () => {
  it.each(combinations())(
    '$index: $faults',
    async ({ index, faults }) => {
      const server = free.shift()!;
      const { name, endpoint } = server;
      const at = `${lab.controlUrl}/servers/${name}`;
      forgetMemory(new URL(endpoint.address).origin);
      const headers = { 'content-type': 'application/json' };
      const put = await fetch(`${at}/faults`, { method: 'PUT', headers, body: JSON.stringify(faults) });
      expect(put.status).toBe(200);
      try {
        const url = `${ours}t${index}/deploy.iso`;
        const media = { ...quick, ours: [ours], insertMs: 2_000 };
        await step(endpoint, (bmc, system) => convergeMedia(bmc, system, url, media));
        await step(endpoint, (bmc, system) =>
          convergeBootOnce(bmc, system, 'Cd', { ...quick, mode: 'UEFI' }),
        );
        await step(endpoint, (bmc, { uri }) => convergePower(bmc, uri, 'off', quick));
        await step(endpoint, (bmc, system) =>
          convergeBootOnce(bmc, system, 'Cd', { ...quick, mode: 'UEFI' }),
        );
        await step(endpoint, (bmc, { uri }) => convergePower(bmc, uri, 'on', quick));
        const booted = (await (await fetch(at)).json()) as LabServer;
        expect([booted.power, Object.values(booted.media).some((slot) => slot.inserted)]).toEqual([
          'On',
          true,
        ]);
        await step(endpoint, (bmc, { uri }) => convergePower(bmc, uri, 'off', quick));
        await step(endpoint, (bmc, system) => convergeNoMedia(bmc, system, media));
        await step(endpoint, (bmc, system) => convergeNoOverride(bmc, system, quick));
        const end = (await (await fetch(at)).json()) as LabServer;
        expect(end.power).toBe('Off');
        expect(end.override.enabled).toBe('Disabled');
        expect(Object.values(end.media).filter((slot) => slot.inserted)).toEqual([]);
        expect(end.sessions).toBeLessThanOrEqual(1);
      } finally {
        await fetch(`${at}/faults`, { method: 'DELETE' });
        free.push(server);
      }
    },
    120_000,
  );
});
