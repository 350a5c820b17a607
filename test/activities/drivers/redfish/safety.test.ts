import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redfishDriver } from '../../../../activities/drivers/redfish/driver.ts';
import type { Image } from '../../../../contracts/inventory/supply.ts';
import { codeOf } from '../../support.ts';
import { startBench, until, type Bench, type Running } from './bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench({ servers: 3, speed: 25 });
});
afterAll(() => bench.close());

const NODE = 'node-001';
let operation: Running | undefined;
afterEach(async () => {
  await bench.faults(NODE, {});
  await fetch(`${bench.lab.controlUrl}/servers/${NODE}/faults`, { method: 'DELETE' });
  if (operation !== undefined) {
    await operation.settle();
    operation.end();
  }
  operation = undefined;
});

const image = (): string => bench.inventory.images[0]!.name;
const countOf = async (event: string, after = 0): Promise<number> =>
  (await bench.log(NODE)).slice(after).filter((each) => each.event === event).length;
const length = async (): Promise<number> => (await bench.log(NODE)).length;
/** Runs a step as a later attempt, as after a crash of the worker. */
const again = (step: string, attempt = 2) =>
  new MockActivityEnvironment({ attempt }).run(() => redfishDriver.steps[step]!(operation!.context(step)));

it('boots the agent once, though the attempt that did it could not say so', async () => {
  operation = bench.begin('clean', NODE);
  await operation.run('boot-agent');
  const before = await length();
  const { summary } = (await again('boot-agent')) as { summary: string };
  expect(summary).toContain('made');
  // Also where nothing is remembered of it at all.
  const context = operation.context('boot-agent');
  const blank = { ...context, input: { ...context.input, data: {} } };
  const env = new MockActivityEnvironment({ attempt: 2 });
  const output = (await env.run(() => redfishDriver.steps['boot-agent']!(blank))) as { summary: string };
  expect(output.summary).toContain('the override was used');
  expect(await countOf('power', before)).toBe(0);
});

describe('an image that cannot be right', () => {
  const file = (name: string, head: Uint8Array, size: number): Image => {
    const url = join(bench.lab.inventory, '..', name);
    writeFileSync(url, head);
    truncateSync(url, size);
    const made = { ...bench.inventory.images[0]!, name, url, size };
    bench.inventory.images.push(made);
    return made;
  };
  const disk = Buffer.alloc(1024);
  disk.set([0x55, 0xaa], 510);

  it('is refused before the node is touched', async () => {
    const { name } = file('packed', Buffer.from([0x1f, 0x8b]), 4096);
    operation = bench.begin('deploy', NODE, { image: name });
    const before = await length();
    expect(await codeOf(operation.step('preflight'))).toBe('IMAGE_UNSUITABLE');
    expect(await length()).toBe(before);
  });

  it('is no more written by another ISO than the contract has', async () => {
    const { media } = bench.inventory;
    const contract = { ...bench.inventory, media: { ...media!, checksum: `sha256:${'0'.repeat(64)}` } };
    operation = bench.begin('deploy', NODE, { image: image() }, contract);
    const before = await length();
    expect(await codeOf(operation.step('preflight'))).toBe('MEDIA_BASE_INVALID');
    expect(await length()).toBe(before);
  });

  it('is not written where it does not fit', async () => {
    const { name } = file('huge', disk, (64 * 1024 ** 4) / 8);
    operation = bench.begin('deploy', NODE, { image: name });
    await operation.run('check-hardware');
    const before = await length();
    expect(await codeOf(operation.step('write-image'))).toBe('ROOT_DEVICE_TOO_SMALL');
    expect(await countOf('image-write-started', before)).toBe(0);
  });
});

it('writes once, though the command is sent by two attempts', async () => {
  operation = bench.begin('deploy', NODE, { image: image() });
  await operation.run('check-hardware');
  const before = await length();
  await operation.step('write-image');
  const second = (await again('write-image')) as {
    summary: string;
    data: { imageWritten: { device: string } };
  };
  expect(second.data.imageWritten.device).toBe('/dev/nvme0n1');
  expect(await countOf('image-write-started', before)).toBe(1);
  expect(await countOf('image-write-finished', before)).toBe(1);
  // A write of this boot is adopted by a first attempt too: the message may have come twice.
  await again('write-image', 1);
  expect(await countOf('image-write-started', before)).toBe(1);
  await operation.step('verify-image');
});

it('erases once, though the command is sent by two attempts', async () => {
  operation = bench.begin('clean', NODE, { erase: 'metadata' });
  await operation.run('check-hardware');
  const before = await length();
  await operation.step('erase');
  await again('erase');
  expect(await countOf('erase-finished', before)).toBe(2);
  expect(operation.outputs.get('erase')!.summary).toContain('their data is still there');
});

