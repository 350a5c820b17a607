import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convergeBootOnce, convergeNoOverride, readBootOverride } from '../../activities/redfish/boot.ts';
import { inspectSystem } from '../../activities/redfish/inspect.ts';
import { listMedia } from '../../activities/redfish/media-drives.ts';
import { convergeMedia, convergeNoMedia } from '../../activities/redfish/media.ts';
import {
  convergePower,
  convergeReboot,
  ensurePower,
  untilReached,
  type RebootProgress,
} from '../../activities/redfish/power.ts';
import { findSystem, type SystemFound } from '../../activities/redfish/service.ts';
import { closeAllBmcs, openBmc, type Bmc } from '../../activities/redfish/transport.ts';
import { RackwrightError } from '../../core/errors/failure.ts';
import { startSushy, type Sushy } from '../peers/sushy.ts';

let sushy: Sushy;
let publisher: Server;
let origin: string;
let bmc: Bmc;
const changes: string[] = [];

beforeAll(async () => {
  publisher = createServer((req, res) => {
    if (req.method === 'PUT') changes.push(req.url ?? '');
    res.statusCode = req.url?.includes('missing') === true ? 404 : 200;
    res.end(Buffer.alloc(4_096));
  });
  await new Promise<void>((done) => publisher.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
  sushy = await startSushy({ systems: 3, notifyUrl: `${origin}/changes` });
  const { username, password } = sushy;
  bmc = openBmc({ address: sushy.url, credentials: { username, password }, tls: 'verify' });
});

afterAll(async () => {
  await closeAllBmcs();
  publisher?.close();
  await sushy?.stop();
});

const system = (i: number): Promise<SystemFound> => findSystem(bmc, sushy.systems[i]!.uri);

/** The failure that the work ends with. */
const failed = async (work: Promise<unknown>): Promise<RackwrightError> => {
  const error = await work.then(
    () => undefined,
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(RackwrightError);
  return error as RackwrightError;
};

describe('a client of the OpenStack emulator', () => {
  it('finds a system by path, name and UUID, and lists them where none is given', async () => {
    const { uri, name, uuid } = sushy.systems[1]!;
    expect((await findSystem(bmc, uri)).uri).toBe(uri);
    expect((await findSystem(bmc, name)).uri).toBe(uri);
    expect((await findSystem(bmc, uuid)).uri).toBe(uri);
    const { failure } = await failed(findSystem(bmc));
    expect(failure.code).toBe('BMC_AMBIGUOUS_SYSTEM');
    for (const { uri: each } of sushy.systems) expect(failure.message).toContain(each);
  });

  it('switches on, reboots, and switches off', async () => {
    const { uri } = sushy.systems[0]!;
    await ensurePower(bmc, uri, 'on', { deadlineMs: 30_000, retryAfterMs: 500 });
    expect(await convergePower(bmc, uri, 'on')).toMatchObject({ state: 'reached', changed: false });
    await untilReached(bmc, 60_000, (progress: RebootProgress | undefined) =>
      convergeReboot(bmc, uri, progress, { retryAfterMs: 500 }),
    );
    await ensurePower(bmc, uri, 'off', { deadlineMs: 30_000, retryAfterMs: 500, gracefulMs: 20_000 });
    expect((await bmc.get(uri)).body).toMatchObject({ PowerState: 'Off' });
    expect(changes).toContain('/changes');
  });

  it('inserts an image, finds it inserted, replaces it, and ejects it', async () => {
    const sys = await system(1);
    const options = { ours: [`${origin}/media/`] };
    const first = `${origin}/media/token-1/deploy.iso`;
    const second = `${origin}/media/token-2/deploy.iso`;
    expect(await convergeMedia(bmc, sys, first, options)).toMatchObject({ state: 'reached', changed: true });
    expect(await convergeMedia(bmc, sys, first, options)).toMatchObject({ state: 'reached', changed: false });
    expect(await convergeMedia(bmc, sys, second, options)).toMatchObject({ state: 'reached', changed: true });
    expect((await listMedia(bmc, sys)).flatMap((slot) => slot.image ?? [])).toEqual([second]);
    expect(await convergeNoMedia(bmc, sys, options)).toMatchObject({ state: 'reached', changed: true });
    expect(await convergeNoMedia(bmc, sys, { ...options, all: true })).toMatchObject({
      state: 'reached',
      changed: false,
    });
    expect((await listMedia(bmc, sys)).every((slot) => slot.inserted === false)).toBe(true);
  });

  it('names the publisher when the image cannot be fetched, without its token', async () => {
    const sys = await system(1);
    const url = `${origin}/media/secret-token/missing.iso`;
    const { failure } = await failed(convergeMedia(bmc, sys, url, { ours: [`${origin}/media/`] }));
    expect(failure).toMatchObject({ code: 'MEDIA_FETCH_FAILED', faultDomain: 'media-publisher' });
    expect(JSON.stringify(failure)).not.toContain('secret-token');
  });

  it('sets the boot override and clears it as far as the emulator can', async () => {
    const sys = await system(2);
    expect(await convergeBootOnce(bmc, sys, 'Cd', { mode: 'UEFI' })).toMatchObject({
      state: 'reached',
      changed: true,
    });
    expect(await convergeBootOnce(bmc, sys, 'Cd')).toMatchObject({ state: 'reached', changed: false });
    expect(await convergeNoOverride(bmc, sys)).toMatchObject({ state: 'reached', changed: true });
    expect((await readBootOverride(bmc, sys.uri)).target).toBe('Hdd');
    expect(await convergeNoOverride(bmc, sys)).toMatchObject({ state: 'reached', changed: false });
  });

  it('inspects what there is', async () => {
    const found = await inspectSystem(bmc, await system(2));
    expect(found.macs).toEqual([sushy.systems[2]!.mac]);
    expect(found.system.uuid).toBe(sushy.systems[2]!.uuid);
    expect(found.vendor).toBe('Sushy Emulator');
    expect(found.drives).toMatchObject([{ model: 'C123', sizeBytes: 960_197_124_096, protocol: 'NVMe' }]);
    expect(found.boot).toMatchObject({ mode: 'UEFI', secureBoot: { enabled: false } });
    expect(found.health).toBe('OK');
  });
});
