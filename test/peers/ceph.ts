import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../../client/up/ports.ts';
import { missingPrograms } from './once.ts';
import { until } from './openstack/api.ts';
import { Programs } from './programs.ts';

const run = promisify(execFile);
const UP_MS = 180_000;
const MONITORS = ['a', 'b', 'c'] as const;
const OSDS = [0, 1, 2] as const;

const DAEMONS = [
  'mgr.x',
  ...OSDS.map((id) => `osd.${id}` as const),
  ...MONITORS.map((id) => `mon.${id}` as const),
] as const;
type Daemon = (typeof DAEMONS)[number];

/** A real Ceph of Debian's packages: three monitors, one manager, three OSDs that keep their data in memory. */
export interface CephPeer {
  /** What `CEPH_CONF` has to be for its command line. */
  readonly conf: string;
  /** Runs `ceph` as its administrator. */
  ceph(...args: string[]): Promise<string>;
  /** `ceph status`, as JSON. */
  status(): Promise<{
    readonly health: { readonly status: string; readonly checks: object };
    readonly mgrmap: { readonly available: boolean };
    readonly pgmap: { readonly pgs_by_state: readonly { readonly state_name: string }[] };
  }>;
  /** Makes a user with these rights, whose key lies where its command line looks for it. */
  allow(user: string, ...caps: string[]): Promise<void>;
  /** Ends a daemon at once, as a host that lost its power; nobody is told. */
  kill(daemon: Daemon): Promise<void>;
  /** Starts what was killed, and waits until it says that all of it is well. */
  mend(): Promise<void>;
  /** Waits until it says a health check of this code itself. */
  says(code: string): Promise<void>;
  /** Waits until it answers nobody: what is left of its monitors has given up. */
  silent(): Promise<void>;
  stop(): Promise<void>;
}

/** Why it cannot be run here; undefined where it can. */
export function missingForCeph(): string | undefined {
  const missing = missingPrograms(['ceph', 'ceph-mon', 'ceph-mgr', 'ceph-osd', 'monmaptool']);
  return missing.length === 0 ? undefined : missing.join(', ');
}

/** Starts it, and waits until it says that it is healthy, with one pool. Stop it when done. */
export async function startCeph(): Promise<CephPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'ceph-'));
  const programs = new Programs();
  const ports = await freePorts(MONITORS.length);
  const monitors = MONITORS.map((name, at) => ({ name, address: `[v2:127.0.0.1:${ports[at]}]` }));
  const conf = join(folder, 'ceph.conf');
  const keyring = join(folder, 'keyring');
  const env = { CEPH_CONF: conf };
  const tool = async (program: string, ...args: string[]): Promise<string> =>
    (await run(program, args, { env: { ...process.env, ...env }, timeout: UP_MS })).stdout;
  const ceph = (...args: string[]): Promise<string> => tool('ceph', '--connect-timeout', '15', ...args);
  const start = (daemon: Daemon): Promise<void> => {
    const [kind, id] = daemon.split('.');
    return programs.start({
      name: daemon,
      command: [`ceph-${kind}`, '--foreground', '--id', id!],
      env,
      log: join(folder, `${daemon}.out`),
    });
  };
  const peer: CephPeer = {
    conf,
    ceph,
    allow: async (user, ...caps) =>
      appendFileSync(keyring, await ceph('auth', 'get-or-create', user, ...caps)),
    status: async () => JSON.parse(await ceph('status', '--format', 'json')) as never,
    kill: (daemon) => programs.kill(daemon),
    async mend() {
      for (const daemon of DAEMONS) await start(daemon);
      await told(peer, 'HEALTH_OK');
    },
    says: (code) => told(peer, code),
    async silent() {
      await until('silence of Ceph', () =>
        ceph('status').then(
          () => false,
          () => true,
        ),
      );
    },
    async stop() {
      for (const daemon of DAEMONS) await programs.kill(daemon);
      await rm(folder, { recursive: true, force: true });
    },
  };

  try {
    const fsid = randomUUID();
    writeFileSync(conf, configuration(folder, fsid, monitors));
    const all = ['--gen-key', '--cap', 'mon', 'allow *'];
    await tool('ceph-authtool', '--create-keyring', keyring, '-n', 'mon.', ...all);
    const admin = [...all, '--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'];
    await tool('ceph-authtool', keyring, '-n', 'client.admin', ...admin);
    const map = join(folder, 'monmap');
    const addresses = monitors.flatMap(({ name, address }) => ['--addv', name, address]);
    await tool('monmaptool', '--create', '--fsid', fsid, ...addresses, map);
    for (const { name } of monitors) {
      await tool('ceph-mon', '--mkfs', '--id', name, '--monmap', map, '--keyring', keyring);
      await start(`mon.${name}`);
    }

    const caps = ['mon', 'allow profile mgr', 'osd', 'allow *', 'mds', 'allow *'];
    mkdirSync(join(folder, 'mgr.x'));
    await peer.allow('mgr.x', ...caps);
    await start('mgr.x');
    for (const id of OSDS) {
      mkdirSync(join(folder, `osd.${id}`));
      const [uuid, key] = [randomUUID(), (await tool('ceph-authtool', '--gen-print-key')).trim()];
      const secret = join(folder, 'secret.json');
      writeFileSync(secret, JSON.stringify({ cephx_secret: key }));
      await ceph('osd', 'new', uuid, String(id), '-i', secret);
      appendFileSync(keyring, `[osd.${id}]\n\tkey = ${key}\n`);
      await tool('ceph-osd', '--mkfs', '--id', String(id), '--osd-uuid', uuid);
      await start(`osd.${id}`);
    }
    await ceph('osd', 'pool', 'create', 'data', '8');
    await ceph('osd', 'pool', 'application', 'enable', 'data', 'rbd');
    await peer.mend();
  } catch (error) {
    await peer.stop();
    throw error;
  }
  return peer;
}

