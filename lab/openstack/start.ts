import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { issue, type Identity } from '../certificates.ts';
import { faults, type FaultValues, type Faults } from '../faults.ts';
import { eventLog, saved, writeAtomic } from '../store.ts';
import type { Account, Cloud, Machine } from './cloud.ts';
import { CONDUCTORS, IRONIC_COMPUTE, PROJECT, REGION } from './cloud.ts';
import { consoleProxy } from './console.ts';
import { COMMANDS, platformOf } from './platform.ts';
import { glance } from './glance/service.ts';
import { deployImages, uploadDeployImages } from './glance/deploy.ts';
import { newImage, upload } from './glance/images.ts';
import { guestOf, type Guest } from './guest.ts';
import { IRONIC_LIFE } from './ironic/life.ts';
import { ironic } from './ironic/service.ts';
import { keystone } from './keystone/service.ts';
import { neutron } from './neutron/service.ts';
import { newCloud } from './new-cloud.ts';
import { NOVA_LIFE } from './nova/life.ts';
import { nova } from './nova/service.ts';
import { placement } from './placement/service.ts';
import { cloudApp } from './service.ts';
import { uuidOf, type CloudState } from './state.ts';
import { CLOUD_SERVICES, CLOUD_SWITCHES, type CloudService } from './switches.ts';

/** The OpenStack of the lab's control plane, and the switches that make it misbehave. */
export interface LabCloud {
  readonly faults: ReadonlyMap<string, Faults>;
  /** The proxy for consoles has a port of its own. */
  listen(host: string, port: number, consolePort: number): Promise<{ close(): Promise<void> }>;
  /** The page that consoles are seen on. */
  consoles(): string;
  /**
   * The part of the contract that is about it.
   *
   * @param inPods whether the lab's cluster is there, in whose pods commands are run
   */
  contract(inPods?: boolean): { readonly [field: string]: unknown };
}

export interface CloudOptions {
  readonly dir: string;
  readonly authority: Identity;
  readonly host: string;
  readonly speed: number;
  /** The machine that it has, and the bytes of the image that acceptance takes. Left out: it is new and empty. */
  readonly machine?: Machine | undefined;
  readonly image?: string | undefined;
}

const LIFE = { ...NOVA_LIFE, ...IRONIC_LIFE };
const SERVICES = [keystone, nova, neutron, glance, placement, ironic];

