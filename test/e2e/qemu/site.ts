import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stringify } from 'yaml';
import type { DiskWish, Machine, Machines } from '../../peers/qemu/machines.ts';

const MIB = 1024 ** 2;

/** One disk of each kind that is erased in its own way; the first one is the root device. */
export const DISKS: readonly DiskWish[] = [
  { kind: 'virtio', serial: 'ROOT-0001', bytes: 768 * MIB },
  { kind: 'nvme', serial: 'NVME-0001', bytes: 96 * MIB },
  { kind: 'sata', serial: 'SATA-0001', bytes: 64 * MIB },
];

/** NVMe disks are told to QEMU itself: the BMC does not know of them. */
const SHOWN = DISKS.filter(({ kind }) => kind !== 'nvme').length;

/** An image of the contract of a run. */
export interface SiteImage {
  readonly name: string;
  /** Path or URL, as the contract has it. */
  readonly url: string;
  /** `sha256:…` */
  readonly checksum: string;
  readonly format: 'raw' | 'qcow2';
}

export interface SiteOptions {
  readonly images: readonly SiteImage[];
  /** Added to the contract's `timeouts`. */
  readonly timeouts?: Readonly<Record<string, string>>;
  /** What the contract says of acceptance runs, beside the node. */
  readonly acceptance?: { readonly image: string; readonly gates: readonly number[] };
}

/** What a contract needs of a chain that is about to start. */
interface Places {
  /** Where BMCs find the gateway. */
  readonly gatewayUrl: string;
  /** The port of the host at which the machine finds it. */
  readonly machinePort: number;
  readonly iso: string;
}

/** The host, as QEMU's user network shows it to a machine. */
const HOST = '10.0.2.2';

/** What the agent has to be told beside: behind QEMU's user network it cannot tell where it is reached. */
export const agentArguments = ({ agentPort }: Machine): string =>
  `console=ttyS0 quiet ipa-advertise-host=127.0.0.1 ipa-advertise-port=${agentPort} ` +
  'ipa-image-download-connection-retries=1 ipa-image-download-connection-retry-interval=1';

/** The digest of a file, as a contract has it. */
export async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return `sha256:${hash.digest('hex')}`;
}

/** The contract for one machine. */
export function inventoryOf(
  { emulator }: Machines,
  machine: Machine,
  { gatewayUrl, machinePort, iso }: Places,
  { images, timeouts = {}, acceptance }: SiteOptions,
): string {
  return stringify({
    site: machine.name,
    bmc: { credentials: { username: emulator.username, password: 'env:EMULATOR_PASSWORD' }, auth: 'basic' },
    media: { gatewayUrl: `http://${HOST}:${machinePort}`, bmcGatewayUrl: gatewayUrl, iso },
    timeouts: { agent: '15m', firstBoot: '15m', ...timeouts },
    networks: { provisioning: { cidr: '127.0.0.0/8', kind: 'provisioning' } },
    images: images.map((image) => ({ ...image, architecture: 'x86_64', bootMode: 'uefi' })),
    machineTypes: [
      { name: 'qemu', expect: { cpus: 1, nics: 1, disks: [{ minBytes: 64 * MIB, count: SHOWN }] } },
    ],
    nodes: [
      {
        name: machine.name,
        type: 'qemu',
        bmc: { address: emulator.url, system: machine.uri },
        ports: [{ mac: machine.mac, network: 'provisioning' }],
        console: { file: machine.console },
        rootDevice: { serial: DISKS[0]!.serial },
        architecture: 'x86_64',
        bootMode: 'uefi',
      },
    ],
    ...(acceptance ? { acceptance: { node: machine.name, ...acceptance } } : {}),
  });
}
