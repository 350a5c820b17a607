import { describe, expect, it } from 'vitest';
import { causedGates, causedRunId, changesOf, type Cause } from '../../core/acceptance/causes.ts';
import {
  nightlyDetails,
  nightlyReport,
  nightlyRunId,
  parseNightlyInput,
} from '../../core/acceptance/nightly.ts';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import { verdictMessage } from '../../core/acceptance/verdict-message.ts';
import { failure } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { isNightlyWorkflowId, isRequestId } from '../../core/names.ts';

const AT = '2026-03-01T10:00:00.000Z';
const REPORT: AcceptanceReport = {
  site: 's',
  runId: 'nightly-x',
  startedAt: AT,
  endedAt: AT,
  held: false,
  outcome: 'fail',
  stoppedAt: 2,
  failure: failure('CHECK_FAILED', 'c1 is not Ready.', {
    faultDomain: 'kubernetes',
    correction: 'Start it.',
  }),
  gates: [
    {
      gate: 2,
      id: 'g2',
      title: 'Kubernetes',
      owner: 'o',
      state: 'done',
      outcome: 'fail',
      runs: 1,
      checks: [],
    },
    {
      gate: 7,
      id: 'g7',
      title: 'Physical',
      owner: 'o',
      state: 'done',
      outcome: 'skipped',
      runs: 1,
      checks: [],
      leftOut: 'closed',
    },
  ],
  notes: [],
  evidence: [],
};

describe('a nightly run', () => {
  it('has an id of its time', () => {
    const id = nightlyRunId(new Date('2026-03-01T02:30:00.123Z'));
    expect(id).toBe('nightly-20260301T023000.123Z');
    expect(isRequestId(id)).toBe(true);
  });

  it.each<[string, boolean]>([
    ['nightly/s', true],
    ['nightly/s-2026-03-01T02:30:00Z', true],
    ['nightly/s-2026-03-01T02:30:00.5Z', true],
    ['nightly/s2', false],
    ['nightly/s-x', false],
    ['nightly/t-2026-03-01T02:30:00Z', false],
    ['acceptance/s/1', false],
  ])('%s is one of site s: %s', (id, expected) => {
    expect(isNightlyWorkflowId(id, 's')).toBe(expected);
  });

  it.each([null, 'lab', [], {}, { site: 'No' }, { site: 's', more: 1 }])('is not started by %j', (input) => {
    expect(parseNightlyInput(input).ok).toBe(false);
  });

  it('tells of its run what counts in the morning', () => {
    const told = nightlyReport(REPORT);
    expect(told).toMatchObject({
      outcome: 'fail',
      stoppedAt: 2,
      faultDomain: 'kubernetes',
      leftOut: [{ gate: 7, reason: 'closed' }],
    });
    const details = nightlyDetails(told);
    for (const words of ['fail', 'nightly-x', 'kubernetes', 'c1 is not Ready.', 'Start it.', 'closed']) {
      expect(details).toContain(words);
    }
  });
});

describe('the message of a change of verdict', () => {
  it('says what is, what was, whose it is, and how the run went', () => {
    const before = {
      outcome: 'pass',
      gate: null,
      faultDomain: null,
      code: null,
      runId: 'r0',
      at: AT,
    } as const;
    const message = verdictMessage(
      {
        outcome: 'fail',
        gate: 2,
        faultDomain: 'kubernetes',
        code: 'CHECK_FAILED',
        runId: 'nightly-x',
        at: AT,
        previous: before,
        told: false,
      },
      REPORT,
    );
    expect(message).toEqual({
      type: 'acceptance.verdict',
      site: 's',
      runId: 'nightly-x',
      outcome: 'fail',
      before: 'pass',
      gate: 2,
      faultDomain: 'kubernetes',
      at: AT,
      previous: before,
      report: {
        runId: 'nightly-x',
        outcome: 'fail',
        startedAt: AT,
        endedAt: AT,
        stoppedAt: 2,
        failure: {
          code: 'CHECK_FAILED',
          faultDomain: 'kubernetes',
          message: 'c1 is not Ready.',
          correction: 'Start it.',
        },
        gates: [
          { gate: 2, title: 'Kubernetes', state: 'done', outcome: 'fail' },
          { gate: 7, title: 'Physical', state: 'done', outcome: 'skipped' },
        ],
      },
    });
  });
});

describe('a change', () => {
  it.each<[Cause, number[] | undefined, number[]]>([
    ['image-promoted', undefined, [5, 7]],
    ['hardware-changed', undefined, [4, 6, 7]],
    ['firmware-changed', [7, 1, 6], [6, 7]],
    ['image-promoted', [1, 2], []],
  ])('%s, where the contract wants %j, concerns gates %j', (cause, wanted, expected) => {
    expect(causedGates({ cause }, wanted)).toEqual(expected);
  });

  const finding = (what: string, faultDomain: string) => ({
    what,
    was: 'a',
    is: 'b',
    faultDomain,
    correction: 'c',
  });
  it.each<[string, JsonObject, Cause[]]>([
    ['nothing', {}, []],
    ['no findings', { findings: [] }, []],
    ['what the contract says otherwise', { findings: [finding('not as the contract says', 'hardware')] }, []],
    ['a part that is gone', { findings: [finding('GPU gone', 'hardware')] }, ['hardware-changed']],
    ['another firmware', { findings: [finding('firmware', 'firmware')] }, ['firmware-changed']],
    [
      'both',
      { findings: [finding('GPU gone', 'hardware'), finding('firmware', 'firmware')] },
      ['firmware-changed', 'hardware-changed'],
    ],
    ['an update', { toUpdate: ['BIOS'] }, ['firmware-changed']],
    ['an update of nothing', { toUpdate: [] }, []],
    ['nonsense', { findings: 'x', toUpdate: 7 }, []],
  ])('in what an operation found: %s', (_what, data, expected) => {
    const changes = changesOf({ node: 'n1', requestId: 'r', outcome: 'pass', data });
    expect(changes.map(({ cause }) => cause)).toEqual(expected);
  });

  it('that is seen again has the same run; another one, another', () => {
    const idOf = (what: string, requestId: string): string =>
      causedRunId(
        changesOf({
          node: 'n1',
          requestId,
          outcome: 'pass',
          data: { findings: [finding(what, 'hardware')] },
        })[0]!,
      );
    expect(idOf('GPU gone', 'r1')).toBe(idOf('GPU gone', 'r2'));
    expect(idOf('GPU gone', 'r1')).not.toBe(idOf('NIC gone', 'r1'));
    expect(idOf('GPU gone', 'r1')).toMatch(/^hardware-changed-n1-[0-9a-f]{14}$/);
  });

  it('of firmware counts when the update has passed', () => {
    expect(changesOf({ node: 'n1', requestId: 'r', outcome: 'fail', data: { toUpdate: ['BIOS'] } })).toEqual(
      [],
    );
  });
});
