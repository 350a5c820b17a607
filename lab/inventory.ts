import { stringify } from 'yaml';
import { LAB_MACHINE_TYPE, type Hardware } from './hardware.ts';
import type { FirmwareSupply, Supply } from './supplies.ts';

export interface Site {
  readonly gatewayUrl: string;
  readonly username: string;
  /** Absolute path of the file that holds the password. */
  readonly passwordFile: string;
  /** Of the base ISO, where there is one. */
  readonly isoChecksum: string | undefined;
  readonly images: readonly Supply[];
  readonly firmware: readonly FirmwareSupply[];
  readonly nodes: readonly {
    readonly hardware: Hardware;
    readonly address: string;
    /** Absolute path of its console's log. */
    readonly console: string;
  }[];
  /** What the contract says of the control plane, field by field; nothing where there is none. */
  readonly controlPlane: { readonly [field: string]: unknown };
}

const NODES_PER_RACK = 4;

/** The contract of the lab's site, as YAML. Paths start at the folder that it lies in. */
export function inventoryYaml(site: Site): string {
  const { acceptance, reachability, ...controlPlane } = site.controlPlane;
  const inventory = {
    site: 'lab',
    bmc: {
      credentials: { username: site.username, password: `file:${site.passwordFile}` },
      tls: { ca: 'ca.pem' },
      accounts: [],
      hostInterface: 'disabled',
    },
    ...(site.isoChecksum === undefined
      ? {}
      : { media: { gatewayUrl: site.gatewayUrl, iso: 'base.iso', checksum: site.isoChecksum } }),
    networks: { provisioning: { cidr: '127.0.0.0/8', kind: 'provisioning' } },
    ...controlPlane,
    images: site.images.map(({ name, path, checksum, size }, i) => ({
      name,
      url: path,
      checksum,
      format: 'raw',
      architecture: 'x86_64',
      bootMode: 'uefi',
      size,
      // The first is the one that acceptance takes, and lies in the cloud, too.
      ...(i === 0 && 'openstack' in site.controlPlane ? { glance: 'acceptance-image' } : {}),
    })),
    machineTypes: [LAB_MACHINE_TYPE],
    ...(site.firmware.length === 0 ? {} : { firmware: firmwareOf(site.firmware) }),
    nodes: site.nodes.map(({ hardware, address, console }, i) => ({
      name: hardware.name,
      type: LAB_MACHINE_TYPE.name,
      driver: 'redfish',
      bmc: { address, system: '/redfish/v1/Systems/1' },
      ports: hardware.nics.map((nic) => ({
        mac: nic.mac,
        switch: nic.cable?.switch,
        switchPort: nic.cable?.switchPort,
        network: 'provisioning',
      })),
      console: { file: console },
      rootDevice: { serial: hardware.disks[0]!.serial },
      architecture: 'x86_64',
      bootMode: 'uefi',
      location: {
        rack: `R${String(Math.floor(i / NODES_PER_RACK) + 1).padStart(2, '0')}`,
        unit: 1 + 8 * (i % NODES_PER_RACK),
      },
    })),
    // The last server is kept for acceptance. These are the gates that the lab has something to show for.
    acceptance: {
      node: site.nodes.at(-1)?.hardware.name,
      image: site.images[0]?.name,
      gates: [1, 7],
      // The way to a host and back takes as long as it takes on a machine that all of the lab shares.
      ...('controllers' in controlPlane ? { clockDifference: 30 } : {}),
      ...(acceptance as object | undefined),
      ...(reachability === undefined ? {} : { reachability }),
    },
  };
  return `# The lab's site. Written by the lab each time it starts.\n${stringify(inventory, { aliasDuplicateObjects: false })}`;
}

const firmwareOf = (files: readonly FirmwareSupply[]): object => ({
  owner: 'rackwright',
  baselines: [
    {
      name: 'lab-2026-03',
      types: [LAB_MACHINE_TYPE.name],
      components: files.map(({ component, version, path, checksum }) => ({
        component,
        version,
        file: path,
        checksum,
      })),
    },
  ],
});
