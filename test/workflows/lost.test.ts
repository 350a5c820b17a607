import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fail } from '../../core/errors/failure.ts';
import { nodeWorkflowId, WORKFLOW_QUEUE } from '../../core/names.ts';
import type { NodeRecord } from '../../core/node.ts';
import type { StepInput } from '../../core/operations.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, refusalOf, SITE, until } from './support.ts';

let house: House;

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  house.answerCallbacks();
  await house.makeAvailable();
  await house.makeAvailable('n2');
  expect((await house.run('deploy', { image: 'a', owner: 'team-a' })).outcome).toBe('pass');
}, 240_000);

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

const idle = (node = 'n1') => until(async () => (await house.state(node)).operation === null);
const written = (): number => house.driver.calls.filter((call) => call === 'write-image').length;

/** A gate in a step: it waits there until it is opened. */
function gateAt(step: string): { reached: () => boolean; open: () => void; input: () => StepInput } {
  let open: () => void = () => undefined;
  let seen: StepInput | undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  house.driver.script[step] = async (input) => {
    seen = input;
    await gate;
    delete house.driver.script[step];
    return undefined;
  };
  return { reached: () => seen !== undefined, open, input: () => seen! };
}

const deployAgain = (requestId: string) =>
  house.client.signalWithStart('node', {
    workflowId: nodeWorkflowId(SITE, 'n1'),
    taskQueue: WORKFLOW_QUEUE,
    args: [{ site: SITE, node: 'n1' }],
    signal: 'reimage',
    signalArgs: [{ requestId, image: 'a' }],
  });

describe('an operation that was terminated', () => {
  it('is cleaned up after, and so is a clean-up; meanwhile only abort and flags are legal', async () => {
    const gate = gateAt('check-hardware');
    await house.send('reimage', { image: 'b', requestId: 'killed' });
    await until(gate.reached);
    let settle: () => void = () => undefined;
    const settling = new Promise<void>((resolve) => (settle = resolve));
    house.driver.beforeSettle = () => settling;
    await house.operation('killed').terminate('by a test');
    await until(async () => (await house.state()).operation?.kind === 'cleanup');
    const state = await house.state();
    expect(state).toMatchObject({
      phase: 'deploying',
      operation: { cleans: 'reimage' },
      legal: ['maintenance', 'quarantine', 'unquarantine', 'abort'],
      lastFailure: { code: 'OPERATION_LOST' },
    });
    expect(await refusalOf(house.send('deploy', { image: 'a' }))).toBe('BUSY');
    expect(await refusalOf(house.send('resume'))).toBe('BUSY');

    const first = state.operation!.requestId;
    // The entity writes its record first, and starts the clean-up then.
    const begun = () => house.operation(first).describe();
    await until(() =>
      begun().then(
        () => true,
        () => false,
      ),
    );
    await house.operation(first).terminate('by a test');
    await until(async () => {
      const now = (await house.state()).operation;
      return now !== null && now.requestId !== first;
    });
    const second = (await house.state()).operation!;
    expect(second).toMatchObject({ kind: 'cleanup', cleans: 'reimage' });
    settle();
    delete house.driver.beforeSettle;
    expect(await house.result(second.requestId)).toMatchObject({ outcome: 'pass', residue: [] });
    await idle();
    expect(house.driver.settled.at(-1)).toEqual(['media', 'override', 'power']);
    expect(await house.state()).toMatchObject({
      phase: 'deploy-failed',
      owner: 'team-a',
      residue: [],
      lastFailure: {
        code: 'OPERATION_LOST',
        message: expect.stringContaining(
          `; ${second.requestId} has cleaned up: nothing left behind, power off.`,
        ),
      },
    });
    gate.open();
    expect((await house.run('reimage', { image: 'a' })).outcome).toBe('pass');
  });

  it('that never began, since the entity ended between record and start, is answered and cleaned up', async () => {
    await house.entity('n2').terminate('by a test');
    const record = (await house.records.read(SITE, 'n2'))!;
    const named: NodeRecord = {
      ...record,
      generation: record.generation + 1,
      phase: 'cleaning',
      operation: { requestId: 'never', kind: 'clean', args: {}, held: false, step: null, failure: null },
      recent: [...record.recent, { requestId: 'never', kind: 'clean', fingerprint: 'f', outcome: null }],
    };
    expect(await house.records.write(named, record.generation)).toBe('written');
    await house.open('n2');
    expect((await house.result('never', 'n2')).failure?.code).toBe('OPERATION_LOST');
    await idle('n2');
    expect((await house.state('n2')).phase).toBe('clean-failed');
    expect((await house.run('clean', {}, 'n2')).phase).toBe('available');
  });
});

