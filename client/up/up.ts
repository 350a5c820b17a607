import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDataDir, type DataDir } from '../../activities/datadir.ts';
import { requireInventory } from '../../activities/inventory/load.ts';
import { temporalSettings } from '../../activities/temporal/settings.ts';
import { fail } from '../../core/errors/failure.ts';
import { connect } from '../sdk/connect.ts';
import { devServerArguments } from './dev-server.ts';
import { gatewayNote } from './gateway-note.ts';
import { notAsAsked, runningLab, startLab, stopLab, type Lab, type LabOptions } from './lab.ts';
import { packageRoot } from './package-root.ts';
import { forgetPid, livingPid, notePid } from './pid-files.ts';
import { freePorts, hindrance, isTaken } from './ports.ts';
import { processFlags } from './process-flags.ts';
import { end } from './process-table.ts';
import { forgetRunning, writeRunning, type Running } from './running.ts';
import { Supervised, type ProcessSpec } from './supervised.ts';
import { ensureTemporalBinary } from './temporal-binary.ts';

/** Ports of what is embedded. 0: a free one, the same after a restart where it can be had again. */
export interface UpPorts {
  readonly temporal: number;
  readonly ui: number;
  readonly gateway: number;
}

export interface UpOptions {
  readonly dataDir: string;
  readonly inventory?: string | undefined;
  /** Set for a lab; the gateway is the one that is started here. */
  readonly lab?: Omit<LabOptions, 'gatewayUrl'> | undefined;
  readonly ports: UpPorts;
  /** Where the gateway listens. @default 127.0.0.1 */
  readonly gatewayHost: string;
  /** Of a Temporal that runs already; then none is started. */
  readonly address?: string | undefined;
  readonly namespace?: string | undefined;
  readonly allowExec: boolean;
  readonly note: (line: string) => void;
}

/** A system that runs. `ended` rejects when one of its processes cannot be kept alive. */
export interface Up {
  readonly running: Running;
  readonly nodes: number;
  readonly labUrl: string | null;
  readonly ended: Promise<never>;
  stop(): Promise<void>;
}

const CHILDREN = ['gateway', 'worker', 'temporal'] as const;
const LEFTOVER_GRACE_MS = 10_000;

/**
 * Starts everything that a site needs, in order, and keeps it alive. What an earlier one left behind
 * when it was killed is ended first, if it is ours beyond doubt.
 */
