import type { EffectiveNode } from '../../contracts/inventory/effective.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { EvidenceRef, StepInput, StepOutput } from '../../core/operations.ts';
import type { DriverName } from '../../core/plans/index.ts';
import type { Fact, Residue } from '../../core/steps.ts';
import type { Look } from '../../core/watch.ts';
import type { Site } from '../site.ts';

/** What a driver's step gets: who acts, on what, under which contract, and how to reach the site's stores. */
export interface StepContext {
  readonly input: StepInput;
  readonly site: Site;
  /** The stored version of the contract that the operation runs under. */
  readonly inventory: Inventory;
  readonly node: EffectiveNode;
  /** Aborted when the attempt is cancelled, or its time is over. */
  readonly signal: AbortSignal;
  /** Resolves a secret reference of the contract; what it returns is redacted from all evidence. */
  secret(reference: string): Promise<string>;
  /** Keeps a piece of evidence; a repeated attempt replaces its own. */
  evidence(name: string, what: { asked: string; of: string; answer: Json }): Promise<EvidenceRef>;
}

export type StepFunction = (context: StepContext) => Promise<StepOutput>;

/** What is left after an attempt to make a node safe. */
export interface Settled {
  readonly left: readonly Residue[];
  readonly summary: string;
  /** What it found out of the node, such as its power. */
  readonly data?: JsonObject;
}

/** What a look at nodes gets. */
export interface LookContext {
  readonly site: string;
  readonly inventory: Inventory;
  /** Aborted when the watch ends: what a look finds then is not heard. */
  readonly signal: AbortSignal;
  secret(reference: string): Promise<string>;
}

/** Looks at many nodes, again and again, and changes nothing. */
export interface Watcher {
  /** How many nodes one look may ask for. */
  readonly batch: number;
  /** What each of the nodes, by name, reads, or why it cannot be read. What is thrown is so of all of them. */
  look(nodes: readonly EffectiveNode[], context: LookContext): Promise<ReadonlyMap<string, Look>>;
  /** The node is not looked at for now: gives back what is kept open for it. */
  release(node: string): void;
}

/** How a driver carries its plans out. The layer above knows nothing else of it. */
export interface Driver {
  readonly name: DriverName;
  /** A function for each step of its plans, by the step's id. */
  readonly steps: { readonly [stepId: string]: StepFunction };
  /** How each observed fact is asked of the world. */
  readonly facts: { readonly [fact: Fact]: (context: StepContext) => Promise<boolean> };
  /**
   * Removes what the operation may have left: media out, override cleared, power off.
   * Converges once; throws "not yet" while a removal is under way.
   */
  settle(context: StepContext, residue: readonly Residue[]): Promise<Settled>;
  /**
   * The state of the node at the moment of a failure, for evidence; its `power`, `on` or `off`, is what the
   * node is known to be from then on. Never throws for a silent device.
   */
  capture(context: StepContext): Promise<JsonObject>;
  /** Makes what watches its nodes between operations. */
  watcher?(): Watcher;
}
