import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { agentVenv } from './ipa.ts';

const run = promisify(execFile);
const TOOLS = resolve('test/peers/fake-tools');

/** A disk as the agent knows it; its name is a file or a device. */
export interface EraseDisk {
  readonly name: string;
  readonly serial?: string;
  readonly wwn?: string;
  readonly size?: number;
  readonly tran?: string;
}

export interface EraseRequest {
  readonly disks: readonly EraseDisk[];
  /** `driver_internal_info` of the node. */
  readonly info: object;
  readonly properties?: object;
  readonly readOnly?: readonly string[];
  /** A folder that stands for /sys/block. */
  readonly sysBlock?: string;
}

export interface EraseAnswer {
  readonly versions: { readonly [manager: string]: string };
  readonly steps: { readonly [manager: string]: readonly { readonly step: string }[] };
  readonly result?: { readonly [disk: string]: { readonly [key: string]: unknown } | null };
  readonly error?: { readonly type: string; readonly details: string };
}

/** What the drives are like: see the programs in `fake-tools`. */
export interface Drives {
  readonly nvme?: object;
  readonly hdparm?: object;
  readonly lsblk?: string;
  /** A folder whose programs are taken before all others. */
  readonly tools?: string;
  /** Whether `lsblk` is the machine's own. @default false */
  readonly ownLsblk?: boolean;
}

/** Erases with a real agent that has our hardware manager; without one for `stock`. */
export type Erases = (request: EraseRequest, drives?: Drives) => Promise<EraseAnswer>;

/** Installs the package with pip into a folder beside the agent's environment, which stays as it is. */
export async function installHardwareManager(folder: string): Promise<{ with: Erases; stock: Erases }> {
  const python = join(await agentVenv(), 'bin', 'python');
  const [source, site] = [join(folder, 'source'), join(folder, 'site')];
  // pip builds where the source is: not in the checkout.
  await cp('agent', source, { recursive: true });
  await run(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', site, source]);
  const erases =
    (path: string): Erases =>
    async (request, drives = {}) => {
      const { nvme = {}, hdparm = {}, lsblk = '', tools, ownLsblk = false } = drives;
      const first = [...(tools === undefined ? [] : [tools]), ...(ownLsblk ? [] : [TOOLS])];
      const { stdout } = await run(python, ['test/peers/hardware-manager.py', JSON.stringify(request)], {
        env: {
          ...process.env,
          PATH: [...first, process.env['PATH']].join(delimiter),
          PYTHONPATH: path,
          FAKE_NVME: JSON.stringify(nvme),
          FAKE_HDPARM: JSON.stringify(hdparm),
          FAKE_LSBLK: lsblk,
        },
        maxBuffer: 16 * 1024 * 1024,
      });
      return JSON.parse(stdout) as EraseAnswer;
    };
  return { with: erases(site), stock: erases('') };
}
