import type { FastifyInstance } from 'fastify';
import { COMPUTES, CONTROLLERS, IRONIC_COMPUTE, VICTIM, type Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { nextUrl, page, queryOf } from '../page.ts';
import { admin } from '../service.ts';
import { micro, uuidOf, type Wire } from '../state.ts';
import { since } from '../versions.ts';

const REPORT_MS = 10_000;
const DOWN_MS = 600_000;

interface NovaService {
  readonly binary: string;
  readonly host: string;
  readonly zone: string;
  readonly up: boolean;
  readonly disabled: boolean;
  readonly reportedAt: Date;
}

/** When a service reported last: each ten seconds at speed 1, whoever looks. */
const lastReport = (interval: number): Date => new Date(Math.floor(Date.now() / interval) * interval);

/** Every service of Nova, as faults leave it. */
export function novaServices(cloud: Cloud): NovaService[] {
  const { nova } = cloud.faults;
  const reported = lastReport(REPORT_MS / cloud.speed);
  const before = new Date(Date.now() - DOWN_MS);
  const service = (binary: string, host: string, down: boolean): NovaService => ({
    binary,
    host,
    zone: binary === 'nova-compute' ? 'nova' : 'internal',
    up: !down,
    disabled: false,
    reportedAt: down ? before : reported,
  });
  const victim = (host: string): boolean => host === VICTIM.controller;
  return [
    ...CONTROLLERS.map((host) => service('nova-scheduler', host, victim(host) && nova.on('schedulerDown'))),
    ...CONTROLLERS.map((host) => service('nova-conductor', host, victim(host) && nova.on('conductorDown'))),
    ...COMPUTES.map((host): NovaService => {
      if (host !== VICTIM.compute) return service('nova-compute', host, false);
      const found = service('nova-compute', host, nova.on('computeDown'));
      const still = nova.on('serviceFlapping') ? { reportedAt: new Date(cloud.state.startedAt) } : {};
      return { ...found, ...still, disabled: nova.on('computeDisabled') };
    }),
    ...(nova.on('ironicComputeMissing')
      ? []
      : [service('nova-compute', IRONIC_COMPUTE, nova.on('ironicComputeDown'))]),
  ];
}

const idOfService = ({ binary, host }: { binary: string; host: string }): string =>
  uuidOf(`nova/${binary}/${host}`);

/** The hosts that servers lie on: hypervisors, and each node of Ironic. */
export function hypervisors(cloud: Cloud): { name: string; host: string; bare: boolean; id: string }[] {
  const virtual = COMPUTES.map((name) => ({
    name,
    host: name,
    bare: false,
    id: uuidOf(`hypervisor/${name}`),
  }));
  if (cloud.faults.nova.on('ironicComputeMissing')) return virtual;
  return [
    ...virtual,
    ...cloud.state.nodes.map(({ uuid }) => ({ name: uuid, host: IRONIC_COMPUTE, bare: true, id: uuid })),
  ];
}

export function hostRoutes(app: FastifyInstance, cloud: Cloud): void {
  app.get('/v2.1/os-services', { onRequest: admin('nova', 'os_compute_api:os-services:list') }, (request) => {
    const { binary, host } = queryOf(request);
    const uuids = since(request.version, '2.53');
    return {
      services: novaServices(cloud)
        .map((service, i) => ({ ...service, number: i + 1 }))
        .filter((each) => (binary ?? each.binary) === each.binary && (host ?? each.host) === each.host)
        .map(({ number, ...each }) => ({
          binary: each.binary,
          host: each.host,
          id: uuids ? idOfService(each) : number,
          zone: each.zone,
          status: each.disabled ? 'disabled' : 'enabled',
          state: each.up ? 'up' : 'down',
          updated_at: micro(each.reportedAt),
          disabled_reason: each.disabled ? 'maintenance' : null,
          ...(since(request.version, '2.11') ? { forced_down: false } : {}),
        })),
    };
  });
  const list = (detail: boolean) => ({
    onRequest: admin('nova', `os_compute_api:os-hypervisors:list${detail ? '-detail' : ''}`),
  });
  for (const [path, detail] of [
    ['/v2.1/os-hypervisors', false],
    ['/v2.1/os-hypervisors/detail', true],
  ] as const)
    app.get(path, list(detail), (request) => {
      const query = queryOf(request);
      const pattern = query['hypervisor_hostname_pattern'];
      const found = hypervisors(cloud).filter(({ name }) => pattern === undefined || name.includes(pattern));
      if (pattern !== undefined && found.length === 0)
        throw new ApiError(404, `No hypervisor matching '${pattern}' could be found.`);
      const { items, last } = page(found, query, ({ id }) => id);
      const wires = items.map((each) => wireOf(cloud, each, request.version, detail));
      const withServers = query['with_servers'] === 'true' || query['with_servers'] === 'True';
      return {
        hypervisors: withServers
          ? wires.map((wire) => ({ ...wire, servers: serversOn(cloud, wire) }))
          : wires,
        ...(last === undefined
          ? {}
          : { hypervisors_links: [{ rel: 'next', href: nextUrl(cloud.url(), request, last) }] }),
      };
    });
  app.get('/v2.1/os-hypervisors/:id', list(true), (request) => {
    const { id } = request.params as { id: string };
    const found = hypervisors(cloud).find((each) => each.id === id);
    if (found === undefined) throw new ApiError(404, `Compute host ${id} could not be found.`);
    return { hypervisor: wireOf(cloud, found, request.version, true) };
  });
  app.get('/v2.1/os-availability-zone', () => ({
    availabilityZoneInfo: [{ zoneName: 'nova', zoneState: { available: true }, hosts: null }],
  }));
}

const serversOn = (cloud: Cloud, { hypervisor_hostname: name }: Wire): Wire[] =>
  cloud.state.servers
    .filter((server) => server.hypervisor === name)
    .map(({ id, name: called }) => ({ uuid: id, name: called }));

function wireOf(
  cloud: Cloud,
  { name, host, bare, id }: { name: string; host: string; bare: boolean; id: string },
  version: string,
  detail: boolean,
): Wire {
  const service = novaServices(cloud).find((each) => each.binary === 'nova-compute' && each.host === host);
  const number = 1 + hypervisors(cloud).findIndex((each) => each.id === id);
  const uuids = since(version, '2.53');
  const short = {
    id: uuids ? id : number,
    hypervisor_hostname: name,
    state: service?.up === true ? 'up' : 'down',
    status: service?.disabled === true ? 'disabled' : 'enabled',
  };
  if (!detail) return short;
  const used = cloud.state.servers.filter((server) => server.hypervisor === name).length;
  const old = {
    vcpus: bare ? 0 : 64,
    memory_mb: bare ? 0 : 262_144,
    local_gb: bare ? 0 : 1000,
    vcpus_used: bare ? 0 : used,
    memory_mb_used: bare ? 0 : 512 + 512 * used,
    local_gb_used: bare ? 0 : used,
    free_ram_mb: bare ? 0 : 261_632 - 512 * used,
    free_disk_gb: bare ? 0 : 1000 - used,
    current_workload: 0,
    running_vms: used,
    disk_available_least: bare ? 0 : 1000,
    cpu_info: since(version, '2.28') ? {} : '',
  };
  return {
    ...short,
    hypervisor_type: bare ? 'ironic' : 'QEMU',
    hypervisor_version: bare ? 1 : 10_000_000,
    host_ip: '127.0.0.1',
    service: {
      id: uuids ? idOfService({ binary: 'nova-compute', host }) : number,
      host,
      disabled_reason: service?.disabled === true ? 'maintenance' : null,
    },
    ...(since(version, '2.88') ? { uptime: null } : old),
  };
}
