import { fileURLToPath } from 'node:url';
import { REPORT_SECONDS } from './config-whole.ts';
import { speaksHttp, type Program } from '../programs.ts';
import * as s from './site.ts';
import type { Api, Site } from './site.ts';

/** The processes of OpenStack: what starts each, and with which files. */

export const SMALL = ['keystone', 'glance', 'ironic-api', 'ironic-conductor'] as const;
const WHOLE = [
  ...SMALL,
  'placement',
  'neutron-api',
  'neutron-rpc',
  'l2-agent',
  'nova-api',
  'nova-conductor',
  'nova-scheduler',
  'nova-compute',
  'nova-compute-ironic',
] as const;
export type Service = (typeof WHOLE)[number];

export const servicesOf = (site: Site): readonly Service[] => (site.whole ? WHOLE : SMALL);

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The configuration that a service reads, in order, which its command line programs are told, too. */
export function configFiles(site: Site, service: Service): string[] {
  const [project] = service.split('-');
  const neutron = [s.etc(site, 'neutron', 'neutron.conf'), s.etc(site, 'neutron', 'ml2_conf.ini')];
  if (service === 'l2-agent' || project === 'neutron') return neutron;
  if (service === 'glance') return [s.etc(site, 'glance', 'glance-api.conf')];
  const own = s.etc(site, project!, `${project}.conf`);
  return service === 'nova-compute-ironic' ? [own, s.etc(site, 'nova', 'ironic.conf')] : [own];
}

export const configArguments = (site: Site, service: Service): string[] =>
  configFiles(site, service).flatMap((file) => ['--config-file', file]);

/** The application of a service with a REST API, and how it learns where its configuration lies. */
const APPLICATIONS: {
  readonly [service in Service]?: { api: Api; module: string; env?: string; root: string };
} = {
  keystone: { api: 'keystone', module: 'keystone.wsgi.api', env: 'OS_KEYSTONE_CONFIG_DIR', root: '/v3' },
  glance: { api: 'glance', module: 'glance.wsgi.api', env: 'OS_GLANCE_CONFIG_DIR', root: '/' },
  'ironic-api': { api: 'ironic', module: 'ironic.wsgi.api', root: '/v1' },
  placement: { api: 'placement', module: 'placement.wsgi.api', env: 'OS_PLACEMENT_CONFIG_DIR', root: '/' },
  'neutron-api': { api: 'neutron', module: 'neutron.wsgi.api', root: '/' },
  'nova-api': { api: 'nova', module: 'nova.wsgi.osapi_compute', env: 'OS_NOVA_CONFIG_DIR', root: '/' },
};

export function program(site: Site, name: Service): Program {
  const log = s.log(site, name);
  const application = APPLICATIONS[name];
  if (application !== undefined) return served(site, name, application);
  const files = configArguments(site, name);
  const python = s.bin(site, 'python');
  const hosts = [s.COMPUTE_HOST, s.IRONIC_COMPUTE_HOST];
  const command: { readonly [service in Service]?: string[] } = {
    'ironic-conductor': [s.bin(site, 'ironic-conductor'), ...files],
    'neutron-rpc': [s.bin(site, 'neutron-rpc-server'), ...files],
    'l2-agent': [python, here('l2_agent.py'), String(REPORT_SECONDS), ...hosts, '--', ...files],
    'nova-compute-ironic': [s.bin(site, 'nova-compute'), ...files],
  };
  return { name, log, command: command[name] ?? [s.bin(site, name), ...files] };
}

function served(site: Site, name: Service, of: NonNullable<(typeof APPLICATIONS)[Service]>): Program {
  const port = site.ports[of.api];
  const files = of.env === undefined ? configArguments(site, name) : [];
  return {
    name,
    log: s.log(site, name),
    command: [s.bin(site, 'python'), here('serve.py'), of.module, String(port), ...files],
    env: of.env === undefined ? {} : { [of.env]: s.etc(site, of.api) },
    ready: () => speaksHttp(`http://127.0.0.1:${port}${of.root}`),
  };
}
