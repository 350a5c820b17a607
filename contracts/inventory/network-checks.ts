import { isHostAddress, parseAddress, parseCidr } from '../../core/addresses.ts';
import type { FieldPath, Finding } from './findings.ts';
import { items, text, tree, type Tree } from './raw.ts';
import { RULES } from './rules.ts';

const rule = (path: FieldPath, words: { message: string; correction: string }): Finding => ({
  path,
  message: words.message,
  correction: words.correction,
});

/** An address in one form, whoever wrote it; undefined for text that is none. */
const keyOf = (value: unknown): string | undefined => {
  const address = parseAddress(text(value) ?? '');
  return address === undefined ? undefined : `${address.family}/${address.value}`;
};

/** What no single field of networks and ports shows: addresses that are elsewhere, twice, or lead two ways. */
export function networkFindings(raw: Tree): Finding[] {
  const networks = tree(raw['networks']);
  const taken = new Map<string, string>();
  return [
    ...Object.keys(networks).flatMap((name) => gatewayFindings(name, tree(networks[name]))),
    ...items(raw['nodes']).flatMap((node, index) => nodeFindings(tree(node), index, networks, taken)),
  ];
}

function gatewayFindings(name: string, network: Tree): Finding[] {
  const cidr = parseCidr(text(network['cidr']) ?? '');
  const gateway = parseAddress(text(network['gateway']) ?? '');
  if (cidr === undefined || gateway === undefined || isHostAddress(gateway, cidr)) return [];
  return [rule(['networks', name, 'gateway'], RULES.gatewayOutside)];
}

function nodeFindings(node: Tree, index: number, networks: Tree, taken: Map<string, string>): Finding[] {
  const leads = new Set<number>();
  return items(node['ports']).flatMap((each, place): Finding[] => {
    const port = tree(each);
    const here: FieldPath = ['nodes', index, 'ports', place, 'address'];
    const address = parseAddress(text(port['address']) ?? '');
    if (address === undefined) return [];
    const name = text(port['network']);
    if (name === undefined) return [rule(here, RULES.addressNeedsNetwork)];
    const network = tree(networks[name]);
    const cidr = parseCidr(text(network['cidr']) ?? '');
    if (cidr === undefined) return [];
    if (!isHostAddress(address, cidr)) return [rule(here, RULES.addressOutside)];
    const found: Finding[] = [];
    const key = keyOf(port['address'])!;
    const owner = text(node['name']) ?? `nodes[${index}]`;
    const other = taken.get(`${name}/${key}`);
    if (other === undefined) taken.set(`${name}/${key}`, owner);
    else {
      found.push({
        path: here,
        message: `is the address of a port of ${other} too`,
        correction: 'Give each port of a network its own address.',
      });
    }
    if (network['gateway'] === undefined) return found;
    if (keyOf(network['gateway']) === key) found.push(rule(here, RULES.addressOfGateway));
    if (leads.has(cidr.family)) found.push(rule(here, RULES.secondGateway));
    leads.add(cidr.family);
    return found;
  });
}
