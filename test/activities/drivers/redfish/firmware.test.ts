import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { redfishDriver } from '../../../../activities/drivers/redfish/driver.ts';
import type { StepContext } from '../../../../activities/drivers/driver.ts';
import type { UpdateEntry } from '../../../../activities/redfish/update-journal.ts';
import type { Inventory } from '../../../../contracts/inventory/inventory.ts';
import type { Firmware } from '../../../../contracts/inventory/supply.ts';
import { RackwrightError, type Failure } from '../../../../core/errors/failure.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { FIRMWARE_BASELINE } from '../../../../lab/supplies.ts';
import { startBench, type Bench, type LabEvent, type Running } from './bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench({ servers: 1, speed: 50 });
});
afterAll(() => bench.close());

const NODE = 'node-001';
const ARGS = { steps: ['firmware'] };
let begun = 0;
beforeEach(async () => {
  if ((await bench.server(NODE)).power === 'On') {
    const off = bench.begin('power', NODE, { state: 'off' });
    await off.run();
    off.end();
  }
  await bench.oldFirmware(NODE);
  await bench.updates.remove(NODE);
  begun = (await bench.log(NODE)).length;
});
afterEach(async () => {
  await fetch(`${bench.lab.controlUrl}/servers/${NODE}/faults`, { method: 'DELETE' });
});

const events = async (): Promise<LabEvent[]> => (await bench.log(NODE)).slice(begun);
const started = async (): Promise<number> =>
  (await events()).filter(({ event }) => event === 'update-started').length;
const power = async (): Promise<unknown[]> =>
  (await events()).filter(({ event }) => event === 'power').map((each) => each['state']);
const attempt = (operation: Running, step = 'update-firmware', context = operation.context(step)) =>
  redfishDriver.steps[step]!(context);

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error: unknown = await work.then(
    () => new Error('it ended well, and should have failed'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof RackwrightError) return error.failure;
  throw error;
}

/** The lab's contract with another `firmware`. */
function contract(
  over: Partial<Firmware['baselines'][number]>,
  owner: Firmware['owner'] = 'rackwright',
): Inventory {
  const [baseline] = bench.inventory.firmware!.baselines;
  return { ...bench.inventory, firmware: { owner, baselines: [{ ...baseline!, ...over }] } };
}
const component = (name: string) =>
  bench.inventory.firmware!.baselines[0]!.components.find((each) => each.component === name)!;

/** A context whose journal dies at a write, as a worker does that is killed there. */
function dyingAt(operation: Running, dies: (entry: UpdateEntry) => boolean): StepContext {
  const context = operation.context('update-firmware');
  const updates: StepContext['site']['updates'] = {
    ...bench.updates,
    write: async (node, entry) => {
      if (dies(entry)) throw new Error('killed');
      await bench.updates.write(node, entry);
    },
  };
  return { ...context, site: { ...context.site, updates } };
}

