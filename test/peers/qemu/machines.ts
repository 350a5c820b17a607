import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingPrograms } from '../once.ts';
import { pythonVenv, freePort } from '../peer.ts';
import { REQUIREMENT, startEmulator, type Emulator } from '../sushy.ts';
import { readBootEntries, type BootEntries } from './boot-entries.ts';
import { domainXml, OVMF, type MachineDisk, type MachineSpec } from './domain.ts';
import { startLibvirt, type Libvirt } from './libvirt.ts';

/** A machine with real UEFI firmware and real disks, whose BMC is OpenStack's Redfish emulator. */
export interface Machine extends MachineSpec {
  /** Path of its ComputerSystem. */
  readonly uri: string;
  /** What its serial console said, all starts one after the other. */
  said(): Promise<string>;
  /** What its firmware keeps of what it would boot; it outlives every start. */
  bootEntries(): Promise<BootEntries>;
  /** Takes the power away from it, as a failing power supply would: nobody is told. */
  pullThePlug(): Promise<void>;
}

export interface Machines {
  readonly emulator: Emulator;
  readonly machines: readonly Machine[];
  stop(): Promise<void>;
}

/** A disk that is wanted. */
export type DiskWish = Omit<MachineDisk, 'file'> & { readonly bytes: number };

const PROGRAMS = ['libvirtd', 'virsh', 'unshare', 'qemu-system-x86_64'];
const MEMORY_MIB = 2048;

/** Why no such machine can be started here; undefined where it can. */
export function missingForMachines(): string | undefined {
  const missing = missingPrograms(PROGRAMS);
  if (!existsSync(OVMF.code)) missing.push('ovmf');
  if (!existsSync('/usr/lib/python3/dist-packages/libvirt.py')) missing.push('python3-libvirt');
  if (process.getuid?.() !== 0) missing.push('root');
  return missing.length === 0 ? undefined : missing.join(', ');
}

/** Starts libvirt, the emulator, and defines machines with these disks, all off. Stop them when done. */
export async function startMachines(names: readonly string[], disks: readonly DiskWish[]): Promise<Machines> {
  const dir = await mkdtemp(join(tmpdir(), 'rackwright-qemu-'));
  const started: (() => Promise<void>)[] = [() => rm(dir, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const each of started.splice(0).toReversed()) await each();
  };
  try {
    const libvirt = await startLibvirt(dir);
    started.push(() => libvirt.stop());
    const machines: Machine[] = [];
    for (const name of names) machines.push(await define(libvirt, dir, name, disks));
    const venv = await pythonVenv('sushy-libvirt', REQUIREMENT, true);
    const emulator = await startEmulator(venv, emulatorSettings(libvirt.uri));
    started.push(() => emulator.stop());
    return { emulator, machines, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function define(
  libvirt: Libvirt,
  dir: string,
  name: string,
  wishes: readonly DiskWish[],
): Promise<Machine> {
  const folder = join(dir, 'machines', name);
  await mkdir(folder, { recursive: true });
  const disks: MachineDisk[] = [];
  for (const { kind, serial, bytes } of wishes) {
    const file = join(libvirt.images, `${name}-${serial}.img`);
    const handle = await open(file, 'w');
    await handle.truncate(bytes);
    await handle.close();
    disks.push({ kind, serial, file });
  }
  const hex = createHash('sha1').update(`rackwright-machine-${name}`).digest('hex');
  const spec: MachineSpec = {
    name,
    uuid: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
    mac: `52:54:00:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`,
    agentPort: await freePort(),
    console: join(folder, 'console.log'),
    memoryMiB: MEMORY_MIB,
    disks,
  };
  await writeFile(spec.console, '');
  const xml = join(folder, 'domain.xml');
  const vars = join(folder, 'vars.fd');
  await writeFile(xml, domainXml(spec, vars));
  await libvirt.virsh('pool-refresh', 'default');
  await libvirt.virsh('define', xml);
  return {
    ...spec,
    uri: `/redfish/v1/Systems/${spec.uuid}`,
    said: () => readFile(spec.console, 'latin1'),
    bootEntries: () => readBootEntries(vars),
    pullThePlug: async () => void (await libvirt.virsh('destroy', name)),
  };
}

const emulatorSettings = (uri: string): string[] => [
  `SUSHY_EMULATOR_LIBVIRT_URI = ${JSON.stringify(uri)}`,
  `SUSHY_EMULATOR_BOOT_LOADER_MAP = {'UEFI': {'x86_64': '${OVMF.code}'}, 'Legacy': {'x86_64': None}}`,
  `SUSHY_EMULATOR_SECURE_BOOT_DISABLED_NVRAM = '${OVMF.vars}'`,
  "SUSHY_EMULATOR_SECURE_BOOT_ENABLED_NVRAM = '/usr/share/OVMF/OVMF_VARS_4M.ms.fd'",
];
