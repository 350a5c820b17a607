import type { EffectiveNode } from '../../../contracts/inventory/effective.ts';
import { fail } from '../../../core/errors/failure.ts';
import { readPower } from '../../../core/redfish/power.ts';
import { readHealth } from '../../../core/redfish/readers.ts';
import type { Reading } from '../../../core/watch.ts';
import { digest, endpointKey, endpointOrigin, type BmcEndpoint } from '../../redfish/endpoint.ts';
import { findSystem } from '../../redfish/service.ts';
import { openBmc, withBmc, type Bmc } from '../../redfish/transport.ts';
import type { LookContext, Watcher } from '../driver.ts';
import { endpointOf } from './bmc.ts';

/** A BMC that does not answer a plain read in this time is asked again with the next look. */
const READ_MS = 10_000;
/** A look, with the login and the search that the first one needs. */
const LOOK_MS = 15_000;

/** A BMC that is kept open. */
interface Kept {
  readonly key: string;
  /** Keeps the session, and so costs one login for as long as the node is watched, not one a look. */
  readonly bmc: Bmc;
  /** The node's system, once it was found. */
  system: string | undefined;
}

/** Reads the system of one node a look: one request, in the session that operations of this process use, too. */
export class RedfishWatcher implements Watcher {
  readonly batch = 1;
  readonly #kept = new Map<string, Kept>();

  async look(
    [node]: readonly EffectiveNode[],
    { secret, signal }: LookContext,
  ): Promise<ReadonlyMap<string, Reading>> {
    const endpoint = await endpointOf({ node: node!, secret });
    const kept = this.#keep(node!, endpoint);
    try {
      return new Map([[node!.name, await inTime(signal, (ends) => readNode(endpoint, kept, ends))]]);
    } catch (error) {
      // It may have moved; and a session of a BMC that does not answer is not worth keeping.
      this.release(node!.name);
      throw error;
    }
  }

  release(node: string): void {
    this.#kept.get(node)?.bmc.close();
    this.#kept.delete(node);
  }

  #keep({ name, bmc: contract }: EffectiveNode, endpoint: BmcEndpoint): Kept {
    const key = digest(endpointKey(endpointOrigin(endpoint), endpoint), contract?.system ?? '');
    const known = this.#kept.get(name);
    if (known?.key === key) return known;
    this.release(name);
    const kept: Kept = { key, bmc: openBmc(endpoint), system: contract?.system };
    this.#kept.set(name, kept);
    return kept;
  }
}

const readNode = (endpoint: BmcEndpoint, kept: Kept, signal: AbortSignal): Promise<Reading> =>
  withBmc(
    endpoint,
    async (bmc) => {
      kept.system ??= (await findSystem(bmc)).uri;
      const { body } = await bmc.get(kept.system, { requestMs: READ_MS });
      const power = readPower(body);
      const health = readHealth(body);
      return {
        ...(power === 'on' || power === 'off' ? { power } : {}),
        ...(health === null ? {} : { health }),
      };
    },
    { signal },
  );

/** Ends a look when its time is over. Not `AbortSignal.any`, which remembers each look for as long as the watch lives. */
async function inTime<T>(watch: AbortSignal, look: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const overdue = fail('BMC_CONNECTION_LOST', `The BMC did not answer within ${LOOK_MS / 1000} s.`);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(overdue), LOOK_MS);
  const stop = (): void => controller.abort(watch.reason);
  watch.addEventListener('abort', stop, { once: true });
  if (watch.aborted) stop();
  try {
    return await look(controller.signal);
  } finally {
    clearTimeout(timer);
    watch.removeEventListener('abort', stop);
  }
}
