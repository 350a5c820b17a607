import { request } from 'undici';
import { isoFileBytes } from '../core/iso9660.ts';
import { OLD_OS, type DiskStore } from './disks.ts';
import type { Faults } from './faults.ts';
import { guestNetwork } from './guest-network.ts';
import { LAB_MACHINE_TYPE, type Disk, type Hardware } from './hardware.ts';
import { TIMING, type Pause } from './timing.ts';

const ATTEMPTS = 20;

export interface BootDiskOptions {
  readonly hardware: Hardware;
  readonly disks: DiskStore;
  readonly pause: Pause;
  /** @default none */
  readonly faults?: Pick<Faults, 'take' | 'on'>;
  /** Keeps something in the TPM. */
  readonly seal?: (what: string) => void;
  /** Writes to the serial console. */
  readonly print?: (text: string) => void;
  readonly log?: (event: string, details?: Record<string, unknown>) => void;
}

/** An installed system that runs, or a firmware that found none. */
export interface RunningSystem {
  stop(): void;
  /** What became of it: `reported` its first boot, had `nothing-to-report`, … */
  readonly ended: Promise<'reported' | 'nothing-to-report' | 'no-answer' | 'no-system' | 'stopped'>;
}

/**
 * Boots what is on the first disk that has a system. With a config drive that names a call-back it
 * reports its first boot there, until it is taken; an old system stays silent.
 */
export function bootDisk(options: BootDiskOptions): RunningSystem {
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = run(options, signal).catch((error: unknown) => {
    if (signal.aborted) return 'stopped' as const;
    options.log?.('system-crashed', { reason: String(error) });
    return 'no-answer' as const;
  });
  return { ended, stop: () => stopping.abort() };
}

async function run(
  { hardware, disks, pause, log, faults, seal, print }: BootDiskOptions,
  signal: AbortSignal,
): Promise<'reported' | 'nothing-to-report' | 'no-answer' | 'no-system'> {
  const disk = hardware.disks.find((d) => disks.get(d.serial).image !== null);
  if (disk === undefined) {
    log?.('no-bootable-disk');
    print?.('BdsDxe: No bootable option or device was found.');
    return 'no-system';
  }
  const { image } = disks.get(disk.serial);
  log?.('boot-disk', { serial: disk.serial, image: image?.id, digest: image?.digest });
  await pause(TIMING.bootToOs, signal);
  const metadata = readMetadata(disks, disk);
  print?.(`\u001b[0;32m  OK  \u001b[0m Started the system ${metadata?.hostname ?? 'of before'}.`);
  log?.('system-started', { image: image?.id, instance: metadata?.uuid ?? null });
  if (image?.id === OLD_OS || metadata === undefined) return 'nothing-to-report';
  leaveTraces(disks, hardware, `data of instance ${metadata.uuid}, deployed ${image?.writtenAt}`);
  seal?.(`keys of instance ${metadata.uuid}`);
  if (disks.get(disk.serial).firstBoot === metadata.uuid) return 'nothing-to-report';
  const { callback } = metadata;
  if (callback === undefined) return 'nothing-to-report';
  if (faults?.take('firstBootSilent')) {
    print?.(`report.py: ${callback}`);
    print?.('report.py: not taken yet: [Errno 101] Network is unreachable');
    return 'no-answer';
  }
  const mounts = ['/', '/boot/efi', ...(faults?.on('mountMissing') ? [] : LAB_MACHINE_TYPE.expect.mounts)];

  const clockErrorMs = faults?.on('guestClockBehind') ? -3_600_000 : 0;

  for (let attempt = 1, wait = 1000; attempt <= ATTEMPTS; attempt++, wait = Math.min(30_000, wait * 2)) {
    const status = await report(callback, firstBootReport(hardware, metadata, mounts, clockErrorMs), signal);
    if (status !== null && status >= 200 && status < 300) {
      disks.update(disk.serial, { firstBoot: metadata.uuid });
      log?.('first-boot', { instance: metadata.uuid, hostname: metadata.hostname });
      return 'reported';
    }
    log?.('first-boot-refused', { status });
    await pause(wait, signal);
  }
  return 'no-answer';
}

interface Metadata {
  uuid: string;
  hostname: string;
  callback: string | undefined;
  /** As its form has it. */
  network: unknown;
}

function readMetadata(disks: DiskStore, disk: Disk): Metadata | undefined {
  const drive = disks.configDrive(disk.serial);
  if (drive === undefined) return undefined;
  try {
    const read = (path: string): Record<string, unknown> | undefined => {
      const bytes = isoFileBytes(drive, path);
      return bytes && (JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>);
    };
    const openStack = read('openstack/latest/meta_data.json');
    const noCloud = openStack === undefined ? read('meta-data') : undefined;
    const callback =
      (openStack?.['meta'] as Record<string, unknown> | undefined)?.['rackwright_callback'] ??
      noCloud?.['rackwright_callback'];
    if (openStack === undefined && noCloud === undefined) return undefined;
    return {
      uuid: String(openStack?.['uuid'] ?? noCloud?.['instance-id']),
      hostname: String(openStack?.['hostname'] ?? noCloud?.['local-hostname']),
      callback: typeof callback === 'string' ? callback : undefined,
      network: read('openstack/latest/network_data.json') ?? read('network-config'),
    };
  } catch {
    return undefined;
  }
}

/** An installed system writes to every disk: the next owner must not find it. */
function leaveTraces(disks: DiskStore, hardware: Hardware, trace: string): void {
  for (const { serial } of hardware.disks) {
    const { canaries } = disks.get(serial);
    if (!canaries.includes(trace)) disks.update(serial, { canaries: [...canaries, trace] });
  }
}

async function report(url: string, body: unknown, signal: AbortSignal): Promise<number | null> {
  try {
    const answer = await request(url, {
      method: 'POST',
      signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(body),
    });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** What a guest says once it is up. */
export const firstBootReport = (
  hardware: Hardware,
  { hostname, network }: { hostname: string; network?: unknown },
  mounts: readonly string[],
  clockErrorMs = 0,
): Record<string, unknown> => ({
  hostname,
  ...guestNetwork(hardware, network),
  time: new Date(Date.now() + clockErrorMs).toISOString(),
  disks: hardware.disks.map((disk) => ({ name: disk.device, sizeBytes: disk.sizeBytes })),
  gpus: hardware.gpus.map((gpu) => ({ model: gpu.model })),
  links: hardware.nics.map((nic) => ({ interface: nic.name, mac: nic.mac, up: nic.cable !== null })),
  mounts,
});
