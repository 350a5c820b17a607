import type { FastifyInstance } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { setPower } from '../ironic/life.ts';
import { bind, removePort } from '../neutron/ports.ts';
import { bodyOf } from '../page.ts';
import type { CloudServer, Wire } from '../state.ts';
import { consoleUrl } from '../console.ts';
import { attachPort, begin, change, finish, TAKES } from './life.ts';
import { serverNamed } from './servers.ts';
import { actionView, eventsOf } from './view.ts';

const conflict = (server: CloudServer, action: string): ApiError => {
  const state = server.task === null ? 'vm_state' : 'task_state';
  const value = server.task ?? server.status.toLowerCase().replace('shutoff', 'stopped');
  return new ApiError(409, `Cannot '${action}' instance ${server.id} while it is in ${state} ${value}`);
};

/** What can be done to a server that is there. */
export function instanceRoutes(app: FastifyInstance, cloud: Cloud): void {
  app.post('/v2.1/servers/:id/action', (request, reply) => {
    const server = serverNamed(cloud, request);
    const body = bodyOf(request);
    const [name = ''] = Object.keys(body);
    const act = ACTIONS[name];
    if (act === undefined) throw new ApiError(400, `There is no such action: ${name}`);
    const answer = act(cloud, server, String(reply.getHeader('x-openstack-request-id')), body[name]);
    return answer === undefined ? reply.code(202).send() : answer;
  });
  app.post('/v2.1/servers/:id/remote-consoles', (request) => {
    const server = serverNamed(cloud, request);
    const { protocol, type } = bodyOf(request, 'remote_console');
    if (cloud.faults.nova.on('consoleMissing') || server.status !== 'ACTIVE')
      throw server.status === 'ACTIVE'
        ? new ApiError(400, `Unavailable console type ${String(type)}.`)
        : new ApiError(409, `Instance ${server.id} is not ready`);
    const url = consoleUrl(cloud, server.id);
    return { remote_console: { protocol, type, url } };
  });
  interfaces(app, cloud);
  app.get('/v2.1/servers/:id/os-instance-actions', (request) => {
    const server = serverNamed(cloud, request);
    return { instanceActions: server.actions.map((_, i) => actionView(server, i)) };
  });
  app.get('/v2.1/servers/:id/os-instance-actions/:request', (request) => {
    const server = serverNamed(cloud, request);
    const { request: id } = request.params as { request: string };
    const i = server.actions.findIndex((each) => each.request === id);
    if (i < 0) throw new ApiError(404, `Action for request_id ${id} on instance ${server.id} not found`);
    return { instanceAction: { ...actionView(server, i), events: eventsOf(server, i) } };
  });
}

type Act = (cloud: Cloud, server: CloudServer, request: string, asked: unknown) => Wire | undefined;

function power(cloud: Cloud, server: CloudServer, on: boolean): void {
  const node = cloud.state.nodes.find(({ uuid }) => uuid === server.node);
  if (node !== undefined) setPower(cloud, node, on);
}

const ACTIONS: { readonly [name: string]: Act } = {
  'os-start': (cloud, server, request) => {
    if (server.status !== 'SHUTOFF' || server.task !== null) throw conflict(server, 'start');
    begin(server, 'start', request);
    change(cloud, server, { task: 'powering-on' });
    power(cloud, server, true);
    cloud.later(TAKES.power, 'nova.spawned', server.id);
    return undefined;
  },
  'os-stop': (cloud, server, request) => {
    if (server.status !== 'ACTIVE' || server.task !== null) throw conflict(server, 'stop');
    begin(server, 'stop', request);
    change(cloud, server, { task: 'powering-off' });
    power(cloud, server, false);
    cloud.later(TAKES.power, 'nova.stopped', server.id);
    return undefined;
  },
  reboot: (cloud, server, request, asked) => {
    if (server.task !== null || server.status === 'BUILD') throw conflict(server, 'reboot');
    const hard = (asked as { type?: string } | null)?.type === 'HARD';
    begin(server, 'reboot', request);
    change(cloud, server, { task: hard ? 'rebooting_hard' : 'rebooting' });
    power(cloud, server, true);
    cloud.later(TAKES.power, 'nova.spawned', server.id);
    return undefined;
  },
  'os-getConsoleOutput': (cloud, server, _request, asked) => {
    if (cloud.faults.nova.on('consoleMissing') || server.node !== null)
      throw new ApiError(501, 'Unable to get console log, functionality not implemented');
    if (server.status !== 'ACTIVE') throw new ApiError(409, `Instance ${server.id} is not ready`);
    const length = (asked as { length?: number | string } | null)?.length;
    const lines = consoleOf(server);
    return { output: (length === undefined ? lines : lines.slice(-Number(length))).join('\n') };
  },
};

const consoleOf = (server: CloudServer): string[] => [
  '[    0.000000] Linux version 6.8.0-45-generic (buildd@lab)',
  '[    0.512300] Run /init as init process',
  `[    3.204411] cloud-init[512]: Cloud-init v. 24.4 running 'init' at ${server.launchedAt ?? ''}`,
  `[    4.018822] cloud-init[611]: Cloud-init v. 24.4 finished. Datasource DataSourceConfigDrive`,
  '',
  `Ubuntu 24.04.1 LTS ${server.name} ttyS0`,
  '',
  `${server.name} login: `,
];

function interfaces(app: FastifyInstance, cloud: Cloud): void {
  const shown = (id: string): Wire[] => {
    const port = cloud.state.ports.find((each) => each['id'] === id);
    if (port === undefined) return [];
    return [
      {
        port_id: id,
        net_id: port['network_id'],
        mac_addr: port['mac_address'],
        port_state: port['status'],
        fixed_ips: port['fixed_ips'],
      },
    ];
  };
  app.get('/v2.1/servers/:id/os-interface', (request) => ({
    interfaceAttachments: serverNamed(cloud, request).ports.flatMap(({ id }) => shown(id)),
  }));
  app.post('/v2.1/servers/:id/os-interface', (request) => {
    const server = serverNamed(cloud, request);
    const asked = bodyOf(request, 'interfaceAttachment') as { net_id?: string; port_id?: string };
    if (asked.port_id !== undefined && !cloud.state.ports.some((each) => each['id'] === asked.port_id))
      throw new ApiError(404, `Port ${asked.port_id} not found`);
    const id = attachPort(cloud, server, { network: asked.net_id, port: asked.port_id });
    const port = cloud.state.ports.find((each) => each['id'] === id)!;
    if (server.hypervisor !== null) bind(cloud, port, server.hypervisor);
    begin(server, 'attach_interface');
    finish(server);
    cloud.save();
    return { interfaceAttachment: shown(id)[0] };
  });
  app.delete('/v2.1/servers/:id/os-interface/:port', (request, reply) => {
    const server = serverNamed(cloud, request);
    const { port } = request.params as { port: string };
    if (!server.ports.some(({ id }) => id === port)) throw new ApiError(404, `Port ${port} not found`);
    server.ports = server.ports.filter(({ id }) => id !== port);
    removePort(cloud, port);
    return reply.code(202).send();
  });
}