/** Makes a cloud, or goes on with the one that is in the folder. */
export async function labCloud(options: CloudOptions): Promise<LabCloud> {
  const { dir, authority, host, speed, machine } = options;
  const file = saved<CloudState>(join(dir, 'openstack', 'state.json'), () => newCloud(machine));
  const log = eventLog(join(dir, 'openstack', 'log.jsonl'));
  const kept = (name: string, make: () => string): string => {
    const path = join(dir, 'secrets', name);
    if (!existsSync(path)) writeAtomic(path, make());
    return readFileSync(path, 'utf8').trim();
  };
  const password = (): string => randomBytes(18).toString('base64url');
  const accounts: readonly Account[] = [
    {
      name: 'rackwright',
      password: kept('openstack-password', password),
      roles: ['admin', 'manager', 'member', 'reader'],
    },
    { name: 'reader', password: kept('openstack-reader-password', password), roles: ['reader'] },
  ];
  const made = JSON.stringify(await issue(authority, 'openstack', host));
  const identity = JSON.parse(kept('openstack.json', () => made)) as Identity;

  let url = '';
  let timer: NodeJS.Timeout | undefined;
  const state = file.value;
  const cloud: Cloud = {
    state,
    faults: switches(
      state,
      () => {
        file.save();
        // Where its port was taken meanwhile, it stays down, as it would anywhere.
        consoles.follow().catch(() => log.append('console-not-listening'));
      },
      (service, fault) => log.append('fault-fired', { service, fault }),
    ),
    accounts,
    machine,
    imageDir: join(dir, 'openstack', 'images'),
    speed,
    url: () => url,
    consoles: () => consoles.url(),
    save: () => file.save(),
    later(ms, what, id) {
      state.due.push({ at: Date.now() + ms / speed, what, id });
      file.save();
      waitForNext();
    },
  };
  /** Waits for what is due first. */
  const waitForNext = (): void => {
    clearTimeout(timer);
    const [first] = state.due.toSorted((a, b) => a.at - b.at);
    if (first !== undefined && url !== '') timer = setTimeout(happen, Math.max(0, first.at - Date.now()));
  };
  const happen = (): void => {
    const now = Date.now();
    const ready = state.due.filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at);
    state.due = state.due.filter((each) => !ready.includes(each));
    for (const { what, id } of ready) {
      LIFE[what]?.(cloud, id);
      log.append('happened', { what, id });
    }
    file.save();
    guest?.update();
    waitForNext();
  };
  let guest: Guest | undefined;
  const consoles = consoleProxy(identity, () => !cloud.faults.nova.on('consoleProxyDown'));

  if (options.image !== undefined) await acceptanceImage(cloud, options.image);
  return {
    faults: new Map<string, Faults>(CLOUD_SERVICES.map((name) => [name, cloud.faults[name]])),
    consoles: () => consoles.url(),
    async listen(address, port, consolePort) {
      const app = cloudApp(cloud, SERVICES, identity);
      await app.listen({ host: address, port });
      try {
        await consoles.listen(address, consolePort);
      } catch (error) {
        await app.close();
        throw error;
      }
      url = `https://${address}:${port}`;
      guest = guestOf(cloud, port);
      guest.update();
      waitForNext();
      return {
        async close() {
          clearTimeout(timer);
          url = '';
          await Promise.all([guest?.close(), consoles.close(), app.close()]);
        },
      };
    },
    contract: (inPods = false) => ({
      openstack: {
        authUrl: `${url}/identity/v3`,
        region: REGION,
        ca: 'ca.pem',
        credentials: {
          username: 'rackwright',
          password: `file:${join(dir, 'secrets', 'openstack-password')}`,
          project: PROJECT,
          domain: 'Default',
        },
        ...platformOf(speed),
        ...(inPods ? { commands: COMMANDS } : {}),
        bareMetal: {
          conductors: CONDUCTORS,
          computes: [IRONIC_COMPUTE],
          drivers: [{ name: 'redfish', interfaces: { boot: 'redfish-virtual-media', deploy: 'direct' } }],
          ...(machine === undefined
            ? {}
            : {
                provisioningNetwork: { name: 'provisioning', dhcp: false },
                deployImages: deployImages(),
                publishers: [`${url}/published/boot.iso`],
                publishersFrom: 'worker',
              }),
          consoles: {
            proxies: [`${url}/published/`],
            plainUser: {
              username: 'reader',
              password: `file:${join(dir, 'secrets', 'openstack-reader-password')}`,
            },
          },
        },
      },
      acceptance: {
        gates: [1, 2, 3, 4, 5, 6, 7],
        ...(machine === undefined ? {} : acceptanceOf(url)),
      },
    }),
  };
}

/** What a server is asked for with. Its guest listens where the cloud does, at an address of its own. */
const acceptanceOf = (url: string): object => ({
  flavor: 'bm.gpu',
  cloud: {
    image: 'acceptance-image',
    network: 'tenant',
    ports: [Number(new URL(url).port)],
    console: 'novnc',
  },
});

function switches(
  state: CloudState,
  save: () => void,
  fired: (service: CloudService, fault: string) => void,
): Cloud['faults'] {
  const of = (service: CloudService): Faults =>
    faults(
      {
        read: (): FaultValues => state.faults[service] ?? {},
        write(values) {
          state.faults[service] = values;
          save();
        },
      },
      (fault) => fired(service, fault),
      CLOUD_SWITCHES[service],
    );
  return {
    keystone: of('keystone'),
    nova: of('nova'),
    neutron: of('neutron'),
    glance: of('glance'),
    placement: of('placement'),
    ironic: of('ironic'),
  };
}

/** Puts the image that acceptance takes into Glance, unless it ever was there. */
async function acceptanceImage(cloud: Cloud, path: string): Promise<void> {
  const id = uuidOf('image/acceptance-image');
  if (cloud.state.imagesMade) return;
  const known = cloud.state.images.find((image) => image.id === id);
  const image =
    known ??
    newImage(
      cloud,
      { name: 'acceptance-image', disk_format: 'raw', container_format: 'bare', visibility: 'public' },
      id,
    );
  // What was begun when the lab was killed is begun again.
  image.status = 'queued';
  await upload(cloud, image, createReadStream(path));
  await uploadDeployImages(cloud);
  cloud.state.imagesMade = true;
  cloud.save();
}
