import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, pythonVenv } from './peer.ts';

const run = promisify(execFile);
const VERSION = '39.0.0';

/**
 * A standalone Ironic (API and conductor in one process, sqlite, no authentication) with fake hardware; and, where
 * it was asked for, the `redfish` hardware type.
 */
export interface IronicPeer {
  readonly url: string;
  readonly dir: string;
  /** As a power cut would: the process is gone at once; its database stays. */
  kill(): Promise<void>;
  /** Starts it again on the same database and port, with other delays if given, or as in the middle of an upgrade. */
  start(delays?: FakeDelays, pinned?: string): Promise<void>;
  /** Ends it; removes its folder unless the caller gave one. */
  stop(): Promise<void>;
}

/** Seconds that the fake interfaces take, so that Ironic's working states can be seen. */
export interface FakeDelays {
  readonly deploy?: number;
  readonly bios?: number;
  readonly power?: number;
  readonly inspect?: number;
}

/** What Ironic needs to carry servers by Redfish and virtual media. */
export interface RedfishOptions {
  /** Where others fetch what Ironic puts into `<dir>/http`: it does not serve that itself. */
  readonly httpUrl: string;
  /** Seconds after which an agent counts as silent: it speaks up after a third to 60 % of them. */
  readonly heartbeatTimeout: number;
}

/**
 * Installs Ironic once into a virtual environment (`.rackwright/peers`, or `RACKWRIGHT_PEERS`) and starts it.
 *
 * @param options.pinned the release that it behaves as, which operators pin while they upgrade from it
 * @param options.dir where its database and logs go; by default a folder that `stop` removes
 */
export async function startIronic(
  options: { dir?: string; delays?: FakeDelays; redfish?: RedfishOptions; pinned?: string } = {},
): Promise<IronicPeer> {
  const venv = await pythonVenv('ironic', `ironic==${VERSION}`);
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'rackwright-ironic-')));
  for (const name of ['master_images', 'images', 'http', 'tftp', 'certificates']) {
    mkdirSync(join(dir, name), { recursive: true });
  }
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = join(dir, 'ironic.conf');
  let child: ChildProcess | undefined;
  process.once('exit', () => child?.pid !== undefined && killGroup(child.pid));

  const kill = async (): Promise<void> => {
    if (child !== undefined) await end(child);
    child = undefined;
  };
  const start = async (delays: FakeDelays = {}, pinned?: string): Promise<void> => {
    await kill();
    await writeFile(config, configuration({ dir, venv, port, delays, redfish: options.redfish, pinned }));
    if (!existsSync(join(dir, 'ironic.sqlite'))) {
      await run(join(venv, 'bin/ironic-dbsync'), ['--config-file', config, 'create_schema']);
    }
    const log = openSync(join(dir, 'out.log'), 'a');
    child = spawn(join(venv, 'bin/ironic'), ['--config-file', config], {
      detached: true,
      stdio: ['ignore', log, log],
    });
    await ready(url, child, join(dir, 'ironic.log'));
  };
  const stop = async (): Promise<void> => {
    await kill();
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
  };
  try {
    await start(options.delays, options.pinned);
  } catch (cause) {
    await stop();
    throw cause;
  }
  return { url, dir, kill, start, stop };
}

/** Its master waits long after SIGTERM, and its worker is a process of its own: both go by the group we made. */
async function end(child: ChildProcess): Promise<void> {
  const pid = child.pid;
  if (pid === undefined) return;
  const exited = child.exitCode !== null || child.signalCode !== null;
  const gone = exited ? undefined : once(child, 'exit');
  killGroup(pid);
  await gone;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}

async function ready(url: string, child: ChildProcess, log: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) break;
    const drivers = await fetch(`${url}/v1/drivers`).then(
      (answer) => answer.text(),
      () => '',
    );
    if (drivers.includes('fake-hardware')) return;
    await sleep(200);
  }
  const tail = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(-20).join('\n') : '(no log)';
  throw new Error(`Ironic did not come up:\n${tail}`);
}

