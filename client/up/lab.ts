import { spawn } from 'node:child_process';
import { closeSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDir } from '../../activities/datadir.ts';
import { fail } from '../../core/errors/failure.ts';
import { packageRoot } from './package-root.ts';
import { forgetPid, livingPid, notePid } from './pid-files.ts';
import { end, processOf } from './process-table.ts';
import { openLog } from './supervised.ts';

const READY_MS = 120_000;

/** A lab that runs: its control API and the inventory of its site. */
export interface Lab {
  readonly controlUrl: string;
  readonly inventory: string;
  /** As it was asked for; 1 if it was not. */
  readonly speed?: string | undefined;
}

export interface LabOptions {
  readonly servers?: string | undefined;
  readonly speed?: string | undefined;
  readonly gatewayUrl: string;
  /** Whether it has a control plane: controllers, and a Kubernetes. */
  readonly controlPlane?: boolean | undefined;
  /** Whether it has an OpenStack, and with it a control plane. */
  readonly openstack?: boolean | undefined;
}

const noteOf = (dir: DataDir): string => join(dir.run, 'lab.json');

/** The lab of this data directory, if it runs. */
export function runningLab(dir: DataDir): Lab | undefined {
  if (!livingPid(dir, 'lab')) return undefined;
  try {
    return JSON.parse(readFileSync(noteOf(dir), 'utf8')) as Lab;
  } catch {
    return undefined;
  }
}

/**
 * Starts the lab of this data directory, in a process that outlives ours: hardware does not reset when
 * whoever drives it is killed. Throws PROCESS_ENDED.
 */
export async function startLab(dir: DataDir, options: LabOptions): Promise<Lab> {
  const logFile = join(dir.logs, 'lab.log');
  const log = openLog(logFile);
  const from = statSync(logFile).size;
  const args = [
    join(packageRoot(), 'dist', 'lab', 'main.js'),
    '--data-dir',
    dir.lab,
    '--gateway-url',
    options.gatewayUrl,
    ...(options.servers === undefined ? [] : ['--servers', options.servers]),
    ...(options.speed === undefined ? [] : ['--speed', options.speed]),
    ...(options.controlPlane ? ['--control-plane'] : []),
    ...(options.openstack ? ['--openstack'] : []),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  const pid = child.pid;
  if (pid === undefined) throw fail('PROCESS_ENDED', 'The lab could not be started.');
  notePid(dir, 'lab', pid);
  child.unref();
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const said = readFileSync(logFile).subarray(from).toString();
    const ready = /^lab ready (\{.*\})$/m.exec(said)?.[1];
    if (ready !== undefined) {
      const lab = { ...(JSON.parse(ready) as Lab), speed: options.speed ?? '1' };
      writeFileSync(noteOf(dir), JSON.stringify(lab), { mode: 0o600 });
      return lab;
    }
    if (!processOf(pid) || Date.now() > deadline) {
      await stopLab(dir);
      const last = said.trim().split('\n').at(-1)?.slice(0, 300);
      throw fail('PROCESS_ENDED', `The lab did not start: ${last ?? ''} Its log is ${logFile}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** What was asked of the lab and is not so, since one that runs is joined as it is. */
export function notAsAsked(
  asked: Omit<LabOptions, 'gatewayUrl'>,
  lab: {
    readonly servers: number;
    readonly speed: string | undefined;
    readonly controlPlane?: boolean;
    readonly openstack?: boolean;
  },
): string[] {
  const differs = (given: string | undefined, has: number): boolean =>
    given !== undefined && Number(given) !== has;
  const told = [
    ...(differs(asked.servers, lab.servers) ? [`has ${lab.servers} servers, not ${asked.servers}`] : []),
    ...(lab.speed !== undefined && differs(asked.speed, Number(lab.speed))
      ? [`has speed ${lab.speed}, not ${asked.speed}`]
      : []),
    ...(asked.controlPlane && !lab.controlPlane ? ['has no control plane'] : []),
    ...(asked.openstack && !lab.openstack ? ['has no OpenStack'] : []),
  ];
  if (told.length === 0) return [];
  return [
    `warning: the lab of an earlier run is joined as it is: it ${told.join(', and ')}. Ctrl-C ends it, too; then start it anew.`,
  ];
}

export async function stopLab(dir: DataDir): Promise<void> {
  const seen = livingPid(dir, 'lab');
  if (seen) await end(seen, 10_000);
  forgetPid(dir, 'lab');
  rmSync(noteOf(dir), { force: true });
}
