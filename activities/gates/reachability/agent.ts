import { effectiveNode } from '../../../contracts/inventory/effective.ts';
import { formatDuration } from '../../../core/duration.ts';
import type { Json } from '../../../core/json.ts';
import type { OperationReport } from '../../../core/operations.ts';
import {
  ageOf,
  CALL_BACKS,
  IMAGE_SOURCE,
  seenIn,
  type LastSeen,
  type Shown,
} from '../../../core/reachability/last-seen.ts';
import type { CheckContext, CheckFunction } from '../check.ts';
import { result, wrong } from '../physical/server.ts';
import { nodeOf } from './probe-media.ts';
import { reachabilityOf } from './tries.ts';

const MAX_AGE = 7 * 24 * 3600;

/** What the newest operation of the dedicated node that says anything of it says; undefined where none does. */
async function lastSeen(context: CheckContext, shown: Shown): Promise<LastSeen | undefined> {
  const { site } = context;
  const { name } = nodeOf(context);
  const record = await site.records.read(site.name, name);
  for (const { requestId } of (record?.recent ?? []).toReversed()) {
    const entries = await site.evidence.list(site.name, name, requestId);
    const entry = entries.find(({ ref, step }) => step === 'operation' && ref.name === 'report');
    if (!entry || entry.altered) continue;
    const { answer, truncatedFrom } = await site.evidence.read(entry.ref.id);
    if (truncatedFrom !== undefined) continue;
    const seen = seenIn(answer as unknown as OperationReport, shown);
    if (seen) return seen;
  }
  return undefined;
}

/** An agent cannot be asked while none runs: what the last one has shown is told, with its age. */
const fromAgent = (shown: Shown, what: string, by: string): CheckFunction => ({
  skip(inventory) {
    const name = inventory.acceptance?.node;
    if (name === undefined) return 'no node is dedicated (`acceptance.node`)';
    return effectiveNode(inventory, name).driver === 'ironic'
      ? `Ironic does not say of ${name} what its agent reached; gate 7 shows it`
      : undefined;
  },
  async run(context) {
    const { name } = nodeOf(context);
    const seen = await lastSeen(context, shown);
    if (seen === undefined) {
      return result(
        'skipped',
        `no operation of ${name} has shown it yet; from anywhere but the agent it would not count, and ${by} of gate 7 shows it`,
      );
    }
    const evidence = await context.evidence(name, {
      asked: `the newest operation of ${name} that shows whether its agent reached ${what}`,
      answer: seen as unknown as Json,
    });
    const age = ageOf(seen, Date.now());
    const most = reachabilityOf(context.inventory).agentMaxAge ?? MAX_AGE;
    if (Date.now() - Date.parse(seen.at) > most * 1000) {
      return result(
        'skipped',
        `the last that is known is too old, more than ${formatDuration(most)}: ${age}; ${by} of gate 7 shows it anew`,
        { evidence: [evidence] },
      );
    }
    if (seen.failure === undefined) {
      return result('pass', `the agent reached ${what} ${age}`, { evidence: [evidence] });
    }
    const { message, correction, faultDomain } = seen.failure;
    const found = {
      message: `The agent of ${name} did not reach ${what} ${age}: ${message}`,
      correction: `${correction} Then let an agent show it: ${AGAIN[shown.step]!(name)}`,
    };
    return wrong(name, [found], faultDomain, [evidence]);
  },
});

/** Which operation shows it anew. Acceptance runs look no further than to what was. */
const AGAIN: { readonly [step: string]: (node: string) => string } = {
  'await-agent': (node) => `rackwright node clean ${node}`,
  'write-image': (node) =>
    `rackwright node deploy ${node} --image IMAGE, and rackwright node release ${node}`,
};

export const agentToCallBacks = fromAgent(CALL_BACKS, 'its call-backs', '`agent-called-back`');
export const agentToImageSource = fromAgent(IMAGE_SOURCE, 'the image source', '`image-written`');
