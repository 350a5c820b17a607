import type { FastifyInstance } from 'fastify';
import { CONDUCTORS, VICTIM, type Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { page, queryOf, nextUrl } from '../page.ts';
import { offset, type Wire } from '../state.ts';
import { INTERFACES, minorOf } from './node-view.ts';

const SILENT_MS = 600_000;

/** The conductors, as faults leave them. */
function conductors(cloud: Cloud): { hostname: string; alive: boolean; drivers: string[] }[] {
  const { ironic } = cloud.faults;
  const drivers = ironic.on('driverMissing') ? ['ipmi'] : ['ipmi', 'redfish'];
  return CONDUCTORS.filter((host) => host !== VICTIM.conductor || !ironic.on('conductorMissing')).map(
    (hostname) => ({
      hostname,
      alive: hostname !== VICTIM.conductor || !ironic.on('conductorDown'),
      drivers,
    }),
  );
}

const OTHERS: { readonly [kind: string]: readonly string[] } = {
  boot: ['ipxe', 'pxe', 'redfish-virtual-media'],
  console: ['no-console', 'redfish-graphical'],
  deploy: ['ansible', 'direct', 'ramdisk'],
  inspect: ['agent', 'no-inspect', 'redfish'],
  network: ['flat', 'neutron', 'noop'],
  raid: ['agent', 'no-raid'],
  rescue: ['no-rescue'],
  storage: ['noop'],
  vendor: ['no-vendor'],
};

/** Conductors, and the drivers that they have. */
export function driverRoutes(app: FastifyInstance, cloud: Cloud): void {
  const links = (path: string): Wire[] => [
    { href: `${cloud.url()}/baremetal/v1/${path}`, rel: 'self' },
    { href: `${cloud.url()}/baremetal/${path}`, rel: 'bookmark' },
  ];
  const conductorView = (
    { hostname, alive, drivers }: ReturnType<typeof conductors>[number],
    detail: boolean,
  ): Wire => ({
    hostname,
    conductor_group: '',
    alive,
    links: links(`conductors/${hostname}`),
    ...(detail
      ? {
          drivers,
          created_at: cloud.state.startedAt,
          updated_at: offset(new Date(Date.now() - (alive ? 0 : SILENT_MS))),
        }
      : {}),
  });
  const old = (version: string): void => {
    if (minorOf(version) < 49) throw new ApiError(404, 'The requested resource was not found.');
  };
  app.get('/v1/conductors', (request) => {
    old(request.version);
    const query = queryOf(request);
    const { items, last } = page(conductors(cloud), query, ({ hostname }) => hostname);
    return {
      conductors: items.map((each) => conductorView(each, /^true$/i.test(query['detail'] ?? ''))),
      ...(last === undefined ? {} : { next: nextUrl(cloud.url(), request, last) }),
    };
  });
  app.get('/v1/conductors/:hostname', (request) => {
    old(request.version);
    const { hostname } = request.params as { hostname: string };
    const found = conductors(cloud).find((each) => each.hostname === hostname);
    if (found === undefined) throw new ApiError(404, `Conductor ${hostname} could not be found.`);
    return conductorView(found, true);
  });

  const driverView = (name: string, version: string, detail: boolean): Wire => {
    const minor = minorOf(version);
    const kinds = Object.entries(INTERFACES).filter(([kind]) => kind !== 'firmware' || minor >= 86);
    return {
      name,
      hosts: conductors(cloud)
        .filter(({ alive, drivers }) => alive && drivers.includes(name))
        .map(({ hostname }) => hostname),
      links: links(`drivers/${name}`),
      ...(minor >= 14 ? { properties: links(`drivers/${name}/properties`) } : {}),
      ...(minor >= 30 ? { type: 'dynamic' } : {}),
      ...(minor >= 30 && detail
        ? Object.fromEntries(
            kinds.flatMap(([kind, value]) => {
              const enabled = enabledOf(cloud, name, kind, value);
              return [
                [`default_${kind}_interface`, enabled.includes(value) ? value : (enabled[0] ?? null)],
                [`enabled_${kind}_interfaces`, enabled],
              ];
            }),
          )
        : {}),
    };
  };
  const known = (): string[] => [...new Set(conductors(cloud).flatMap(({ drivers }) => drivers))].toSorted();
  app.get('/v1/drivers', (request) => {
    const { detail } = queryOf(request);
    return {
      drivers: known().map((name) => driverView(name, request.version, /^true$/i.test(detail ?? ''))),
    };
  });
  const named = (request: { params: unknown }): string => {
    const { name } = request.params as { name: string };
    if (!known().includes(name))
      throw new ApiError(404, `Could not find the following driver(s) or hardware type(s): ${name}.`);
    return name;
  };
  app.get('/v1/drivers/:name', (request) => driverView(named(request), request.version, true));
  app.get('/v1/drivers/:name/properties', (request) => (named(request) === 'redfish' ? REDFISH : IPMI));
  app.get('/v1/drivers/:name/vendor_passthru/methods', (request) => (named(request), {}));
}

function enabledOf(cloud: Cloud, driver: string, kind: string, value: string): string[] {
  const all = OTHERS[kind] ?? [driver === 'redfish' ? value : value === 'redfish' ? 'ipmitool' : value];
  const here = driver === 'redfish' ? all : all.filter((each) => !each.startsWith('redfish'));
  const missing = kind === 'boot' && cloud.faults.ironic.on('interfaceMissing');
  return here.filter((each) => !missing || each !== 'redfish-virtual-media');
}

const BOOT = {
  deploy_kernel: 'URL or Glance UUID of the deployment kernel. Required.',
  deploy_ramdisk: 'URL or Glance UUID of the ramdisk that is mounted at boot time. Required.',
};
const REDFISH = {
  ...BOOT,
  redfish_address: 'The URL address to the Redfish controller. Required.',
  redfish_system_id: 'The canonical path to the ComputerSystem resource that the driver will interact with.',
  redfish_username: 'User account with admin/server-profile access privilege.',
  redfish_password: 'User account password.',
  redfish_verify_ca:
    'Either a Boolean value, a path to a CA_BUNDLE file or directory with certificates of trusted CAs.',
};
const IPMI = {
  ...BOOT,
  ipmi_address: 'IP address or hostname of the node. Required.',
  ipmi_username: 'username; default is NULL user. Optional.',
  ipmi_password: 'password. Optional.',
};
