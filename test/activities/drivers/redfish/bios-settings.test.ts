import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StepContext } from '../../../../activities/drivers/driver.ts';
import { redfishDriver } from '../../../../activities/drivers/redfish/driver.ts';
import { RackwrightError, type Failure } from '../../../../core/errors/failure.ts';
import type { JsonObject } from '../../../../core/json.ts';
import type { StepOutput } from '../../../../core/operations.ts';
import { startBench, type Bench, type LabEvent, type Running } from './bench.ts';

/** BIOS settings on a server of the lab: checked, asked for, applied by a restart, read back. */

const NODE = 'node-001';
/** What the lab's BIOS has when it comes out of its box. */
const FRESH = { LogicalProc: 'Enabled', NumaNodesPerSocket: 4, AssetTag: 'unset' };
const OTHER = { LogicalProc: 'Disabled', NumaNodesPerSocket: '2' };

let bench: Bench;
let operation: Running;
let begun: number;
beforeAll(async () => {
  bench = await startBench({ servers: 1, speed: 100 });
});
afterAll(() => bench.close());
beforeEach(async () => {
  begun = (await bench.log(NODE)).length;
});
afterEach(async () => {
  await fetch(`${bench.lab.controlUrl}/servers/${NODE}/faults`, { method: 'DELETE' });
  operation.end();
  await all(service(FRESH), ['set-bios', 'restart']);
  operation.end();
});

const service = (settings: JsonObject | undefined): Running =>
  (operation = bench.begin('service', NODE, {
    steps: [settings === undefined ? 'bios' : { step: 'bios', settings }],
  }));

const STEPS = ['check-bios', 'set-bios', 'restart', 'verify-bios'];
async function all(on: Running, steps: readonly string[] = STEPS): Promise<StepOutput> {
  for (const step of steps) await on.step(step);
  return on.outputs.get(steps.at(-1)!)!;
}

/** One attempt of a step, as an activity: the number of the attempt, and another contract, may be given. */
const once = (step: string, over: { attempt?: number; context?: Partial<StepContext> } = {}) =>
  new MockActivityEnvironment({ attempt: over.attempt ?? 1 }).run(() =>
    redfishDriver.steps[step]!({ ...operation.context(step), ...over.context }),
  ) as Promise<StepOutput>;

async function failed(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (error instanceof RackwrightError) return error.failure;
  throw new Error(`no failure: ${String(error)}`);
}

const events = async (): Promise<LabEvent[]> => (await bench.log(NODE)).slice(begun);
const patches = async (): Promise<LabEvent[]> =>
  (await events()).filter((e) => e['method'] === 'PATCH' && String(e['path']).includes('/Bios'));
const resets = async (): Promise<unknown[]> =>
  (await events())
    .filter((e) => e['method'] === 'POST' && String(e['path']).endsWith('ComputerSystem.Reset'))
    .map((e) => (e['body'] as JsonObject)['ResetType']);
const evidence = (step: string): unknown => bench.evidence.get(`${operation.ref.requestId}/${step}/bios`);

