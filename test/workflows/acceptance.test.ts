import { Context } from '@temporalio/activity';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reportOf } from '../../activities/acceptance.ts';
import type { CheckContext, GateCheck } from '../../activities/gates/check.ts';
import { AcceptanceReport as Contract } from '../../contracts/acceptance-report.ts';
import { AcceptanceRuns } from '../../client/sdk/acceptance.ts';
import { check } from '../../core/acceptance/check.ts';
import { GATE_NUMBERS, type GateNumber } from '../../core/acceptance/gates.ts';
import type { AcceptanceReport, CheckResult } from '../../core/acceptance/report.ts';
import { fail, failure } from '../../core/errors/failure.ts';
import { acceptanceWorkflowId, WORKFLOW_QUEUE } from '../../core/names.ts';
import { cli } from '../support/cli.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, SITE, until } from './support.ts';

let house: House;
let runs: AcceptanceRuns;
/** What a check does instead of passing; by id. */
let script: { [id: string]: (context: CheckContext) => Promise<CheckResult> };
/** The checks that ran to their end, in order. */
let calls: string[];

const PASS: CheckResult = { outcome: 'pass', summary: 'fine', findings: [], targets: 1, evidence: [] };

const failing = (message: string, correction: string) => async (): Promise<CheckResult> => ({
  ...PASS,
  outcome: 'fail',
  summary: '1 failed',
  findings: [
    {
      target: 'c1',
      failure: failure('CHECK_FAILED', message, { correction, faultDomain: 'control-host' }),
    },
  ],
});

/** Two checks for each gate, `a1` and `b1` to `b7`; the second of gate 5 is one that the contract has nothing for. */
const CHECKS: readonly GateCheck[] = GATE_NUMBERS.flatMap((gate) =>
  ['a', 'b'].map((letter): GateCheck => {
    const id = `${letter}${gate}`;
    return {
      check: check({
        id,
        gate,
        title: `Check ${id}`,
        shows: 'It is as it should be.',
        from: 'worker',
        faultDomain: 'control-host',
        bounds: { attempt: 20, total: 60 },
      }),
      ...(id === 'b5' ? { skip: () => 'the contract has no such image' } : {}),
      run: async (context) => {
        const evidence = await context.evidence('c1', { asked: id, answer: { run: context.input.run } });
        const result = (await script[id]?.(context)) ?? PASS;
        calls.push(id);
        return { ...result, evidence: [evidence] };
      },
    };
  }),
);

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  await house.stopWorkers('activities');
  house.checks = CHECKS;
  await house.startActivities();
  runs = new AcceptanceRuns(house.environment.client, SITE);
});
afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});
beforeEach(() => {
  script = {};
  calls = [];
  house.inventory = INVENTORY;
});

const handle = (runId: string) => house.client.getHandle(acceptanceWorkflowId(SITE, runId));
const result = async (runId: string): Promise<AcceptanceReport> => {
  const report = (await handle(runId).result()) as AcceptanceReport;
  expect(Contract.parse(report)).toEqual(report);
  return report;
};
const held = async (runId: string): Promise<AcceptanceReport> => {
  await until(async () => (await runs.report(runId)).held, { what: `hold of ${runId}` });
  const report = await runs.report(runId);
  expect(Contract.parse(report)).toEqual(report);
  return report;
};
const outcomes = ({ gates }: AcceptanceReport) => gates.map(({ outcome, state }) => outcome ?? state);

