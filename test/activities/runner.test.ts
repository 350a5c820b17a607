import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelledFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { SecretSet } from '../../activities/secrets/redact.ts';
import { driverActivities } from '../../activities/runner.ts';
import { fail, notYet } from '../../core/errors/failure.ts';
import type { Captured, StepInput } from '../../core/operations.ts';
import { INVENTORY, ScriptedDriver, until } from '../workflows/support.ts';
import { aRecord, anInput, aSite, codeOf } from './support.ts';

type Run = (input: object) => Promise<unknown>;

/** A driver's activities and the input of a step of an operation that the record names. */
async function scene(named = anInput(), console = false) {
  const site = await aSite({ secrets: new SecretSet() });
  // As a worker's site does.
  site.secrets.add('secret');
  const consoleFile = join(await mkdtemp(join(tmpdir(), 'rackwright-console-')), 'n1.log');
  const nodes = INVENTORY.nodes.map((each) => (console ? { ...each, console: { file: consoleFile } } : each));
  await site.records.write(aRecord(named), 0);
  const driver = new ScriptedDriver();
  const activities = driverActivities(site, driver) as unknown as { [name: string]: Run };
  const { site: name, node, requestId, kind, generation, args, snapshot } = anInput();
  const contractHash = await site.contracts.store({ ...INVENTORY, nodes });
  const input: StepInput = {
    ref: { site: name, node, requestId, kind, generation, contractHash },
    step: 'write-image',
    args,
    snapshot,
    data: {},
    window: { epoch: 1, expires: 1 },
    agent: null,
    firstBoot: null,
  };
  const environment = new MockActivityEnvironment();
  const run = (activity: string, over: object = {}) =>
    environment.run(activities[`redfish.${activity}`]!, { ...input, ...over });
  return { site, driver, activities, environment, input, run, consoleFile };
}

afterEach(() => {
  delete process.env['RACKWRIGHT_PAUSE_DIR'];
  delete process.env['RACKWRIGHT_PAUSE_AT'];
});

describe("a driver's activities", () => {
  it('are one per step of its plans, and three for the operation', async () => {
    const { activities } = await scene();
    const names = Object.keys(activities);
    for (const name of ['write-image', 'erase', 'set-power', 'facts', 'settle', 'capture']) {
      expect(names).toContain(`redfish.${name}`);
    }
  });

  it('cannot be made of a driver that lacks a step of its plan', async () => {
    const { site, driver } = await scene();
    const { erase: _, ...steps } = driver.steps;
    expect(() => driverActivities(site, { ...driver, steps } as never)).toThrow('its step erase');
  });

  it('give a step its node of the stored contract', async () => {
    const { run, driver } = await scene();
    driver.script['write-image'] = async (input, { node, inventory }) => ({
      summary: `${input.args['image'] as string} on ${node.name} of ${inventory.site}`,
    });
    expect(await run('write-image')).toEqual({ summary: 'a on n1 of test' });
  });

  it.each(['write-image', 'boot-agent', 'insert-media', 'settle'])(
    '%s acts for the operation that the record names, and for no other',
    async (activity) => {
      const other = await scene(anInput({ requestId: 'other' }));
      expect(await codeOf(other.run(activity, { residue: ['media'] }))).toBe('GENERATION_CONFLICT');
      expect([other.driver.calls, other.driver.settled]).toEqual([[], []]);
      const own = await scene();
      expect(await codeOf(own.run(activity, { residue: ['media'] }))).toBe('passed');
    },
  );

  it('look at facts and keep evidence for whoever asks', async () => {
    const { run, driver, site } = await scene(anInput({ requestId: 'other' }));
    driver.world['agent-alive'] = false;
    const ask = ['agent-alive', 'media-inserted', 'no-such-fact'];
    expect(await run('facts', { ask })).toEqual({
      'agent-alive': false,
      'media-inserted': true,
      'no-such-fact': false,
    });
    site.secrets.add('hunter2-secret');
    driver.capture = async () => ({ state: 'it says hunter2-secret' });
    const captured = (await run('capture')) as { evidence: { name: string; bytes: number }[] };
    const [ref] = captured.evidence;
    expect(ref).toMatchObject({ name: 'failing-state' });
  });

  it("keep the end of the node's console, without its user data, beside the failing state", async () => {
    const { run, site, consoleFile } = await scene(anInput(), true);
    const window = { epoch: 1, expires: 4_000_000_000 };
    const token = site.tokens.mint({ ...anInput(), site: site.name }, 'first-boot', window);
    await writeFile(consoleFile, `boot\ntoken: ${token}\nuser data: secret\nKernel panic: "no root"\n`);
    const args = { image: 'a', userData: 'env:USER_DATA' };
    const captured = (await run('capture', { args })) as Captured;
    expect(captured.console).toEqual({ last: ['user data: [redacted]', "Kernel panic: 'no root'"] });
    expect(captured.evidence.map(({ name }) => name)).toEqual(['failing-state', 'console']);
    const kept = await site.evidence.read(captured.evidence[1]!.id);
    expect(kept).toMatchObject({
      of: consoleFile,
      answer: { lines: ['boot', 'token: …', 'user data: [redacted]', 'Kernel panic: "no root"'] },
    });
  });

  it('say that the console could not be read, and hide nothing else by it', async () => {
    const { run, site } = await scene(anInput(), true);
    const captured = (await run('capture')) as Captured;
    const unread = 'The console could not be read: reading the file on this worker failed with ENOENT.';
    expect(captured).toMatchObject({
      evidence: [{ name: 'failing-state' }, { name: 'console' }],
      console: { unread },
    });
    expect((await site.evidence.read(captured.evidence[1]!.id)).answer).toEqual({ unread });
  });

  it('know of no console where the contract names none', async () => {
    const { run } = await scene();
    expect(Object.keys((await run('capture')) as Captured)).toEqual(['evidence']);
  });
});

