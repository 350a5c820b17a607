import { condition, patched } from '@temporalio/workflow';
import { failure, type Failure } from '../core/errors/failure.ts';
import type { JsonObject } from '../core/json.ts';
import type { VerbRequest } from '../core/messages.ts';
import { operationWorkflowId } from '../core/names.ts';
import {
  outcomeOf,
  type OpenedOperation,
  type OperationInput,
  type OperationRef,
  type OperationReport,
  type Outcome,
  type Ticket,
} from '../core/operations.ts';
import { FAILED_TWIN, isWorking, type Phase } from '../core/phases.ts';
import { mayBeLeftBy } from '../core/plans/index.ts';
import { endOf } from '../core/transitions.ts';
import { operationVerb } from '../core/verbs.ts';
import { siteActivities } from './activities.ts';
import { Callbacks } from './callbacks.ts';
import { failureOf, isCancelled, isReported } from './failures.ts';
import { NodeLink } from './node-link.ts';
import { PlanRun, type OperationParts } from './plan-run.ts';
import { Progress } from './progress.ts';
import { Refresh } from './refresh.ts';
import { Standing } from './standing.ts';
import { Stopping } from './stopping.ts';

interface Verdict {
  readonly outcome: Outcome;
  readonly failure?: Failure;
}

/** One operation from its opening to its verdict: where it stands, and what is asked of it meanwhile. */
export class OperationRun {
  readonly callbacks = new Callbacks();
  readonly args: JsonObject;

  readonly #input: OperationInput;
  readonly #parts: OperationParts;
  readonly #progress: Progress;
  readonly #node: NodeLink;
  readonly #standing: Standing;
  readonly #stopping = new Stopping();
  readonly #refresh = new Refresh(() => this.#show());
  #opened: OpenedOperation | null = null;
  #plan: PlanRun | null = null;
  #resumed: VerbRequest | null = null;
  #wasHeld = false;

