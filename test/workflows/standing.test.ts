import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CheckContext, GateCheck } from '../../activities/gates/check.ts';
import { AcceptanceRuns } from '../../client/sdk/acceptance.ts';
import { check } from '../../core/acceptance/check.ts';
import type { AcceptanceReport, CheckResult } from '../../core/acceptance/report.ts';
import { fail, failure } from '../../core/errors/failure.ts';
import { acceptanceWorkflowId } from '../../core/names.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, SITE, until } from './support.ts';

let house: House;
let runs: AcceptanceRuns;
let script: { [id: string]: (context: CheckContext) => Promise<CheckResult> };
let calls: string[];
const PASS: CheckResult = { outcome: 'pass', summary: 'fine', findings: [], targets: 1, evidence: [] };
const broken = async (): Promise<CheckResult> => ({
  ...PASS,
  outcome: 'fail',
  findings: [
    { target: 'c1', failure: failure('CHECK_FAILED', 'etcd has no quorum.', { faultDomain: 'kubernetes' }) },
  ],
});

const CHECKS: readonly GateCheck[] = ([1, 2, 7] as const).map((gate) => ({
  check: check({
    id: `a${gate}`,
    gate,
    title: `Check ${gate}`,
    shows: '',
    from: 'worker',
    faultDomain: 'control-host',
  }),
  run: async (context) => {
    const result = (await script[`a${gate}`]?.(context)) ?? PASS;
    calls.push(`a${gate}`);
    return result;
  },
}));

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
  house.inventory = { ...INVENTORY, acceptance: { gates: [1, 2] } };
});

const result = (runId: string) =>
  house.client.getHandle(acceptanceWorkflowId(SITE, runId)).result() as Promise<AcceptanceReport>;
const ran = async (wish: Parameters<AcceptanceRuns['start']>[0] = {}): Promise<AcceptanceReport> =>
  result((await runs.start({ onFailure: 'fail', ...wish })).runId);
const standing = () => house.site.standing.read(SITE);

/** A check that waits until it is let go; tells when it runs. */
function waiting(): {
  readonly run: () => Promise<CheckResult>;
  readonly began: Promise<void>;
  letGo(): void;
} {
  let begin: () => void = () => undefined;
  let go: () => void = () => undefined;
  const began = new Promise<void>((resolve) => (begin = resolve));
  const gone = new Promise<void>((resolve) => (go = resolve));
  return {
    began,
    letGo: () => go(),
    run: async () => {
      begin();
      await gone;
      return PASS;
    },
  };
}

describe('gates that enroll and deploy depend on', () => {
  it('refuse them until they are green, and let them through then', async () => {
    house.inventory = { ...house.inventory, requires: { gates: [1, 2], maxAge: 3600 } };
    house.answerCallbacks();
    await house.open();
    expect(await house.run('enroll')).toMatchObject({
      outcome: 'fail',
      failure: {
        code: 'GATES_NOT_GREEN',
        message: expect.stringContaining('gate 2 (Kubernetes and storage) never ran'),
        correction: expect.stringContaining('acceptance run --gates 1,2'),
      },
    });
    script['a2'] = broken;
    await ran();
    expect(await house.run('enroll')).toMatchObject({
      failure: {
        code: 'GATES_NOT_GREEN',
        faultDomain: 'kubernetes',
        message: expect.not.stringContaining('gate 1'),
      },
    });
    script = {};
    await ran({ gates: [2] });
    expect(await house.run('enroll')).toMatchObject({ outcome: 'pass' });
    await house.run('clean');
    house.inventory = { ...house.inventory, requires: { gates: [1, 2], maxAge: 0.001 } };
    expect(await house.run('deploy', { image: 'a', owner: 'team-a' })).toMatchObject({
      failure: { code: 'GATES_NOT_GREEN', message: expect.stringContaining('was green') },
    });
  });

  it('are named beside the failure of a node while they are red, also by a run that is held', async () => {
    await house.open('n2');
    house.driver.script['connect'] = async () => {
      throw fail('BMC_AUTH_FAILED', 'scripted');
    };
    const before = await house.run('enroll', {}, 'n2');
    expect(before).toMatchObject({ failure: { code: 'BMC_AUTH_FAILED' }, notes: [] });
    script['a2'] = broken;
    const { runId } = await runs.start({ onFailure: 'hold' });
    await until(async () => (await runs.report(runId)).held);
    const during = await house.run('enroll', {}, 'n2');
    expect(during).toMatchObject({
      failure: { code: 'BMC_AUTH_FAILED', faultDomain: before.failure!.faultDomain },
    });
    expect(during.notes.join()).toMatch(/Control plane first: gate 2.*red since.*etcd has no quorum/);
    script = {};
    await runs.control(runId, 'resume', {});
    await result(runId);
    expect(await house.run('enroll', {}, 'n2')).toMatchObject({ notes: [] });
    delete house.driver.script['connect'];
  });
});

