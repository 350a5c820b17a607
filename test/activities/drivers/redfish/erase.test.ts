import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redfishDriver } from '../../../../activities/drivers/redfish/driver.ts';
import type { Failure } from '../../../../core/errors/failure.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { startBench, type Bench, type Running } from './bench.ts';

/** Erasing on servers of the lab, whose agents answer what the hardware manager of agent/ answers. */
let bench: Bench;
beforeAll(async () => {
  bench = await startBench({ servers: 1, speed: 50 });
});
afterAll(() => bench.close());

const NODE = 'node-001';
let operation: Running;
afterEach(async () => {
  await fetch(`${bench.lab.controlUrl}/servers/${NODE}/faults`, { method: 'DELETE' });
  await operation.settle();
  operation.end();
});

async function booted(faults: object = {}, proof?: 'required' | 'reported'): Promise<void> {
  await bench.faults(NODE, faults);
  const contract = proof === undefined ? bench.inventory : { ...bench.inventory, erase: { proof } };
  operation = bench.begin('clean', NODE, {}, contract);
  await operation.run('check-hardware');
}

const failing = async (): Promise<Failure> => {
  const error = await operation.step('erase').then(
    ({ summary }) => new Error(`it went through: ${summary}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof Error && 'failure' in error) return error.failure as Failure;
  throw error;
};

const data = async (): Promise<string[]> =>
  (await bench.server(NODE)).disks.filter((disk) => disk.canaries.length > 0).map(({ serial }) => serial);
const kept = (): JsonObject =>
  bench.evidence.get(`${operation.ref.requestId}/erase/erase-proof`) as JsonObject;
const began = async (before: number): Promise<number> =>
  (await bench.log(NODE)).slice(before).filter(({ event }) => event === 'erase-started').length;

describe('what is not shown to be erased fails', () => {
  it('a disk that is read back and not empty', async () => {
    await booted({ eraseLeavesData: 1 });
    const { code, message, details } = await failing();
    expect(code).toBe('ERASE_FAILED');
    expect(message).toMatch(
      /^Not shown to be erased: \/dev\/nvme0n1 \(.*serial LAB001ROOT.*\): nvme-format, 1 of 1,512 places not erased\.$/,
    );
    const bad = { name: '/dev/nvme0n1', serial: 'LAB001ROOT', method: 'nvme-format' };
    expect(details).toMatchObject({ disks: [bad] });
    // What is known of every disk is kept all the same.
    expect(kept()).toMatchObject({
      readBack: true,
      devices: [
        { disk: { serial: 'LAB001ROOT' }, told: { readBack: { left: 1, verified: false } } },
        {
          disk: { serial: 'LAB001DATA' },
          told: { method: 'nvme-format', readBack: { left: 0 } },
          problem: null,
        },
      ],
    });
    expect(await data()).toEqual(['LAB001ROOT']);
  });

  it('and is erased again when the step is resumed in the same boot', async () => {
    await booted({ eraseLeavesData: 1 });
    await failing();
    const before = (await bench.log(NODE)).length;
    expect((await operation.step('erase')).summary).toContain('LAB001ROOT nvme-format, read back at');
    expect(await began(before)).toBe(2);
    expect(await data()).toEqual([]);
    // What is good is not done a third time.
    await operation.step('erase');
    expect(await began(before)).toBe(2);
  });

  it('a disk that was gone when the disks were erased', async () => {
    await booted({ eraseMissesDisk: 1 });
    const { code, message } = await failing();
    expect(code).toBe('ERASE_FAILED');
    expect(message).toMatch(/nvme0n1 .*serial LAB001ROOT.*: missing in what the agent erased\.$/);
  });

  it('a disk that cannot be erased, with its serial', async () => {
    await booted({ eraseFails: 1 });
    const { code, message } = await failing();
    expect([code, message]).toEqual(['ERASE_FAILED', expect.stringMatching(/nvme0n1 \(serial LAB001ROOT\)/)]);
  });

  it('disks of which the agent sees none', async () => {
    await booted({ disksHidden: true });
    const before = (await bench.log(NODE)).length;
    const { code, message } = await failing();
    expect([code, message]).toEqual(['ERASE_FAILED', expect.stringContaining('sees no disk') as string]);
    expect(await began(before)).toBe(0);
  });

  it('members of a software RAID that is still there', async () => {
    await booted({ softwareRaid: true });
    const before = (await bench.log(NODE)).length;
    const { code, message } = await failing();
    expect([code, message]).toEqual([
      'ERASE_FAILED',
      expect.stringContaining('still there: /dev/md127') as string,
    ]);
    expect(await began(before)).toBe(0);
  });
});

it('names each disk, how it was erased, and what was found', async () => {
  await booted({ eraseRefused: 1 });
  const { summary, data: remembered } = await operation.step('erase');
  expect(summary).toBe(
    'Erased in full: nvme0n1 LAB001ROOT overwrite (nvme-format: NVMe status: Invalid Field in Command), read back at 1,512 places: empty; nvme1n1 LAB001DATA nvme-format, read back at 1,512 places: empty.',
  );
  expect(remembered).toEqual({
    erased: { mode: 'full', proved: true, disks: ['LAB001ROOT', 'LAB001DATA'] },
  });
  expect(kept()).toMatchObject({
    devices: [
      {
        told: {
          serial: 'LAB001ROOT',
          method: 'overwrite',
          startedAt: expect.stringMatching(/^20.*Z$/) as string,
          finishedAt: expect.stringMatching(/^20.*Z$/) as string,
          failed: [{ method: 'nvme-format' }],
          readBack: { places: 1512, left: 0, verified: true },
        },
      },
      { told: { serial: 'LAB001DATA', method: 'nvme-format' } },
    ],
  });
  expect(await data()).toEqual([]);
});

it('names drives that the last inspection saw, and the agent does not', async () => {
  const enrolled = bench.begin('enroll', NODE);
  await enrolled.run();
  enrolled.end();
  await booted({ lastDiskHidden: true });
  const { summary } = await operation.step('erase');
  expect(summary).toMatch(
    /^Erased in full: nvme0n1 LAB001ROOT [^;]*\. Not seen by the agent, and not erased: LAB001DATA\.$/,
  );
  expect(kept()).toMatchObject({ unseen: ['LAB001DATA'] });
});

it('takes a software RAID apart before it erases, and both once, whoever asks again', async () => {
  await booted({ softwareRaid: 1 });
  const before = (await bench.log(NODE)).length;
  await operation.step('erase');
  const second = (await new MockActivityEnvironment({ attempt: 2 }).run(() =>
    redfishDriver.steps['erase']!(operation.context('erase')),
  )) as { summary: string };
  expect(second.summary).toMatch(/nvme0n1 LAB001ROOT nvme-format.*nvme1n1/);
  const events = (await bench.log(NODE)).slice(before).map(({ event }) => event);
  expect(events.filter((event) => /raid|erase-started/.test(event))).toEqual([
    'raid-deleted',
    'erase-started',
    'erase-started',
  ]);
});

describe('a ramdisk without our hardware manager', () => {
  it('is believed where the contract asks for no proof, and that is said', async () => {
    await booted({ plainAgent: true });
    const { summary, data: remembered } = await operation.step('erase');
    expect(summary).toBe(
      'Erased in full, as the agent reports and not read back, for its ramdisk has no rackwright hardware manager: nvme0n1 LAB001ROOT; nvme1n1 LAB001DATA.',
    );
    expect(remembered).toMatchObject({ erased: { proved: false } });
    expect(kept()).toMatchObject({ readBack: false, devices: [{ told: { readBack: null } }, {}] });
  });

  it('but not of a disk that it does not name', async () => {
    await booted({ plainAgent: true, eraseMissesDisk: 1 }, 'reported');
    expect((await failing()).message).toMatch(/serial LAB001ROOT.*: missing/);
  });

  it('ends before anything is erased where the contract wants a proof', async () => {
    await booted({ plainAgent: true }, 'required');
    const before = (await bench.log(NODE)).length;
    const { code, message } = await failing();
    expect(code).toBe('ERASE_PROOF_UNAVAILABLE');
    expect(message).toContain("The agent's hardware managers are: generic_hardware_manager.");
    expect(await began(before)).toBe(0);
  });

  it('with it, a required proof is a proof', async () => {
    await booted({}, 'required');
    expect((await operation.step('erase')).summary).toContain('read back at 1,512 places: empty');
  });
});