/** Waits until its health is this, with a manager and all data clean; or until one of its checks is. */
async function told(peer: CephPeer, wanted: string): Promise<void> {
  await until(`${wanted} of Ceph`, async () => {
    const { health, mgrmap, pgmap } = await peer.status();
    const isClean = pgmap.pgs_by_state.every(({ state_name: state }) => state === 'active+clean');
    const isSo = health.status === wanted && mgrmap.available && isClean;
    return isSo || Object.keys(health.checks).includes(wanted);
  });
}

/** All on loopback, and quick to tell who is gone. */
const configuration = (
  folder: string,
  fsid: string,
  monitors: readonly { readonly name: string; readonly address: string }[],
): string =>
  [
    '[global]',
    `fsid = ${fsid}`,
    `mon host = ${monitors.map(({ address }) => address).join(',')}`,
    `mon initial members = ${monitors.map(({ name }) => name).join(',')}`,
    'public network = 127.0.0.0/8',
    'ms bind ipv6 = false',
    ...['cluster', 'service', 'client'].map((who) => `auth ${who} required = cephx`),
    'auth allow insecure global id reclaim = false',
    `keyring = ${join(folder, 'keyring')}`,
    `log file = ${join(folder, '$name.log')}`,
    `run dir = ${folder}`,
    `admin socket = ${join(folder, '$name.asok')}`,
    ...['mon', 'mgr', 'osd'].map((kind) => `${kind} data = ${join(folder, `${kind}.$id`)}`),
    'osd objectstore = memstore',
    'memstore device bytes = 268435456',
    'osd crush chooseleaf type = 0',
    'osd pool default size = 3',
    'osd pool default min size = 2',
    'osd pool default pg autoscale mode = off',
    'mon osd min down reporters = 1',
    'mon osd down out interval = 3600',
    'mgr beacon period = 1',
    // Beacons that are older than this, but for one tick, are taken for the monitor's own lateness.
    'mon tick interval = 1',
    'mon mgr beacon grace = 10',
    'mon mgr mkfs grace = 1',
    'mgr initial modules =',
    // What waited while daemons were down on purpose is not slow; nor does a busy machine make it ill.
    'mon op complaint time = 3600',
    'osd op complaint time = 3600',
    'mon warn on slow ping time = 60000',
    'mon clock drift allowed = 5',
    // The disk is that of whoever runs the tests.
    'mon data avail warn = 0',
    'mon data avail crit = 0',
    '',
  ].join('\n');
