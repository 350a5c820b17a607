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
  type HostInterface,
} from '../../../core/redfish/accounts.ts';
import { shownList } from '../../../core/redfish/comparison.ts';
import { linkOf } from '../../../core/redfish/read.ts';
import {
  collectionLinks,
  collectionMembers,
  managersOf,
  tryResource,
  type SystemFound,
} from '../../redfish/service.ts';
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
    const seen: BmcAccess = {
      ...(await accountsOf(bmc, system)),
      hostInterfaces: await hostInterfacesOf(bmc, system),
    };
    const { differences, untold } = accessDifferences(seen, expected);
    const { accounts, hostInterfaces } = seen;
    const evidence = await context.evidence('bmc-accounts', {
      asked: 'accounts and host interfaces of the BMC',
      of: bmc.origin,
      answer: { accounts, unread: seen.unread, hostInterfaces, differences } as unknown as Json,
    });
    if (differences.length > 0) {
      throw fail('BMC_MISMATCH', `The BMC is not as the contract says: ${shownList(differences)}.`, {
        details: { differences: differences.slice(0, 64) },
      });
    }
    return {
      summary: sentence(
        accounts === null ? 'the BMC does not show its accounts' : `${accounts.length} accounts`,
        expected.accounts === undefined ? undeclared(seen, expected) : 'none beside those of the contract',
        expected.hostInterface === undefined ? openInterfaces(seen) : undefined,
        untold.length === 0 ? undefined : `not told by the BMC: ${untold.join(', ')}`,
      ),
      evidence: [evidence],
    };
  });

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

async function accountsOf(bmc: Bmc, system: SystemFound): Promise<Pick<BmcAccess, 'accounts' | 'unread'>> {
  const uri = linkOf(system.root['AccountService']);
  const service = uri === null ? null : await tryResource(bmc, uri);
  const collection = service === null ? null : linkOf(service.body['Accounts']);
  if (collection === null || (await tryResource(bmc, collection)) === null)
    return { accounts: null, unread: 0 };
  const listed = await collectionLinks(bmc, collection, MAX_ACCOUNTS);
  const members = await collectionMembers(bmc, collection, MAX_ACCOUNTS);
  return {
    accounts: members.flatMap(({ body }) => readAccount(body) ?? []),
    unread: Math.max(0, listed.length - members.length),
  };
}

async function hostInterfacesOf(bmc: Bmc, system: SystemFound): Promise<HostInterface[] | null> {
  let found: HostInterface[] | null = null;
  for (const uri of (await managersOf(bmc, system)).slice(0, 4)) {
    const manager = await tryResource(bmc, uri);
    const collection = manager === null ? null : linkOf(manager.body['HostInterfaces']);
    if (collection === null) continue;
    const members = await collectionMembers(bmc, collection, 8);
    found = [...(found ?? []), ...members.map((each) => readHostInterface(each.uri, each.body))];
  }
  return found;
}
