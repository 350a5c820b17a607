import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { GuestReport } from '../../core/agent/guest-report.ts';
import { addressesToTry, reachOf, shownEndpoint, type Knock } from '../../core/agent/reach.ts';
import { fail } from '../../core/errors/failure.ts';
import { guestPorts } from '../../core/guest-network.ts';
import type { StepContext } from './driver.ts';

const CONNECT_MS = 5_000;
const AGAIN_MS = 5_000;

/**
 * Tries the guest from this worker, if its machine type wants that: a connection to each port, on any of its
 * addresses. Where one is not reached, it is tried again until the step's bound; whether something refuses, or
 * nothing answers, decides whose failure it is. Throws HAND_OVER_INCOMPLETE.
 *
 * @returns how it went, in words
 */
export async function tryGuest(
  { node, inventory, signal }: StepContext,
  guest: Pick<GuestReport, 'addresses'>,
): Promise<string> {
  const { handOver } = node.machineType;
  if (handOver === undefined) return 'it was not tried from where its user is';
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
  const addresses = addressesToTry(guest, guestPorts(node.ports, inventory.networks), own);
  if (addresses.length === 0) {
    throw fail(
      'HAND_OVER_INCOMPLETE',
      'The guest has no address that it could be tried at from the worker: the contract gives it none, and it tells none in the networks of its ports.',
    );
  }
  const knocks = await Promise.all(
    handOver.ports.flatMap((port) => addresses.map((address) => knock(address, port, signal))),
  );
  const { reached, missed } = reachOf(knocks);
  if (missed.length === 0) return `reached on ${reached.map(shownEndpoint).join(', ')} from the worker`;
  const refused = missed.some(({ outcome }) => outcome === 'refused');
  throw fail(
    'HAND_OVER_INCOMPLETE',
    `The guest is not reached from the worker: ${missed.map((each) => `${shownEndpoint(each)} ${each.outcome}`).join(', ')}.`,
    {
      retryable: true,
      faultDomain: refused ? 'first-boot' : 'tenant-network',
      details: { from: 'worker', tried: missed.map(shownEndpoint) },
    },
    { retryAfterMs: AGAIN_MS },
  );
}

/** One connection, closed as soon as it is there: nothing is sent. */
function knock(address: string, port: number, signal: AbortSignal): Promise<Knock> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const end = (outcome: string): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve({ address, port, outcome });
    };
    const stop = (): void => end('stopped');
    const timer = setTimeout(() => end('silent'), CONNECT_MS);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => end('open'));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ECONNREFUSED' ? 'refused' : (error.code ?? 'failed')),
    );
  });
}
