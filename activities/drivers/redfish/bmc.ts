import { readFile } from 'node:fs/promises';
import type { TlsPolicy as ContractTls } from '../../../contracts/inventory/bmc.ts';
import type { EffectiveNode } from '../../../contracts/inventory/effective.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { Convergence } from '../../../core/redfish/convergence.ts';
import type { BootMode } from '../../../core/redfish/boot.ts';
import type { BmcEndpoint, TlsPolicy } from '../../redfish/endpoint.ts';
import { pendingError } from '../../redfish/power.ts';
import { findSystem, type SystemFound } from '../../redfish/service.ts';
import { withBmc, type Bmc } from '../../redfish/transport.ts';
import { credentialsOf } from '../../secrets/credentials.ts';
import type { StepContext } from '../driver.ts';

/** What a step does once the BMC is reached and the system found. */
export type OnSystem<T> = (bmc: Bmc, system: SystemFound) => Promise<T>;

/** Opens the node's BMC, finds its system, does the work, and gives the BMC back. */
export async function onSystem<T>(
  context: Pick<StepContext, 'node' | 'secret' | 'signal'>,
  work: OnSystem<T>,
): Promise<T> {
  const endpoint = await endpointOf(context);
  return withBmc(endpoint, async (bmc) => work(bmc, await findSystem(bmc, context.node.bmc?.system)), {
    signal: context.signal,
  });
}

/** The node's BMC as the contract describes it, with its secrets resolved. Throws CONTRACT_INVALID. */
export async function endpointOf({
  node,
  secret,
}: Pick<StepContext, 'secret'> & {
  readonly node: Pick<EffectiveNode, 'name' | 'bmc'>;
}): Promise<BmcEndpoint> {
  const { bmc } = node;
  if (bmc?.credentials === undefined) {
    throw fail('CONTRACT_INVALID', `Node ${node.name} has no \`bmc\` with credentials in the inventory.`);
  }
  return {
    address: bmc.address,
    credentials: await credentialsOf(bmc.credentials, secret),
    tls: await tlsOf(bmc.tls),
    auth: bmc.auth,
    timeouts: { connectMs: bmc.timeouts.connect * 1000, requestMs: bmc.timeouts.request * 1000 },
  };
}

async function tlsOf(policy: ContractTls): Promise<TlsPolicy> {
  if (typeof policy === 'string' || 'fingerprint' in policy) return policy;
  const ca = await readFile(policy.ca, 'utf8').catch(() => undefined);
  if (ca !== undefined) return { ca };
  throw fail('CONTRACT_INVALID', `The CA ${policy.ca} in \`bmc.tls\` cannot be read on this worker.`);
}

/** The look has what it wanted, in words; else "not yet". */
export function reached(look: Convergence): string {
  if (look.state === 'reached') return look.what;
  throw pendingError(look);
}

/** The boot mode in the words of Redfish. */
export const bootModeOf = ({ node }: StepContext): BootMode => (node.bootMode === 'bios' ? 'Legacy' : 'UEFI');

/** One sentence from several findings. A name at its beginning (`node-001.iso`) stays as it is. */
export const sentence = (...parts: readonly (string | undefined)[]): string => {
  const text = parts.filter((part) => part !== undefined && part !== '').join('; ');
  return text.replace(/^[a-z](?=[a-z]*(?:[ ,;]|$))/, (first) => first.toUpperCase());
};

/** An operating system is asked to shut down, and forced after this time of the contract. */
export const gracefulMs = ({ node }: StepContext): number => node.bmc!.timeouts.shutdown * 1_000;
