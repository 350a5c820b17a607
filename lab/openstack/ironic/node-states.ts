import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { consoleUrl } from '../console.ts';
import { ApiError } from '../errors.ts';
import { bodyOf } from '../page.ts';
import { admin } from '../service.ts';
import { offset, type IronicNode, type Wire } from '../state.ts';
import { provision, setPower } from './life.ts';
import { nodeLinks, nodeView, seen, validation, visible, minorOf } from './node-view.ts';
import { nodeNamed } from './nodes.ts';

const STATES = [
  'power_state',
  'target_power_state',
  'provision_state',
  'target_provision_state',
  'provision_updated_at',
  'last_error',
  'console_enabled',
  'raid_config',
  'target_raid_config',
  'boot_mode',
  'secure_boot',
];

const POWER: { readonly [target: string]: boolean } = {
  'power on': true,
  'power off': false,
  rebooting: true,
  'soft rebooting': true,
  'soft power off': false,
};

/** What a node is in, and what it is told. */
export function nodeStateRoutes(app: FastifyInstance, cloud: Cloud): void {
  const node = (request: FastifyRequest): IronicNode => nodeNamed(cloud, request);
  app.get('/v1/nodes/:id/states', (request) => {
    const view = nodeView(cloud, node(request), request.version);
    return visible(Object.fromEntries(STATES.map((each) => [each, view[each]])), minorOf(request.version));
  });
  app.put('/v1/nodes/:id/states/provision', (request, reply) => {
    const asked = node(request);
    const { target } = bodyOf(request);
    provision(cloud, asked, String(target));
    return reply
      .code(202)
      .header('location', `${cloud.url()}/baremetal/v1/nodes/${asked.uuid}/states`)
      .send();
  });
  app.put('/v1/nodes/:id/states/power', (request, reply) => {
    const { target } = bodyOf(request);
    const on = POWER[String(target)];
    if (on === undefined)
      throw new ApiError(400, `Cannot set power state to "${String(target)}": it is not a valid state.`);
    setPower(cloud, node(request), on);
    return reply.code(202).send();
  });
  // What is shown there is as good as the keyboard of the server.
  const mayHaveConsole = async (request: FastifyRequest): Promise<void> => {
    if (!cloud.faults.ironic.on('consoleOpen')) await admin('ironic', 'baremetal:node:get_console')(request);
  };
  app.get('/v1/nodes/:id/states/console', { onRequest: mayHaveConsole }, (request) => {
    const seenNode = seen(cloud, node(request));
    if (cloud.faults.ironic.on('consoleOff'))
      throw new ApiError(
        400,
        `Driver ${seenNode.driver} does not support get_console (disabled or not implemented).`,
      );
    const enabled = seenNode['console_enabled'] === true;
    return {
      console_enabled: enabled,
      console_info: enabled ? { type: 'vnc', url: consoleUrl(cloud, seenNode.uuid) } : null,
    };
  });
  app.put('/v1/nodes/:id/states/console', (request, reply) => {
    const { enabled } = bodyOf(request);
    if (cloud.faults.ironic.on('consoleOff'))
      throw new ApiError(
        400,
        'Driver redfish does not support set_console_mode (disabled or not implemented).',
      );
    change(node(request), { console_enabled: enabled === true });
    return reply.code(202).send();
  });
  app.get('/v1/nodes/:id/validate', (request) => validation(cloud, node(request)));
  app.put('/v1/nodes/:id/maintenance', (request, reply) => {
    const { reason } = (request.body ?? {}) as Wire;
    change(node(request), { maintenance: true, maintenance_reason: reason ?? null });
    return reply.code(202).send();
  });
  app.delete('/v1/nodes/:id/maintenance', (request, reply) => {
    change(node(request), { maintenance: false, maintenance_reason: null, fault: null });
    return reply.code(202).send();
  });
  const change = (changed: IronicNode, part: Wire): void => {
    Object.assign(changed, part, { updated_at: offset() });
    cloud.save();
  };

  const management = '/v1/nodes/:id/management';
  app.get(`${management}/boot_device`, (request) => ({
    boot_device: node(request)['boot_device'] ?? 'disk',
    persistent: true,
  }));
  app.get(`${management}/boot_device/supported`, () => ({
    supported_boot_devices: ['pxe', 'disk', 'cdrom', 'bios', 'safe', 'wwn'],
  }));
  app.put(`${management}/boot_device`, (request, reply) => {
    change(node(request), { boot_device: bodyOf(request)['boot_device'] });
    return reply.code(204).send();
  });
  app.get('/v1/nodes/:id/bios', (request) => {
    const { uuid } = node(request);
    return {
      bios: BIOS.map((each) => ({
        ...each,
        created_at: cloud.state.startedAt,
        updated_at: null,
        links: nodeLinks(cloud, `${uuid}/bios/${each.name}`),
      })),
    };
  });
  app.get('/v1/nodes/:id/bios/:name', (request) => {
    const { name } = request.params as { name: string };
    const found = BIOS.find((each) => each.name === name);
    if (found === undefined)
      throw new ApiError(404, `Node ${node(request).uuid} doesn't have a BIOS setting '${name}'`);
    return { [name]: found };
  });
  app.get('/v1/nodes/:id/vendor_passthru/methods', (request) => (node(request), {}));
  traits(app, cloud, change);
}

const BIOS = [
  { name: 'BootMode', value: 'Uefi' },
  { name: 'ProcTurboMode', value: 'Enabled' },
];

function traits(app: FastifyInstance, cloud: Cloud, change: (node: IronicNode, part: Wire) => void): void {
  const of = (node: IronicNode): string[] => (node['traits'] ?? []) as string[];
  app.get('/v1/nodes/:id/traits', (request) => ({ traits: of(nodeNamed(cloud, request)) }));
  app.put('/v1/nodes/:id/traits', (request, reply) => {
    change(nodeNamed(cloud, request), { traits: bodyOf(request)['traits'] });
    return reply.code(204).send();
  });
  app.put('/v1/nodes/:id/traits/:trait', (request, reply) => {
    const node = nodeNamed(cloud, request);
    const { trait } = request.params as { trait: string };
    change(node, { traits: [...new Set([...of(node), trait])] });
    return reply.code(204).send();
  });
  app.delete('/v1/nodes/:id/traits/:trait', (request, reply) => {
    const node = nodeNamed(cloud, request);
    const { trait } = request.params as { trait: string };
    change(node, { traits: of(node).filter((each) => each !== trait) });
    return reply.code(204).send();
  });
}
