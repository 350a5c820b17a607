import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { listenBmc, sharedRedfishApp, type ListeningBmc } from './bmc/listen.ts';
import { issue, newAuthority, type Identity } from './certificates.ts';
import { controlApp, type ServerView } from './control.ts';
import { labHardware } from './hardware.ts';
import type { Faults } from './faults.ts';
import { labAccess } from './hosts/access.ts';
import { labHosts } from './hosts/hosts.ts';
import { inventoryYaml } from './inventory.ts';
import { labCluster } from './kubernetes/cluster.ts';
import { machineOf } from './openstack/machine.ts';
import { labCloud } from './openstack/start.ts';
import { Server } from './server.ts';
import { saved, writeAtomic } from './store.ts';
import { checksumOf, writeFirmware, writeSupplies } from './supplies.ts';

export interface LabOptions {
  readonly dataDir: string;
  /** Port of the control API. @default a free one, the same after a restart */
  readonly port?: number | undefined;
  /** None: a new site, whose control plane is there and has nothing in it. @default 50 */
  readonly servers?: number | undefined;
  /** How many times faster than default hardware. @default 1 */
  readonly speed?: number | undefined;
  /** Where the gateway will be. @default what was given last, else http://127.0.0.1:7480 */
  readonly gatewayUrl?: string | undefined;
  /** @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** Whether it has a control plane too: controllers, and a Kubernetes. @default false */
  readonly controlPlane?: boolean | undefined;
  /** Whether it has an OpenStack too, which takes a control plane. @default false */
  readonly openstack?: boolean | undefined;
}

export interface RunningLab {
  readonly controlUrl: string;
  /** Path of the inventory. */
  readonly inventory: string;
  close(): Promise<void>;
}

interface LabFile {
  /** Control API on this port, BMCs on the ports after it. */
  basePort: number | null;
  gatewayUrl: string;
}

const TRIES = 30;

/** The ports of the control plane, after that of the last BMC. */
const portsAt = (last: number) => ({
  kubernetes: last + 1,
  cloud: last + 2,
  ssh: last + 3,
  console: last + 4,
  workload: last + 5,
});