describe('what fails is named', () => {
  const failing = async (
    verb: 'clean' | 'deploy',
    until: string,
    step: string,
  ): Promise<{ code: string; message: string }> => {
    operation = bench.begin(verb, NODE, verb === 'deploy' ? { image: image() } : {});
    await operation.run(until);
    const error = await operation.step(step).then(
      () => undefined,
      (thrown: unknown) => thrown as { failure: { code: string; message: string } },
    );
    return error!.failure;
  };

  it('a wrong checksum, after which nothing is verified', async () => {
    await bench.faults(NODE, { wrongImageBytes: 1 });
    const { code, message } = await failing('deploy', 'check-hardware', 'write-image');
    expect(code).toBe('IMAGE_CHECKSUM_MISMATCH');
    expect(message).not.toMatch(/WyJ/);
    await expect(again('write-image')).rejects.toMatchObject({
      failure: { code: 'IMAGE_CHECKSUM_MISMATCH' },
    });
    await expect(again('verify-image', 1)).rejects.toMatchObject({ failure: { code: 'IMAGE_UNVERIFIED' } });
  });

  it('a disk that cannot be erased', async () => {
    await bench.faults(NODE, { eraseFails: 1 });
    expect((await failing('clean', 'check-hardware', 'erase')).code).toBe('ERASE_FAILED');
  });

  it('a machine whose ports the contract does not know', async () => {
    await bench.faults(NODE, { agentForeignMacs: true });
    operation = bench.begin('clean', NODE);
    await operation.run('boot-agent');
    await until('a refused lookup', () =>
      bench.logged().includes('AGENT_PORTS_UNKNOWN') ? true : undefined,
    );
    expect(bench.operations.lookups.some(({ macs }) => macs.some((mac) => mac.startsWith('56')))).toBe(false);
  });

  it('an agent that sees less than the machine type promises', async () => {
    await bench.faults(NODE, { gpuMissing: true });
    const failure = await failing('clean', 'await-agent', 'check-hardware');
    expect(failure.code).toBe('HARDWARE_MISMATCH');
    expect(failure.message).toContain('8 GPUs');
  });

  it('a guest that came up without its scratch disk', async () => {
    await bench.faults(NODE, { mountMissing: true });
    const failure = await failing('deploy', 'await-first-boot', 'hand-over');
    expect(failure.code).toBe('HAND_OVER_INCOMPLETE');
    expect(failure.message).toContain('nothing is mounted at /scratch');
  });
});

it('makes a node safe from the middle of a deploy, twice if need be', async () => {
  operation = bench.begin('deploy', NODE, { image: image() });
  await operation.run('await-agent');
  const captured = (await redfishDriver.capture(operation.context('capture'))) as {
    bmc: { power: string };
    agent: { commands: unknown[] };
  };
  expect(captured).toMatchObject({ bmc: { power: 'on' }, agent: { callbackUrl: expect.any(String) } });
  expect(JSON.stringify(captured)).not.toMatch(/WyJ/);
  for (let i = 0; i < 2; i += 1) {
    expect(await operation.settle()).toMatchObject({ left: [], data: { power: 'off' } });
    const { power, override, media } = await bench.server(NODE);
    expect([power, override.enabled]).toEqual(['Off', 'Disabled']);
    expect(Object.values(media).some((slot) => slot.inserted)).toBe(false);
  }
});

it('asks the facts of the world', async () => {
  operation = bench.begin('clean', NODE);
  const facts = async (): Promise<string[]> => {
    const true_: string[] = [];
    for (const [fact, ask] of Object.entries(redfishDriver.facts)) {
      if (await ask(operation!.context('facts'))) true_.push(fact);
    }
    return true_;
  };
  expect(await facts()).toEqual(['powered-off', 'media-ejected', 'override-cleared']);
  await operation.run('set-boot');
  expect(await facts()).toEqual(['media-inserted', 'override-set', 'powered-off']);
  await operation.step('boot-agent');
  await until('an agent', () => bench.operations.state.get(NODE)?.certificate ?? undefined);
  expect(await facts()).toEqual(['media-inserted', 'agent-booted', 'agent-alive', 'override-cleared']);
});

it('captures what it can of a BMC that is away, and never throws', async () => {
  operation = bench.begin('clean', NODE);
  await bench.faults(NODE, { bmcDown: 1000 });
  const captured = await redfishDriver.capture(operation.context('capture'));
  expect(captured).toMatchObject({ bmc: { unread: expect.stringContaining('BMC_') }, agent: null });
});