describe('two runs of a site', () => {
  it('do not overlap: one that is asked for meanwhile is refused', async () => {
    const slow = waiting();
    script['a1'] = slow.run;
    const first = await runs.start({});
    await slow.began;
    expect(await ran()).toMatchObject({
      outcome: 'fail',
      failure: { code: 'RUN_IN_PROGRESS', message: expect.stringContaining(first.runId) },
      gates: [],
    });
    expect(calls).toEqual([]);
    slow.letGo();
    expect(await result(first.runId)).toMatchObject({ outcome: 'pass' });
    expect((await standing()).running).toBeNull();
  });

  it('one that was terminated keeps no other from running', async () => {
    const slow = waiting();
    script['a1'] = slow.run;
    const { workflowId, runId } = await runs.start({});
    await slow.began;
    await house.client.getHandle(workflowId).terminate('by hand');
    expect((await standing()).running?.runId).toBe(runId);
    slow.letGo();
    script = {};
    expect(await ran()).toMatchObject({ outcome: 'pass' });
  });
});

describe('hardware that changed', () => {
  it('starts the run that the contract wants, once for each change', async () => {
    house.inventory = { ...INVENTORY, acceptance: { gates: [1, 7], runOn: ['hardware-changed'] } };
    const finding = {
      what: 'GPU gone',
      was: 'H100',
      is: 'none',
      faultDomain: 'hardware',
      correction: 'Seat it.',
    };
    house.driver.script['compare'] = async () => ({ summary: 'drifted', data: { findings: [finding] } });
    await house.open('n3');
    await house.run('enroll', {}, 'n3');
    const started = async () =>
      (await runs.list()).filter((row) => row.runId.startsWith('hardware-changed-n3-'));
    await until(async () => (await started()).length === 1);
    const [row] = await started();
    const report = await result(row!.runId);
    expect(report).toMatchObject({ outcome: 'pass', gates: [{ gate: 7 }] });
    await house.run('inspect', {}, 'n3');
    expect(await started()).toHaveLength(1);
    house.driver.script['compare'] = async () => ({
      summary: 'drifted',
      data: { findings: [{ ...finding, what: 'NIC gone' }] },
    });
    await house.run('inspect', {}, 'n3');
    await until(async () => (await started()).length === 2);
    for (const { runId } of await started()) await result(runId);
    delete house.driver.script['compare'];
  });
});

describe('maintenance windows', () => {
  const closed = { timeZone: 'UTC', windows: [{ days: [yesterday()], from: '00:00', to: '00:01' }] };

  it('leave the gate that disturbs out, and its standing as it is', async () => {
    const of7 = async () => (await standing()).gates.find(({ gate }) => gate === 7)?.endedAt;
    const before = await of7();
    house.inventory = { ...INVENTORY, maintenance: closed };
    const report = await ran({ gates: [1, 2, 7] });
    expect(report).toMatchObject({ outcome: 'pass' });
    expect(report.gates[2]).toMatchObject({
      gate: 7,
      outcome: 'skipped',
      leftOut: expect.stringMatching(/outside of the maintenance windows; the next opens \w{3} \d{4}-/),
    });
    expect(report.notes.join()).toContain('Gate 7, Physical acceptance, was left out');
    expect(calls).toEqual(['a1', 'a2']);
    expect(await of7()).toBe(before);
    const refused = { outcome: 'fail', failure: { code: 'WINDOW_CLOSED' } };
    expect(await ran({ gates: [7] })).toMatchObject(refused);
    expect(await ran({ gates: [1, 2, 7], from: 7, of: report.runId })).toMatchObject(refused);
    house.inventory = INVENTORY;
    expect(await ran({ gates: [7] })).toMatchObject({ outcome: 'pass' });
    expect(await of7()).not.toBe(before);
  });
});

