import { expect, it } from 'vitest';
import { failure } from '../../../core/errors/failure.ts';
import type { OperationReport, StepReport } from '../../../core/operations.ts';
import { ageOf, CALL_BACKS, IMAGE_SOURCE, seenIn } from '../../../core/reachability/last-seen.ts';

const report = (steps: readonly Partial<StepReport>[]): OperationReport =>
  ({
    kind: 'deploy',
    requestId: 'r1',
    endedAt: '2026-03-01T00:00:00.000Z',
    steps: steps.map((step) => ({ title: '', ...step })),
  }) as unknown as OperationReport;

it('a step that is done shows it, at the time of the step', () => {
  const seen = seenIn(
    report([{ id: 'await-agent', state: 'done', endedAt: '2026-02-28T23:00:00.000Z' }]),
    CALL_BACKS,
  );
  expect(seen).toMatchObject({
    operation: { kind: 'deploy', requestId: 'r1' },
    at: '2026-02-28T23:00:00.000Z',
  });
  expect(seen).not.toHaveProperty('failure');
  expect(ageOf(seen!, Date.parse('2026-03-01T01:30:00.000Z'))).toBe(
    '2 h 30 min ago, at 2026-02-28T23:00:00.000Z, in deploy r1',
  );
});

it('a step that failed since the agent did not reach it shows that', () => {
  const silent = failure('AGENT_SILENT', 'x');
  expect(seenIn(report([{ id: 'await-agent', state: 'failed', failure: silent }]), CALL_BACKS)).toMatchObject(
    { failure: silent, at: '2026-03-01T00:00:00.000Z' },
  );
});

it.each<[what: string, steps: Partial<StepReport>[], shown: typeof CALL_BACKS]>([
  ['an operation without an agent', [{ id: 'check-bmc', state: 'done' }], CALL_BACKS],
  ['a step that was not come to', [{ id: 'write-image', state: 'pending' }], IMAGE_SOURCE],
  ['a step that was not needed', [{ id: 'write-image', state: 'skipped' }], IMAGE_SOURCE],
  [
    'a checksum that is wrong: the image was fetched, but which is not told',
    [{ id: 'write-image', state: 'failed', failure: failure('IMAGE_CHECKSUM_MISMATCH', 'x') }],
    IMAGE_SOURCE,
  ],
  [
    'an operation that was aborted meanwhile',
    [{ id: 'await-agent', state: 'failed', failure: failure('ABORTED', 'x') }],
    CALL_BACKS,
  ],
])('%s says nothing', (_what, steps, shown) => {
  expect(seenIn(report(steps), shown)).toBeUndefined();
});
