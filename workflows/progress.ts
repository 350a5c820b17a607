import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { operationDetails } from '../core/details.ts';
import type { Failure } from '../core/errors/failure.ts';
import type {
  EvidenceRef,
  OperationInput,
  OperationReport,
  Outcome,
  StepOutput,
  StepReport,
  StepState,
} from '../core/operations.ts';
import type { Step } from '../core/steps.ts';
import { attribute } from './search-attributes.ts';

/** How many remarks are kept; older ones go first. */
const NOTES = 20;
/** How many pieces of evidence of steps that ran again are still named; older ones stay in the store. */
const EARLIER_EVIDENCE = 50;

const now = (): string => new Date().toISOString();

/** Where an operation stands, as people and programs see it: report, details, search attributes. */
export class Progress {
  held = false;
  over = false;
  readonly #input: OperationInput;
  readonly #startedAt = now();
  #steps: StepReport[] = [];
  #plan: readonly Step[] = [];
  #contractHash: string | undefined;
  #failure: Failure | undefined;
  /** Of steps that ran again since. */
  #earlierEvidence: EvidenceRef[] = [];
  #notes: string[] = [];
  #shown = '';
  #end: { outcome: Outcome; endedAt: string } | undefined;

  constructor(input: OperationInput) {
    this.#input = input;
  }

  plan(steps: readonly Step[], contractHash: string): void {
    this.#plan = steps;
    this.#contractHash = contractHash;
    this.#steps = steps.map(({ id, title }) => ({ id, title, state: 'pending' }));
  }

  /** Which steps are about to run; earlier ones that do not run again keep what they found. */
  schedule(run: readonly number[]): void {
    this.#failure = undefined;
    for (const at of run) {
      const { id, title } = this.#plan[at]!;
      const earlier = [...this.#earlierEvidence, ...(this.#steps[at]!.evidence ?? [])];
      this.#earlierEvidence = earlier.slice(-EARLIER_EVIDENCE);
      this.#steps[at] = { id, title, state: 'pending' };
    }
  }

  begin(at: number, state: Extract<StepState, 'running' | 'waiting'>): void {
    this.#patch(at, { state, startedAt: this.#steps[at]!.startedAt ?? now() });
  }

  done(at: number, output: StepOutput): void {
    const { summary, evidence } = output;
    this.#patch(at, { state: 'done', endedAt: now(), summary, ...(evidence ? { evidence } : {}) });
  }

  failed(at: number, failure: Failure): void {
    this.#failure = failure;
    this.#patch(at, { state: 'failed', endedAt: now(), failure });
  }

  keep(at: number, evidence: readonly EvidenceRef[]): void {
    this.#patch(at, { evidence });
  }

  hold(failure: Failure): void {
    this.held = true;
    this.#failure = failure;
  }

  release(): void {
    this.held = false;
  }

  note(text: string): void {
    this.#notes = [...this.#notes, `${now()} ${text}`].slice(-NOTES);
  }

  /** Index of the step that is under way; -1 if none is. */
  at(): number {
    return this.#steps.findIndex((s) => s.state === 'running' || s.state === 'waiting');
  }

  current(): Step | undefined {
    return this.#plan[this.at()];
  }

  report(now: Pick<OperationReport, 'phase' | 'residue' | 'data'>): OperationReport {
    const { site, node, requestId, kind } = this.#input;
    return {
      site,
      node,
      requestId,
      kind,
      ...now,
      startedAt: this.#startedAt,
      held: this.held,
      ...this.#end,
      ...(this.#failure ? { failure: this.#failure } : {}),
      steps: this.#steps,
      notes: this.#notes,
      ...(this.#contractHash ? { contractHash: this.#contractHash } : {}),
      evidence: [...this.#earlierEvidence, ...this.#steps.flatMap((step) => step.evidence ?? [])],
    };
  }

  end(report: OperationReport, outcome: Outcome, failure?: Failure): OperationReport {
    this.over = true;
    this.#end = { outcome, endedAt: now() };
    this.#failure = failure;
    for (const [at, step] of this.#steps.entries()) {
      if (step.state === 'pending') this.#patch(at, { state: 'skipped' });
      if (step.state === 'running' || step.state === 'waiting')
        this.#patch(at, { state: 'skipped', endedAt: now() });
    }
    const final = this.report(report);
    this.show(final);
    return final;
  }

  /** Brings the Web UI up to date. */
  show(report: OperationReport): void {
    setCurrentDetails(operationDetails(report));
    const seen = [report.phase, report.failure?.faultDomain, report.outcome, report.held].join();
    if (seen === this.#shown) return;
    this.#shown = seen;
    upsertSearchAttributes([
      attribute('RackwrightPhase', report.phase),
      attribute('RackwrightFaultDomain', report.failure?.faultDomain ?? null),
      attribute('RackwrightOutcome', report.outcome ?? null),
      attribute('RackwrightFlags', report.held ? ['held'] : null),
    ]);
  }

  #patch(at: number, over: Partial<StepReport>): void {
    this.#steps[at] = { ...this.#steps[at]!, ...over };
  }
}
