import { asBoolean, asText, at, linkOf } from '../../../core/redfish/read.ts';
import { collectionMembers, managersOf, tryResource, type SystemFound } from '../../redfish/service.ts';
import type { Bmc } from '../../redfish/transport.ts';
import { isSecretRef } from '../../../contracts/inventory/primitives.ts';
import type { Json } from '../../../core/json.ts';
import type { StepFunction } from '../driver.ts';
import { onSystem, sentence } from './bmc.ts';

interface Account {
  readonly name: string;
  readonly role: string | null;
  readonly enabled: boolean | null;
}

/**
 * Reads the accounts of the BMC and its host interfaces, where a tenant could have left a way in. The
 * contract names one account, its own; others are told to the operator, with evidence.
 */
export const compareBmc: StepFunction = (context) =>
  onSystem(context, async (bmc, system) => {
    const { credentials } = context.node.bmc!;
    const { username } = credentials!;
    const own = isSecretRef(username) ? await context.secret(username) : username;
    const accounts = await accountsOf(bmc, system);
    const hostInterfaces = await hostInterfacesOf(bmc, system);
    const evidence = await context.evidence('bmc-accounts', {
      asked: 'accounts and host interfaces of the BMC',
      of: bmc.origin,
      answer: { accounts: accounts as unknown as Json, hostInterfaces },
    });
    const others = accounts?.filter((account) => account.enabled !== false && account.name !== own) ?? [];
    const open = hostInterfaces.filter((each) => each.enabled === true);
    return {
      summary: sentence(
        accounts === null ? 'the BMC does not show its accounts' : `${accounts.length} accounts`,
        others.length === 0
          ? undefined
          : `enabled beside the contract's: ${others
              .slice(0, 16)
              .map(({ name, role }) => `${name.slice(0, 40)}${role === null ? '' : ` (${role})`}`)
              .join(', ')}`,
        open.length === 0 ? undefined : `${open.length} host interfaces are enabled`,
      ),
      evidence: [evidence],
    };
  });

async function accountsOf(bmc: Bmc, system: SystemFound): Promise<Account[] | null> {
  const uri = linkOf(system.root['AccountService']);
  const service = uri === null ? null : await tryResource(bmc, uri);
  const collection = service === null ? null : linkOf(service.body['Accounts']);
  if (collection === null) return null;
  const members = await collectionMembers(bmc, collection, 64);
  return members.flatMap(({ body }) => {
    const name = asText(body['UserName']);
    return name === null ? [] : [{ name, role: asText(body['RoleId']), enabled: asBoolean(body['Enabled']) }];
  });
}

async function hostInterfacesOf(
  bmc: Bmc,
  system: SystemFound,
): Promise<{ uri: string; type: string | null; enabled: boolean | null }[]> {
  const found: { uri: string; type: string | null; enabled: boolean | null }[] = [];
  for (const uri of (await managersOf(bmc, system)).slice(0, 4)) {
    const manager = await tryResource(bmc, uri);
    const collection = manager === null ? null : linkOf(at(manager.body, 'HostInterfaces'));
    if (collection === null) continue;
    for (const each of await collectionMembers(bmc, collection, 8)) {
      found.push({
        uri: each.uri,
        type: asText(each.body['HostInterfaceType']),
        enabled: asBoolean(each.body['InterfaceEnabled']),
      });
    }
  }
  return found;
}
