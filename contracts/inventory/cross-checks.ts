import { cloudFindings } from './cloud-checks.ts';
import { controllerFindings } from './controller-checks.ts';
import type { FieldPath, Finding } from './findings.ts';
import { firmwareFindings } from './firmware-checks.ts';
import { networkFindings } from './network-checks.ts';
import { RULES } from './rules.ts';
import { isLoopbackHost, isUnspecifiedHost, items, hostOf, text, tree, type Tree } from './raw.ts';
import { vantageFindings } from './vantage-checks.ts';

const finding = (path: FieldPath, message: string, correction: string): Finding => ({
  path,
  message,
  correction,
});

type Item = readonly [FieldPath, Tree];

const itemsAt = (raw: Tree, list: string): Item[] =>
  items(raw[list]).map((item, index) => [[list, index], tree(item)]);

const namesAt = (raw: Tree, list: string): string[] =>
  itemsAt(raw, list).flatMap(([, item]) => text(item['name']) ?? []);

/** Finds values that stand twice; says where the first one stands. */
function duplicates(
  entries: Iterable<readonly [key: string, path: FieldPath, where: string]>,
  say: (where: string) => readonly [message: string, correction: string],
): Finding[] {
  const first = new Map<string, string>();
  const found: Finding[] = [];
  for (const [key, path, where] of entries) {
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, where);
    else found.push(finding(path, ...say(earlier)));
  }
  return found;
}

function duplicateNames(raw: Tree): Finding[] {
  return ['nodes', 'images', 'machineTypes', 'controllers', 'vantagePoints'].flatMap((list) =>
    duplicates(
      itemsAt(raw, list).flatMap(([path, item]) => {
        const name = text(item['name']);
        return name === undefined ? [] : [[name, [...path, 'name'], `${list}[${path[1]}]`] as const];
      }),
      (where) => [`is the name of ${where} too`, 'Give each its own name, or remove one of the two.'],
    ),
  );
}

const label = ([path, node]: Item): string => text(node['name']) ?? `nodes[${path[1]}]`;

function duplicateMacs(nodes: readonly Item[]): Finding[] {
  const ports = nodes.flatMap((item) =>
    items(item[1]['ports']).flatMap((port, index) => {
      const mac = text(tree(port)['mac']);
      const key = mac?.toLowerCase().replaceAll('-', ':');
      return key === undefined ? [] : [[key, [...item[0], 'ports', index, 'mac'], label(item)] as const];
    }),
  );
  return duplicates(ports, (where) => [
    `is the MAC address of a port of ${where} too`,
    'Each port has its own MAC address: look which server has it.',
  ]);
}

/** Two nodes on one BMC are only right if both say which system they are. */
function duplicateBmcs(nodes: readonly Item[]): Finding[] {
  const byAddress = new Map<string, { system: string; where: string }[]>();
  const found: Finding[] = [];
  for (const item of nodes) {
    const bmc = tree(item[1]['bmc']);
    const address = text(bmc['address'])?.toLowerCase().replace(/\/+$/, '');
    if (address === undefined) continue;
    const system = (text(bmc['system']) ?? '').replace(/\/$/, '');
    const others = byAddress.get(address) ?? [];
    const same = others.find((other) => other.system === system || other.system === '' || system === '');
    if (same !== undefined) {
      found.push(
        finding(
          [...item[0], 'bmc', 'address'],
          `is the BMC of ${same.where} too`,
          'Correct the address; where one BMC serves several systems, give `system` for each.',
        ),
      );
    }
    others.push({ system, where: label(item) });
    byAddress.set(address, others);
  }
  return found;
}

const reference = (path: FieldPath, value: unknown, known: readonly string[], what: string): Finding[] => {
  const name = text(value);
  if (name === undefined || known.includes(name)) return [];
  const some = known.slice(0, 10).join(', ');
  return [
    finding(
      path,
      `names no ${what} of this inventory`,
      known.length === 0
        ? `Add the ${what} to the inventory.`
        : `Name one of: ${some}${known.length > 10 ? ', …' : ''}; or add the ${what}.`,
    ),
  ];
};

