import { CancellationScope, condition, sleep } from '@temporalio/workflow';
import { failure, type Failure } from '../core/errors/failure.ts';
import type { JsonObject } from '../core/json.ts';
import type { VerbRequest } from '../core/messages.ts';
import { operationWorkflowId } from '../core/names.ts';
import type {
  OpenedOperation,
  OperationInput,
  OperationRef,
  OperationReport,
  Outcome,
  StepInput,
  Ticket,
} from '../core/operations.ts';
import { FAILED_TWIN, isWorking, type Phase } from '../core/phases.ts';
import { mayBeLeftBy } from '../core/plans/index.ts';
import { RESIDUES, stepsToResume, type Residue } from '../core/steps.ts';
import { endOf } from '../core/transitions.ts';
import { operationVerb } from '../core/verbs.ts';
import { capture, checkFacts, runStep, settle, siteActivities } from './activities.ts';
import { Callbacks } from './callbacks.ts';
import { failureOf, isCancelled, isReported } from './failures.ts';
import { NodeLink } from './node-link.ts';
import { Progress } from './progress.ts';
import { Refresh } from './refresh.ts';

interface Verdict {
  readonly outcome: Outcome;
  readonly failure?: Failure;
}

/** How a stretch of steps ended. */
type Stretch =
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly at: number; readonly failure: Failure };

/** Grace of call-back tokens beyond the operation's own deadline. */
const TOKEN_GRACE_SECONDS = 3600;

/** One operation: the plan as data, where it stands, and what was asked of it meanwhile. */
export class OperationRun {
  readonly callbacks = new Callbacks();
  readonly args: JsonObject;
  ref: OperationRef | null = null;

  readonly #input: OperationInput;
  readonly #progress: Progress;
  readonly #node: NodeLink;
  readonly #refresh = new Refresh(() => this.#show());
  #opened: OpenedOperation | null = null;
  #phase: Phase;
  #data: JsonObject = {};
  readonly #facts = new Set<string>();
  readonly #residue = new Set<Residue>();
  /** What earlier operations left: it is carried on unless a step clears it. A clean-up makes it its own. */
  readonly #inherited: Set<Residue>;
  #stretches = 0;
  #stopped: Failure | null = null;
  #stop: () => void = () => undefined;
  #resumed: VerbRequest | null = null;

  constructor(input: OperationInput) {
    this.#input = input;
    this.args = input.args;
    this.#phase = input.snapshot.phase;
    this.#inherited = new Set(input.residue);
    this.#progress = new Progress(input);
    this.#node = new NodeLink(input);
  }

