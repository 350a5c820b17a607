import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { PROJECT_ID } from '../keystone/service.ts';
import { queryOf } from '../page.ts';
import { admin, type Service } from '../service.ts';
import type { Wire } from '../state.ts';
import { since } from '../versions.ts';
import { left, providers, type Provider } from './providers.ts';

const MIN = '1.0';
const MAX = '1.39';
const GENERATION = 1;

/** Placement: what there is to put servers on, and what of it is taken. */
export const placement: Service = {
  name: 'placement',
  prefix: '/placement',
  open: /^$/,
  microversions: () => ({
    type: 'placement',
    min: MIN,
    max: MAX,
    fallback: MIN,
    refused: (asked) =>
      new ApiError(406, `Unacceptable version header: ${asked}`, { max_version: MAX, min_version: MIN }),
  }),
  routes,
};

function routes(app: FastifyInstance, cloud: Cloud): void {
  app.get('/', () => ({
    versions: [
      {
        id: 'v1.0',
        max_version: MAX,
        min_version: MIN,
        status: 'CURRENT',
        links: [{ rel: 'self', href: '' }],
      },
    ],
  }));
  const rule = (name: string) => ({ onRequest: admin('placement', `placement:${name}`) });
  const named = (request: FastifyRequest): Provider => {
    const { uuid } = request.params as { uuid: string };
    const found = providers(cloud).find((each) => each.uuid === uuid);
    if (found === undefined) throw new ApiError(404, `No resource provider with uuid ${uuid} found`);
    return found;
  };
  app.get('/resource_providers', rule('resource_providers:list'), (request) => {
    const { name, uuid, resources } = queryOf(request);
    const found = providers(cloud).filter(
      (each) =>
        (name ?? each.name) === each.name &&
        (uuid ?? each.uuid) === each.uuid &&
        fits(each, amounts(resources)),
    );
    return { resource_providers: found.map((each) => providerView(each, request.version)) };
  });
  app.get('/resource_providers/:uuid', rule('resource_providers:show'), (request) =>
    providerView(named(request), request.version),
  );
  app.get(
    '/resource_providers/:uuid/inventories',
    rule('resource_providers:inventories:list'),
    (request) => ({
      inventories: named(request).inventories,
      resource_provider_generation: GENERATION,
    }),
  );
  app.get(
    '/resource_providers/:uuid/inventories/:name',
    rule('resource_providers:inventories:show'),
    (request) => {
      const { name } = request.params as { name: string };
      const found = named(request).inventories[name];
      if (found === undefined)
        throw new ApiError(404, `No inventory of class ${name} for ${named(request).uuid}`);
      return { ...found, resource_provider_generation: GENERATION };
    },
  );
  app.get('/resource_providers/:uuid/usages', rule('resource_providers:usages'), (request) => ({
    usages: named(request).usages,
    resource_provider_generation: GENERATION,
  }));
  app.get('/resource_providers/:uuid/traits', rule('resource_providers:traits:list'), (request) => ({
    traits: named(request).traits,
    resource_provider_generation: GENERATION,
  }));
  app.get('/resource_providers/:uuid/aggregates', rule('resource_providers:aggregates:list'), (request) => ({
    aggregates: (named(request), []),
    resource_provider_generation: GENERATION,
  }));
  app.get('/resource_providers/:uuid/allocations', rule('resource_providers:allocations:list'), (request) => {
    const { uuid } = named(request);
    const on = allocations(cloud).filter(({ provider }) => provider === uuid);
    return {
      allocations: Object.fromEntries(on.map(({ consumer, resources }) => [consumer, { resources }])),
      resource_provider_generation: GENERATION,
    };
  });
  app.get('/allocations/:consumer', rule('allocations:list'), (request) => {
    const { consumer } = request.params as { consumer: string };
    const own = allocations(cloud).filter((each) => each.consumer === consumer);
    return {
      allocations: Object.fromEntries(
        own.map(({ provider, resources }) => [provider, { generation: GENERATION, resources }]),
      ),
      ...(own.length > 0 && since(request.version, '1.12')
        ? { project_id: PROJECT_ID, user_id: 'user-rackwright' }
        : {}),
      ...(own.length > 0 && since(request.version, '1.28') ? { consumer_generation: GENERATION } : {}),
      ...(own.length > 0 && since(request.version, '1.38') ? { consumer_type: 'INSTANCE' } : {}),
    };
  });
  names(app, cloud, rule);
}