describe('an error of a step', () => {
  it('carries its code, and whether and when to try again', async () => {
    const { run, driver } = await scene();
    const thrown = async (error: Error) => {
      driver.script['write-image'] = async () => {
        throw error;
      };
      return run('write-image').catch((e: object) => e);
    };
    expect(await thrown(fail('FIRST_BOOT_SILENT', 'm', { retryable: false }))).toMatchObject({
      type: 'FIRST_BOOT_SILENT',
      nonRetryable: true,
      details: [{ code: 'FIRST_BOOT_SILENT', faultDomain: 'first-boot' }],
    });
    expect(await thrown(notYet('BUSY', 'm', 1234))).toMatchObject({
      type: 'BUSY',
      nonRetryable: false,
      nextRetryDelay: 1234,
    });
    expect(await thrown(new TypeError('x is not a function'))).toMatchObject({
      type: 'UNEXPECTED',
      message: expect.stringContaining('TypeError'),
    });
  });

  it('carries no secret and no stack', async () => {
    const { run, driver, site } = await scene();
    site.secrets.add('hunter2-secret');
    driver.script['write-image'] = async () => {
      throw new Error('401 for admin:hunter2-secret', { cause: new Error('hunter2-secret') });
    };
    const error = (await run('write-image').catch((e: object) => e)) as {
      message: string;
      details: object[];
      stack: string;
    };
    expect(error.stack).toBe('');
    expect(error.message).toContain('401 for admin');
    expect(JSON.stringify([error.message, error.details])).not.toContain('hunter2');
    expect(JSON.stringify(error.details)).not.toContain('.ts:');
  });

  it('that is a cancellation stays one', async () => {
    const { run, driver, environment } = await scene();
    let began = false;
    driver.script['write-image'] = (_input, { signal }) => {
      began = true;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new DOMException('gone', 'AbortError')));
      });
    };
    const running = run('write-image').catch((e: object) => e);
    await until(() => began);
    environment.cancel();
    const error = await running;
    expect(error).toBeInstanceOf(CancelledFailure);
    expect(error).toMatchObject({ stack: '' });
  });
});

describe('an attempt that hangs', () => {
  it('is ended by the worker itself, with what its silence means, and is told to stop', async () => {
    const { driver, activities, input } = await scene();
    let stopped = false;
    driver.script['await-agent'] = (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped = true;
          reject(new DOMException('gone', 'AbortError'));
        });
      });
    const environment = new MockActivityEnvironment({
      startToCloseTimeoutMs: 65_000,
      scheduleToCloseTimeoutMs: 305_000,
      scheduledTimestampMs: 1_000_000,
      currentAttemptScheduledTimestampMs: 1_299_500,
    });
    const error = await environment.run(activities['redfish.await-agent']!, input).catch((e: object) => e);
    expect(error).toMatchObject({ type: 'AGENT_SILENT', nonRetryable: true });
    expect(stopped).toBe(true);
  });

  it.each([
    [
      'of its last one, where that is known',
      'connect',
      fail('BMC_UNREACHABLE', 'b1: no connection.'),
      'BMC_UNREACHABLE',
    ],
    ['of its own silence, where nothing is', 'connect', undefined, 'STEP_TIMEOUT'],
    ['of whom it waited for', 'await-agent', notYet('CHECK_TIMEOUT', 'not yet', 1), 'AGENT_SILENT'],
  ])('when all the time is over, fails with the cause %s', async (_what, step, before, type) => {
    const { driver, activities, input } = await scene();
    driver.script[step] = () => new Promise(() => undefined);
    const environment = new MockActivityEnvironment({
      startToCloseTimeoutMs: 65_000,
      scheduleToCloseTimeoutMs: 305_000,
      scheduledTimestampMs: 1_000_000,
      currentAttemptScheduledTimestampMs: 1_299_500,
      heartbeatDetails: before?.failure,
    });
    const error = await environment.run(activities[`redfish.${step}`]!, input).catch((e: object) => e);
    expect(error).toMatchObject({ type, nonRetryable: true });
  });

  it('that was aborted by something of its own is no cancellation', async () => {
    const { run, driver } = await scene();
    driver.script['write-image'] = async () => {
      throw new DOMException('a request took too long', 'AbortError');
    };
    const error = await run('write-image').catch((e: object) => e);
    expect(error).not.toBeInstanceOf(CancelledFailure);
    expect(error).toMatchObject({ type: 'UNEXPECTED' });
  });
});

describe('a crash point', () => {
  it('stops a step before or after its effect, until its process is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rackwright-pause-'));
    process.env['RACKWRIGHT_PAUSE_DIR'] = folder;
    process.env['RACKWRIGHT_PAUSE_AT'] = 'n1:deploy:write-image:after,n1:deploy:sync:before';
    const { run, driver, environment } = await scene();
    const running = run('write-image').catch((e: object) => e);
    await until(async () => (await readdir(folder)).length > 0);
    expect(await readdir(folder)).toEqual(['n1:deploy:write-image:after']);
    expect(driver.calls).toEqual(['write-image']);
    environment.cancel();
    expect(await running).toBeInstanceOf(CancelledFailure);
    const again = await scene();
    const waiting = again.run('write-image').catch((e: object) => e);
    await until(() => again.driver.calls.length > 0);
    again.environment.cancel();
    expect(await waiting).toBeInstanceOf(CancelledFailure);
    await writeFile(join(folder, 'n1:deploy:write-image:after'), 'another process');
    const next = await scene();
    expect(await next.run('write-image')).toEqual({ summary: 'write-image passed' });
    expect(await codeOf(next.run('eject-media'))).toBe('passed');
  });
});
