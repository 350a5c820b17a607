import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { openSync, closeSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endProcess, freePort, pythonVenv } from './peer.ts';

/** OpenStack's Redfish emulator with pretend systems, for tests against an implementation that is not ours. */
export interface Sushy {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly systems: readonly SushySystem[];
  /** Ends it, as a BMC that lost its power; what it keeps is kept. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Lets it write nothing of what it keeps of virtual media, until what is returned is called. It can read all of it. */
  keepsNothing(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export interface SushySystem {
  readonly name: string;
  readonly uuid: string;
  readonly uri: string;
  readonly mac: string;
}

export interface SushyOptions {
  readonly systems: number;
  /** Gets a PUT with a system's state each time it changes. */
  readonly notifyUrl?: string;
}

/** What pip installs. */
export const REQUIREMENT = 'sushy-tools==2.2.0';
const run = promisify(execFile);

/** Where an emulator answers, and who may ask. */
export type Emulator = Pick<Sushy, 'url' | 'username' | 'password' | 'down' | 'up' | 'keepsNothing' | 'stop'>;

/** Starts an emulator with pretend systems on a free port, installing it first where it is not yet. */
export async function startSushy(options: SushyOptions): Promise<Sushy> {
  const venv = await pythonVenv('sushy', REQUIREMENT);
  const systems = Array.from({ length: options.systems }, (_, i) => systemAt(i));
  return { ...(await startEmulator(venv, fakeSettings(systems, options.notifyUrl))), systems };
}

/**
 * Starts an emulator on a free port. Stop it when done.
 *
 * @param settings lines of its configuration, beside where it listens and who may log in
 */
export async function startEmulator(venv: string, settings: readonly string[]): Promise<Emulator> {
  const directory = await mkdtemp(join(tmpdir(), 'rackwright-sushy-'));
  // The free port may be taken between finding it and using it: then another one is tried.
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    await configure(venv, directory, port, settings);
    let child = start(venv, directory);
    const url = `http://127.0.0.1:${port}`;
    if (await answers(url, child)) {
      return {
        url,
        username: 'admin',
        password: 'password',
        down: () => endProcess(child),
        async up() {
          child = start(venv, directory);
          if (!(await answers(url, child))) throw new Error('sushy-emulator did not start again');
        },
        keepsNothing: () => lock(venv, join(directory, 'state', 'vmedia.sqlite')),
        async stop() {
          await endProcess(child);
          await rm(directory, { recursive: true, force: true });
        },
      };
    }
    const log = await readFile(join(directory, 'log'), 'utf8').catch(() => '');
    await endProcess(child);
    if (attempt === 3) throw new Error(`sushy-emulator did not start:\n${log.slice(-2_000)}`);
  }
}

function systemAt(i: number): SushySystem {
  const hex = createHash('sha1').update(`rackwright-sushy-${i}`).digest('hex');
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  const pair = (n: number): string => n.toString(16).padStart(2, '0');
  return {
    name: `node${i}`,
    uuid,
    uri: `/redfish/v1/Systems/${uuid}`,
    mac: `52:54:00:00:${pair(i >> 8)}:${pair(i & 255)}`,
  };
}

/** Writes what the emulator reads, its password file among it. */
async function configure(
  venv: string,
  directory: string,
  port: number,
  settings: readonly string[],
): Promise<void> {
  const state = join(directory, 'state');
  await mkdir(state, { recursive: true });
  // At bcrypt's default cost, each request would take a quarter of a second of CPU.
  const hash =
    "import bcrypt;print(bcrypt.hashpw(b'password',bcrypt.gensalt(rounds=4,prefix=b'2b')).decode())";
  const { stdout } = await run(join(venv, 'bin', 'python'), ['-c', hash]);
  await writeFile(join(directory, 'htpasswd'), `admin:${stdout.trim()}\n`);
  const lines = [
    "SUSHY_EMULATOR_LISTEN_IP = '127.0.0.1'",
    `SUSHY_EMULATOR_LISTEN_PORT = ${port}`,
    `SUSHY_EMULATOR_STATE_DIR = ${JSON.stringify(state)}`,
    `SUSHY_EMULATOR_AUTH_FILE = ${JSON.stringify(join(directory, 'htpasswd'))}`,
    ...settings,
  ];
  await writeFile(join(directory, 'emulator.conf'), `${lines.join('\n')}\n`);
}

/** Pretend systems, with the storage without which the emulator answers 500. */
function fakeSettings(systems: readonly SushySystem[], notifyUrl: string | undefined): string[] {
  const fakes = systems.map(({ name, uuid, mac }) => ({
    uuid,
    name,
    power_state: 'Off',
    external_notifier: notifyUrl === undefined ? 0 : 1,
    nics: [{ mac, ip: '127.0.0.1' }],
  }));
  return [
    'import json',
    'SUSHY_EMULATOR_FAKE_DRIVER = True',
    `EXTERNAL_NOTIFICATION_URL = ${JSON.stringify(notifyUrl ?? 'http://127.0.0.1:9/')}`,
    `SUSHY_EMULATOR_FAKE_SYSTEMS = json.loads(${JSON.stringify(JSON.stringify(fakes))})`,
    "_ids = [s['uuid'] for s in SUSHY_EMULATOR_FAKE_SYSTEMS]",
    "_controllers = [{'MemberId': '0', 'Name': 'Controller', 'SpeedGbps': 12}]",
    "_storage = {'Id': '1', 'Name': 'Controller', 'StorageControllers': _controllers, 'Drives': ['D1']}",
    'SUSHY_EMULATOR_STORAGE = {u: [_storage] for u in _ids}',
    "_drive = {'Id': 'D1', 'Name': 'Drive', 'Model': 'C123', 'CapacityBytes': 960197124096, 'Protocol': 'NVMe'}",
    "SUSHY_EMULATOR_DRIVES = {(u, '1'): [_drive] for u in _ids}",
    "SUSHY_EMULATOR_VOLUMES = {(u, '1'): [] for u in _ids}",
  ];
}

/** Holds the one lock for writing that a file of SQLite has. */
async function lock(venv: string, file: string): Promise<() => Promise<void>> {
  const hold = `import sqlite3,sys;c=sqlite3.connect(sys.argv[1]);c.execute('begin immediate');print(flush=True);sys.stdin.read()`;
  const child = spawn(join(venv, 'bin', 'python'), ['-c', hold, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error(`${file} cannot be locked`);
    }),
  ]);
  return () => endProcess(child);
}

function start(venv: string, directory: string): ChildProcess {
  const log = openSync(join(directory, 'log'), 'w');
  const child = spawn(join(venv, 'bin', 'sushy-emulator'), ['--config', join(directory, 'emulator.conf')], {
    // Images that are inserted are downloaded to the temporary directory.
    env: { ...process.env, TMPDIR: directory },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return child;
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  const ends = Date.now() + 60_000;
  while (Date.now() < ends && child.exitCode === null) {
    const up = await fetch(`${url}/redfish/v1/`).then(
      (r) => r.ok,
      () => false,
    );
    if (up) return child.exitCode === null;
    await sleep(50);
  }
  return false;
}
