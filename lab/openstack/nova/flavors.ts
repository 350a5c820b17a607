import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { bodyOf, nextUrl, page, queryOf } from '../page.ts';
import { admin } from '../service.ts';
import { newUuid, type Wire } from '../state.ts';
import { since } from '../versions.ts';

/** A flavor as Nova keeps it. */
export const flavor = (id: string, name: string, sizes: Wire, specs: Wire = {}): Wire => ({
  id,
  name,
  ram: 512,
  disk: 1,
  vcpus: 1,
  swap: '',
  'OS-FLV-EXT-DATA:ephemeral': 0,
  'OS-FLV-DISABLED:disabled': false,
  'os-flavor-access:is_public': true,
  rxtx_factor: 1.0,
  description: null,
  ...sizes,
  extra_specs: specs,
});

const shown = (cloud: Cloud, { extra_specs, description, ...rest }: Wire, version: string): Wire => ({
  ...rest,
  ...(since(version, '2.55') ? { description } : {}),
  ...(since(version, '2.61') ? { extra_specs } : {}),
  ...(since(version, '2.75') && rest['swap'] === '' ? { swap: 0 } : {}),
  links: links(cloud, rest['id']),
});

const links = (cloud: Cloud, id: unknown): Wire[] => [
  { rel: 'self', href: `${cloud.url()}/compute/v2.1/flavors/${String(id)}` },
  { rel: 'bookmark', href: `${cloud.url()}/compute/flavors/${String(id)}` },
];

export function flavorRoutes(app: FastifyInstance, cloud: Cloud): void {
  const named = (request: FastifyRequest): Wire => {
    const { id } = request.params as { id: string };
    const found = cloud.state.flavors.find((each) => each['id'] === id);
    if (found === undefined) throw new ApiError(404, `Flavor ${id} could not be found.`);
    return found;
  };
  for (const detail of [false, true])
    app.get(`/v2.1/flavors${detail ? '/detail' : ''}`, (request) => {
      const { items, last } = page(cloud.state.flavors, queryOf(request), ({ id }) => String(id));
      return {
        flavors: items.map((each) =>
          detail
            ? shown(cloud, each, request.version)
            : {
                id: each['id'],
                name: each['name'],
                links: links(cloud, each['id']),
                ...(since(request.version, '2.55') ? { description: each['description'] } : {}),
              },
        ),
        ...(last === undefined
          ? {}
          : { flavors_links: [{ rel: 'next', href: nextUrl(cloud.url(), request, last) }] }),
      };
    });
  app.get('/v2.1/flavors/:id', (request) => ({ flavor: shown(cloud, named(request), request.version) }));
  app.get('/v2.1/flavors/:id/os-extra_specs', (request) => ({ extra_specs: named(request)['extra_specs'] }));
  const manage = { onRequest: admin('nova', 'os_compute_api:os-flavor-manage:create') };
  app.post('/v2.1/flavors', manage, (request) => {
    const { name, id, ram, vcpus, disk } = bodyOf(request, 'flavor');
    if (typeof name !== 'string')
      throw new ApiError(400, "Invalid input for field/attribute flavor. 'name' is a required property");
    if (cloud.state.flavors.some((each) => each['name'] === name))
      throw new ApiError(409, `Flavor with name ${name} already exists.`);
    const made = flavor(typeof id === 'string' && id !== 'auto' ? id : newUuid(), name, {
      ram: Number(ram),
      vcpus: Number(vcpus),
      disk: Number(disk),
    });
    cloud.state.flavors.push(made);
    cloud.save();
    return { flavor: shown(cloud, made, request.version) };
  });
  app.post('/v2.1/flavors/:id/os-extra_specs', manage, (request) => {
    const made = named(request);
    made['extra_specs'] = { ...(made['extra_specs'] as Wire), ...bodyOf(request, 'extra_specs') };
    cloud.save();
    return { extra_specs: made['extra_specs'] };
  });
  app.delete('/v2.1/flavors/:id', manage, (request, reply) => {
    const gone = named(request);
    cloud.state.flavors = cloud.state.flavors.filter((each) => each !== gone);
    cloud.save();
    return reply.code(202).send();
  });
}