  constructor(input: OperationInput) {
    this.#input = input;
    this.args = input.args;
    this.#standing = new Standing(input);
    this.#progress = new Progress(input);
    this.#node = new NodeLink(input);
    this.#parts = {
      input,
      callbacks: this.callbacks,
      progress: this.#progress,
      node: this.#node,
      standing: this.#standing,
      stopping: this.#stopping,
      show: () => this.#show(),
    };
  }

  get ref(): OperationRef | null {
    return this.#opened?.ref ?? null;
  }

  report(): OperationReport {
    const { phase, data } = this.#standing;
    return this.#progress.report({ phase, residue: this.#standing.residue(), data });
  }

  ticket(): Ticket {
    const { site, node, requestId } = this.#input;
    return { operationId: requestId, workflowId: operationWorkflowId(site, node, requestId) };
  }

  note(text: string): void {
    this.#progress.note(text);
    this.#refresh.request();
  }

  refuseResume(request: VerbRequest): Failure | undefined {
    if (this.#progress.over) return failure('NOT_HELD', 'This operation is over.');
    const from = request.args['from'];
    const ids = this.#opened?.steps.map((step) => step.id) ?? [];
    if (typeof from === 'string' && !ids.includes(from)) {
      return failure('UNKNOWN_STEP', `This operation has no step ${from}; it has ${ids.join(', ')}.`);
    }
    return undefined;
  }

  /** Goes on with a held operation; one that runs is not disturbed. */
  resume(request: VerbRequest): void {
    if (this.#progress.held) this.#resumed = request;
  }

  refuseAbort(): Failure | undefined {
    return this.#progress.over ? failure('NOT_HELD', 'This operation is over.') : undefined;
  }

  abort(reason: string): void {
    this.#stopping.stop(failure('ABORTED', `Aborted: ${reason}`));
  }

  /** Tells the node again where this operation stands: the entity may not have been there to hear it. */
  announce(): void {
    if (this.#progress.over) return;
    const { requestId } = this.#input;
    const { held, phase, failure: f } = this.report();
    const step = this.#progress.current()?.id ?? null;
    void this.#node.tell(
      held && f
        ? { type: 'held', requestId, phase, failure: f }
        : { type: 'progress', requestId, phase, step },
    );
  }

  async run(): Promise<OperationReport> {
    const { refusal } = this.#input;
    if (refusal) return this.#progress.end(this.report(), 'fail', refusal);
    const verdict = await this.#work();
    if (verdict.outcome !== 'pass' && this.#wasHeld && patched('settle-after-hold'))
      this.#standing.mayBeBack();
    await this.#plan?.makeSafe();
    const left = this.#standing.left();
    if (verdict.outcome === 'pass' && left.length > 0) {
      return this.#end({ outcome: 'fail', failure: failure('RESIDUE', `Left behind: ${left.join(', ')}.`) });
    }
    return this.#end(verdict);
  }

  /** Opens the operation and runs its plan, holding where that is wanted. */
  async #work(): Promise<Verdict> {
    try {
      const { site } = this.#input;
      this.#opened = await this.#stopping.scope(() => siteActivities(site).openOperation(this.#input));
    } catch (error) {
      return this.#notOpened(error);
    }
    const { steps, ref, residue, onFailure } = this.#opened;
    if (this.#input.kind === 'cleanup') this.#standing.adopt(residue);
    this.#progress.plan(steps, ref.contractHash);
    this.#show();

    this.#plan = new PlanRun(this.#parts, this.#opened);
    for (let run = steps.map((_, index) => index); ;) {
      const stretch = await this.#plan.run(run);
      if (stretch.kind === 'done') return { outcome: 'pass' };
      if (stretch.kind === 'stopped') return verdictOf(stretch.why);
      const { at, failure: f } = stretch;
      if (onFailure === 'fail') return { outcome: outcomeOf(f.code), failure: f };
      const verdict = await this.#hold(this.#opened, this.#plan, at, f);
      if ('outcome' in verdict) return verdict;
      run = verdict.run;
    }
  }

  #notOpened(error: unknown): Verdict {
    if (!isReported(error)) throw error;
    // What a lost operation left cannot be told without its plan: whatever any driver leaves.
    const { cleanup } = this.#input;
    if (cleanup?.lost) this.#standing.mayHave(mayBeLeftBy(cleanup.kind));
    const { why } = this.#stopping;
    if (why && isCancelled(error)) return verdictOf(why);
    const f = failureOf(error) ?? failure('UNEXPECTED', 'It could not be opened.');
    return { outcome: outcomeOf(f.code), failure: f };
  }

  /** Makes the node safe, then waits for someone. Returns the steps to go on with, or the verdict. */
  async #hold(
    { onHold, holdForSeconds, steps }: OpenedOperation,
    plan: PlanRun,
    at: number,
    f: Failure,
  ): Promise<{ run: number[] } | Verdict> {
    const standing = this.#standing;
    const { requestId } = this.#input;
    if (onHold === 'safe') await plan.makeSafe();
    const working = standing.phase;
    standing.phase = failedPhase(working);
    this.#resumed = null;
    this.#progress.hold(f);
    this.#wasHeld = true;
    this.#show();
    await this.#node.tell({ type: 'held', requestId, phase: standing.phase, failure: f });

    const answered = await condition(
      () => this.#resumed !== null || this.#stopping.why !== null,
      holdForSeconds * 1000,
      { summary: 'Held: waits for resume or abort' },
    );
    this.#progress.release();
    standing.phase = working;
    if (this.#stopping.why) return verdictOf(this.#stopping.why);
    if (!answered) {
      const message = `No one resumed it within ${holdForSeconds} s. It was held for ${f.code}: ${f.message}`;
      const { faultDomain } = f;
      return { outcome: outcomeOf(f.code), failure: failure('HOLD_EXPIRED', message, { faultDomain }) };
    }
    const from = (this.#resumed as VerbRequest | null)?.args['from'];
    await this.#node.tell({ type: 'progress', requestId, phase: working, step: steps[at]!.id });
    return { run: await plan.stepsFrom(at, typeof from === 'string' ? from : undefined) };
  }

  async #end({ outcome, failure: f }: Verdict): Promise<OperationReport> {
    this.callbacks.end();
    this.#standing.phase = this.#endPhase(outcome);
    const report = this.#progress.end(this.report(), outcome, f);
    const final = { ...report, evidence: [...report.evidence, ...(await this.#keep(report))] };
    const { supports, retired } = this.#opened ?? {};
    const end = {
      ...endOf(final),
      ...(supports ? { supports } : {}),
      ...(retired === undefined ? {} : { retired }),
    };
    await this.#node.tell({ type: 'ended', requestId: this.#input.requestId, end });
    return final;
  }

  /** A report that cannot be kept as evidence is still the result. */
  async #keep(report: OperationReport): Promise<OperationReport['evidence']> {
    try {
      return await siteActivities(this.#input.site).closeOperation({ report, args: this.args });
    } catch (error) {
      if (!isReported(error)) throw error;
      return [];
    }
  }

  #endPhase(outcome: Outcome): Phase {
    const { kind, snapshot } = this.#input;
    if (kind === 'cleanup' || outcome !== 'pass') return failedPhase(this.#standing.phase);
    const { to } = operationVerb(kind);
    if (to === 'return') return snapshot.returnTo ?? snapshot.phase;
    return to === 'available' && this.#opened!.retired ? 'manageable' : to;
  }

  #show(): void {
    this.#progress.show(this.report());
  }
}

const verdictOf = (stopped: Failure): Verdict => ({
  outcome: stopped.code === 'ABORTED' ? 'aborted' : 'fail',
  failure: stopped,
});

const failedPhase = (phase: Phase): Phase => (isWorking(phase) ? FAILED_TWIN[phase] : phase);