function references(raw: Tree, nodes: readonly Item[]): Finding[] {
  const types = namesAt(raw, 'machineTypes');
  const networks = Object.keys(tree(raw['networks']));
  const controllers = namesAt(raw, 'controllers');
  const acceptance = tree(raw['acceptance']);
  const bareMetal = tree(tree(raw['openstack'])['bareMetal']);
  const to = (path: FieldPath, value: unknown, known: readonly string[], what: string) =>
    reference(path, value, known, what);
  const networksOf = (item: Item, list: string): Finding[] =>
    items(item[1][list]).flatMap((port, index) =>
      to([...item[0], list, index, 'network'], tree(port)['network'], networks, 'network'),
    );
  return [
    ...nodes.flatMap((item) => [
      ...to([...item[0], 'type'], item[1]['type'], types, 'machine type'),
      ...networksOf(item, 'ports'),
    ]),
    ...itemsAt(raw, 'controllers').flatMap((item) => networksOf(item, 'interfaces')),
    ...itemsAt(raw, 'vantagePoints').flatMap(([path, point]) =>
      to([...path, 'controller'], point['controller'], controllers, 'controller'),
    ),
    ...items(tree(raw['firmware'])['baselines']).flatMap((baseline, index) =>
      items(tree(baseline)['types']).flatMap((type, at) =>
        to(['firmware', 'baselines', index, 'types', at], type, types, 'machine type'),
      ),
    ),
    ...to(
      ['openstack', 'bareMetal', 'provisioningNetwork', 'network'],
      tree(bareMetal['provisioningNetwork'])['network'],
      networks,
      'network',
    ),
    ...to(['acceptance', 'node'], acceptance['node'], namesAt(raw, 'nodes'), 'node'),
    ...to(['acceptance', 'type'], acceptance['type'], types, 'machine type'),
    ...to(['acceptance', 'image'], acceptance['image'], namesAt(raw, 'images'), 'image'),
    ...to(['acceptance', 'network'], acceptance['network'], networks, 'network'),
    ...items(tree(acceptance['reachability'])['bmcs']).flatMap((name, index) =>
      to(['acceptance', 'reachability', 'bmcs', index], name, namesAt(raw, 'nodes'), 'node'),
    ),
  ];
}

/** What a driver needs of its node and of the site. */
function driverNeeds(raw: Tree, nodes: readonly Item[]): Finding[] {
  const site = tree(tree(raw['bmc'])['credentials']);
  const tried = new Set(
    itemsAt(raw, 'machineTypes').flatMap(([, type]) =>
      type['handOver'] === undefined ? [] : [text(type['name'])],
    ),
  );
  const hasIronicApi = tree(raw['openstack'])['ironic'] !== undefined;
  return nodes.flatMap(([path, node]) => {
    const rule = (key: string, { message, correction }: { message: string; correction: string }) =>
      finding([...path, key], message, correction);
    if (node['driver'] === 'ironic') {
      const found = node['ironic'] === undefined ? [rule('ironic', RULES.ironicNeeded)] : [];
      const addressed = items(node['ports']).some((port) => tree(port)['address'] !== undefined);
      if (tried.has(text(node['type'])) && !addressed) found.push(rule('type', RULES.handOverNeedsAddress));
      return hasIronicApi ? found : [...found, rule('driver', RULES.ironicApiNeeded)];
    }
    const found = node['ironic'] === undefined ? [] : [rule('ironic', RULES.ironicUnused)];
    if (node['bmc'] === undefined) return [...found, rule('bmc', RULES.bmcNeeded)];
    const own = tree(tree(node['bmc'])['credentials']);
    const complete = ['username', 'password'].every((key) => (own[key] ?? site[key]) !== undefined);
    return complete ? found : [...found, rule('bmc', RULES.credentialsNeeded)];
  });
}

/** Whether each checksum stands for an ISO; what is neither of its forms is the schema's. */
function isChecksumOf(iso: unknown, checksum: unknown): boolean {
  if (typeof checksum === 'string') return typeof iso !== 'object';
  return Object.keys(tree(checksum)).every((key) => tree(iso)[key] !== undefined);
}

/** The gateway must be an address that BMCs and agents can reach, and agents need a network to be on. */
function mediaNeeds(raw: Tree, nodes: readonly Item[]): Finding[] {
  if (raw['media'] === undefined) return [];
  const found: Finding[] = [];
  const say = (path: FieldPath, { message, correction }: { message: string; correction: string }) =>
    found.push(finding(path, message, correction));
  const media = tree(raw['media']);
  const elsewhere = nodes.some(([, node]) => {
    const bmc = hostOf(tree(node['bmc'])['address']);
    return bmc !== undefined && !isLoopbackHost(bmc);
  });
  for (const key of ['gatewayUrl', 'bmcGatewayUrl', 'guestGatewayUrl']) {
    const gateway = hostOf(media[key]);
    if (gateway === undefined) continue;
    if (isUnspecifiedHost(gateway)) say(['media', key], RULES.gatewayUnspecified);
    else if (isLoopbackHost(gateway) && elsewhere) say(['media', key], RULES.gatewayLoopback);
  }
  if (tree(raw['networks'])['provisioning'] === undefined) say(['networks'], RULES.provisioningNeeded);
  if (!isChecksumOf(media['iso'], media['checksum'])) say(['media', 'checksum'], RULES.mediaChecksum);
  return found;
}

/**
 * What no single field shows: names that stand twice, references to nothing, needs of drivers.
 * Works on the raw value, so that it finds these also where the schema has found other things.
 */
export function crossCheck(value: unknown): Finding[] {
  const raw = tree(value);
  const nodes = itemsAt(raw, 'nodes');
  return [
    ...duplicateNames(raw),
    ...duplicateMacs(nodes),
    ...duplicateBmcs(nodes),
    ...references(raw, nodes),
    ...driverNeeds(raw, nodes),
    ...cloudFindings(raw),
    ...mediaNeeds(raw, nodes),
    ...firmwareFindings(raw),
    ...networkFindings(raw),
    ...vantageFindings(raw),
    ...controllerFindings(raw),
  ];
}
