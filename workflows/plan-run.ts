import { CancellationScope, condition, patched, sleep } from '@temporalio/workflow';
import { consoleEnds } from '../core/console.ts';
import { failure, type Failure } from '../core/errors/failure.ts';
import type { OpenedOperation, OperationInput, StepInput } from '../core/operations.ts';
import { stepsToResume, type Step } from '../core/steps.ts';
import { capture, checkFacts, runStep, settle, siteActivities } from './activities.ts';
import type { Callbacks } from './callbacks.ts';
import { failureOf, isCancelled, isReported } from './failures.ts';
import type { NodeLink } from './node-link.ts';
import type { Progress } from './progress.ts';
import type { Standing } from './standing.ts';
import type { Stopping } from './stopping.ts';

/** How a stretch of steps ended. */
export type Stretch =
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped'; readonly why: Failure }
  | { readonly kind: 'failed'; readonly at: number; readonly failure: Failure };

/** What an operation is made of; its plan works on all of it. */
export interface OperationParts {
  readonly input: OperationInput;
  readonly callbacks: Callbacks;
  readonly progress: Progress;
  readonly node: NodeLink;
  readonly standing: Standing;
  readonly stopping: Stopping;
  readonly show: () => void;
}

/** Grace of call-back tokens beyond the operation's own deadline. */
const TOKEN_GRACE_SECONDS = 3600;

/** Runs the steps of an opened operation: each once, or again from where the facts have it go back to. */
export class PlanRun {
  readonly #parts: OperationParts;
  readonly #opened: OpenedOperation;
  /** What the deadline has left; its clock stands still between stretches. */
  #remainingMs: number;
  #stretches = 0;

  constructor(parts: OperationParts, opened: OpenedOperation) {
    this.#parts = parts;
    this.#opened = opened;
    this.#remainingMs = opened.deadlineSeconds * 1000;
  }

  /**
   * Runs steps in order until they are done, one fails for good, or the operation is stopped. What awaits a
   * call-back in vain goes back by itself, as often as its plan says: a boot that went wrong is tried again.
   */
  async run(steps: readonly number[]): Promise<Stretch> {
    const restarts = new Map<number, number>();
    for (let run = steps; ;) {
      const began = Date.now();
      const stretch = await this.#stretch(run);
      this.#remainingMs -= Date.now() - began;
      if (stretch.kind === 'done') return stretch;
      if (stretch.kind === 'stopped') return { ...stretch, why: await this.#cutOff(stretch.why) };
      const { at } = stretch;
      const f = await this.#keepFailingState(at, stretch.failure);
      const step = this.#opened.steps[at]!;
      const done = restarts.get(at) ?? 0;
      if (f.code !== step.silence || done >= (step.restarts ?? 0)) return { ...stretch, failure: f };
      restarts.set(at, done + 1);
      this.#parts.progress.note(`${f.message} It is tried again by itself.`);
      run = await this.stepsFrom(at);
    }
  }

  /** Which steps have to run for the plan to go on at a step, by what is true of the node now. */
  async stepsFrom(at: number, wish?: string): Promise<number[]> {
    const { steps } = this.#opened;
    const holds = await this.#holds();
    const from = steps.findIndex((step) => step.id === wish);
    return stepsToResume(steps, at, holds, from < 0 ? undefined : from);
  }

  /** Removes what may have been left. What cannot be removed stays in the residue. */
  async makeSafe(): Promise<void> {
    const { standing, progress, show } = this.#parts;
    const residue = standing.left();
    if (residue.length === 0) return;
    try {
      const settled = await settle(this.#opened.driver, { ...this.#stepInput('settle'), residue });
      standing.settled(settled.left, settled.data);
      progress.note(settled.summary);
    } catch (error) {
      if (!isReported(error)) throw error;
      progress.note(`Left behind: ${residue.join(', ')} (${failureOf(error)?.message ?? 'no answer'})`);
    }
    show();
  }

  async #stretch(run: readonly number[]): Promise<Stretch> {
    const { callbacks, progress, stopping } = this.#parts;
    if (stopping.why) return { kind: 'stopped', why: stopping.why };
    const remainingMs = this.#remainingMs;
    callbacks.open(
      run.map((index) => this.#opened.steps[index]!),
      // What stands on the disk has to call back even after a hold.
      Math.ceil((Date.now() + remainingMs) / 1000) + this.#opened.holdForSeconds + TOKEN_GRACE_SECONDS,
    );
    this.#stretches += 1;
    progress.schedule(run);
    const deadline = new CancellationScope();
    const timer = deadline
      .run(() => sleep(Math.max(1, remainingMs), { summary: 'Deadline' }))
      .then(
        () => stopping.stop(this.#tooLate()),
        () => undefined,
      );
    try {
      return await stopping.scope(() => this.#steps(run));
    } catch (error) {
      if (stopping.why && isCancelled(error)) return { kind: 'stopped', why: stopping.why };
      throw error;
    } finally {
      callbacks.close();
      deadline.cancel();
      await timer;
    }
  }

  async #steps(run: readonly number[]): Promise<Stretch> {
    const { stopping } = this.#parts;
    for (const at of run) {
      // An attempt that was told to stop may still have come to its end.
      if (stopping.why) return { kind: 'stopped', why: stopping.why };
      const failed = await this.#step(at);
      if (failed && stopping.why) return { kind: 'stopped', why: stopping.why };
      if (failed) return { kind: 'failed', at, failure: failed };
    }
    return { kind: 'done' };
  }

  /** Runs one step; returns what it failed with. */
  async #step(at: number): Promise<Failure | undefined> {
    const { progress, standing, show } = this.#parts;
    const step = this.#opened.steps[at]!;
    await this.#enter(step);
    progress.begin(at, step.awaits ? 'waiting' : 'running');
    standing.begins(step);
    show();

    if (step.awaits && !(await this.#heard(step.awaits, step.bounds.total))) {
      const message = `${step.title}: nothing was heard for ${step.bounds.total} s.`;
      return this.#failed(at, failure(step.silence, message));
    }
    progress.begin(at, 'running');
    show();
    for (;;) {
      try {
        const output = await runStep(this.#opened.driver, step, this.#stepInput(step.id));
        standing.ends(step, output);
        progress.done(at, output);
        show();
        return undefined;
      } catch (error) {
        if (isCancelled(error) || !isReported(error)) throw error;
        const known = failureOf(error);
        if (known) return this.#failed(at, ownedBy(known, step));
        // No attempt said anything: no worker was there. Only the operation's deadline bounds this.
        progress.note(`${step.title}: no worker of the site answers`);
        show();
        const { site } = this.#parts.input;
        await siteActivities(site).awaitWorker({ site });
      }
    }
  }

  async #enter({ phase, id }: Step): Promise<void> {
    const { standing, node, input } = this.#parts;
    if (phase === null || phase === standing.phase) return;
    standing.phase = phase;
    await node.tell({ type: 'progress', requestId: input.requestId, phase, step: id });
  }

  #heard(who: 'agent' | 'first-boot', seconds: number): Promise<boolean> {
    const { callbacks } = this.#parts;
    const heard = () => (who === 'agent' ? callbacks.agent : callbacks.firstBoot) !== null;
    const what = who === 'agent' ? 'the deploy agent' : "the guest's first boot";
    return condition(heard, seconds * 1000, { summary: `Waits for ${what}` });
  }

  #failed(at: number, f: Failure): Failure {
    this.#parts.progress.failed(at, f);
    this.#parts.show();
    return f;
  }

  /**
   * A step that the deadline stopped has failed. What a stopped step began and cannot take back is said, and
   * the node is looked at: it is not what it was, nor what it will be.
   */
  async #cutOff(why: Failure): Promise<Failure> {
    const { progress } = this.#parts;
    const at = progress.at();
    const overdue = why.code === 'DEADLINE_EXCEEDED';
    const goesOn = this.#opened.steps[at]?.goesOn;
    if (at < 0 || !(overdue || goesOn !== undefined)) return why;
    const said =
      goesOn === undefined ? why : { ...why, message: `${why.message.replace(/[^.!?]$/, '$&.')} ${goesOn}` };
    if (overdue) this.#failed(at, said);
    return this.#keepFailingState(at, said);
  }