describe('BIOS settings', () => {
  it('that differ are written once, applied by one restart, and read back', async () => {
    const { summary } = await all(service({ ...OTHER, BootMode: 'Uefi' }));
    expect(operation.outputs.get('check-bios')!.summary).toBe(
      '3 settings to have; 1 read as asked; 2 differ: LogicalProc; NumaNodesPerSocket',
    );
    expect(summary).toBe('3 settings read as asked, twice in a row; set: LogicalProc; NumaNodesPerSocket');
    const written = await patches();
    expect(written.map((e) => e['body'])).toEqual([
      {
        Attributes: { LogicalProc: 'Disabled', NumaNodesPerSocket: 2 },
        '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' },
      },
    ]);
    expect((await resets()).at(-1)).toBe('On');
    expect(evidence('verify-bios')).toEqual({
      registry: 'BiosAttributeRegistryLab.v1_0_0',
      attributes: {
        LogicalProc: { asked: 'Disabled', is: 'Disabled', next: 'Disabled' },
        NumaNodesPerSocket: { asked: '2', is: 2, next: 2 },
        BootMode: { asked: 'Uefi', is: 'Uefi', next: 'Uefi' },
      },
      foreign: [],
      refused: {},
      before: { LogicalProc: 'Enabled', NumaNodesPerSocket: 4 },
    });
    expect((await bench.server(NODE)).override.enabled).toBe('Disabled');
  });

  it('that are so already: nothing is written, nothing restarted', async () => {
    const { summary } = await all(service(FRESH));
    expect(operation.outputs.get('set-bios')).toMatchObject({
      summary: 'Nothing to do; 3 read as asked',
      data: { bios: { restart: false } },
    });
    expect(operation.outputs.get('restart')!.summary).toContain('was not restarted');
    expect(summary).toBe('3 settings read as asked, twice in a row');
    expect((await events()).filter(({ event }) => event === 'request' || event === 'power')).toEqual([]);
  });

  it('stop a running host gracefully first, and start it again', async () => {
    const on = bench.begin('power', NODE, { state: 'on' });
    await on.run();
    on.end();
    begun = (await bench.log(NODE)).length;
    await all(service({ LogicalProc: 'Disabled' }));
    expect(await resets()).toEqual(['GracefulShutdown', 'On']);
  });

  it('are those of the machine type where the request brings none', async () => {
    service(undefined);
    expect(await failed(once('check-bios'))).toMatchObject({
      code: 'BIOS_SETTINGS_MISSING',
      faultDomain: 'contract',
      retryable: false,
    });
    const { node } = operation.context('check-bios');
    const machineType = { ...node.machineType, bios: { LogicalProc: 'Disabled' } };
    const { summary } = await once('check-bios', { context: { node: { ...node, machineType } } });
    expect(summary).toBe('1 setting to have; 1 differ: LogicalProc');
  });
});