describe('an entity that was terminated', () => {
  it('in mid-deploy, and started again by a request, neither deploys twice nor forgets', async () => {
    const gate = gateAt('sync');
    await house.send('reimage', { image: 'a', requestId: 'once' });
    await until(gate.reached);
    const before = written();
    await house.entity().terminate('by a test');
    await deployAgain('once');
    await deployAgain('other');
    expect((await house.result('other')).failure).toMatchObject({
      code: 'BUSY',
      details: { operationId: 'once' },
    });
    expect(await house.state()).toMatchObject({ phase: 'deploying', operation: { requestId: 'once' } });
    gate.open();
    expect((await house.result('once')).outcome).toBe('pass');
    await idle();
    expect((await house.state()).phase).toBe('active');
    expect(written()).toBe(before);
  });

  it('learns how the operation ended while it was gone', async () => {
    const gate = gateAt('sync');
    await house.send('reimage', { image: 'b', requestId: 'meanwhile' });
    await until(gate.reached);
    await house.entity().terminate('by a test');
    gate.open();
    expect((await house.result('meanwhile')).outcome).toBe('pass');
    await deployAgain('meanwhile');
    await until(async () => (await house.state()).phase === 'active');
    expect(await house.state()).toMatchObject({ operation: null, image: 'b', owner: 'team-a' });
  });

  it('learns that the operation is held, though it was not there to be told', async () => {
    const gate = gateAt('preflight');
    await house.send('reimage', { image: 'b', requestId: 'held-alone' });
    await until(gate.reached);
    await house.entity().terminate('by a test');
    house.driver.script['attach-network'] = async () => {
      throw fail('FIRST_BOOT_SILENT', 'scripted');
    };
    gate.open();
    await until(async () => (await house.progress('held-alone')).held);
    delete house.driver.script['attach-network'];
    await house.open();
    await until(async () => (await house.state()).operation?.held === true);
    expect(await house.state()).toMatchObject({
      phase: 'deploy-failed',
      operation: { requestId: 'held-alone', failure: { code: 'FIRST_BOOT_SILENT' } },
    });
    await house.send('resume');
    expect((await house.result('held-alone')).outcome).toBe('pass');
    await idle();
  });

  it('while its record is being written: what was written is adopted, and the sender is told', async () => {
    await until(async () => (await house.records.read(SITE, 'n1'))?.operation === null);
    const write = house.records.write.bind(house.records);
    let late: NodeRecord | undefined;
    // The first entity's write stays on its way until its successor has read the record.
    house.records.write = async (record, expected) => {
      if (late === undefined) {
        late = record;
        await until(() => false, { seconds: 3 }).catch(() => undefined);
      }
      return write(record, expected);
    };
    await house.entity().signal('maintenance', { on: true, reason: 'first' });
    await until(() => late !== undefined);
    await house.entity().terminate('by a test');
    await house.open();
    expect(await write(late!, late!.generation - 1)).toBe('written');
    await house.send('quarantine', { reason: 'second' });
    await house.send('reimage', { image: 'a', requestId: 'crossed' });
    house.records.write = write;
    await until(async () => (await house.state()).refused.some(({ code }) => code === 'GENERATION_CONFLICT'));
    expect((await house.state()).flags).toMatchObject({ maintenance: 'first', quarantined: 'second' });
    const report = await house.result('crossed');
    expect(report.failure?.code ?? 'none').toBe(report.outcome === 'pass' ? 'none' : 'GENERATION_CONFLICT');
    await idle();
    await house.send('maintenance', { on: false, reason: 'over' });
    await house.send('unquarantine', { reason: 'over' });
  });
});

describe('an operation that its node has forgotten', () => {
  it('does nothing to the node any more: no step, no clean-up', async () => {
    const gate = gateAt('check-hardware');
    await house.send('reimage', { image: 'a', requestId: 'stale', onFailure: 'fail' });
    await until(gate.reached);
    await house.entity().terminate('by a test');
    const record = (await house.records.read(SITE, 'n1'))!;
    const other = { ...record.operation!, requestId: 'another' };
    const taken = { ...record, generation: record.generation + 1, operation: other };
    expect(await house.records.write(taken, record.generation)).toBe('written');
    const before = { written: written(), settled: house.driver.settled.length };
    gate.open();
    const report = await house.result('stale');
    expect(report).toMatchObject({ outcome: 'fail', failure: { code: 'GENERATION_CONFLICT' } });
    expect(report.residue).toEqual(['media', 'override', 'power']);
    expect({ written: written(), settled: house.driver.settled.length }).toEqual(before);
    await house.open();
    await idle();
    expect((await house.state()).phase).toBe('deploy-failed');
  });
});

describe('workers that stop', () => {
  it('in mid-step: the step is tried again by the next one', async () => {
    expect((await house.run('reimage', { image: 'a', requestId: 'fresh' })).outcome).toBe('pass');
    let attempts = 0;
    house.driver.script['power-off'] = (_input, { signal }) => {
      attempts += 1;
      if (attempts > 1) return Promise.resolve(undefined);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    await house.send('reimage', { image: 'b', requestId: 'survives' });
    await until(() => attempts === 1);
    const before = written();
    await house.stopWorkers();
    await house.startWorkflows();
    await house.startActivities();
    expect((await house.result('survives')).outcome).toBe('pass');
    delete house.driver.script['power-off'];
    expect({ attempts, written: written() }).toEqual({ attempts: 2, written: before });
    await idle();
  });

  it('and stay away for longer than a step may last: the operation waits for one, and is not failed', async () => {
    house.inventory = { ...INVENTORY, timeouts: { power: 1 } };
    let stopped: Promise<void> | undefined;
    house.driver.script['connect'] = async () => {
      stopped = house.stopWorkers('activities');
      return undefined;
    };
    await house.send('power', { requestId: 'waits', state: 'on' });
    await until(() => stopped !== undefined);
    await stopped;
    delete house.driver.script['connect'];
    const pending = async (): Promise<unknown[]> => {
      const { raw } = await house.operation('waits').describe();
      return (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
    };
    // One activity without a bound, whatever the time: nothing is tried again and again.
    await until(async () => (await pending()).includes('awaitWorker'));
    expect((await house.progress('waits')).notes.at(-1)).toContain('no worker of the site answers');
    await house.startActivities();
    expect((await house.result('waits')).outcome).toBe('pass');
    await idle();
  });

  it('are told from steps that hang', async () => {
    house.driver.script['set-power'] = (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const report = await house.run('power', { state: 'on' });
    delete house.driver.script['set-power'];
    house.inventory = INVENTORY;
    expect(report).toMatchObject({ outcome: 'error', failure: { code: 'STEP_TIMEOUT' } });
    expect(report.failure!.message).toContain('Set the power state');
  });
});
