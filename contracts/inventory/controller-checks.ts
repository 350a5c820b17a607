import type { Finding } from './findings.ts';
import { HOST } from './platform.ts';
import { items, text, tree, type Tree } from './raw.ts';
import { RULES } from './rules.ts';

const withoutSlash = (address: unknown): string | undefined =>
  text(address)?.toLowerCase().replace(/\/+$/, '');

/** The address of a controller is what is logged in to, where its `ssh` names no host of its own. */
const addressFindings = (raw: Tree): Finding[] =>
  items(raw['controllers']).flatMap((item, index): Finding[] => {
    const { address, ssh } = tree(item);
    if (ssh === undefined || tree(ssh)['host'] !== undefined) return [];
    const host = text(address);
    if (host === undefined || host === '' || HOST.test(host)) return [];
    return [{ path: ['controllers', index, 'address'], ...RULES.sshHost }];
  });

export const controllerFindings = (raw: Tree): Finding[] => [...addressFindings(raw), ...bmcFindings(raw)];

/** A controller's own BMC needs somebody who logs in to it, and is nobody else's. */
function bmcFindings(raw: Tree): Finding[] {
  const site = tree(tree(raw['bmc'])['credentials']);
  const taken = new Map<string, string>();
  items(raw['nodes']).forEach((node, index) => {
    const address = withoutSlash(tree(tree(node)['bmc'])['address']);
    if (address !== undefined) taken.set(address, text(tree(node)['name']) ?? `nodes[${index}]`);
  });
  return items(raw['controllers']).flatMap((item, index): Finding[] => {
    const controller = tree(item);
    if (controller['bmc'] === undefined) return [];
    const bmc = tree(controller['bmc']);
    const own = tree(bmc['credentials']);
    const path = ['controllers', index, 'bmc'];
    const findings: Finding[] = [];
    if (!['username', 'password'].every((key) => (own[key] ?? site[key]) !== undefined)) {
      findings.push({ path, ...RULES.credentialsNeeded });
    }
    const address = withoutSlash(bmc['address']);
    const other = address === undefined ? undefined : taken.get(address);
    if (other !== undefined) {
      findings.push({
        path: [...path, 'address'],
        message: `is the BMC of ${other} too`,
        correction: 'Correct the address: each host has a BMC of its own.',
      });
    }
    if (address !== undefined) taken.set(address, text(controller['name']) ?? `controllers[${index}]`);
    return findings;
  });
}