  /** Keeps the state as evidence. Returns the failure, with what the console of a silent machine showed last. */
  async #keepFailingState(at: number, f: Failure): Promise<Failure> {
    const { progress, standing } = this.#parts;
    try {
      const { driver, steps } = this.#opened;
      const step = steps[at]!;
      const { evidence, data, hint, console } = await capture(driver, this.#stepInput(step.id));
      progress.keep(at, evidence);
      standing.found(data);
      if (hint !== undefined) progress.note(hint);
      if (console === undefined) return f;
      if ('unread' in console) progress.note(console.unread);
      else if (step.awaits && console.last.length > 0) {
        return this.#failed(at, { ...f, message: `${f.message}${consoleEnds(console.last)}` });
      }
    } catch (error) {
      if (!isReported(error)) throw error;
      progress.note(`The state at ${f.code} could not be kept: ${failureOf(error)?.message ?? 'no answer'}`);
    }
    return f;
  }

  /** What is true now: observed facts are asked of the world, the others are remembered. */
  async #holds(): Promise<(fact: string) => boolean> {
    const { standing, progress, stopping } = this.#parts;
    const { driver, observed } = this.#opened;
    let seen: { [fact: string]: boolean } = {};
    const asks = () => checkFacts(driver, { ...this.#stepInput('facts'), ask: observed });
    try {
      seen = await (patched('stop-facts') ? stopping.scope(asks) : asks());
    } catch (error) {
      // No step follows once it was stopped.
      if (stopping.why && isCancelled(error)) return () => false;
      if (!isReported(error)) throw error;
      progress.note('What still holds could not be asked: nothing that can be asked is taken for granted.');
    }
    return (fact) => (observed.includes(fact) ? seen[fact] === true : standing.remembers(fact));
  }

  #stepInput(step: string): StepInput {
    const { callbacks, input, standing } = this.#parts;
    const { window, agent, firstBoot } = callbacks;
    const { args, snapshot } = input;
    const at = { ref: this.#opened.ref, step, stretch: Math.max(1, this.#stretches) };
    return { ...at, args, snapshot, data: standing.data, window, agent, firstBoot };
  }

  #tooLate(): Failure {
    const step = this.#parts.progress.current();
    const where = step ? ` at step ${step.id} (${step.title})` : '';
    const faultDomain = step?.faultDomain ?? 'orchestrator';
    return failure('DEADLINE_EXCEEDED', `The deadline passed${where}.`, { faultDomain });
  }
}

/** A failure of ours that names no culprit of its own takes the step's. */
const ownedBy = (f: Failure, step: { readonly owner: string }): Failure => ({
  ...f,
  details: { ...f.details, owner: step.owner },
});
