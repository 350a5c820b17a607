import type { RootDeviceHints } from '../agent/root-device.ts';
import type { Json, JsonObject } from '../json.ts';

/** What the driver reads of a node in Ironic. */
export interface IronicNode {
  readonly uuid: string;
  readonly name: string | null;
  readonly driver: string;
  readonly provisionState: string;
  readonly targetProvisionState: string | null;
  readonly provisionUpdatedAt: string | null;
  readonly powerState: string | null;
  readonly targetPowerState: string | null;
  readonly lastError: string | null;
  readonly maintenance: boolean;
  readonly maintenanceReason: string | null;
  readonly fault: string | null;
  readonly reservation: string | null;
  readonly extra: JsonObject;
  readonly properties: JsonObject;
  readonly driverInfo: JsonObject;
  readonly instanceInfo: JsonObject;
  readonly resourceClass: string | null;
  /** Interface by its kind: `deploy` → `direct`. */
  readonly interfaces: { readonly [kind: string]: string };
}

const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
const object = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

/** Reads a node from an answer; undefined if it is not one. */
export function readNode(answer: Json | undefined): IronicNode | undefined {
  const node = object(answer);
  const uuid = text(node['uuid']);
  const provisionState = text(node['provision_state']);
  if (uuid === null || provisionState === null) return undefined;
  const interfaces = Object.entries(node).flatMap(([key, value]) =>
    key.endsWith('_interface') && typeof value === 'string'
      ? [[key.slice(0, -'_interface'.length), value] as const]
      : [],
  );
  return {
    uuid,
    name: text(node['name']),
    driver: text(node['driver']) ?? '',
    provisionState,
    targetProvisionState: text(node['target_provision_state']),
    provisionUpdatedAt: text(node['provision_updated_at']),
    powerState: text(node['power_state']),
    targetPowerState: text(node['target_power_state']),
    lastError: text(node['last_error']),
    maintenance: node['maintenance'] === true,
    maintenanceReason: text(node['maintenance_reason']),
    fault: text(node['fault']),
    reservation: text(node['reservation']),
    extra: object(node['extra']),
    properties: object(node['properties']),
    driverInfo: object(node['driver_info']),
    instanceInfo: object(node['instance_info']),
    resourceClass: text(node['resource_class']),
    interfaces: Object.fromEntries(interfaces),
  };
}

/** One operation of a JSON patch. */
export interface PatchOperation {
  readonly op: 'add' | 'remove';
  readonly path: string;
  readonly value?: Json;
}

/** What a node should be in Ironic, as the contract has it, with secrets resolved. */
export interface WantedNode {
  readonly name: string;
  readonly driver: string;
  readonly owner: { readonly site: string; readonly node: string };
  readonly driverInfo: JsonObject;
  /** Keys of `driverInfo` that Ironic never shows, so that they are always written. */
  readonly secretKeys: readonly string[];
  readonly interfaces: { readonly [kind: string]: string };
  readonly properties: JsonObject;
  readonly capabilities: { readonly [name: string]: string };
  readonly resourceClass: string | undefined;
}

/** The body that creates it. */
export function creation(wanted: WantedNode): JsonObject {
  return {
    name: wanted.name,
    driver: wanted.driver,
    driver_info: wanted.driverInfo,
    properties: { ...wanted.properties, capabilities: withCapabilities('', wanted.capabilities) },
    extra: { rackwright: { ...wanted.owner } },
    ...(wanted.resourceClass === undefined ? {} : { resource_class: wanted.resourceClass }),
    ...Object.fromEntries(
      Object.entries(wanted.interfaces).map(([kind, name]) => [`${kind}_interface`, name]),
    ),
  };
}

/** The patch that makes a node of ours what the contract says; empty if it is so already. */
export function correction(wanted: WantedNode, node: IronicNode): PatchOperation[] {
  const patch: PatchOperation[] = [];
  const want = (path: string, value: Json, now: Json | undefined, blind = false): void => {
    if (blind || JSON.stringify(now) !== JSON.stringify(value)) patch.push({ op: 'add', path, value });
  };
  want('/driver', wanted.driver, node.driver);
  for (const [kind, name] of Object.entries(wanted.interfaces)) {
    want(`/${kind}_interface`, name, node.interfaces[kind]);
  }
  for (const [key, value] of Object.entries(wanted.driverInfo)) {
    want(`/driver_info/${key}`, value, node.driverInfo[key], wanted.secretKeys.includes(key));
  }
  for (const [key, value] of Object.entries(wanted.properties)) {
    want(`/properties/${key}`, value, node.properties[key]);
  }
  const now = text(node.properties['capabilities']) ?? '';
  want('/properties/capabilities', withCapabilities(now, wanted.capabilities), now);
  if (wanted.resourceClass !== undefined) want('/resource_class', wanted.resourceClass, node.resourceClass);
  return patch;
}

/** Ironic's `a:b,c:d` with some of them set; the others stay as inspection found them. */
function withCapabilities(now: string, set: { readonly [name: string]: string }): string {
  const pairs = new Map<string, string>();
  for (const pair of now.split(',').filter((each) => each.includes(':'))) {
    const [name, ...value] = pair.split(':');
    pairs.set(name!.trim(), value.join(':'));
  }
  for (const [name, value] of Object.entries(set)) pairs.set(name, value);
  return [...pairs].map(([name, value]) => `${name}:${value}`).join(',');
}

/** The contract's hints for the root device, in Ironic's words. */
export function rootDeviceHints(hints: RootDeviceHints): JsonObject {
  const { byPath, sizeGiB, minSizeGiB, ...same } = hints;
  const size = sizeGiB ?? (minSizeGiB === undefined ? undefined : `>= ${minSizeGiB}`);
  return Object.fromEntries(
    Object.entries({ ...same, by_path: byPath, size }).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}
