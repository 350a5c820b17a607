import { allHandlersFinished, CancelledFailure, condition, workflowInfo } from '@temporalio/workflow';
import { failure } from '../core/errors/failure.ts';
import type { NodeRecord } from '../core/node.ts';
import { cleaningUp, notStarted } from '../core/transitions.ts';
import { siteActivities } from './activities.ts';
import type { NodeEntity } from './node-entity.ts';
import type { NodeMemory, NodeStanding } from './node-standing.ts';
import { OperationWatch } from './operation-watch.ts';
import type { Start } from './outbox.ts';

/** What an operation left behind is looked at again after this time. */
const RESIDUE_RETRY_MS = 15 * 60_000;
/** A node that the contract does not name is looked up again after this time. */
const UNKNOWN_RETRY_MS = 60_000;

/** What a node does, one thing after the other: reads and writes its record, starts operations, sends. */
export class NodeLoop {
  readonly #standing: NodeStanding;
  readonly #entity: NodeEntity;
  readonly #unheard: () => boolean;
  readonly #watch: OperationWatch;
  #ending = false;
  #residueDue: number | null = null;

  /** @param unheard whether signals wait that were received and not heard */
  constructor(standing: NodeStanding, entity: NodeEntity, unheard: () => boolean) {
    this.#standing = standing;
    this.#entity = entity;
    this.#unheard = unheard;
    const { site, node } = standing.record;
    this.#watch = new OperationWatch(site, node, (requestId, seen) => entity.onWatched(requestId, seen));
  }

  /** The workflow was cancelled: the entity ends as soon as no operation needs it. */
  end(): void {
    this.#ending = true;
  }

  /** Lives until the history is long enough; returns what the next run needs. */
  async run(): Promise<NodeMemory> {
    const standing = this.#standing;
    if (!standing.ready) await this.#load();
    for (;;) {
      // Before it saves: under a steady flow of messages there is always something to save.
      const memory = this.#mayContinueAsNew() ? standing.memory() : undefined;
      if (memory) {
        // The second witness begins anew in the next run.
        this.#watch.follow(undefined);
        return memory;
      }
      standing.publish();
      if (standing.dirty) {
        await this.#save();
        continue;
      }
      const { starting } = standing.outbox;
      if (starting) {
        await this.#start(starting);
        continue;
      }
      this.#watch.follow(standing.record.operation?.requestId);
      if (await standing.outbox.sendMore()) continue;
      if (this.#mayEnd()) throw new CancelledFailure('The entity was cancelled.');
      await this.#pause();
    }
  }

  async #load(): Promise<void> {
    const standing = this.#standing;
    const { record } = await this.#readContract();
    const { supports, retired } = standing.record;
    if (record) standing.record = { ...record, supports, retired };
    if (standing.record.operation) standing.outbox.ask(standing.record.operation.requestId);
    standing.ready = true;
    standing.show();
    this.#entity.hearEarly();
  }

  async #readContract(): Promise<{ record: NodeRecord | null }> {
    const standing = this.#standing;
    const { site, node } = standing.record;
    const { record, supports, retired, known } = await siteActivities(site).loadNode({ site, node });
    standing.record = { ...standing.record, supports, retired };
    if (!known && !standing.hasRefused('NODE_UNKNOWN')) {
      standing.refuse('node', failure('NODE_UNKNOWN', `The contract of ${site} has no node ${node}.`));
    }
    return { record };
  }

  /** Writes the record; if someone wrote another one, that one is adopted. */
  async #save(): Promise<void> {
    const standing = this.#standing;
    standing.dirty = false;
    const record = { ...standing.record, generation: standing.record.generation + 1 };
    standing.record = record;
    standing.show();
    const flags = standing.newFlags;
    standing.newFlags = {};
    const saved = await siteActivities(record.site).saveNode({ record });
    if (saved.written) return;
    standing.newFlags = { ...flags, ...standing.newFlags };
    const { stored } = saved;
    if (stored === null || stored.generation < record.generation - 1) {
      // The store has lost what was written: what the entity knows is newer.
      standing.change({ ...standing.record, generation: stored?.generation ?? 0 });
      return;
    }
    this.#adopt(stored, record);
  }

  #adopt(stored: NodeRecord, { node, generation }: NodeRecord): void {
    const standing = this.#standing;
    const { outbox, newFlags } = standing;
    const message = `The record of ${node} is past generation ${generation}: the stored one is adopted.`;
    const conflict = failure('GENERATION_CONFLICT', message);
    const dropped = outbox.dropStart();
    standing.change({ ...stored, flags: { ...stored.flags, ...newFlags } });
    standing.dirty = Object.keys(newFlags).length > 0;
    if (stored.operation) outbox.ask(stored.operation.requestId);
    if (dropped) {
      const { kind, requestId } = dropped.input;
      standing.answer(kind, requestId, conflict, dropped.fingerprint);
    }
    standing.refuse('record', conflict);
  }

  /** Starts an operation whose record is written. */
  async #start(start: Start): Promise<void> {
    const { input, fingerprint, before } = start;
    const standing = this.#standing;
    if (!(await standing.outbox.send(start))) {
      // The requestId was used long ago, and is forgotten here: its operation answers.
      const { site, node, requestId } = input;
      const found = await siteActivities(site).findOperation({ site, node, requestId });
      const same = found.fingerprint === fingerprint;
      const current = standing.record.operation?.requestId === requestId;
      if (current && !(same && found.status === 'running')) {
        standing.change(notStarted(standing.record, before));
      }
      if (!same) standing.refuseLate(input);
    }
    standing.outbox.dropStart();
  }

  /** Waits until there is something to do; looks again by itself at what was left behind or unknown. */
  async #pause(): Promise<void> {
    const standing = this.#standing;
    const { residue, operation, supports } = standing.record;
    const left = residue.length > 0 && operation === null;
    this.#residueDue = left ? (this.#residueDue ?? Date.now() + RESIDUE_RETRY_MS) : null;
    const woken = () =>
      standing.dirty || standing.outbox.waiting() || this.#mayContinueAsNew() || this.#mayEnd();
    if (this.#residueDue !== null) {
      const rest = Math.max(1, this.#residueDue - Date.now());
      if (await condition(woken, rest, { summary: `Look again at ${residue.join(', ')}` })) return;
      this.#residueDue = null;
      const before = standing.record;
      if (before.operation !== null || before.residue.length === 0) return;
      const last = before.recent.findLast(({ kind }) => kind !== 'cleanup')?.kind ?? 'decommission';
      standing.cleanUp(cleaningUp(before, last, standing.cleanupId()), before, false);
    } else if (supports.length === 0) {
      const look = { summary: 'Look for the node in the contract again' };
      if (!(await condition(woken, UNKNOWN_RETRY_MS, look))) await this.#readContract();
    } else {
      await condition(woken);
    }
  }

  #mayContinueAsNew(): boolean {
    if (!workflowInfo().continueAsNewSuggested || this.#unheard()) return false;
    return this.#standing.outbox.unsent() !== undefined && allHandlersFinished();
  }

  #mayEnd(): boolean {
    const { record, dirty, outbox } = this.#standing;
    const idle = record.operation === null && !dirty && !outbox.waiting() && !this.#unheard();
    return this.#ending && idle && allHandlersFinished();
  }
}
