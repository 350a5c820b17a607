import { createServer } from 'node:http';
import { join } from 'node:path';
import { faults, type Faults, type FaultValues } from '../faults.ts';
import { doorOf, Listening, type Door } from '../listening.ts';
import { eventLog, saved } from '../store.ts';
import { hostsIn } from './host.ts';
import { ACCESS_SWITCHES } from './switches.ts';

/** The ports of the site that they have to do with: those of the APIs, and theirs. */
interface Ports {
  readonly kubernetes: number;
  readonly cloud: number;
  readonly ssh: number;
  readonly workload: number;
}

/** Those who come to a site: the host of an operator, that of a user, and a guest. */
export interface LabAccess {
  readonly faults: Faults;
  /** @param apis the address of the APIs */
  listen(apis: string, ports: Ports): Promise<{ close(): Promise<void> }>;
  /**
   * The part of the contract that is about them.
   *
   * @param consoles the page that consoles are seen on
   * @param guests whether there is a guest; a new site has none yet
   */
  contract(
    consoles: string,
    guests: boolean,
  ): { readonly vantagePoints: readonly object[]; readonly reachability: object };
}

/** Where they are logged in to. */
const ADDRESSES = { operator: '127.0.0.21', user: '127.0.0.22', guest: '127.0.0.23' } as const;
type Who = keyof typeof ADDRESSES;
const PLACES: { readonly [who in Who]: string } = {
  operator: 'operator-desk',
  user: 'user-desk',
  guest: 'tenant-guest',
};
/** Where the guest is to its users: in network tenant, before the addresses that Neutron gives away. */
const GUEST = '127.64.128.2';

/** Makes them, or goes on with those that are in the folder; they trust the authority of the lab. */
export function labAccess(dir: string): LabAccess {
  const file = saved<{ faults: FaultValues }>(join(dir, 'hosts', 'access.json'), () => ({ faults: {} }));
  const log = eventLog(join(dir, 'hosts', 'access.jsonl'));
  const shared = hostsIn(dir);
  let apis = '';
  let ports: Ports = { kubernetes: 0, cloud: 0, ssh: 0, workload: 0 };
  const switches = faults(
    {
      read: () => file.value.faults,
      write(values) {
        file.value.faults = values;
        file.save();
        // Where a port was taken meanwhile, nothing listens there, as it would anywhere.
        listening.follow().catch(() => log.append('not-listening'));
      },
    },
    (fault) => log.append('fault-fired', { fault }),
    ACCESS_SWITCHES,
  );
  /** What one of them cannot reach now. */
  const noRoute = (who: Who): string[] =>
    (who === 'operator' ? [ports.kubernetes, ports.cloud] : [ports.cloud])
      .filter(() => switches.on(`${who}CutOff`))
      .map((port) => `${apis}:${port}`);
  const hosts = (Object.keys(ADDRESSES) as Who[]).map((who) => ({
    who,
    address: ADDRESSES[who],
    host: shared.host({
      name: PLACES[who],
      answers: (key) => ({
        LAB_HOSTNAME: PLACES[who],
        LAB_HOST_KEY: `${key} root@${PLACES[who]}`,
        LAB_HOSTS: '127.0.0.1 localhost',
        LAB_ADDRESS: who === 'guest' ? GUEST : ADDRESSES[who],
        LAB_TIME: '192.0.2.1',
        LAB_NO_ROUTE: noRoute(who).join(' '),
        SSL_CERT_FILE: join(dir, 'ca.pem'),
      }),
    }),
  }));
  const sshAt = (of: (typeof hosts)[number], address: string, wanted: () => boolean): Door => {
    const server = of.host.server();
    return { wanted, open: () => server.listen(address, ports.ssh), close: () => server.close() };
  };
  const listening = new Listening([
    ...hosts.map((each) => sshAt(each, each.address, () => true)),
    // Not where checks log in to it: what is closed to its users is not closed to those.
    sshAt(
      hosts.find(({ who }) => who === 'guest')!,
      GUEST,
      () => !switches.on('guestClosed'),
    ),
    doorOf(
      createServer((_request, response) => response.end('ok\n')),
      () => ({ host: GUEST, port: ports.workload }),
      () => !switches.on('workloadDown'),
    ),
  ]);
  return {
    faults: switches,
    async listen(address, at) {
      [apis, ports] = [address, at];
      await listening.start();
      return {
        close() {
          shared.endCommands();
          return listening.stop();
        },
      };
    },
    contract: (consoles, guests) => ({
      vantagePoints: hosts
        .filter(({ who }) => guests || who !== 'guest')
        .map(({ who, address, host }) => ({
          name: PLACES[who],
          ssh: host.ssh(address, ports.ssh),
        })),
      reachability: {
        operator: { from: PLACES.operator, console: [consoles] },
        user: {
          from: PLACES.user,
          ...(guests
            ? {
                guests: [{ host: GUEST, port: ports.ssh }],
                workloads: [`http://${GUEST}:${ports.workload}/health`],
              }
            : {}),
        },
        ...(guests ? { guest: { from: PLACES.guest, reaches: [{ host: apis, port: ports.cloud }] } } : {}),
      },
    }),
  };
}
