import { cabled } from './cables.ts';
import type { Faults } from './faults.ts';
import type { Disk, Hardware, Nic } from './hardware.ts';

/** What of the hardware can be seen, by its BMC, an agent and a guest alike: all of it, unless a fault bends it. */
export function partsOf(hardware: Hardware, faults: Pick<Faults, 'on'>): Hardware {
  const { gpus, nics, disks } = hardware;
  const there = faults.on('nicMissing') ? nics.slice(0, 1) : nics;
  const renamed = (nic: Nic): Nic => ({ ...nic, name: `${nic.name}np0` });
  const named = faults.on('nicRenamed') ? there.map((nic, i) => (i === 0 ? renamed(nic) : nic)) : there;
  const half = (disk: Disk): Disk => ({ ...disk, sizeBytes: disk.sizeBytes / 2 });
  return {
    ...hardware,
    gpus: faults.on('gpuMissing') ? gpus.slice(1) : gpus,
    nics: cabled(named, faults),
    disks: faults.on('diskSmaller') ? [...disks.slice(0, -1), ...disks.slice(-1).map(half)] : disks,
  };
}

/** The disks as an agent sees them. */
export function disksOfAgent(disks: readonly Disk[], faults: Pick<Faults, 'on'>): readonly Disk[] {
  if (faults.on('disksHidden')) return [];
  const seen = faults.on('lastDiskHidden') ? disks.slice(0, -1) : disks;
  return faults.on('softwareRaid') ? [...seen, raidVolume(seen)] : seen;
}

/** What stands beside the disks that a software RAID was made of. */
const raidVolume = (disks: readonly Disk[]): Disk => ({
  device: '/dev/md127',
  serial: '',
  model: '',
  wwn: '',
  byPath: '',
  sizeBytes: Math.min(...disks.map(({ sizeBytes }) => sizeBytes)),
});