function names(app: FastifyInstance, cloud: Cloud, rule: (name: string) => object): void {
  const classes = (): string[] => [
    ...new Set(providers(cloud).flatMap((each) => Object.keys(each.inventories))),
  ];
  const traits = (): string[] => [...new Set(providers(cloud).flatMap((each) => each.traits))];
  app.get('/resource_classes', rule('resource_classes:list'), () => ({
    resource_classes: classes().map((name) => ({
      name,
      links: [{ rel: 'self', href: `/placement/resource_classes/${name}` }],
    })),
  }));
  app.get('/resource_classes/:name', rule('resource_classes:show'), (request) => {
    const { name } = request.params as { name: string };
    if (!classes().includes(name)) throw new ApiError(404, `No such resource class ${name}.`);
    return { name, links: [{ rel: 'self', href: `/placement/resource_classes/${name}` }] };
  });
  app.get('/traits', rule('traits:list'), () => ({ traits: traits() }));
  app.get('/usages', rule('usages'), () => {
    const total: { [resource: string]: number } = {};
    for (const { usages } of providers(cloud))
      for (const [resource, amount] of Object.entries(usages))
        total[resource] = (total[resource] ?? 0) + amount;
    return { usages: total };
  });
  app.get('/allocation_candidates', rule('allocation_candidates:list'), (request) => {
    const { resources, limit } = queryOf(request);
    if (resources === undefined)
      throw new ApiError(400, "Invalid query string parameters: 'resources' is a required property");
    const asked = amounts(resources);
    const found = providers(cloud)
      .filter((each) => fits(each, asked))
      .slice(0, limit === undefined ? undefined : Number(limit));
    return {
      allocation_requests: found.map(({ uuid }) => ({
        allocations: { [uuid]: { resources: asked } },
        ...(since(request.version, '1.34') ? { mappings: { '': [uuid] } } : {}),
      })),
      provider_summaries: Object.fromEntries(
        found.map((each) => [
          each.uuid,
          {
            resources: Object.fromEntries(
              Object.entries(each.inventories).map(([name, { total, reserved, allocation_ratio }]) => [
                name,
                {
                  capacity: Math.floor((total - reserved) * allocation_ratio),
                  used: each.usages[name] ?? 0,
                },
              ]),
            ),
            ...(since(request.version, '1.17') ? { traits: each.traits } : {}),
            ...(since(request.version, '1.29')
              ? { parent_provider_uuid: null, root_provider_uuid: each.uuid }
              : {}),
          },
        ]),
      ),
    };
  });
}

/** `VCPU:1,DISK_GB:2` */
function amounts(resources: string | undefined): { [resource: string]: number } {
  const parts = (resources ?? '').split(',').filter((part) => part !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', amount] = part.split(':');
      if (!(Number(amount) > 0))
        throw new ApiError(
          400,
          `Badly formed resources parameter. Expected resources query string parameter in form: ?resources=VCPU:2,MEMORY_MB:1024. Got: ${part}.`,
        );
      return [name, Number(amount)];
    }),
  );
}

const fits = (provider: Provider, asked: { [resource: string]: number }): boolean =>
  Object.entries(asked).every(([resource, amount]) => left(provider, resource) >= amount);

const providerView = ({ uuid, name }: Provider, version: string): Wire => ({
  uuid,
  name,
  generation: GENERATION,
  ...(since(version, '1.14') ? { parent_provider_uuid: null, root_provider_uuid: uuid } : {}),
  links: ['self', 'inventories', 'usages', 'aggregates', 'traits', 'allocations'].map((rel) => ({
    rel,
    href: `/placement/resource_providers/${uuid}${rel === 'self' ? '' : `/${rel}`}`,
  })),
});

/** What each server has taken of which provider. */
function allocations(cloud: Cloud): { provider: string; consumer: string; resources: Wire }[] {
  const all = providers(cloud);
  return cloud.state.servers.flatMap((server) => {
    if (server.status === 'ERROR' || server.hypervisor === null) return [];
    const provider = all.find((each) => each.name === server.hypervisor);
    if (provider === undefined) return [];
    const flavor = cloud.state.flavors.find(({ id }) => id === server.flavor);
    const bare = Object.keys(provider.inventories).find((name) => name.startsWith('CUSTOM_'));
    const resources: Wire =
      bare === undefined
        ? { VCPU: flavor?.['vcpus'], MEMORY_MB: flavor?.['ram'], DISK_GB: flavor?.['disk'] }
        : { [bare]: 1 };
    return [{ provider: provider.uuid, consumer: server.id, resources }];
  });
}