/** Interfaces of the `redfish` hardware type, beside those of `fake-hardware`. */
const REDFISH_INTERFACES: Record<string, string> = {
  bios: 'redfish',
  boot: 'redfish-virtual-media',
  firmware: 'redfish',
  inspect: 'redfish',
  management: 'redfish',
  power: 'redfish',
};

/** Cleaning is on for Redfish: what fake hardware would clean is nothing. */
const redfishSections = (
  dir: string,
  { httpUrl, heartbeatTimeout }: RedfishOptions,
): Record<string, Record<string, string | number>> => ({
  api: { ramdisk_heartbeat_timeout: heartbeatTimeout },
  agent: {
    certificates_path: join(dir, 'certificates'),
    image_download_source: 'http',
    require_tls: 'true',
  },
  conductor: { automated_clean: 'true', file_url_allowed_paths: join(dir, 'http') },
  deploy: { http_url: httpUrl },
  redfish: { use_swift: 'false' },
});

interface Configured {
  readonly dir: string;
  readonly venv: string;
  readonly port: number;
  readonly delays: FakeDelays;
  readonly redfish: RedfishOptions | undefined;
  readonly pinned: string | undefined;
}

function configuration({ dir, venv, port, delays, redfish, pinned }: Configured): string {
  const fakeInterfaces: Record<string, string> = {
    bios: 'fake,no-bios',
    boot: 'fake',
    console: 'no-console',
    deploy: 'fake,direct',
    firmware: 'no-firmware',
    inspect: 'fake,no-inspect',
    management: 'fake',
    network: 'noop',
    power: 'fake',
    raid: 'no-raid',
    rescue: 'no-rescue',
    storage: 'noop',
    vendor: 'fake,no-vendor',
  };
  const interfaces = Object.entries(fakeInterfaces).map(([kind, names]) => {
    const more = redfish && REDFISH_INTERFACES[kind];
    return [`enabled_${kind}_interfaces`, more === undefined ? names : `${names},${more}`];
  });
  const sections: Record<string, Record<string, string | number>> = {
    DEFAULT: {
      auth_strategy: 'noauth',
      host: 'localhost',
      my_ip: '127.0.0.1',
      rpc_transport: 'none',
      log_file: join(dir, 'ironic.log'),
      state_path: dir,
      tempdir: dir,
      pybasedir: join(venv, 'lib', pythonOf(venv), 'site-packages/ironic'),
      enabled_hardware_types: redfish ? 'fake-hardware,redfish' : 'fake-hardware',
      default_network_interface: 'noop',
      ...(pinned === undefined ? {} : { pin_release_version: pinned }),
      ...Object.fromEntries(interfaces),
    },
    api: { host_ip: '127.0.0.1', port },
    conductor: { automated_clean: 'false', sync_power_state_interval: 3600 },
    database: { connection: `sqlite:///${join(dir, 'ironic.sqlite')}` },
    deploy: { http_root: join(dir, 'http'), http_url: 'http://127.0.0.1:9' },
    pxe: {
      tftp_root: join(dir, 'tftp'),
      images_path: join(dir, 'images'),
      tftp_master_path: join(dir, 'master_images'),
      instance_master_path: join(dir, 'master_images'),
    },
    service_catalog: { auth_type: 'none', endpoint_override: `http://127.0.0.1:${port}` },
    fake: Object.fromEntries(Object.entries(delays).map(([name, seconds]) => [`${name}_delay`, seconds])),
  };
  const more = redfish === undefined ? {} : redfishSections(dir, redfish);
  for (const [name, values] of Object.entries(more)) sections[name] = { ...sections[name], ...values };
  return Object.entries(sections)
    .map(([name, values]) =>
      [`[${name}]`, ...Object.entries(values).map(([key, value]) => `${key} = ${value}`), ''].join('\n'),
    )
    .join('\n');
}

function pythonOf(venv: string): string {
  const [, version] = /^version\s*=\s*(\d+\.\d+)/m.exec(readFileSync(join(venv, 'pyvenv.cfg'), 'utf8')) ?? [];
  return `python${version}`;
}