export async function up(options: UpOptions): Promise<Up> {
  const dir = openDataDir(options.dataDir);
  const other = livingPid(dir, 'up');
  if (other) throw fail('ALREADY_RUNNING', `Process ${other.pid} runs with ${dir.root}.`);
  notePid(dir, 'up', process.pid);
  const started: { stop(): Promise<void> }[] = [{ stop: () => forget(dir) }];
  const stop = async (): Promise<void> => {
    for (const each of started.splice(0).toReversed()) await each.stop();
  };
  try {
    return await startAll(dir, options, started, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function forget(dir: DataDir): Promise<void> {
  await forgetRunning(dir);
  forgetPid(dir, 'up');
}

async function startAll(
  dir: DataDir,
  options: UpOptions,
  started: { stop(): Promise<void> }[],
  stop: () => Promise<void>,
): Promise<Up> {
  await endLeftovers(dir, options.note);
  const settings = temporalSettings({ address: options.address, namespace: options.namespace });
  const embedded = options.address === undefined && process.env['TEMPORAL_ADDRESS'] === undefined;
  const ports = await choosePorts(dir, options);
  await refuseTaken(ports, embedded, options.gatewayHost);

  const gatewayUrl = `http://${options.gatewayHost}:${ports.gateway}`;
  const lab = options.lab && (await joinLab(dir, options.lab, gatewayUrl, started));
  const path = resolve(lab?.inventory ?? options.inventory ?? '');
  const inventory = await requireInventory(path, { allowExec: options.allowExec });
  const note = gatewayNote(inventory, options.gatewayHost);
  if (note !== undefined) options.note(note);
  if (options.lab && lab?.joined) {
    const has = {
      servers: inventory.nodes.length,
      speed: lab.speed,
      controlPlane: inventory.kubernetes !== undefined,
      openstack: inventory.openstack?.authUrl !== undefined,
    };
    for (const line of notAsAsked(options.lab, has)) options.note(line);
  }

  let giveUp: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => (giveUp = reject));
  ended.catch(() => undefined);
  const run = async (spec: ProcessSpec): Promise<void> => {
    const child = new Supervised(spec, dir, { onGiveUp: giveUp, note: options.note });
    started.push(child);
    await child.start();
  };

  const { namespace } = settings;
  const address = embedded ? `127.0.0.1:${ports.temporal}` : settings.address;
  const target = { ...settings, address };
  if (embedded) await run(await temporalSpec(dir, ports, target, options.note));
  else await (await connect(target)).close();
  const flags = processFlags({
    address,
    namespace,
    dataDir: dir.root,
    inventory: path,
    allowExec: options.allowExec,
  });
  const listen = `${options.gatewayHost}:${ports.gateway}`;
  await Promise.all([
    run(nodeSpec('worker', flags)),
    run(nodeSpec('gateway', [...flags, '--listen', listen])),
  ]);

  const running: Running = {
    pid: process.pid,
    temporalAddress: address,
    namespace,
    uiUrl: embedded ? `http://127.0.0.1:${ports.ui}` : null,
    gatewayUrl,
    inventory: path,
    site: inventory.site,
  };
  await writeRunning(dir, running);
  return { running, nodes: inventory.nodes.length, labUrl: lab?.controlUrl ?? null, ended, stop };
}

/** Ends what an earlier `up` of this data directory left when it was killed. */
async function endLeftovers(dir: DataDir, note: (line: string) => void): Promise<void> {
  for (const name of CHILDREN) {
    const seen = livingPid(dir, name);
    if (seen) {
      note(`ending a ${name} of an earlier run (process ${seen.pid})`);
      await end(seen, LEFTOVER_GRACE_MS);
    }
    forgetPid(dir, name);
  }
}

/** Free ports are kept in the data directory: the lab's inventory, for one, names the gateway's. */
async function choosePorts(dir: DataDir, { ports, gatewayHost }: UpOptions): Promise<UpPorts> {
  const file = join(dir.run, 'ports.json');
  let last: Partial<UpPorts> = {};
  try {
    last = JSON.parse(readFileSync(file, 'utf8')) as Partial<UpPorts>;
  } catch {
    // The first start.
  }
  const fresh = await freePorts(3);
  const choose = async (name: keyof UpPorts, host: string): Promise<number> => {
    if (ports[name] !== 0) return ports[name];
    const before = last[name];
    return before !== undefined && !(await isTaken(before, host)) ? before : fresh.pop()!;
  };
  const chosen = {
    temporal: await choose('temporal', '127.0.0.1'),
    ui: await choose('ui', '127.0.0.1'),
    gateway: await choose('gateway', gatewayHost),
  };
  writeFileSync(file, `${JSON.stringify(chosen)}\n`, { mode: 0o600 });
  return chosen;
}

/** Throws PORT_TAKEN, naming every port that is taken and the flag that changes it. */
async function refuseTaken(ports: UpPorts, embedded: boolean, gatewayHost: string): Promise<void> {
  const wanted = [
    ...(embedded
      ? [
          ['Temporal', ports.temporal, '--temporal-port', '127.0.0.1'] as const,
          ["Temporal's Web UI", ports.ui, '--ui-port', '127.0.0.1'] as const,
        ]
      : []),
    ['the gateway', ports.gateway, '--gateway-port', gatewayHost] as const,
  ];
  const taken: string[] = [];
  for (const [what, port, flag, host] of wanted) {
    const why = await hindrance(port, host);
    if (why === undefined) continue;
    if (why === 'EADDRINUSE') taken.push(`port ${port} for ${what} is taken (${flag} chooses another)`);
    else {
      const flags = what === 'the gateway' ? `${flag} or --gateway-host` : flag;
      const message = `Nothing can listen on ${host}:${port} for ${what} (${why}): correct ${flags}.`;
      throw fail('CONFIGURATION_INVALID', message);
    }
  }
  if (taken.length > 0) throw fail('PORT_TAKEN', `${taken.join('; ')}.`);
}

async function joinLab(
  dir: DataDir,
  options: NonNullable<UpOptions['lab']>,
  gatewayUrl: string,
  started: { stop(): Promise<void> }[],
): Promise<Lab & { readonly joined: boolean }> {
  const joined = runningLab(dir);
  if (joined && !readFileSync(joined.inventory, 'utf8').includes(gatewayUrl)) {
    // Its inventory names another gateway: hardware keeps its state over a restart.
    await stopLab(dir);
  } else if (joined) {
    started.push({ stop: () => stopLab(dir) });
    return { ...joined, joined: true };
  }
  started.push({ stop: () => stopLab(dir) });
  return { ...(await startLab(dir, { ...options, gatewayUrl })), joined: false };
}

async function temporalSpec(
  dir: DataDir,
  ports: UpPorts,
  settings: ReturnType<typeof temporalSettings>,
  note: (line: string) => void,
): Promise<ProcessSpec> {
  const { namespace } = settings;
  return {
    name: 'temporal',
    command: await ensureTemporalBinary({ log: note }),
    args: devServerArguments({
      port: ports.temporal,
      uiPort: ports.ui,
      namespace,
      dbFile: dir.temporalDb,
    }),
    channel: false,
    async probe() {
      try {
        await (await connect(settings)).close();
        return true;
      } catch {
        return false;
      }
    },
  };
}

const nodeSpec = (name: 'worker' | 'gateway', flags: readonly string[]): ProcessSpec => ({
  name,
  command: process.execPath,
  args: ['--enable-source-maps', join(packageRoot(), 'dist', 'workers', `${name}.js`), ...flags],
  channel: true,
});