  report(): OperationReport {
    const residue = RESIDUES.filter((r) => this.#residue.has(r) || this.#inherited.has(r));
    return this.#progress.report({ phase: this.#phase, residue, data: this.#data });
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
    this.#stopWith(failure('ABORTED', `Aborted: ${reason}`));
  }

  /** Tells the node again where this operation stands: the entity may not have been there to hear it. */
  announce(): void {
    if (this.#progress.over) return;
    const { requestId } = this.#input;
    const { held, failure: f } = this.report();
    const step = this.#progress.current()?.id ?? null;
    void this.#node.tell(
      held && f
        ? { type: 'held', requestId, phase: this.#phase, failure: f }
        : { type: 'progress', requestId, phase: this.#phase, step },
    );
  }

  async run(): Promise<OperationReport> {
    const { refusal } = this.#input;
    if (refusal) return this.#progress.end(this.report(), 'fail', refusal);
    const verdict = await this.#work();
    await this.#makeSafe();
    if (verdict.outcome === 'pass' && this.#residue.size > 0) {
      return this.#end('fail', failure('RESIDUE', `Left behind: ${[...this.#residue].join(', ')}.`));
    }
    return this.#end(verdict.outcome, verdict.failure);
  }

  /** Opens the operation and runs its plan, holding where that is wanted. */
  async #work(): Promise<Verdict> {
    try {
      this.#opened = await this.#stoppable(() => siteActivities(this.#input.site).openOperation(this.#input));
    } catch (error) {
      if (!isReported(error)) throw error;
      // What a lost operation left cannot be told without its plan: whatever any driver leaves.
      const { cleanup } = this.#input;
      if (cleanup?.lost) for (const left of mayBeLeftBy(cleanup.kind)) this.#inherited.add(left);
      if (this.#stopped && isCancelled(error)) return verdictOf(this.#stopped);
      const f = failureOf(error) ?? failure('UNEXPECTED', 'It could not be opened.');
      return { outcome: outcomeOf(f), failure: f };
    }
    const { steps, ref, deadlineSeconds, residue } = this.#opened;
    this.ref = ref;
    for (const left of residue) this.#residue.add(left);
    if (this.#input.kind === 'cleanup') this.#inherited.clear();
    this.#progress.plan(steps, ref.contractHash);
    this.#show();

    let run = steps.map((_, index) => index);
    let remaining = deadlineSeconds * 1000;
    for (;;) {
      const began = Date.now();
      const stretch = await this.#stretch(run, remaining);
      remaining -= Date.now() - began;
      if (stretch.kind === 'done') return { outcome: 'pass' };
      if (stretch.kind === 'stopped') {
        const why = this.#stopped!;
        if (why.code === 'DEADLINE_EXCEEDED') await this.#keepOverdue(why);
        return verdictOf(why);
      }

      await this.#keepFailingState(stretch.at, stretch.failure);
      if (this.#opened.onFailure === 'fail') {
        return { outcome: outcomeOf(stretch.failure), failure: stretch.failure };
      }
      const verdict = await this.#hold(stretch.at, stretch.failure);
      if ('outcome' in verdict) return verdict;
      run = verdict.run;
    }
  }

  /** Runs steps in order until they are done, one fails, or the operation is stopped. */
  async #stretch(run: readonly number[], remainingMs: number): Promise<Stretch> {
    if (this.#stopped) return { kind: 'stopped' };
    const { steps } = this.#opened!;
    this.callbacks.open(
      run.map((index) => steps[index]!),
      // What stands on the disk has to call back even after a hold.
      Math.ceil((Date.now() + remainingMs) / 1000) + this.#opened!.holdForSeconds + TOKEN_GRACE_SECONDS,
    );
    this.#stretches += 1;
    this.#progress.schedule(run);
    const deadline = new CancellationScope();
    const timer = deadline
      .run(() => sleep(Math.max(1, remainingMs), { summary: 'Deadline' }))
      .then(
        () => this.#stopWith(this.#tooLate()),
        () => undefined,
      );
    try {
      return await this.#stoppable(() => this.#steps(run));
    } catch (error) {
      if (this.#stopped && isCancelled(error)) return { kind: 'stopped' };
      throw error;
    } finally {
      this.callbacks.close();
      deadline.cancel();
      await timer;
    }
  }

  /** Runs something that `abort` and the deadline cancel. */
  async #stoppable<T>(what: () => Promise<T>): Promise<T> {
    const scope = new CancellationScope();
    this.#stop = () => scope.cancel();
    if (this.#stopped) scope.cancel();
    try {
      return await scope.run(what);
    } finally {
      this.#stop = () => undefined;
    }
  }

  async #steps(run: readonly number[]): Promise<Stretch> {
    for (const at of run) {
      // An attempt that was told to stop may still have come to its end.
      if (this.#stopped) return { kind: 'stopped' };
      const failed = await this.#step(at);
      if (failed) return this.#stopped ? { kind: 'stopped' } : { kind: 'failed', at, failure: failed };
    }
    return { kind: 'done' };
  }

  /** Runs one step; returns what it failed with. */
  async #step(at: number): Promise<Failure | undefined> {
    const { driver, steps } = this.#opened!;
    const step = steps[at]!;
    await this.#enter(step.phase, step.id);
    this.#progress.begin(at, step.awaits ? 'waiting' : 'running');
    for (const residue of step.leaves) this.#residue.add(residue);
    for (const fact of step.breaks) this.#facts.delete(fact);
    this.#show();

    if (step.awaits && !(await this.#heard(step.awaits, step.bounds.total))) {
      return this.#failed(
        at,
        failure(step.silence, `${step.title}: nothing was heard for ${step.bounds.total} s.`),
      );
    }
    this.#progress.begin(at, 'running');
    this.#show();
    for (;;) {
      try {
        const output = await runStep(driver, step, this.#stepInput(step.id));
        this.#data = { ...this.#data, ...output.data };
        for (const fact of step.makes) this.#facts.add(fact);
        for (const residue of step.clears) {
          this.#residue.delete(residue);
          this.#inherited.delete(residue);
        }
        this.#progress.done(at, output);
        this.#show();
        return undefined;
      } catch (error) {
        if (isCancelled(error) || !isReported(error)) throw error;
        const known = failureOf(error);
        if (known) return this.#failed(at, ownedBy(known, step));
        // No attempt said anything: no worker was there. Only the operation's deadline bounds this.
        this.#progress.note(`${step.title}: no worker of the site answers`);
        this.#show();
        await siteActivities(this.#input.site).awaitWorker({ site: this.#input.site });
      }
    }
  }

  #heard(who: 'agent' | 'first-boot', seconds: number): Promise<boolean> {
    const heard = () => (who === 'agent' ? this.callbacks.agent : this.callbacks.firstBoot) !== null;
    return condition(heard, seconds * 1000);
  }

  #failed(at: number, f: Failure): Failure {
    this.#progress.failed(at, f);
    this.#show();
    return f;
  }

  /** A step that the deadline stopped has failed. */
  async #keepOverdue(why: Failure): Promise<void> {
    const at = this.#progress.at();
    if (at < 0) return;
    this.#failed(at, why);
    await this.#keepFailingState(at, why);
  }

  async #keepFailingState(at: number, f: Failure): Promise<void> {
    try {
      const { driver, steps } = this.#opened!;
      this.#progress.keep(at, await capture(driver, this.#stepInput(steps[at]!.id)));
    } catch (error) {
      if (!isReported(error)) throw error;
      this.#progress.note(
        `The state at ${f.code} could not be kept: ${failureOf(error)?.message ?? 'no answer'}`,
      );
    }
  }

  /** Makes the node safe, then waits for someone. Returns the steps to go on with, or the verdict. */
  async #hold(at: number, f: Failure): Promise<{ run: number[] } | Verdict> {
    const { onHold, holdForSeconds, driver, steps, observed } = this.#opened!;
    if (onHold === 'safe') await this.#makeSafe();
    const working = this.#phase;
    this.#phase = failedPhase(working);
    this.#resumed = null;
    this.#progress.hold(f);
    this.#show();
    await this.#node.tell({ type: 'held', requestId: this.#input.requestId, phase: this.#phase, failure: f });

    const answered = await condition(
      () => this.#resumed !== null || this.#stopped !== null,
      holdForSeconds * 1000,
    );
    this.#progress.release();
    this.#phase = working;
    if (this.#stopped) return verdictOf(this.#stopped);
    if (!answered) {
      const message = `No one resumed it within ${holdForSeconds} s. It was held for ${f.code}: ${f.message}`;
      return {
        outcome: outcomeOf(f),
        failure: failure('HOLD_EXPIRED', message, { faultDomain: f.faultDomain }),
      };
    }
    const { requestId } = this.#input;
    await this.#node.tell({ type: 'progress', requestId, phase: working, step: steps[at]!.id });
    const holds = await this.#holds(driver, observed);
    const from = (this.#resumed as VerbRequest | null)?.args['from'];
    const wish = steps.findIndex((step) => step.id === from);
    return { run: stepsToResume(steps, at, holds, wish < 0 ? undefined : wish) };
  }

  /** What is true now: observed facts are asked of the world, the others are remembered. */
  async #holds(driver: string, observed: readonly string[]): Promise<(fact: string) => boolean> {
    const input = { ...this.#stepInput('facts'), ask: observed };
    let seen: { [fact: string]: boolean } = {};
    try {
      seen = await checkFacts(driver, input);
    } catch (error) {
      if (!isReported(error)) throw error;
      this.#progress.note(
        'What still holds could not be asked: nothing that can be asked is taken for granted.',
      );
    }
    return (fact) => (observed.includes(fact) ? seen[fact] === true : this.#facts.has(fact));
  }

  /** Removes what may have been left. What cannot be removed stays in the residue. */
  async #makeSafe(): Promise<void> {
    if (this.#residue.size === 0 || !this.#opened) return;
    const residue = RESIDUES.filter((r) => this.#residue.has(r));
    try {
      const settled = await settle(this.#opened.driver, { ...this.#stepInput('settle'), residue });
      for (const r of residue) if (!settled.left.includes(r)) this.#residue.delete(r);
      this.#data = { ...this.#data, ...settled.data };
      this.#progress.note(settled.summary);
    } catch (error) {
      if (!isReported(error)) throw error;
      this.#progress.note(`Left behind: ${residue.join(', ')} (${failureOf(error)?.message ?? 'no answer'})`);
    }
    this.#show();
  }

  async #end(outcome: Outcome, f?: Failure): Promise<OperationReport> {
    this.callbacks.end();
    this.#phase = this.#endPhase(outcome);
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
    if (kind === 'cleanup' || outcome !== 'pass') return failedPhase(this.#phase);
    const { to } = operationVerb(kind);
    if (to === 'return') return snapshot.returnTo ?? snapshot.phase;
    return to === 'available' && this.#opened!.retired ? 'manageable' : to;
  }

  async #enter(phase: Phase | null, step: string): Promise<void> {
    if (phase === null || phase === this.#phase) return;
    this.#phase = phase;
    await this.#node.tell({ type: 'progress', requestId: this.#input.requestId, phase, step });
  }

  #stepInput(step: string): StepInput {
    const { window, agent, firstBoot } = this.callbacks;
    const { snapshot } = this.#input;
    const at = { ref: this.ref!, step, stretch: Math.max(1, this.#stretches) };
    return { ...at, args: this.args, snapshot, data: this.#data, window, agent, firstBoot };
  }

  #stopWith(why: Failure): void {
    this.#stopped ??= why;
    this.#stop();
  }

  #tooLate(): Failure {
    const step = this.#progress.current();
    return failure(
      'DEADLINE_EXCEEDED',
      `The deadline passed${step ? ` at step ${step.id} (${step.title})` : ''}.`,
      {
        faultDomain: step?.faultDomain ?? 'orchestrator',
      },
    );
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

/** `error` is for what could not be told; every other failure has a known cause. */
const outcomeOf = (f: Failure): Outcome =>
  f.code === 'UNEXPECTED' || f.code === 'STEP_TIMEOUT' ? 'error' : 'fail';

/** A failure of ours that names no culprit of its own takes the step's. */
const ownedBy = (f: Failure, step: { readonly owner: string }): Failure => ({
  ...f,
  details: { ...f.details, owner: step.owner },
});
