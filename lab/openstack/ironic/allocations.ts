import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { bodyOf } from '../page.ts';
import { newUuid, offset, type Wire } from '../state.ts';
import { available } from './life.ts';

/** Allocations of Ironic: a node that is asked for by what it is. */
export function allocationRoutes(app: FastifyInstance, cloud: Cloud): void {
  const view = (allocation: Wire): Wire => ({
    ...allocation,
    links: [{ href: `${cloud.url()}/baremetal/v1/allocations/${String(allocation['uuid'])}`, rel: 'self' }],
  });
  const named = (request: FastifyRequest): Wire => {
    const { id } = request.params as { id: string };
    const found = cloud.state.allocations.find((each) => each['uuid'] === id || each['name'] === id);
    if (found === undefined) throw new ApiError(404, `Allocation ${id} could not be found.`);
    return found;
  };
  app.get('/v1/allocations', () => ({ allocations: cloud.state.allocations.map(view) }));
  app.get('/v1/allocations/:id', (request) => view(named(request)));
  app.post('/v1/allocations', (request, reply) => {
    const { name = null, resource_class, traits = [] } = bodyOf(request);
    if (typeof resource_class !== 'string')
      throw new ApiError(400, "'resource_class' is a required property");
    const node = cloud.state.nodes.find(
      (each) => each.resource_class === resource_class && available(cloud, each),
    );
    const made: Wire = {
      uuid: newUuid(),
      name,
      resource_class,
      traits,
      candidate_nodes: [],
      node_uuid: node?.uuid ?? null,
      state: node === undefined ? 'error' : 'active',
      last_error:
        node === undefined
          ? `Failed to process allocation: no available nodes match the resource class ${resource_class}`
          : null,
      extra: {},
      owner: null,
      created_at: offset(),
      updated_at: null,
    };
    if (node !== undefined) node.instance_uuid = String(made['uuid']);
    cloud.state.allocations.push(made);
    cloud.save();
    return reply.code(201).send(view(made));
  });
  app.delete('/v1/allocations/:id', (request, reply) => {
    const gone = named(request);
    const node = cloud.state.nodes.find(({ uuid }) => uuid === gone['node_uuid']);
    if (node?.provision_state === 'active')
      throw new ApiError(409, `Allocation ${String(gone['uuid'])} is associated with node ${node.uuid}`);
    if (node !== undefined) node.instance_uuid = null;
    cloud.state.allocations = cloud.state.allocations.filter((each) => each !== gone);
    cloud.save();
    return reply.code(204).send();
  });
}