/** Starts a data centre, or goes on with the one that is in the folder. */
export async function startLab(options: LabOptions): Promise<RunningLab> {
  const { servers: count = 50, speed = 1, host = '127.0.0.1', openstack = false } = options;
  const { controlPlane = openstack } = options;
  const dir = resolve(options.dataDir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = saved<LabFile>(join(dir, 'lab.json'), () => ({
    basePort: null,
    gatewayUrl: 'http://127.0.0.1:7480',
  }));
  const account = secrets(dir);
  const { authority, identities } = await certificates(dir, count, host);
  const cluster = controlPlane ? await labCluster(dir, authority, host) : undefined;
  const hosts = controlPlane ? labHosts(dir) : undefined;
  const images = count === 0 ? [] : writeSupplies(dir);
  const firmware = count === 0 ? [] : writeFirmware(dir);
  const servers = Array.from({ length: count }, (_, i) => {
    const hardware = labHardware(i + 1);
    return new Server(join(dir, 'servers', hardware.name), hardware, account, speed);
  });

  const last = servers.at(-1);

  const bmcApp = await sharedRedfishApp();
  const cloud = openstack
    ? await labCloud({
        dir,
        authority,
        host,
        speed,
        ...(last === undefined ? {} : { machine: machineOf(last), image: join(dir, images[0]!.path) }),
      })
    : undefined;
  const access = cloud && cluster ? labAccess(dir) : undefined;
  const views = new Map<string, ServerView>();
  const services = new Map<string, Faults>([
    ...(cluster ? [['kubernetes', cluster.faults] as const] : []),
    ...(hosts ? [['hosts', hosts.faults] as const] : []),
    ...(access ? [['access', access.faults] as const] : []),
    ...(cloud?.faults ?? []),
  ]);
  const control = controlApp(views, services);
  const open = (base: number): Promise<ListeningBmc[]> =>
    openAll([
      ...servers.map((server, i) => () => listenBmc(bmcApp, server, identities[i]!, host, base + 1 + i)),
      ...(cluster ? [() => cluster.listen(host, portsAt(base + count).kubernetes)] : []),
      ...(cloud
        ? [() => cloud.listen(host, portsAt(base + count).cloud, portsAt(base + count).console)]
        : []),
      ...(hosts ? [() => hosts.listen(portsAt(base + count).ssh)] : []),
      ...(access ? [() => access.listen(host, portsAt(base + count))] : []),
    ]);
  const { base, bmcs } = await listenAll(file.value.basePort, open, control, host, options.port);
  file.value = { basePort: base, gatewayUrl: options.gatewayUrl ?? file.value.gatewayUrl };
  file.save();

  const addressOf = (i: number): string => `https://${host}:${base + 1 + i}`;
  for (const [i, server] of servers.entries())
    views.set(server.hardware.name, { name: server.hardware.name, bmc: addressOf(i), server });
  const inventory = join(dir, 'inventory.yaml');
  writeAtomic(
    inventory,
    inventoryYaml({
      gatewayUrl: file.value.gatewayUrl,
      username: account.username,
      passwordFile: join(dir, 'secrets', 'bmc-password'),
      isoChecksum: count === 0 ? undefined : checksumOf(join(dir, 'base.iso')),
      images,
      firmware,
      nodes: servers.map(({ hardware, console }, i) => ({
        hardware,
        address: addressOf(i),
        console: console.path,
      })),
      controlPlane: {
        ...cluster?.contract(),
        ...cloud?.contract(cluster !== undefined),
        // Each of them has to reach the API of the cluster.
        ...hosts?.contract([{ host, port: portsAt(base + count).kubernetes }]),
        ...access?.contract(cloud!.consoles(), count > 0),
      },
    }),
    0o644,
  );
  for (const server of servers) server.resume();
  return {
    controlUrl: `http://${host}:${options.port ?? base}`,
    inventory,
    async close() {
      await Promise.all([control.close(), ...bmcs.map((bmc) => bmc.close())]);
      await Promise.all(servers.map((server) => server.close()));
      await bmcApp.close();
    },
  };
}

/** Listens on the ports of last time, or looks for a row of free ones. */
async function listenAll(
  known: number | null,
  open: (base: number) => Promise<ListeningBmc[]>,
  control: FastifyInstance,
  host: string,
  controlPort: number | undefined,
): Promise<{ base: number; bmcs: ListeningBmc[] }> {
  for (let attempt = 1; ; attempt++) {
    const base = known ?? randomInt(18_000, 30_000);
    let bmcs: ListeningBmc[] = [];
    try {
      bmcs = await open(base);
      await control.listen({ host, port: controlPort ?? base });
      return { base, bmcs };
    } catch (error) {
      await Promise.all(bmcs.map((bmc) => bmc.close()));
      const { code, port } = error as { code?: string; port?: number };
      if (code !== 'EADDRINUSE' || known !== null || port === controlPort || attempt === TRIES) throw error;
    }
  }
}

/** Opens all, or, when one fails, none. */
async function openAll(openers: readonly (() => Promise<ListeningBmc>)[]): Promise<ListeningBmc[]> {
  const results = await Promise.allSettled(openers.map((open) => open()));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return results.map((r) => (r as PromiseFulfilledResult<ListeningBmc>).value);
  await Promise.all(results.map((r) => (r.status === 'fulfilled' ? r.value.close() : undefined)));
  throw failed.reason;
}

/** The account of the BMCs: random for each lab, the same after a restart. */
function secrets(dir: string): { username: string; password: string } {
  const path = join(dir, 'secrets', 'bmc-password');
  if (!existsSync(path)) writeAtomic(path, randomBytes(18).toString('base64url'));
  return { username: 'admin', password: readFileSync(path, 'utf8').trim() };
}

/** The lab's own authority, and a certificate of it for each BMC. */
async function certificates(
  dir: string,
  count: number,
  host: string,
): Promise<{ authority: Identity; identities: Identity[] }> {
  const authorityFile = join(dir, 'secrets', 'ca.json');
  if (!existsSync(authorityFile)) writeAtomic(authorityFile, JSON.stringify(await newAuthority('Lab CA')));
  const authority = JSON.parse(readFileSync(authorityFile, 'utf8')) as Identity;
  writeAtomic(join(dir, 'ca.pem'), `${authority.cert}\n`, 0o644);
  const identities: Identity[] = [];
  for (let i = 1; i <= count; i++) {
    const { name } = labHardware(i);
    const path = join(dir, 'secrets', 'bmc', `${name}.json`);
    if (!existsSync(path)) writeAtomic(path, JSON.stringify(await issue(authority, name, host)));
    identities.push(JSON.parse(readFileSync(path, 'utf8')) as Identity);
  }
  return { authority, identities };
}
