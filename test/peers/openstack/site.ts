import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What all services of one OpenStack have in common: where they lie, where they listen, how they know each other. */

export const REGION = 'RegionOne';
export const PHYSICAL_NETWORK = 'physnet1';
/** Nova's two computes, by the host under which each registers. */
export const COMPUTE_HOST = 'peer-compute';
export const IRONIC_COMPUTE_HOST = 'peer-ironic';
/** The one conductor of Ironic: its API reaches it by this name. */
export const IRONIC_CONDUCTOR_HOST = '127.0.0.1';

/** Services that have a REST API, and a user in Keystone. */
export const APIS = ['keystone', 'glance', 'ironic', 'placement', 'neutron', 'nova'] as const;
export type Api = (typeof APIS)[number];
/** What listens beside them. */
export type Port = Api | 'ironic-rpc' | 'amqp' | 'amqp-nodes' | 'epmd';

export interface Account {
  readonly username: string;
  readonly password: string;
  /** Project, user and project being in the domain `Default`. */
  readonly project: string;
}

export interface Timing {
  /** Seconds that a token lasts. */
  readonly tokenSeconds: number;
  /** Seconds without a report after which Nova, Neutron and Ironic call a service of theirs down. */
  readonly downAfterSeconds: number;
  /** Seconds that fake hardware takes for each step of a deployment. */
  readonly deploySeconds: number;
}

export interface Site {
  readonly folder: string;
  /** The virtual environment with the programs. */
  readonly venv: string;
  readonly whole: boolean;
  readonly ports: { readonly [port in Port]: number };
  readonly timing: Timing;
}

export const ADMIN: Account = { username: 'admin', password: 'admin-password', project: 'admin' };
export const SERVICE_PASSWORD = 'service-password';

export const bin = (site: Site, program: string): string => join(site.venv, 'bin', program);
export const etc = (site: Site, ...path: string[]): string => join(site.folder, 'etc', ...path);
export const state = (site: Site, ...path: string[]): string => join(site.folder, 'state', ...path);
export const log = (site: Site, name: string): string => join(site.folder, 'log', `${name}.log`);
export const socket = (site: Site): string => join(site.folder, 'mariadb.sock');

/** Where a service is reached, as its endpoint says. */
export function endpoint(site: Site, api: Api): string {
  const root = `http://127.0.0.1:${site.ports[api]}`;
  return { keystone: `${root}/v3`, nova: `${root}/v2.1` }[api as string] ?? root;
}

/** The database of a service: a schema of MariaDB in the whole, a file in the small set. */
export const database = (site: Site, name: string): string =>
  site.whole
    ? `mysql+pymysql://openstack:openstack@localhost/${name}?unix_socket=${socket(site)}&charset=utf8`
    : `sqlite:///${state(site, `${name}.sqlite`)}?timeout=60`;

export const queue = (site: Site): string => `rabbit://guest:guest@127.0.0.1:${site.ports.amqp}/`;

type Value = string | number | boolean;
export type Sections = { readonly [section: string]: { readonly [option: string]: Value } };

/** Writes a file as oslo.config reads it. */
export function writeConfig(path: string, sections: Sections): void {
  const text = Object.entries(sections).map(([name, options]) =>
    [`[${name}]`, ...Object.entries(options).map(([option, value]) => `${option} = ${value}`), ''].join('\n'),
  );
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text.join('\n'), { mode: 0o600 });
}

/** How a service tells Keystone who it is. */
export const login = (site: Site, username: Api): { readonly [option: string]: Value } => ({
  auth_type: 'password',
  auth_url: endpoint(site, 'keystone'),
  www_authenticate_uri: endpoint(site, 'keystone'),
  username,
  password: SERVICE_PASSWORD,
  user_domain_name: 'Default',
  project_name: 'service',
  project_domain_name: 'Default',
  region_name: REGION,
});
