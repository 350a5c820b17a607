import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { keptGates } from '../../../activities/acceptance-runs/kept.ts';
import type { PlannedGate } from '../../../core/acceptance/report.ts';
import { closedRun, type ClosedRun } from '../evidence/runs.ts';

const bounds = { attempt: 1, total: 1 };
const check = (id: string) =>
  ({ id, title: id, from: 'worker', requirements: [], bounds, needs: [], stage: 'check' }) as const;
const plans = (...ids: string[]): PlannedGate[] => [
  { gate: 1, checks: ids.map(check) },
  { gate: 2, checks: [check('whatever')] },
];

let run: ClosedRun;
beforeEach(async () => {
  run = await closedRun();
});

const kept = (...ids: string[]) => {
  const { contractHash, fingerprint } = run.report;
  return keptGates(run.site, 2, run.report, {
    contractHash: contractHash!,
    fingerprint: fingerprint!,
    plans: plans(...ids),
  });
};
const piece = (): string => join(run.root, `${run.report.gates[0]!.checks[0]!.evidence![0]!.id}.json`);

describe('the evidence of another run', () => {
  it('stands for the gates before the one to begin at, and is marked', async () => {
    const [gate] = run.report.gates;
    expect(await kept('check-1-0')).toEqual(
      new Map([[1, { ...gate, kept: { runId: 'run-1', endedAt: gate!.endedAt } }]]),
    );
  });

  it('does not where a check of this version was not made then', async () => {
    await expect(kept('check-1-0', 'new')).rejects.toMatchObject({
      failure: {
        code: 'EVIDENCE_OUTDATED',
        message: 'The evidence of run run-1 is not used again: check new of gate 1 was not made then.',
      },
    });
  });

  it('does not where a piece of it was altered', async () => {
    await writeFile(piece(), (await readFile(piece(), 'utf8')).replace('GET', 'PUT'));
    await expect(kept('check-1-0')).rejects.toMatchObject({ failure: { code: 'EVIDENCE_ALTERED' } });
  });

  it('does not where a piece of it is another one, with a hash of its own', async () => {
    const [ref] = run.report.gates[0]!.checks[0]!.evidence!;
    await run.site.evidence.put(
      { ...(await run.site.evidence.read(ref!.id)), answer: 'forged' },
      run.site.secrets,
    );
    await expect(kept('check-1-0')).rejects.toMatchObject({ failure: { code: 'EVIDENCE_ALTERED' } });
  });

  it('does not where a piece of it is gone', async () => {
    await rm(piece());
    await expect(kept('check-1-0')).rejects.toMatchObject({
      failure: { code: 'EVIDENCE_OUTDATED', message: expect.stringMatching(/its piece .*c1 is gone\.$/) },
    });
  });
});
