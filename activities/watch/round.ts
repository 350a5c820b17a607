import { WorkflowNotFoundError } from '@temporalio/client';
import { effectiveNodes, type EffectiveNode } from '../../contracts/inventory/effective.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { RackwrightError } from '../../core/errors/failure.ts';
import { nodeWorkflowId } from '../../core/names.ts';
import type { NodeRecord } from '../../core/node.ts';
import type { Observed } from '../../core/observed.ts';
import { isWatched, news, NO_MEMORY, type Look, type Memory } from '../../core/watch.ts';
import type { Driver, LookContext, Watcher } from '../drivers/driver.ts';
import { redact } from '../secrets/redact.ts';
import type { Site } from '../site.ts';
import { paced, type Pace } from './pace.ts';

/** Nodes that one look asks for, and what looks. */
interface Batch {
  readonly watcher: Watcher;
  readonly nodes: readonly EffectiveNode[];
}

/** What is watched from round to round: the drivers' watchers, and what is remembered of each node. */
export class Rounds {
  readonly #site: Site;
  readonly #watchers: ReadonlyMap<string, Watcher>;
  readonly #memory = new Map<string, Memory>();

  constructor(site: Site, drivers: readonly Driver[]) {
    this.#site = site;
    this.#watchers = new Map(drivers.flatMap(({ name, watcher }) => (watcher ? [[name, watcher()]] : [])));
  }

  /** Looks once at every node of the contract that wants it. Answers how many it looked at. */
  async run(inventory: Inventory, pace: Pace): Promise<number> {
    const batches = this.#batches(inventory);
    const wanted = new Set(batches.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
    for (const name of this.#memory.keys()) if (!wanted.has(name)) this.#forget(name);
    let looks = 0;
    // A password that many nodes share is resolved once in a round.
    const secrets = new Map<string, Promise<string>>();
    const secret = (reference: string): Promise<string> => {
      const known = secrets.get(reference) ?? this.#site.secret(reference);
      secrets.set(reference, known);
      return known;
    };
    await paced(batches, pace, async (batch) => {
      looks += await this.#look(batch, { site: this.#site.name, inventory, secret, signal: pace.signal });
    });
    return looks;
  }

  /** Gives back everything that is kept open. */
  close(): void {
    for (const name of this.#memory.keys()) this.#forget(name);
  }

  #batches(inventory: Inventory): Batch[] {
    const batches: Batch[] = [];
    const watched = effectiveNodes(inventory).filter(({ bmc }) => !bmc?.unwatched);
    for (const [driver, watcher] of this.#watchers) {
      const nodes = watched.filter((node) => node.driver === driver);
      for (let at = 0; at < nodes.length; at += watcher.batch) {
        batches.push({ watcher, nodes: nodes.slice(at, at + watcher.batch) });
      }
    }
    return batches;
  }

  /** Reads the records, looks, and tells what is news. Never throws: what fails is seen again next time. */
  async #look({ watcher, nodes }: Batch, context: LookContext): Promise<number> {
    try {
      const records = new Map<string, NodeRecord>();
      for (const { name } of nodes) {
        const record = await this.#site.records.read(this.#site.name, name);
        if (isWatched(record)) records.set(name, record);
        else this.#forget(name);
      }
      const watched = nodes.filter(({ name }) => records.has(name));
      if (watched.length === 0) return 0;
      const looks = await this.#ask(watcher, watched, context);
      if (context.signal.aborted) return 0;
      for (const { name } of watched) await this.#tell(records.get(name)!, looks(name));
      return watched.length;
    } catch (error) {
      const why = redact(error instanceof Error ? error.message : String(error), this.#site.secrets);
      this.#site.log.warn({ nodes: nodes.length, first: nodes[0]?.name, why }, 'a look at nodes failed');
      return 0;
    }
  }

  async #ask(
    watcher: Watcher,
    nodes: readonly EffectiveNode[],
    context: LookContext,
  ): Promise<(node: string) => Look> {
    try {
      const found = await watcher.look(nodes, context);
      return (node) => found.get(node) ?? 'UNEXPECTED';
    } catch (error) {
      const known = error instanceof RackwrightError;
      if (!known && !context.signal.aborted) {
        this.#site.log.error({ err: error }, 'an error that the catalogue does not know');
      }
      return () => (known ? error.failure.code : 'UNEXPECTED');
    }
  }

  async #tell(record: NodeRecord, look: Look): Promise<void> {
    const { site, node } = record;
    const { tell, memory } = news(
      record,
      look,
      new Date().toISOString(),
      this.#memory.get(node) ?? NO_MEMORY,
    );
    const told = tell === null || (await this.#signal(nodeWorkflowId(site, node), tell));
    this.#memory.set(node, told ? memory : { ...memory, told: null });
  }

  /** Whether the node will hear it. One without an entity reads its record when it begins again, and is told then. */
  async #signal(workflowId: string, seen: Observed): Promise<boolean> {
    try {
      await this.#site.client.workflow.getHandle(workflowId).signal<[Observed]>('observed', seen);
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  #forget(node: string): void {
    this.#memory.delete(node);
    for (const watcher of this.#watchers.values()) watcher.release(node);
  }
}
