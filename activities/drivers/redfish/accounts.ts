import { isSecretRef } from '../../../contracts/inventory/primitives.ts';
import { fail } from '../../../core/errors/failure.ts';
import type { Json } from '../../../core/json.ts';
import {
  accessDifferences,
  othersOf,
  readAccount,
  readHostInterface,
  shownAccount,
  type BmcAccess,
  type ExpectedAccess,
  type Forbidden,
  type HostInterface,
} from '../../../core/redfish/accounts.ts';
import { shownList } from '../../../core/redfish/comparison.ts';
import { linkOf } from '../../../core/redfish/read.ts';
import { managersOf, type SystemFound } from '../../redfish/service.ts';
import { membersTold, readTold } from '../../redfish/told.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepContext, StepFunction } from '../driver.ts';
import { onSystem, sentence } from './bmc.ts';

const MAX_ACCOUNTS = 256;

/**
 * Compares the accounts of the BMC and its host interfaces, where a tenant could have left a way in, with
 * the contract. What the contract does not speak of is told to the operator, with evidence.
 */
export const compareBmc: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const expected = await expectedOf(context);
    const seen = await accessOf(bmc, system);
    const { differences, untold, forbidden } = accessDifferences(seen, expected);
    const { accounts, hostInterfaces } = seen;
    const evidence = await context.evidence('bmc-accounts', {
      asked: 'accounts and host interfaces of the BMC',
      of: bmc.origin,
      answer: {
        accounts,
        unread: seen.unread,
        hostInterfaces,
        forbidden: seen.forbidden,
        differences,
      } as unknown as Json,
    });
    if (differences.length > 0) {
      throw fail('BMC_MISMATCH', `The BMC is not as the contract says: ${shownList(differences)}.`, {
        details: { differences: differences.slice(0, 64) },
      });
    }
    if (forbidden.length > 0) throw notPermitted(forbidden);
    return {
      summary: sentence(
        accounts === null ? 'the BMC does not show its accounts' : `${accounts.length} accounts`,
        expected.accounts === undefined ? undeclared(seen, expected) : 'none beside those of the contract',
        expected.hostInterface === undefined ? openInterfaces(seen) : undefined,
        untold.length === 0 ? undefined : `not told by the BMC: ${untold.join(', ')}`,
        seen.forbidden.length === 0 ? undefined : `not permitted to read: ${seen.forbidden.join(', ')}`,
      ),
      evidence: [evidence],
    };
  });

async function accessOf(bmc: Bmc, system: SystemFound): Promise<BmcAccess> {
  const accounts = await accountsOf(bmc, system);
  const faces = await hostInterfacesOf(bmc, system);
  const forbidden: Forbidden[] = [];
  if (accounts === 'forbidden') forbidden.push('accounts');
  if (faces === 'forbidden') forbidden.push('host interface');
  return {
    ...(accounts === 'forbidden' ? { accounts: null, unread: 0 } : accounts),
    hostInterfaces: faces === 'forbidden' ? null : faces,
    forbidden,
  };
}

/** The contract says how it has to be, and nobody can tell whether it is. */
export const notPermitted = (what: readonly string[]): Error =>
  fail(
    'BMC_PRIVILEGE_MISSING',
    `The contract speaks of ${what.join(' and ')}, and the account of the contract may not read that on the BMC.`,
    { details: { forbidden: [...what] } },
  );

async function expectedOf(context: StepContext): Promise<ExpectedAccess> {
  const { accounts, hostInterface, credentials } = context.node.bmc!;
  const { username } = credentials!;
  const own = isSecretRef(username) ? await context.secret(username) : username;
  return { own, accounts, hostInterface };
}

/** What the contract leaves open is for people to judge. */
function undeclared(seen: BmcAccess, { own }: ExpectedAccess): string | undefined {
  const others = othersOf(seen, own);
  return others.length === 0
    ? undefined
    : `enabled beside the contract's: ${shownList(others.map(shownAccount))}; the contract does not say which may be`;
}

function openInterfaces({ hostInterfaces }: BmcAccess): string | undefined {
  const open = (hostInterfaces ?? []).filter(({ enabled }) => enabled === true).length;
  return open === 0 ? undefined : `${open} host interfaces are enabled, and the contract does not say`;
}

async function accountsOf(
  bmc: Bmc,
  system: SystemFound,
): Promise<Pick<BmcAccess, 'accounts' | 'unread'> | 'forbidden'> {
  const none = { accounts: null, unread: 0 };
  const uri = linkOf(system.root['AccountService']);
  const service = uri === null ? null : await readTold(bmc, uri);
  if (service === null || service === 'forbidden') return service ?? none;
  const told = await membersTold(bmc, linkOf(service.body['Accounts']), MAX_ACCOUNTS);
  if (told === null || told === 'forbidden') return told ?? none;
  return {
    accounts: told.members.flatMap(({ body }) => readAccount(body) ?? []),
    unread: told.listed - told.members.length,
  };
}

async function hostInterfacesOf(
  bmc: Bmc,
  system: SystemFound,
): Promise<HostInterface[] | 'forbidden' | null> {
  let found: HostInterface[] | null = null;
  for (const uri of (await managersOf(bmc, system)).slice(0, 4)) {
    const manager = await readTold(bmc, uri);
    if (manager === 'forbidden') return manager;
    const told = await membersTold(bmc, linkOf(manager?.body['HostInterfaces']), 8);
    if (told === 'forbidden') return told;
    if (told === null) continue;
    found = [...(found ?? []), ...told.members.map((each) => readHostInterface(each.uri, each.body))];
  }
  return found;
}