describe('what is wrong is said before anything is written', () => {
  it('that no maintenance window is open, unless there is nothing to do', async () => {
    service(OTHER);
    const { inventory } = operation.context('check-bios');
    const day = (['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const)[
      (new Date().getUTCDay() + 3) % 7
    ]!;
    const windows = [{ days: [day], from: '10:00', to: '11:00' }];
    const context = { inventory: { ...inventory, maintenance: { timeZone: 'UTC', windows } } };
    for (const step of ['check-bios', 'set-bios']) {
      const failure = await failed(once(step, { context }));
      expect(failure).toMatchObject({ code: 'WINDOW_CLOSED', faultDomain: 'contract', retryable: false });
      expect(failure.message).toMatch(/next one opens \w{3} \d{4}-\d\d-\d\d 10:00 UTC/);
    }
    expect(await patches()).toEqual([]);
    operation.end();
    service(FRESH);
    await once('check-bios', { context });
    expect((await once('set-bios', { context })).summary).toContain('Nothing to do');
  });

  it('all of it, with what is allowed', async () => {
    service({
      LogicalPorc: 'Disabled',
      NumaNodesPerSocket: 9,
      SysProfile: 'Fast',
      ProcTurbo: 'Disabled',
      TpmState: 'NotPresent',
      PowerOnPin: 'hunter22',
      LogicalProc: 'Disabled',
    });
    const failure = await failed(once('check-bios'));
    const problems = [
      'LogicalPorc is no attribute of this BIOS; there is "LogicalProc"',
      'NumaNodesPerSocket takes a whole number from 0 to 8, not 9',
      'SysProfile does not take "Fast", but "PerfPerWattOptimized", "PerfOptimized", "Custom"',
      'ProcTurbo is read-only; it is "Enabled"',
      'TpmState is read-only; it is "PresentEnabled"',
      'PowerOnPin holds a secret: passwords are not set by this verb',
    ];
    expect(failure).toMatchObject({
      code: 'BIOS_SETTING_INVALID',
      faultDomain: 'contract',
      retryable: false,
      message: `The BIOS does not take what is asked for: ${problems.join('; ')}.`,
      details: { problems },
    });
    expect(JSON.stringify(failure)).not.toContain('hunter22');
    expect(await failed(once('set-bios'))).toMatchObject({ code: 'BIOS_SETTING_INVALID' });
    expect(await patches()).toEqual([]);
  });

  it('a setting that another one of them allows is allowed', async () => {
    await all(service({ SysProfile: 'Custom', ProcTurbo: 'Disabled' }), ['check-bios', 'set-bios']);
    expect(await patches()).toHaveLength(1);
    await all(operation, ['restart', 'verify-bios']);
    operation.end();
    await all(service({ SysProfile: 'Custom', ProcTurbo: 'Enabled' }));
    operation.end();
    await all(service({ SysProfile: 'PerfPerWattOptimized' }));
  });

  it('a BIOS that can only be read, unless there is nothing to do', async () => {
    await bench.faults(NODE, { biosReadOnly: true });
    service(OTHER);
    expect(await failed(once('check-bios'))).toMatchObject({
      code: 'BIOS_READ_ONLY',
      faultDomain: 'firmware',
      retryable: false,
      message: expect.stringContaining('LogicalProc; NumaNodesPerSocket') as string,
    });
    operation.end();
    service(FRESH);
    expect((await once('check-bios')).summary).toContain('it can only be read');
    expect((await once('set-bios')).summary).toContain('Nothing to do');
  });
});

describe('a write', () => {
  it('whose answer was lost is looked for, and not made again', async () => {
    await bench.faults(NODE, { 'patchBios.lostResponse': 1 });
    service(OTHER);
    expect(await failed(once('set-bios'))).toMatchObject({ code: 'BMC_CONNECTION_LOST', retryable: true });
    expect((await once('set-bios', { attempt: 2 })).summary).toBe(
      '2 settings wait already: LogicalProc; NumaNodesPerSocket; they wait for a reset',
    );
    expect(await patches()).toHaveLength(1);
  });

  it('that is accepted without effect is made again', async () => {
    await bench.faults(NODE, { 'patchBios.acceptNotApply': 1 });
    service(OTHER);
    expect(await failed(once('set-bios'))).toMatchObject({ code: 'BIOS_NOT_APPLIED', retryable: true });
    await operation.step('set-bios');
    expect(await patches()).toHaveLength(2);
  });

  it('that is accepted again and again, and never shown, is left to the reset to tell', async () => {
    await bench.faults(NODE, { 'patchBios.acceptNotApply': 3 });
    await all(service(OTHER), ['set-bios', 'restart']);
    expect(operation.outputs.get('set-bios')!.summary).toContain('the BMC does not show them: LogicalProc');
    expect(await patches()).toHaveLength(3);
    expect(await resets()).toContain('On');
    expect(await failed(once('verify-bios'))).toMatchObject({
      retryable: true,
      message: 'The settings read as before: LogicalProc; NumaNodesPerSocket.',
    });
  });

  it('waits while the host is in POST, or the BMC is busy', async () => {
    await bench.faults(NODE, { biosInPost: 2, 'patchBios.status503RetryAfter': 1 });
    service(OTHER);
    expect(await failed(once('set-bios'))).toMatchObject({ code: 'BMC_BUSY', retryable: true });
    expect(await failed(once('set-bios'))).toMatchObject({ code: 'BMC_STATE_REFUSED', retryable: true });
    await operation.step('set-bios');
    expect(operation.outputs.get('set-bios')!.summary).toContain('2 settings asked for');
  });

  it('is not made where somebody has asked for the same; what else waits is told', async () => {
    const theirs = bench.begin('service', NODE, {
      steps: [{ step: 'bios', settings: { ...OTHER, AssetTag: 'THEIRS' } }],
    });
    await theirs.step('set-bios');
    theirs.end();
    begun = (await bench.log(NODE)).length;
    const last = await all(service(OTHER));
    expect(operation.outputs.get('set-bios')!.summary).toBe(
      '2 settings wait already: LogicalProc; NumaNodesPerSocket; they wait for a reset; ' +
        "somebody else's settings wait for the reset too: AssetTag",
    );
    expect(last.summary).toContain('set: LogicalProc; NumaNodesPerSocket');
    expect(await patches()).toEqual([]);
  });

  it('puts right what somebody else has asked for', async () => {
    const theirs = bench.begin('service', NODE, { steps: [{ step: 'bios', settings: OTHER }] });
    await theirs.step('set-bios');
    theirs.end();
    service({ LogicalProc: 'Enabled' });
    expect((await once('set-bios')).summary).toContain('1 setting asked for: LogicalProc');
  });
});

describe('the job that applies settings', () => {
  it('is adopted, made once, and followed to its end', async () => {
    await bench.faults(NODE, { biosJobOnPatch: true });
    service(OTHER);
    await operation.step('set-bios');
    const { job } = operation.outputs.get('set-bios')!.data!['bios'] as JsonObject;
    expect(job).toMatch(/^\/redfish\/v1\/TaskService\/Tasks\/\d+$/);
    // As after a crash behind the effect: a second write would be refused.
    const again = await once('set-bios', { attempt: 2 });
    expect((again.data!['bios'] as JsonObject)['job']).toBe(job);
    expect((await failed(once('verify-bios'))).message).toBe(
      `Job ${String(job)} that applies the settings is Running.`,
    );
    await all(operation, ['restart', 'verify-bios']);
    expect(await patches()).toHaveLength(1);
    expect((await events()).filter(({ event }) => event === 'bios-job')).toHaveLength(1);
  });

  it('that fails is the failure, with what it says', async () => {
    await bench.faults(NODE, { biosJobOnPatch: true, biosJobFails: 1 });
    await all(service(OTHER), ['set-bios', 'restart']);
    await bench.faults(NODE, { biosJobOnPatch: false });
    const failure = await failed(once('verify-bios'));
    expect(failure).toMatchObject({ code: 'BIOS_NOT_APPLIED', faultDomain: 'firmware', retryable: false });
    expect(failure.message).toContain('was not applied at the reset');
  });

  it('is made where none is made by the write, and no second one', async () => {
    await bench.faults(NODE, { biosNeedsJob: true });
    await operationsOf(OTHER);
    expect((await events()).filter(({ event }) => event === 'bios-job')).toHaveLength(1);
    expect((await patches())[0]!['body']).toEqual({
      Attributes: { LogicalProc: 'Disabled', NumaNodesPerSocket: 2 },
    });
  });
});

/** Settings are set by two attempts of `set-bios`, and verified. */
async function operationsOf(settings: JsonObject): Promise<void> {
  service(settings);
  await operation.step('set-bios');
  await once('set-bios', { attempt: 2 });
  await all(operation, ['restart', 'verify-bios']);
}

describe('the restart', () => {
  it('that was made by an attempt that could not say so is not made again', async () => {
    service(OTHER);
    await operation.step('set-bios');
    const other = bench.begin('power', NODE, { state: 'reboot' });
    await other.run();
    other.end();
    begun = (await bench.log(NODE)).length;
    expect((await once('restart', { attempt: 2 })).summary).toContain('the host was restarted meanwhile');
    expect(await resets()).toEqual([]);
    await operation.step('verify-bios');
  });
});

describe('what reads back', () => {
  it('as something else is named, with what was asked for', async () => {
    await bench.faults(NODE, { biosClamps: 1 });
    await all(service({ NumaNodesPerSocket: 8 }), ['set-bios', 'restart']);
    expect(await failed(once('verify-bios'))).toMatchObject({
      code: 'BIOS_NOT_APPLIED',
      retryable: false,
      message: 'The firmware has made something else of it: NumaNodesPerSocket is 7, not 8.',
      details: { differences: ['NumaNodesPerSocket is 7, not 8'] },
    });
  });

  it('as refused is named, with the reason', async () => {
    await bench.faults(NODE, { biosRefuses: 1 });
    await all(service(OTHER), ['set-bios', 'restart']);
    expect(await failed(once('verify-bios'))).toMatchObject({
      code: 'BIOS_NOT_APPLIED',
      retryable: false,
      message: expect.stringMatching(/^The firmware refused settings: LogicalProc: .*not applied/) as string,
    });
  });

  it('right once and wrong then is not believed, until it reads right twice in a row', async () => {
    await bench.faults(NODE, { biosFlips: 1 });
    await all(service(OTHER), ['set-bios', 'restart']);
    expect(await failed(once('verify-bios'))).toMatchObject({
      code: 'BIOS_NOT_APPLIED',
      retryable: true,
      message: 'The settings read as asked once, and as waiting for a reset then.',
    });
    expect((await operation.step('verify-bios')).summary).toContain('2 settings read as asked, twice');
  });

  it('as before, with the settings still waiting, is not there yet', async () => {
    service(OTHER);
    await operation.step('set-bios');
    expect(await failed(once('verify-bios'))).toMatchObject({
      code: 'BIOS_NOT_APPLIED',
      retryable: true,
      message: 'The settings still wait for a reset: LogicalProc; NumaNodesPerSocket.',
    });
  });
});