describe('an acceptance run', () => {
  it('takes the seven gates in order, all checks of each, and passes', async () => {
    const { runId, workflowId } = await runs.start({});
    const report = await result(runId);
    expect(workflowId).toBe(`acceptance/${SITE}/${runId}`);
    expect(report).toMatchObject({ outcome: 'pass', held: false, site: SITE, runId });
    expect(outcomes(report)).toEqual(Array(7).fill('pass'));
    expect(calls.map((id) => Number(id[1]))).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7]);
    expect(report.gates[4]!.checks[1]).toMatchObject({
      outcome: 'skipped',
      summary: 'the contract has no such image',
    });
    const [evidence] = report.gates[0]!.checks[0]!.evidence!;
    expect(await house.evidence.read(evidence!.id, evidence!.sha256)).toMatchObject({ step: 'a1', of: 'c1' });
    const kept = await reportOf(house.site, runId);
    expect(kept).toMatchObject({ outcome: 'pass', signature: { signed: false } });
    expect(report).toMatchObject({ signature: kept.signature, evidence: [{ name: 'report' }] });
    await until(async () => (await runs.list()).some((row) => row.runId === runId && row.outcome === 'pass'));
  });

  it('stops at the gate that fails, runs its other checks, and names domain and correction', async () => {
    script['a2'] = failing('c1 is not Ready.', 'Start the kubelet of c1.');
    const { runId } = await runs.start({ onFailure: 'fail' });
    const report = await result(runId);
    expect(report).toMatchObject({
      outcome: 'fail',
      stoppedAt: 2,
      failure: { code: 'CHECK_FAILED', faultDomain: 'control-host', correction: 'Start the kubelet of c1.' },
    });
    expect(outcomes(report)).toEqual(['pass', 'fail', ...Array(5).fill('held-back')]);
    expect(calls.sort()).toEqual(['a1', 'a2', 'b1', 'b2']);
    await until(async () => {
      const row = (await runs.list()).find((each) => each.runId === runId);
      return row?.gate === '2' && row.faultDomain === 'control-host' && row.outcome === 'fail';
    });
  });

  it.each<[string, string]>([
    ['BMC_BUSY', 'error'],
    ['BMC_FORBIDDEN', 'error'],
  ])('what cannot be told, %s, is an error: neither a pass nor a fail', async (code, outcome) => {
    script['b1'] = async () => {
      throw fail(code as 'BMC_BUSY', 'Not now.', { retryable: false });
    };
    const { runId } = await runs.start({ onFailure: 'fail' });
    const report = await result(runId);
    expect(report).toMatchObject({ outcome, stoppedAt: 1, failure: { code } });
    expect(report.gates[0]!.checks.map((each) => each.outcome)).toEqual(['pass', 'error']);
  });

  it('tells a check that hangs by the time that it has for this contract, as an error', async () => {
    const hurried = CHECKS.find(({ check: { id } }) => id === 'a1') as { bounds?: GateCheck['bounds'] };
    hurried.bounds = ({ nodes }, { attempt, total }) => ({
      attempt: (attempt / 20) * nodes.length,
      total: (total / 30) * nodes.length,
    });
    let given: number | undefined;
    script['a1'] = () => {
      given = Context.current().info.startToCloseTimeoutMs;
      return new Promise(() => undefined);
    };
    const { runId } = await runs.start({ onFailure: 'fail' });
    const report = await result(runId);
    delete hurried.bounds;
    // 3 s for three nodes, and 5 s for the worker to tell of it.
    expect(given).toBe(8000);
    expect(report).toMatchObject({ outcome: 'error', failure: { code: 'CHECK_TIMEOUT' } });
  });

  it('holds, and after the correction runs that gate and what comes after it, nothing before', async () => {
    script['b3'] = failing('nova-compute is down.', 'Start nova-compute.');
    const { runId } = await runs.start({});
    const before = await held(runId);
    expect(before).toMatchObject({ stoppedAt: 3, failure: { code: 'CHECK_FAILED' } });
    const described = await handle(runId).describe();
    expect(described.status.name).toBe('RUNNING');
    calls = [];
    script = {};
    await runs.control(runId, 'resume', {});
    const report = await result(runId);
    expect(report.outcome).toBe('pass');
    expect(calls.map((id) => Number(id[1]))).toEqual([3, 3, 4, 4, 5, 6, 6, 7, 7]);
    expect(report.gates.map((gate) => gate.runs)).toEqual([1, 1, 2, 1, 1, 1, 1]);
    expect(report.gates[0]!.kept).toMatchObject({ runId });
    expect(report.gates[2]!.kept).toBeUndefined();
    expect(report.failure).toBeUndefined();
  });

  it('resumed at an earlier gate, keeps the evidence of what does not depend on it', async () => {
    script['a6'] = failing('The publisher is not reached.', 'Open port 8181.');
    const { runId } = await runs.start({});
    await held(runId);
    calls = [];
    script = {};
    await expect(runs.control(runId, 'resume', { from: 7 })).rejects.toMatchObject({
      failure: { code: 'INVALID_MESSAGE' },
    });
    await runs.control(runId, 'resume', { from: 4 });
    const report = await result(runId);
    expect(calls.map((id) => Number(id[1]))).toEqual([4, 4, 6, 6, 7, 7]);
    expect(report.gates[4]).toMatchObject({ gate: 5, outcome: 'pass', kept: { runId } });
  });

  it('is reported while it is held, and when it is over', async () => {
    script['b2'] = failing('c1 is not Ready.', 'Start the kubelet of c1.');
    const { runId } = await runs.start({ gates: [1, 2] });
    await held(runId);
    const { address } = house.environment.connection.options;
    const report = (...args: string[]) =>
      cli([
        'acceptance',
        'report',
        runId,
        '--address',
        address,
        '--site',
        SITE,
        '--data-dir',
        'none',
        ...args,
      ]);
    const [json, html, statement] = await Promise.all([
      report('--json'),
      report(),
      report('--format', 'intoto'),
    ]);
    expect(JSON.parse(json.stdout)).toEqual(await runs.report(runId));
    expect(html.stdout).toContain(`rackwright acceptance resume ${runId}`);
    expect(statement.stderr).toContain('a run is signed when it ends');
    await runs.control(runId, 'abort', { reason: 'enough' });
    const over = await result(runId);
    expect(JSON.parse((await report('--json')).stdout)).toEqual(over);
  });

  it('fails again at the same gate as often as it is resumed in vain', async () => {
    script['a1'] = failing('no', 'Mend it.');
    const { runId } = await runs.start({ gates: [1] });
    await held(runId);
    await runs.control(runId, 'resume', {});
    await until(async () => {
      const { held: again, gates } = await runs.report(runId);
      return again && gates[0]!.runs === 2;
    });
    const first = (await runs.report(runId)).gates[0]!.checks[0]!.evidence![0]!;
    expect(first.id).toMatch(/\.r2$/);
    await runs.control(runId, 'abort', { reason: 'enough' });
    const report = await result(runId);
    expect(report).toMatchObject({ outcome: 'aborted', failure: { code: 'ABORTED' }, held: false });
  });

  it('an abort stops the checks that run', async () => {
    let began: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (began = resolve));
    script['a1'] = ({ signal }) =>
      new Promise((_resolve, reject) => {
        began();
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const { runId } = await runs.start({});
    await running;
    await runs.control(runId, 'abort', { reason: 'not now' });
    const report = await result(runId);
    expect(report.outcome).toBe('aborted');
    expect(outcomes(report)).toEqual(Array(7).fill('held-back'));
  });

  it('makes what takes things back whatever happened, one after the other, and gives it up at a second abort', async () => {
    const ended: string[] = [];
    const stage = (id: string, name: 'capture' | 'cleanup'): GateCheck => {
      const { check: like } = CHECKS[0]!;
      const run = async (context: CheckContext) => (await script[id]?.(context)) ?? PASS;
      return {
        check: { ...like, id, title: id, stage: name },
        run: async (context) => {
          const done = await run(context);
          ended.push(id);
          return done;
        },
      };
    };
    await house.stopWorkers('activities');
    house.checks = [...CHECKS, stage('keep', 'capture'), stage('back', 'cleanup')];
    await house.startActivities();
    const hanging = () => {
      let began: () => void = () => undefined;
      const running = new Promise<void>((resolve) => (began = resolve));
      const until = ({ signal }: CheckContext) =>
        new Promise<never>((_resolve, reject) => {
          began();
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      return { running, until };
    };

    script['a1'] = failing('no', 'Mend it.');
    const red = await runs.start({ gates: [1], onFailure: 'fail' });
    expect(await result(red.runId)).toMatchObject({ outcome: 'fail' });
    expect(ended).toEqual(['keep', 'back']);

    const first = hanging();
    script['a1'] = first.until;
    const second = hanging();
    script['back'] = second.until;
    const { runId } = await runs.start({ gates: [1] });
    await first.running;
    await runs.control(runId, 'abort', { reason: 'enough' });
    await second.running;
    expect(await runs.report(runId)).not.toHaveProperty('outcome');
    await runs.control(runId, 'abort', { reason: 'enough of that, too' });
    const report = await result(runId);
    expect(report).toMatchObject({ outcome: 'aborted', failure: { message: 'Aborted: enough' } });
    expect(report.notes.join()).toContain('given up: Aborted: enough of that, too');
    expect(ended).toEqual(['keep', 'back', 'keep']);
    // Nobody knows whether it is taken back: the gate is red, and the site with it.
    expect(report).toMatchObject({ stoppedAt: 1, gates: [{ state: 'done', outcome: 'error' }] });

    const third = hanging();
    script['a1'] = third.until;
    script['back'] = failing('it stays', 'Take it back.');
    const stays = await runs.start({ gates: [1, 2] });
    await third.running;
    await runs.control(stays.runId, 'abort', { reason: 'enough' });
    const left = await result(stays.runId);
    expect(left).toMatchObject({ outcome: 'aborted', stoppedAt: 1 });
    expect(outcomes(left)).toEqual(['fail', 'held-back']);
    expect(left.notes.join()).toContain('Gate 1 has not taken back all that it had set up.');
    const standing = await house.site.standing.read(SITE);
    expect(standing.gates.find(({ gate }) => gate === 1)).toMatchObject({ outcome: 'fail' });
    expect(standing.verdict).toMatchObject({ outcome: 'fail', gate: 1, runId: stays.runId });

    const fourth = hanging();
    script = { a1: fourth.until };
    const clean = await runs.start({ gates: [1] });
    await fourth.running;
    await runs.control(clean.runId, 'abort', { reason: 'enough' });
    expect(await result(clean.runId)).toMatchObject({ gates: [{ state: 'held-back' }] });
    await house.stopWorkers('activities');
    house.checks = CHECKS;
    await house.startActivities();
  });

  it('begins at a gate with the evidence of another run, as long as the contract is the same', async () => {
    const first = await runs.start({ gates: [1, 2, 3] });
    const before = await result(first.runId);
    calls = [];
    const second = await runs.start({ gates: [1, 2, 3], from: 3, of: first.runId });
    const report = await result(second.runId);
    expect(report.outcome).toBe('pass');
    expect(calls.sort()).toEqual(['a3', 'b3']);
    expect(report.gates[0]).toMatchObject({
      kept: { runId: first.runId, endedAt: before.gates[0]!.endedAt },
      checks: before.gates[0]!.checks,
    });

    house.inventory = { ...INVENTORY, images: INVENTORY.images.slice(1) };
    const third = await runs.start({ gates: [1, 2, 3], from: 3, of: first.runId });
    expect(await result(third.runId)).toMatchObject({
      outcome: 'fail',
      failure: { code: 'EVIDENCE_OUTDATED', message: expect.stringContaining('contract') },
    });
    house.inventory = INVENTORY;
    const fourth = await runs.start({ from: 5, of: first.runId, onFailure: 'fail' });
    expect(await result(fourth.runId)).toMatchObject({ failure: { code: 'EVIDENCE_OUTDATED' } });
    const { promoted } = house.site;
    Object.assign(house.site, {
      promoted: async () => ({ version: { checksum: `sha256:${'1'.repeat(64)}` } }),
    });
    const other = await runs.start({ gates: [1, 2, 3], from: 3, of: first.runId });
    expect(await result(other.runId)).toMatchObject({
      failure: { code: 'EVIDENCE_OUTDATED', message: expect.stringContaining('promoted image') },
    });
    Object.assign(house.site, { promoted });
    const fifth = await runs.start({ from: 2, of: 'no-such-run' });
    expect(await result(fifth.runId)).toMatchObject({ failure: { code: 'RUN_UNKNOWN' } });
  });

  it('does not begin at a gate that the contract does not have', async () => {
    const { runId: first } = await runs.start({ gates: [1, 2] });
    await result(first);
    house.inventory = { ...INVENTORY, acceptance: { gates: [1, 2] } };
    const { runId } = await runs.start({ from: 3, of: first });
    expect(await result(runId)).toMatchObject({
      outcome: 'fail',
      failure: { code: 'INVALID_MESSAGE', message: expect.stringContaining('gates of the contract, 1, 2') },
    });
  });

  it('takes the gates of the contract, and what a failure does', async () => {
    house.inventory = { ...INVENTORY, acceptance: { gates: [2], onFailure: 'fail' } };
    script['a2'] = failing('no', 'Mend it.');
    const { runId } = await runs.start({});
    const report = await result(runId);
    expect(report.outcome).toBe('fail');
    expect(report.gates.map(({ gate }) => gate)).toEqual([2]);
  });

  it('whose key cannot be used ends as it would have, and says why it is not signed', async () => {
    house.inventory = { ...INVENTORY, acceptance: { gates: [1], signingKey: 'file:signing.pem' } };
    const { runId } = await runs.start({});
    expect(await result(runId)).toMatchObject({
      outcome: 'pass',
      signature: { signed: false, why: expect.stringContaining('no such PEM') },
    });
  });

  it('has no secret in its history, whatever a check has found', async () => {
    house.site.secrets.add('correct-horse-battery');
    script['a1'] = failing('c1 says correct-horse-battery.', 'Do not.');
    const { runId } = await runs.start({ gates: [1], onFailure: 'fail' });
    expect(await result(runId)).toMatchObject({ failure: { message: 'c1 says [redacted].' } });
  });

  it('goes on when workers were away, with the same verdict', async () => {
    let began: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (began = resolve));
    let let_go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (let_go = resolve));
    script['a2'] = async () => {
      began();
      await gate;
      return PASS;
    };
    const { runId } = await runs.start({ gates: [1, 2] });
    await running;
    let_go();
    await house.stopWorkers();
    await house.startWorkflows();
    await house.startActivities();
    expect(await result(runId)).toMatchObject({ outcome: 'pass' });
  });

  it('whose checks were all skipped has shown nothing: an error', async () => {
    const skip = () => 'the contract has none';
    await house.stopWorkers('activities');
    house.checks = CHECKS.map((each) => ({ ...each, skip }));
    await house.startActivities();
    const { runId } = await runs.start({ gates: [1], onFailure: 'fail' });
    expect(await result(runId)).toMatchObject({ outcome: 'error', failure: { faultDomain: 'contract' } });
    await house.stopWorkers('activities');
    house.checks = CHECKS.filter(({ check: { gate } }) => gate !== 7);
    await house.startActivities();
    const whole = await runs.start({});
    expect(await result(whole.runId)).toMatchObject({
      outcome: 'fail',
      failure: { code: 'GATE_NOT_SUPPORTED', message: expect.stringContaining('gate 7') },
    });
    await house.stopWorkers('activities');
    house.checks = CHECKS;
    await house.startActivities();
  });

  it('is one for each id', async () => {
    const { runId } = await runs.start({ runId: 'mine', gates: [1] });
    await result(runId);
    await expect(runs.start({ runId: 'mine' })).rejects.toMatchObject({ failure: { code: 'RUN_EXISTS' } });
    await expect(runs.report('no-such')).rejects.toMatchObject({ failure: { code: 'RUN_UNKNOWN' } });
  });

  it('whose id Temporal has forgotten does not touch the evidence that is there of it', async () => {
    const { runId } = await runs.start({ gates: [1] });
    await result(runId);
    const kept = async () =>
      (await house.site.evidence.list(SITE, '_acceptance', runId)).map(({ ref }) => [ref.id, ref.sha256]);
    const before = await kept();
    const { workflowService } = house.environment.connection;
    const workflowExecution = { workflowId: acceptanceWorkflowId(SITE, runId) };
    await workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
    await until(async () =>
      handle(runId)
        .describe()
        .then(
          () => false,
          () => true,
        ),
    );
    await runs.start({ runId, gates: [1] });
    const again = await result(runId);
    expect(again).toMatchObject({ outcome: 'fail', failure: { code: 'RUN_EXISTS' }, evidence: [] });
    expect(await kept()).toEqual(before);
    expect(await reportOf(house.site, runId)).toMatchObject({ outcome: 'pass' });
  });

  it('that is over, or was never there, is told to whoever asks for more of it', async () => {
    const { runId } = await runs.start({ gates: [1] });
    await result(runId);
    await expect(runs.control(runId, 'resume', {})).rejects.toMatchObject({
      failure: { code: 'NOT_HELD', message: `Run ${runId} is over.` },
    });
    await expect(runs.control('no-such', 'abort', { reason: 'x' })).rejects.toMatchObject({
      failure: { code: 'RUN_UNKNOWN' },
    });
    await expect(runs.follow('no-such')).rejects.toMatchObject({ failure: { code: 'RUN_UNKNOWN' } });
  });

  it('that was terminated while it was held is lost, and not held', async () => {
    script['a1'] = failing('no', 'Mend it.');
    const { runId } = await runs.start({ gates: [1] });
    await held(runId);
    await handle(runId).terminate('by hand');
    await until(async () => (await runs.list()).find((each) => each.runId === runId)?.endedAt !== null);
    expect((await runs.list()).find((each) => each.runId === runId)).toMatchObject({ held: false });
    const lost = { failure: { code: 'OPERATION_LOST', message: expect.stringContaining(runId) } };
    await expect(runs.report(runId)).rejects.toMatchObject(lost);
    await expect(runs.follow(runId)).rejects.toMatchObject(lost);
    await expect(runs.control(runId, 'resume', {})).rejects.toMatchObject(lost);
  });

  it('refuses what it cannot take, and goes on', async () => {
    script['a1'] = failing('no', 'Mend it.');
    const { runId } = await runs.start({ gates: [1] });
    await held(runId);
    for (const wrong of [null, 'resume', [], { from: 'x' }, { reason: 7 }]) {
      await handle(runId).signal('resume', wrong);
      await handle(runId).signal('abort', wrong);
    }
    await until(async () => (await runs.report(runId)).notes.length >= 10);
    expect(await runs.report(runId)).toMatchObject({ held: true });
    script = {};
    await handle(runId).signal('resume', {});
    expect(await result(runId)).toMatchObject({ outcome: 'pass' });
  });

  it.each<[string, unknown, string]>([
    [`acceptance/${SITE}/x/y`, { site: SITE }, 'INVALID_WORKFLOW_ID'],
    ['acceptance/other/x1', { site: SITE }, 'INVALID_WORKFLOW_ID'],
    [`acceptance/${SITE}/x2`, null, 'INVALID_MESSAGE'],
    [`acceptance/${SITE}/x3`, { site: SITE, gates: [9 as GateNumber] }, 'INVALID_MESSAGE'],
    [`acceptance/${SITE}/x4`, { site: SITE, gates: [1, 2], from: 3, of: 'x' }, 'INVALID_MESSAGE'],
  ])('started wrongly, as %s with %j, it fails at once', async (workflowId, input, type) => {
    const started = await house.client.start('acceptance', {
      workflowId,
      taskQueue: WORKFLOW_QUEUE,
      args: [input],
    });
    await expect(started.result()).rejects.toMatchObject({ cause: { type } });
  });
});
