import { VICTIM, type Cloud } from '../cloud.ts';
import { uuidOf, type IronicNode, type Wire } from '../state.ts';

/** Fields that an answer has since a version, by its minor part. */
const SINCE: { readonly [field: string]: number } = {
  driver_internal_info: 3,
  name: 5,
  inspection_finished_at: 6,
  inspection_started_at: 6,
  clean_step: 7,
  raid_config: 12,
  target_raid_config: 12,
  network_interface: 20,
  resource_class: 21,
  boot_interface: 31,
  console_interface: 31,
  deploy_interface: 31,
  inspect_interface: 31,
  management_interface: 31,
  power_interface: 31,
  raid_interface: 31,
  vendor_interface: 31,
  storage_interface: 33,
  traits: 37,
  rescue_interface: 38,
  bios_interface: 40,
  fault: 42,
  deploy_step: 44,
  conductor_group: 46,
  automated_clean: 47,
  protected: 48,
  protected_reason: 48,
  conductor: 49,
  owner: 50,
  description: 51,
  allocation_uuid: 52,
  retired: 61,
  retired_reason: 61,
  lessee: 65,
  network_data: 66,
  boot_mode: 75,
  secure_boot: 75,
  shard: 82,
  parent_node: 83,
  firmware_interface: 86,
  service_step: 87,
  disable_power_off: 95,
  instance_name: 104,
  health: 109,
};

export const minorOf = (version: string): number => Number(version.split('.')[1]);

/** The interfaces that the node has, by the version since which they are shown. */
export const INTERFACES = {
  bios: 'redfish',
  boot: 'redfish-virtual-media',
  console: 'redfish-graphical',
  deploy: 'direct',
  firmware: 'redfish',
  inspect: 'agent',
  management: 'redfish',
  network: 'neutron',
  power: 'redfish',
  raid: 'no-raid',
  rescue: 'no-rescue',
  storage: 'noop',
  vendor: 'no-vendor',
} as const;

/** What faults make of a node. */
export function seen(cloud: Cloud, node: IronicNode): IronicNode {
  const { ironic } = cloud.faults;
  const free = node.provision_state === 'available';
  const info = { ...(node['driver_info'] as Wire) };
  if (ironic.on('bootImageMissing'))
    for (const each of ['deploy_kernel', 'deploy_ramdisk']) delete info[each];
  if (ironic.on('validateFails')) delete info['redfish_address'];
  return {
    ...node,
    driver_info: info,
    ...(ironic.on('nodeMaintenance')
      ? { maintenance: true, maintenance_reason: 'a disk is replaced', fault: null }
      : {}),
    ...(free && ironic.on('nodeNotAvailable') ? { provision_state: 'manageable' } : {}),
    ...(free && ironic.on('nodeInUse')
      ? { provision_state: 'active', instance_uuid: uuidOf('somebody else'), power_state: 'power on' }
      : {}),
    ...(free && ironic.on('nodePowerOn') ? { power_state: 'power on' } : {}),
    ...(ironic.on('lockLeft') ? { reservation: 'controller-9' } : {}),
    ...(ironic.on('consoleOff') ? { console_enabled: false, console_interface: 'no-console' } : {}),
  };
}

/** A node as an answer has it, whole. */
export function nodeView(cloud: Cloud, kept: IronicNode, version: string): Wire {
  const { plan: _, ...node } = seen(cloud, kept) as IronicNode & { plan?: unknown };
  const minor = minorOf(version);
  const allocation = cloud.state.allocations.find((each) => each['node_uuid'] === node.uuid);
  const whole: Wire = {
    ...node,
    conductor: conductorOf(),
    allocation_uuid: allocation?.['uuid'] ?? null,
    chassis_uuid: null,
    links: nodeLinks(cloud, node.uuid),
    ports: sub(cloud, node.uuid, 'ports'),
    ...(minor >= 14 ? { states: sub(cloud, node.uuid, 'states') } : {}),
    ...(minor >= 24 ? { portgroups: sub(cloud, node.uuid, 'portgroups') } : {}),
    ...(minor >= 32 ? { volume: sub(cloud, node.uuid, 'volume') } : {}),
  };
  // Of `available`, clients from before that version know nothing: to them, it is no state.
  if (minor < 2 && whole['provision_state'] === 'available') whole['provision_state'] = null;
  return visible(whole, minor);
}

export const visible = (whole: Wire, minor: number): Wire =>
  Object.fromEntries(Object.entries(whole).filter(([field]) => minor >= (SINCE[field] ?? 0)));

/** The conductor that has the nodes: one that is there. */
const conductorOf = (): string => (VICTIM.conductor === 'controller-2' ? 'controller-1' : 'controller-2');

export const nodeLinks = (cloud: Cloud, id: string): Wire[] => [
  { href: `${cloud.url()}/baremetal/v1/nodes/${id}`, rel: 'self' },
  { href: `${cloud.url()}/baremetal/nodes/${id}`, rel: 'bookmark' },
];

const sub = (cloud: Cloud, id: string, what: string): Wire[] => [
  { href: `${cloud.url()}/baremetal/v1/nodes/${id}/${what}`, rel: 'self' },
  { href: `${cloud.url()}/baremetal/nodes/${id}/${what}`, rel: 'bookmark' },
];

/** A node as a list without details has it. */
export const brief = (view: Wire): Wire =>
  Object.fromEntries(
    ['instance_uuid', 'maintenance', 'power_state', 'provision_state', 'uuid', 'name', 'links']
      .filter((field) => field in view)
      .map((field) => [field, view[field]]),
  );

/** What the interfaces of a node say of it. */
export function validation(cloud: Cloud, kept: IronicNode): Wire {
  const { ironic } = cloud.faults;
  const node = seen(cloud, kept);
  const missing = "Missing the following Redfish properties in node's driver_info: ['redfish_address']";
  const images =
    "Cannot validate image information for node because one or more parameters are missing from its instance_info and driver_info. Missing are: ['driver_info.deploy_kernel', 'driver_info.deploy_ramdisk']";
  const source =
    "Cannot validate image information for node because one or more parameters are missing from its instance_info. Missing are: ['image_source']";
  const wrong: { [name: string]: string } = {
    ...(ironic.on('validateFails')
      ? Object.fromEntries(
          ['boot', 'deploy', 'management', 'power', 'bios', 'firmware'].map((each) => [each, missing]),
        )
      : {}),
    ...(ironic.on('bootImageMissing') ? { boot: images, deploy: images } : {}),
  };
  // Before somebody deploys it there is nothing to deploy: Ironic says so.
  if (node.instance_uuid === null && wrong['deploy'] === undefined)
    Object.assign(wrong, { deploy: source, boot: wrong['boot'] ?? source });
  const unsupported = (name: string): boolean =>
    ['raid', 'rescue'].includes(name) || (name === 'console' && ironic.on('consoleOff'));
  return Object.fromEntries(
    Object.keys(INTERFACES)
      .filter((name) => name !== 'vendor')
      .map((name) => [
        name,
        unsupported(name)
          ? { result: null, reason: 'not supported' }
          : wrong[name] === undefined
            ? { result: true }
            : { result: false, reason: wrong[name] },
      ]),
  );
}
