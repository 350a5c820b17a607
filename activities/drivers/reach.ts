import type { GuestReport } from '../../core/agent/guest-report.ts';
import { addressesToTry, keptAtPlace, reachOf, shownEndpoint } from '../../core/agent/reach.ts';
import { fail } from '../../core/errors/failure.ts';
import { guestPorts } from '../../core/guest-network.ts';
import type { EvidenceRef } from '../../core/operations.ts';
import type { StepContext } from './driver.ts';
import { placeOf } from './knock.ts';

const AGAIN_MS = 5_000;

/** How trying a guest went, in words, and what was kept of it. */
export interface Tried {
  readonly summary: string;
  readonly evidence: readonly EvidenceRef[];
}

/**
 * Tries the guest from where its machine type wants that, this worker or a vantage point: a connection to each
 * port, on any of its addresses. Where one is not reached, it is tried again until the step's bound; whether
 * something refuses, or nothing answers, decides whose failure it is. Throws HAND_OVER_INCOMPLETE; where it could
 * not be tried, what was wrong with where it was tried from, which says nothing of the guest: VANTAGE_UNUSABLE.
 */
export async function tryGuest(context: StepContext, guest: Pick<GuestReport, 'addresses'>): Promise<Tried> {
  const { node, inventory } = context;
  const { handOver } = node.machineType;
  if (handOver === undefined) return { summary: 'it was not tried from where its user is', evidence: [] };
  const place = placeOf(handOver.from, context);
  const addressesBeside = (own: readonly string[]): string[] =>
    addressesToTry(guest, guestPorts(node.ports, inventory.networks), own);
  const none = fail(
    'HAND_OVER_INCOMPLETE',
    `The guest has no address that it could be tried at from ${place.label}: the contract gives it none, and it tells none in the networks of its ports.`,
  );
  const endpoints = handOver.ports.flatMap((port) =>
    addressesBeside([]).map((address) => ({ address, port })),
  );
  if (endpoints.length === 0) throw none;
  const { own, knocks } = await place.knock(endpoints);
  context.signal.throwIfAborted();
  const theirs = addressesBeside(own);
  if (theirs.length === 0) throw none;
  const { reached, missed } = reachOf(knocks.filter(({ address }) => theirs.includes(address)));
  if (missed.length === 0) {
    const evidence = await context.evidence('reached', {
      asked: `connections to ${handOver.ports.map((port) => `port ${port}`).join(', ')}, from ${place.label}`,
      of: node.name,
      answer: { from: handOver.from, tried: knocks.map((each) => ({ ...each })) },
    });
    return {
      summary: `reached on ${reached.map(shownEndpoint).join(', ')} from ${place.label}`,
      evidence: [evidence],
    };
  }
  const details = { from: handOver.from, tried: missed.map(shownEndpoint) };
  const tried = missed.map((each) => `${shownEndpoint(each)} ${each.outcome}`).join(', ');
  const kept = keptAtPlace(missed);
  if (kept !== undefined) {
    const over = { ...place.unusable, retryable: true, details };
    const said = `No guest can be tried from ${place.label}: ${kept} (${tried}).`;
    throw fail('VANTAGE_UNUSABLE', said, over, { retryAfterMs: AGAIN_MS });
  }
  const refused = missed.some(({ outcome }) => outcome === 'refused');
  throw fail(
    'HAND_OVER_INCOMPLETE',
    `The guest is not reached from ${place.label}: ${tried}.`,
    { retryable: true, faultDomain: refused ? 'first-boot' : 'tenant-network', details },
    { retryAfterMs: AGAIN_MS },
  );
}