describe('a gate that was red in this run', () => {
  const closed = { timeZone: 'UTC', windows: [{ days: [yesterday()], from: '00:00', to: '00:01' }] };

  it('is not left out when it is run again outside of the windows: it is held again, as an error', async () => {
    script['a7'] = broken;
    house.inventory = { ...INVENTORY, acceptance: { gates: [7] } };
    const { runId } = await runs.start({});
    await until(async () => (await runs.report(runId)).held);
    // The window that was open then is over now.
    const { contracts } = house.site;
    const { load } = contracts;
    Object.assign(contracts, {
      load: async (hash: string) => ({ ...(await load(hash)), maintenance: closed }),
    });
    script = {};
    await runs.control(runId, 'resume', {});
    await until(async () => {
      const { held, gates } = await runs.report(runId);
      return held && gates[0]!.runs === 2;
    });
    Object.assign(contracts, { load });
    expect(await runs.report(runId)).toMatchObject({
      stoppedAt: 7,
      failure: { code: 'WINDOW_CLOSED' },
      gates: [{ gate: 7, outcome: 'error' }],
    });
    expect(calls).toEqual(['a7']);
    await runs.control(runId, 'resume', {});
    expect(await result(runId)).toMatchObject({ outcome: 'pass' });
    expect(calls).toEqual(['a7', 'a7']);
  });
});

describe('a contract that is gone', () => {
  it('keeps a gate that disturbs from being run again, and the run with its report', async () => {
    script['a7'] = broken;
    house.inventory = { ...INVENTORY, acceptance: { gates: [7] } };
    const { runId } = await runs.start({});
    await until(async () => (await runs.report(runId)).held);
    const { contracts } = house.site;
    const { load } = contracts;
    Object.assign(contracts, {
      load: () => Promise.reject(fail('CONTRACT_NOT_STORED', 'The contract is not there.')),
    });
    script = {};
    await runs.control(runId, 'resume', {});
    await until(async () => {
      const { held, gates } = await runs.report(runId);
      return held && gates[0]!.runs === 2;
    });
    Object.assign(contracts, { load });
    expect(await runs.report(runId)).toMatchObject({
      stoppedAt: 7,
      failure: { code: 'CONTRACT_NOT_STORED' },
      gates: [{ gate: 7, outcome: 'error' }],
    });
    await runs.control(runId, 'resume', {});
    expect(await result(runId)).toMatchObject({ outcome: 'pass' });
  });
});

/** A day whose window is over, whatever happens while the test runs. */
function yesterday(): 'sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' {
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
  return days[(new Date().getUTCDay() + 6) % 7]!;
}

describe('the webhook', () => {
  it('is told of each change of verdict once, also where it does not answer at first; never of anything else', async () => {
    const heard: { id: string; signature: unknown; body: { [key: string]: unknown } }[] = [];
    let refuse = 0;
    let status = (): number => (refuse-- > 0 ? 503 : 204);
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        heard.push({
          id: String(request.headers['webhook-id']),
          signature: request.headers['webhook-signature'],
          body: JSON.parse(text) as { [key: string]: unknown },
        });
        response.writeHead(status()).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/verdicts`;
    house.inventory = { ...INVENTORY, acceptance: { gates: [1, 2], webhook: { url, secret: 'env:HOOK' } } };
    await ran();
    heard.length = 0;

    script['a2'] = broken;
    refuse = 1;
    const red = await ran();
    expect(heard).toHaveLength(2);
    expect(heard[0]!.id).toBe(heard[1]!.id);
    expect(heard[1]).toMatchObject({
      signature: expect.stringMatching(/^v1,/),
      body: {
        site: SITE,
        runId: red.runId,
        outcome: 'fail',
        before: 'pass',
        gate: 2,
        faultDomain: 'kubernetes',
        report: { outcome: 'fail', failure: { message: 'etcd has no quorum.' } },
      },
    });
    expect(red.notes.join()).toContain("The contract's webhook was told of the verdict.");
    await ran();
    expect(heard).toHaveLength(2);
    await ran({ gates: [1] });
    expect(heard).toHaveLength(2);

    script = {};
    refuse = 0;
    house.inventory = { ...INVENTORY, acceptance: { gates: [1, 2], webhook: { url } } };
    const green = await ran();
    expect(heard).toHaveLength(3);
    expect(heard[2]).toMatchObject({
      signature: undefined,
      body: { runId: green.runId, outcome: 'pass', before: 'fail', gate: null },
    });

    script['a1'] = broken;
    let path = '/gone';
    status = () => (path === '/gone' ? 404 : 204);
    const untold = await ran();
    expect(untold).toMatchObject({ outcome: 'fail', stoppedAt: 1 });
    expect(untold.notes.join()).toMatch(
      /not told, and is told with the next run: The webhook at http:\/\/127.0.0.1:\d+ answered 404/,
    );
    expect(heard).toHaveLength(4);
    path = '/back';
    const next = await ran();
    expect(heard).toHaveLength(5);
    expect(heard[4]!.id).toBe(heard[3]!.id);
    expect(heard[4]!.body).toMatchObject({
      runId: untold.runId,
      before: 'pass',
      gate: 1,
      report: { runId: next.runId },
    });
    await ran();
    expect(heard).toHaveLength(5);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