/** Runs attempts until one is killed. */
async function untilKilled(context: StepContext): Promise<void> {
  for (;;) {
    try {
      await attempt(undefined as never, 'update-firmware', context);
      throw new Error('it ended without the write that it was to die at');
    } catch (error) {
      if ((error as Error).message === 'killed') return;
      if (!(error instanceof RackwrightError) || !error.failure.retryable) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}

describe('firmware', () => {
  it('is brought to the baseline one by one, and the node is as it was; a second time there is nothing to do', async () => {
    const operation = bench.begin('service', NODE, ARGS);
    await operation.run();
    const summary = (step: string): string => operation.outputs.get(step)!.summary;
    expect(summary('check-firmware')).toContain('To be updated: BMC 2.14.0 → 2.15.0');
    expect(summary('update-firmware')).toContain('Updated BMC, NIC, BIOS');
    expect((await bench.server(NODE)).firmware).toEqual(FIRMWARE_BASELINE);
    const written = (await events()).filter(({ event }) => event === 'firmware-written');
    expect(written.map((each) => each['component'])).toEqual(['BMC', 'NIC', 'BIOS']);
    // One restart for the NIC, one for the BIOS; it was off, and is off again.
    expect(await power()).toEqual(['On', 'Off', 'On', 'Off']);
    expect(await bench.updates.read(NODE)).toBeUndefined();
    operation.end();

    begun = (await bench.log(NODE)).length;
    const again = bench.begin('service', NODE, ARGS);
    await again.run();
    expect(again.outputs.get('check-firmware')!.summary).toContain('Everything is at the baseline');
    expect(again.outputs.get('update-firmware')!.summary).toContain('Nothing to do');
    expect([await started(), await power()]).toEqual([0, []]);
    again.end();
  });

  it.each<[string, () => Inventory, Partial<Failure>, RegExp]>([
    ['is somebody else’s', () => contract({}, 'vendor'), { code: 'FIRMWARE_OWNED_ELSEWHERE' }, /vendor/],
    [
      'is nobody’s by the contract',
      () => ({ ...contract({}), firmware: { baselines: contract({}).firmware!.baselines } }),
      { code: 'FIRMWARE_OWNED_ELSEWHERE' },
      /names no owner/,
    ],
    [
      'has no baseline for the type',
      () => contract({ types: ['other'] }),
      { code: 'FIRMWARE_BASELINE_UNKNOWN' },
      /no baseline for type lab-gpu-8/,
    ],
    [
      'may not be touched now',
      () => {
        const day = new Date(Date.now() + 3 * 86_400_000).getUTCDay();
        const days = (['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const)[day]!;
        return contract({ windows: [{ days: [days], from: '10:00', to: '11:00' }] });
      },
      { code: 'WINDOW_CLOSED' },
      /next one opens \w{3} \d{4}-\d\d-\d\d 10:00 UTC/,
    ],
    [
      'has no such component',
      () => contract({ components: [{ component: 'CPLD', version: '1' }] }),
      { code: 'FIRMWARE_COMPONENT_UNKNOWN' },
      /no component CPLD. It has: BMC, BIOS, NIC/,
    ],
    [
      'is asked for twice',
      () => contract({ components: [component('BIOS'), { component: 'BI*', version: '2' }] }),
      { code: 'FIRMWARE_COMPONENT_UNKNOWN' },
      /both mean BIOS/,
    ],
    [
      'has no file',
      () => contract({ components: [component('BMC'), { component: 'BIOS', version: '1.8.1' }] }),
      { code: 'FIRMWARE_FILE_MISSING' },
      /BIOS 1.8.2 → 1.8.1 \(a downgrade\)/,
    ],
    [
      'has another file than the contract means',
      () => {
        const file = join(dirname(bench.lab.inventory), 'other.bin');
        writeFileSync(file, 'other');
        return contract({ components: [{ ...component('BMC'), file }] });
      },
      { code: 'FIRMWARE_FILE_WRONG', faultDomain: 'image-supply' },
      /SHA-256/,
    ],
    [
      'has a file that is nowhere',
      () => contract({ components: [{ ...component('BMC'), file: '/nowhere/bmc.bin' }] }),
      { code: 'IMAGE_SOURCE_UNREACHABLE', retryable: false },
      /no file here/,
    ],
  ])('that %s stays as it is: an error before anything is written', async (_what, over, expected, says) => {
    const operation = bench.begin('service', NODE, ARGS, over());
    const { message, ...failure } = await failureOf(operation.run('check-firmware'));
    expect(failure).toMatchObject(expected);
    expect(message).toMatch(says);
    expect(await started()).toBe(0);
    operation.end();
  });

  it('without SimpleUpdate cannot be updated, and it is said so', async () => {
    await bench.faults(NODE, { noSimpleUpdate: true });
    const operation = bench.begin('service', NODE, ARGS);
    expect(await failureOf(operation.run('check-firmware'))).toMatchObject({
      code: 'NOT_SUPPORTED',
      faultDomain: 'bmc',
      message: expect.stringContaining('does not offer SimpleUpdate'),
    });
    operation.end();
  });
});

describe('a worker that is killed', () => {
  const only = (name: string): Inventory => contract({ components: [component(name)] });

  it('after it asked the BMC: the update is taken up, and asked for once', async () => {
    const operation = bench.begin('service', NODE, ARGS, only('NIC'));
    await operation.run('check-firmware');
    await untilKilled(dyingAt(operation, ({ stage }) => stage === 'asked'));
    expect((await bench.updates.read(NODE))?.stage).toBe('asking');
    await operation.step('update-firmware');
    expect(await started()).toBe(1);
    operation.end();
  });

  it('before it asked the BMC: nothing is asked for again until it is proven that nothing was', async () => {
    const operation = bench.begin('service', NODE, ARGS, only('BMC'));
    await operation.run('check-firmware');
    const now = Date.now();
    const entry: UpdateEntry = {
      component: 'BMC',
      version: FIRMWARE_BASELINE.BMC,
      requestId: operation.ref.requestId,
      stretch: 1,
      stage: 'asking',
      askedAt: now,
      before: [],
      task: null,
      look: null,
      lookSince: now,
      endedAt: null,
      restartedAt: null,
      logins: 0,
    };
    await bench.updates.write(NODE, entry);
    expect(await failureOf(attempt(operation))).toMatchObject({
      code: 'FIRMWARE_NOT_SHOWN',
      retryable: true,
    });
    expect(await started()).toBe(0);
    await bench.updates.write(NODE, { ...entry, askedAt: now - 200_000 });
    await operation.step('update-firmware');
    expect(await started()).toBe(1);
    operation.end();
  });

  it.each(['off', 'on', 'restarted'] as const)(
    'at the restart of the host (%s): it is restarted once',
    async (stage) => {
      const operation = bench.begin('service', NODE, ARGS, only('BIOS'));
      await operation.run('check-firmware');
      await untilKilled(dyingAt(operation, (entry) => entry.stage === stage));
      await operation.step('update-firmware');
      expect([await started(), await power()]).toEqual([1, ['On']]);
      operation.end();
    },
  );

  it('leaves what it began to the next operation, which takes it up', async () => {
    const first = bench.begin('service', NODE, ARGS, only('NIC'));
    await first.run('check-firmware');
    expect(await failureOf(attempt(first))).toMatchObject({ code: 'FIRMWARE_NOT_SHOWN' });
    first.end();
    const second = bench.begin('service', NODE, ARGS, only('NIC'));
    await second.run();
    expect(await started()).toBe(1);
    second.end();
  });

  it('leaves an update that the next operation does not want to its end', async () => {
    const first = bench.begin('service', NODE, ARGS, only('NIC'));
    await first.run('check-firmware');
    expect(await failureOf(attempt(first))).toMatchObject({ code: 'FIRMWARE_NOT_SHOWN' });
    first.end();
    const second = bench.begin('service', NODE, ARGS, only('BMC'));
    expect(await failureOf(attempt(second))).toMatchObject({
      code: 'FIRMWARE_BUSY',
      message: expect.stringContaining(first.ref.requestId),
    });
    await second.step('update-firmware');
    expect(await started()).toBe(2);
    second.end();
  });
});

describe('an update of an earlier operation that is not wanted any more', () => {
  const now = Date.now();
  const entry = (over: Partial<UpdateEntry>): UpdateEntry => ({
    component: 'NIC',
    version: '1',
    requestId: 'earlier',
    stretch: 1,
    stage: 'asked',
    askedAt: now,
    before: [],
    task: null,
    look: null,
    lookSince: now,
    endedAt: null,
    restartedAt: null,
    logins: 0,
    ...over,
  });

  it.each([
    ['was not answered', entry({ stage: 'asking' }), 'FIRMWARE_NOT_SHOWN'],
    ['has no task', entry({}), 'FIRMWARE_BUSY'],
  ])('and that %s is given its time before another one begins', async (_what, left, code) => {
    await bench.updates.write(NODE, left);
    const operation = bench.begin('service', NODE, ARGS, contract({ components: [component('BMC')] }));
    await operation.run('check-firmware');
    expect(await failureOf(attempt(operation))).toMatchObject({ code, retryable: true });
    expect(await started()).toBe(0);
    await bench.updates.write(NODE, { ...left, askedAt: now - 400_000 });
    await operation.step('update-firmware');
    expect(await started()).toBe(1);
    operation.end();
  });
});

describe('an update that an aborted operation left at work', () => {
  it.each<['power' | 'service', JsonObject]>([
    ['power', { state: 'off' }],
    ['service', { steps: [{ step: 'bios', settings: { LogicalProc: 'Disabled' } }] }],
  ])('lets no %s switch the host under it, and one that looks may look', async (verb, args) => {
    const first = bench.begin('service', NODE, ARGS, contract({ components: [component('NIC')] }));
    await first.run('check-firmware');
    expect(await failureOf(attempt(first))).toMatchObject({ code: 'FIRMWARE_NOT_SHOWN' });
    first.end();
    const look = bench.begin('inspect', NODE, {});
    await look.step('connect');
    look.end();
    const second = bench.begin(verb, NODE, args);
    expect(await failureOf(attempt(second, 'connect'))).toMatchObject({
      code: 'FIRMWARE_BUSY',
      retryable: true,
      message: expect.stringContaining(first.ref.requestId),
    });
    await bench.updates.write(NODE, { ...(await bench.updates.read(NODE))!, stage: 'restarted' });
    await second.step('connect');
    second.end();
  });
});

describe('a BMC', () => {
  it('that refuses a login while it comes back from its own update is asked again, twice at most', async () => {
    const operation = bench.begin('service', NODE, ARGS, contract({ components: [component('BMC')] }));
    await operation.run('check-firmware');
    expect(await failureOf(attempt(operation))).toMatchObject({ code: 'FIRMWARE_NOT_SHOWN' });
    await bench.faults(NODE, { sessionsForgotten: 1, passwordWrong: 2 });
    await operation.step('update-firmware');
    expect((await events()).filter((each) => each['fault'] === 'passwordWrong')).toHaveLength(2);
    expect((await events()).filter(({ event }) => event === 'account-locked')).toEqual([]);
    operation.end();
  });

  it('that never shows the version is not waited for for ever; a resume may ask once more', async () => {
    await bench.faults(NODE, { 'simpleUpdate.acceptNotApply': 1 });
    const operation = bench.begin('service', NODE, ARGS, contract({ components: [component('BMC')] }));
    await operation.run('check-firmware');
    expect(await failureOf(attempt(operation))).toMatchObject({
      code: 'FIRMWARE_NOT_SHOWN',
      retryable: true,
    });
    const entry = (await bench.updates.read(NODE))!;
    await bench.updates.write(NODE, { ...entry, endedAt: Date.now() - 3_700_000 });
    expect(await failureOf(attempt(operation))).toMatchObject({
      code: 'FIRMWARE_NOT_SHOWN',
      retryable: false,
      message: 'BMC is to show 2.15.0, and shows 2.14.0.',
    });
    expect(await bench.updates.read(NODE)).toBeUndefined();
    operation.end();
  });
});

describe('what an update may not leave behind', () => {
  it.each([
    [
      'nicRenamedAfterUpdate',
      'firmware',
      /the name of NIC 52:54:01:00:01:01 was ".*ens2f0", and is ".*ens2f0np0"/,
    ],
    ['nicGoneAfterUpdate', 'hardware', /NIC .*52:54:01:00:01:01 is gone/],
  ])('%s is found, and has a fault domain', async (fault, faultDomain, says) => {
    await bench.faults(NODE, { [fault]: 1 });
    const operation = bench.begin('service', NODE, ARGS, contract({ components: [component('NIC')] }));
    await operation.run('update-firmware');
    expect(await failureOf(attempt(operation, 'compare-survey'))).toMatchObject({
      code: 'NODE_CHANGED',
      faultDomain,
      message: expect.stringMatching(says),
    });
    operation.end();
  });
});
