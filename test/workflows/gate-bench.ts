import { expect } from 'vitest';
import { resolveSecret } from '../../activities/secrets/resolve.ts';
import type { GateCheck } from '../../activities/gates/check.ts';
import { AcceptanceRuns } from '../../client/sdk/acceptance.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { check } from '../../core/acceptance/check.ts';
import type { GateNumber } from '../../core/acceptance/gates.ts';
import type { AcceptanceReport, CheckReport } from '../../core/acceptance/report.ts';
import { acceptanceWorkflowId } from '../../core/names.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { keepOutcomes } from '../support/verdicts.ts';
import { House, SITE, until } from './support.ts';

/** Runs of the real checks of one gate, between two gates whose one check counts how often it is made. */
export class GateBench {
  readonly house: House;
  readonly runs: AcceptanceRuns;
  readonly gate: GateNumber;
  /** How often the check of the gate before, and of the one after, was made. */
  counts = { before: 0, after: 0 };
  /** The run that is held, which lets no other one begin. */
  #held: AcceptanceReport | undefined;

  private constructor(house: House, gate: GateNumber) {
    this.house = house;
    this.gate = gate;
    this.runs = new AcceptanceRuns(house.environment.client, SITE);
  }

  static async build(gate: GateNumber, checks: readonly GateCheck[]): Promise<GateBench> {
    const house = await House.build(await createLocalEnvironment());
    const bench = new GateBench(house, gate);
    const { site } = house;
    site.secret = async (reference) => {
      const value = await resolveSecret(reference);
      site.secrets.add(value);
      return value;
    };
    await house.stopWorkers('activities');
    house.checks = [...(gate > 1 ? [bench.#counting('before')] : []), ...checks, bench.#counting('after')];
    await house.startActivities();
    return bench;
  }

  #counting(place: 'before' | 'after'): GateCheck {
    const gate = (this.gate + (place === 'before' ? -1 : 1)) as GateNumber;
    return {
      check: check({ id: place, gate, title: place, shows: '', from: 'worker', faultDomain: 'orchestrator' }),
      run: async () => {
        this.counts[place] += 1;
        return { outcome: 'pass', summary: 'fine', findings: [], targets: 1, evidence: [] };
      },
    };
  }

  get #gates(): GateNumber[] {
    return [this.gate - 1, this.gate, this.gate + 1].filter((gate) => gate > 0) as GateNumber[];
  }

  checksOf(report: AcceptanceReport): readonly CheckReport[] {
    return report.gates.find(({ gate }) => gate === this.gate)!.checks;
  }

  /** Starts a run, and waits until it is over or held. */
  async run(inventory: Inventory): Promise<AcceptanceReport> {
    this.house.inventory = inventory;
    if (this.#held) await this.abort(this.#held);
    this.counts = { before: 0, after: 0 };
    const { runId } = await this.runs.start({ gates: this.#gates });
    return this.#stopped(runId, 1);
  }

  /** Resumes a run, and waits until it is over, or held again. */
  async resume({ runId, gates }: AcceptanceReport): Promise<AcceptanceReport> {
    await this.runs.control(runId, 'resume', {});
    return this.#stopped(runId, gates.find(({ gate }) => gate === this.gate)!.runs + 1);
  }

  async #stopped(runId: string, runs: number): Promise<AcceptanceReport> {
    let report: AcceptanceReport | undefined;
    await until(
      async () => {
        report = await this.runs.report(runId);
        const ran = report.gates.find(({ gate }) => gate === this.gate)?.runs ?? 0;
        return report.outcome !== undefined || (report.held && ran === runs);
      },
      { what: `end or hold of ${runId}`, seconds: 600 },
    );
    keepOutcomes(this.checksOf(report!));
    this.#held = report!.outcome === undefined ? report : undefined;
    // A verdict is seen a moment before the run has let go of the site.
    if (report!.outcome === undefined) return report!;
    return (await this.house.client
      .getHandle(acceptanceWorkflowId(SITE, runId))
      .result()) as AcceptanceReport;
  }

  /** A run in which one check alone does not pass; after the correction, `resume` has it pass. */
  async failing(inventory: Inventory, { fault, mend, id, expected, untold = [] }: Failing): Promise<void> {
    await fault();
    const held = await this.run(inventory);
    expect(held).toMatchObject({ held: true, stoppedAt: this.gate });
    const others = this.checksOf(held).filter((each) => each.id !== id);
    const isUntold = (each: CheckReport): boolean => untold.includes(each.id) && each.outcome === 'error';
    expect(toldOf(others.filter((each) => !isUntold(each)))).toBe('');
    expect(others.filter(isUntold).map(({ id: name }) => name)).toEqual(untold);
    const wrong = this.checksOf(held).find((each) => each.id === id)!;
    expect(wrong).toMatchObject({ outcome: expected.outcome ?? 'fail' });
    expect(wrong.findings![0]!.failure).toMatchObject({
      code: expected.code ?? 'CHECK_FAILED',
      faultDomain: expected.domain,
      message: expect.stringMatching(expected.message),
    });
    expect(held.failure).toEqual(wrong.findings![0]!.failure);
    const before = this.gate > 1 ? 1 : 0;
    expect(this.counts).toEqual({ before, after: 0 });
    await mend();
    const passed = await this.resume(held);
    expect(toldOf(this.checksOf(passed))).toBe('');
    expect(passed).toMatchObject({ outcome: 'pass', held: false });
    expect(this.counts).toEqual({ before, after: 1 });
    expect(passed.gates.map(({ runs }) => runs)).toEqual([...(before > 0 ? [1] : []), 2, 1]);
  }

  /** Gives a run up that is held. */
  async abort({ runId }: AcceptanceReport): Promise<void> {
    this.#held = undefined;
    await this.runs.control(runId, 'abort', { reason: 'seen' });
    await this.house.client.getHandle(acceptanceWorkflowId(SITE, runId)).result();
  }

  async close(): Promise<void> {
    await this.house.close();
    await this.house.environment.teardown();
  }
}

export interface Failing {
  fault(): unknown;
  mend(): unknown;
  /** The check that does not pass. */
  readonly id: string;
  /** What cannot be told then, in the order of the gate. */
  readonly untold?: readonly string[];
  readonly expected: {
    readonly domain: string;
    readonly message: RegExp;
    readonly outcome?: 'fail' | 'error';
    readonly code?: string;
  };
}

/** What is not green, in a line each. */
export const toldOf = (checks: readonly CheckReport[]): string =>
  checks
    .filter(({ outcome }) => outcome !== 'pass' && outcome !== 'skipped')
    .map(({ id, outcome, findings }) => `${id} ${outcome}: ${findings?.[0]?.failure.message}`)
    .join('\n');
