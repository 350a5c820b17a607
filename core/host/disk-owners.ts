import { withAllOn, type BlockDevice, type Disks } from './block-devices.ts';
import type { ContractDisk, HostFinding } from './finding.ts';

/** Owners that mean the operating system of the host itself, and those that mean Ceph. */
const SYSTEM_OWNER = /^(os|system|root|boot|operating[ -]?system)$/i;
const CEPH_OWNER = /ceph/i;
/** Where the operating system itself lives; what else is mounted is its owner's. */
const SYSTEM_MOUNT =
  /^(\/|\/(boot|usr|etc|home|root|opt|tmp|efi|boot\/efi|var(\/(log|tmp|cache|lib))?)|\[SWAP\])$/;
/** Whole disks: those of the kernel, and those that have several ways to them. */
const WHOLE_DISK = /^(disk|mpath)$/;

interface Found extends ContractDisk {
  readonly target: string | undefined;
  readonly device: BlockDevice | undefined;
}

const CEPH_SIGNATURE = /^ceph/i;
const isCeph = ({ fstype, name, label }: BlockDevice): boolean =>
  CEPH_SIGNATURE.test(fstype ?? '') ||
  /^(\/dev\/mapper\/)?ceph-/.test(name) ||
  /^ceph (data|block|journal|lockbox)/i.test(label ?? '');

/** Whether the disks of a controller are those of the contract, and nobody's but their owner's. */
export function judgeDisks(
  wanted: readonly ContractDisk[],
  { devices, targets, links }: Disks,
): HostFinding[] {
  const all = devices.flatMap(withAllOn);
  const found = wanted.map((disk, index): Found => {
    const target = targets[index];
    return { ...disk, target, device: all.find(({ kname, name }) => kname === target || name === target) };
  });
  return [
    ...found.flatMap((each) => judgePath(each, links)),
    ...sameDisk(found),
    ...found.flatMap(judgeContents),
    ...systemElsewhere(found, all),
    ...sharedVolumes(found),
  ];
}

/** The path is there, leads to a whole disk, and will tomorrow. */
function judgePath({ path, target, device }: Found, links: Disks['links']): HostFinding[] {
  if (target === undefined) {
    return [
      {
        message: `There is no ${path}.`,
        correction:
          'Look whether the disk is seated, and compare the path with `ls -l /dev/disk/by-id` on the host.',
        faultDomain: 'storage',
      },
    ];
  }
  if (device === undefined || !WHOLE_DISK.test(device.type)) {
    const what = device === undefined ? 'is not a disk' : `is not a whole disk, but of type ${device.type}`;
    return [
      {
        message: `${path} leads to ${target}, which ${what}.`,
        correction: 'Name the whole disk in the contract, without `-part1`.',
        faultDomain: 'contract',
      },
    ];
  }
  if (/^\/dev\/(disk|mapper)\//.test(path)) return [];
  const better = (links.get(target) ?? []).find((link) => !link.includes('-part'));
  return [
    {
      message: `${path} is a name that the kernel gave in the order of discovery: it may be another disk's after the next boot.`,
      correction: `Write ${better ?? 'its path under /dev/disk/by-id or /dev/disk/by-path'} to the contract.`,
      faultDomain: 'contract',
    },
  ];
}

function sameDisk(found: readonly Found[]): HostFinding[] {
  return found.flatMap((each, index) => {
    if (each.device === undefined) return [];
    const earlier = found.slice(0, index).find((other) => isSame(each.device!, other.device));
    if (earlier === undefined) return [];
    return [
      {
        message: `${each.path} and ${earlier.path} are one disk${each.owner === earlier.owner ? '' : `, which the contract gives to ${each.owner} and to ${earlier.owner}`}.`,
        correction:
          'Remove one of the two from the contract, or correct it; where it has several paths, set up multipath.',
        faultDomain: 'contract',
      },
    ];
  });
}

const isSame = (a: BlockDevice, b: BlockDevice | undefined): boolean =>
  b !== undefined &&
  (a.kname === b.kname ||
    (a.wwn !== undefined && a.wwn === b.wwn) ||
    (a.wwn === undefined && b.wwn === undefined && a.serial !== undefined && a.serial === b.serial));

/** What is on a disk belongs to its owner. */
function judgeContents({ path, owner, device }: Found): HostFinding[] {
  if (device === undefined) return [];
  const parts = withAllOn(device);
  const ambiguous = (what: string, correction: string): HostFinding[] => [
    {
      message: `${path} belongs to ${owner} by the contract, and ${what}.`,
      correction,
      faultDomain: 'storage',
    },
  ];
  const system = parts.flatMap(({ mounts }) => mounts).filter((mount) => SYSTEM_MOUNT.test(mount));
  if (system.length > 0 && !SYSTEM_OWNER.test(owner)) {
    return ambiguous(
      `the operating system has ${system.join(', ')} on it`,
      'Look which disk is meant, and correct `path` or `owner` (os) in the contract; nothing may write to it until then.',
    );
  }
  if (!CEPH_OWNER.test(owner)) {
    const ceph = parts.find(isCeph);
    return ceph === undefined
      ? []
      : ambiguous(
          `${ceph.kname} on it has data of Ceph`,
          'Look whether its OSD is in use (`ceph-volume lvm list`); correct `owner`, or zap it if it is left over.',
        );
  }
  const mounts = parts.flatMap((part) => part.mounts).filter((mount) => !mount.startsWith('/var/lib/ceph/'));
  if (mounts.length > 0) {
    return ambiguous(
      `it has a file system that is mounted at ${mounts.join(', ')}`,
      'Look whose it is; correct `path` or `owner`, or unmount and wipe it if nobody needs it.',
    );
  }
  const foreign = parts.find((part) => isForeign(part) && !withAllOn(part).some(isCeph));
  return foreign === undefined
    ? []
    : ambiguous(
        `${foreign.kname} on it has ${foreign.fstype}, which is not Ceph's`,
        'Look whose it is; correct `path` or `owner`, or wipe it (`wipefs -a`) if nobody needs it.',
      );
}

/** Ceph keeps its data in logical volumes, and encrypts them: the signature above it says whose these are. */
const isForeign = ({ fstype }: BlockDevice): boolean => fstype !== undefined && !CEPH_SIGNATURE.test(fstype);

/** Where the contract says which disks are the system's, `/` is on one of them. */
function systemElsewhere(found: readonly Found[], all: readonly BlockDevice[]): HostFinding[] {
  const system = found.filter(({ owner, device }) => SYSTEM_OWNER.test(owner) && device !== undefined);
  const holdsRoot = (device: BlockDevice): boolean =>
    withAllOn(device).some(({ mounts }) => mounts.includes('/'));
  const root = all.find((device) => WHOLE_DISK.test(device.type) && holdsRoot(device));
  if (system.length === 0 || root === undefined || system.some(({ device }) => holdsRoot(device!))) return [];
  return [
    {
      message: `The operating system runs from ${root.kname}, and the contract gives it ${system.map(({ path }) => path).join(', ')}.`,
      correction: 'Look which disk is meant, and correct `path` of the owner os in the contract.',
      faultDomain: 'storage',
    },
  ];
}

/** A volume or an array over disks of two owners is neither's. */
function sharedVolumes(found: readonly Found[]): HostFinding[] {
  const owners = new Map<string, Found>();
  const findings: HostFinding[] = [];
  for (const each of found) {
    for (const { kname, name } of each.device?.children.flatMap(withAllOn) ?? []) {
      const other = owners.get(kname);
      if (other === undefined) owners.set(kname, each);
      else if (other.owner !== each.owner && other.device?.kname !== each.device?.kname) {
        findings.push({
          message: `${name} lies on ${other.path} of ${other.owner} and on ${each.path} of ${each.owner}.`,
          correction: 'Look whose volume it is; correct `owner`, or take one of the disks out of it.',
          faultDomain: 'storage',
        });
      }
    }
  }
  return findings;
}
