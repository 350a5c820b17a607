import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { ApiError } from '../errors.ts';
import { bodyOf, matches, nextUrl, page, queryOf } from '../page.ts';
import { admin, type Service } from '../service.ts';
import type { Image, Wire } from '../state.ts';
import { DEPLOY_RAMDISK } from './deploy.ts';
import { download, newImage, patch, remove, shownImage, upload } from './images.ts';

const VERSIONS = [
  '2.15',
  '2.13',
  '2.12',
  '2.11',
  '2.10',
  '2.9',
  '2.8',
  '2.17',
  '2.7',
  '2.6',
  '2.5',
  '2.4',
  '2.3',
  '2.2',
  '2.1',
  '2.0',
];

/** Glance: images and their bytes. */
export const glance: Service = {
  name: 'glance',
  prefix: '/image',
  open: /^(\/versions|\/v2)?$/,
  routes,
};

function routes(app: FastifyInstance, cloud: Cloud): void {
  const versions = (): Wire => ({
    versions: VERSIONS.map((version) => ({
      id: `v${version}`,
      status: version === '2.17' ? 'CURRENT' : 'SUPPORTED',
      links: [{ rel: 'self', href: `${cloud.url()}/image/v2/` }],
    })),
  });
  app.get('/', (_request, reply) => reply.code(300).send(versions()));
  app.get('/versions', () => versions());
  // There is nothing at the root of a version; clients are sent to the list.
  app.get('/v2', (_request, reply) => reply.code(300).send(versions()));
  const there = (): Image[] => {
    const { glance: faults } = cloud.faults;
    if (faults.on('imageDeleted')) return [];
    const ramdisk = faults.on('deployImageDeleted') ? DEPLOY_RAMDISK : undefined;
    return cloud.state.images.filter(({ name }) => name !== ramdisk);
  };
  const named = (request: FastifyRequest): Image => {
    const { id } = request.params as { id: string };
    const found = there().find((image) => image.id === id);
    if (found === undefined) throw new ApiError(404, `No image found with ID ${id}`);
    return found;
  };
  const writers = { onRequest: [admin('glance', 'modify_image')] };

  app.get('/v2/images', (request) => {
    const query = queryOf(request);
    const found = there()
      .map((image) => shownImage(cloud, image))
      .filter((image) =>
        matches({ ...image, tag: image['tags'] }, withoutIn(query), ['member_status', 'os_hidden']),
      )
      .toReversed();
    const { items, last } = page(found, { limit: '25', ...query }, (image) => String(image['id']));
    const first = new URL(request.url, 'https://lab');
    first.searchParams.delete('marker');
    const here = (url: string): string => url.replace(/^\/image/, '');
    return {
      images: items,
      first: here(first.pathname + first.search),
      ...(last === undefined
        ? {}
        : { next: here(nextUrl('https://lab', request, last).replace('https://lab', '')) }),
      schema: '/v2/schemas/images',
    };
  });
  app.get('/v2/images/:id', (request) => shownImage(cloud, named(request)));
  app.post('/v2/images', writers, (request, reply) => {
    const asked = bodyOf(request);
    const id = asked['id'];
    if (cloud.state.images.some((image) => image.id === id))
      throw new ApiError(409, `Image ID ${String(id)} already exists!`);
    const image = newImage(cloud, asked, typeof id === 'string' ? id : undefined);
    return reply
      .code(201)
      .header('location', `${cloud.url()}/image/v2/images/${image.id}`)
      .header('openstack-image-import-methods', 'glance-direct')
      .send(image);
  });
  app.patch('/v2/images/:id', writers, (request) => {
    const image = named(request);
    patch(cloud, image, request.body);
    return shownImage(cloud, image);
  });
  app.delete('/v2/images/:id', writers, (request, reply) => {
    remove(cloud, named(request));
    return reply.code(204).send();
  });
  app.put(
    '/v2/images/:id/file',
    { ...writers, bodyLimit: Number.MAX_SAFE_INTEGER },
    async (request, reply) => {
      if (request.headers['content-type'] !== 'application/octet-stream')
        throw new ApiError(
          415,
          'The server could not comply with the request: application/octet-stream is expected.',
        );
      if (cloud.faults.glance.on('storeFull')) {
        (request.body as Readable).resume();
        throw new ApiError(413, 'There is not enough disk space on the image storage media.');
      }
      await upload(cloud, named(request), request.body as Readable);
      return reply.code(204).send();
    },
  );
  app.get('/v2/images/:id/file', (request, reply) => {
    const image = named(request);
    const bytes = cloud.faults.glance.on('imageNotActive') ? undefined : download(cloud, image);
    if (bytes === undefined) return reply.code(204).send();
    const { checksum } = shownImage(cloud, image);
    return reply
      .type('application/octet-stream')
      .header('content-length', String(image.size))
      .header('content-md5', String(checksum))
      .send(bytes);
  });
  app.get('/v2/info/stores', () => ({
    stores: [{ id: 'rbd', description: 'Ceph', default: 'true' }],
  }));
  app.get('/v2/info/import', () => ({
    'import-methods': { description: 'Import methods available.', type: 'array', value: ['glance-direct'] },
  }));
  schemas(app);
}

/** `in:` before a value is of no concern where it names one. */
const withoutIn = (query: { readonly [name: string]: string | undefined }) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, value?.replace(/^in:"?([^"]*)"?$/, '$1')]),
  );

/** Clients read the schema to know which properties are of the API, and which are somebody's own. */
function schemas(app: FastifyInstance): void {
  const text = { type: ['null', 'string'] };
  const schema = {
    name: 'image',
    properties: {
      ...Object.fromEntries(
        ['id', 'name', 'status', 'visibility', 'checksum', 'os_hash_algo', 'os_hash_value', 'owner'].map(
          (each) => [each, text],
        ),
      ),
      ...Object.fromEntries(
        ['disk_format', 'container_format', 'self', 'file', 'schema'].map((each) => [each, text]),
      ),
      ...Object.fromEntries(
        ['size', 'virtual_size', 'min_disk', 'min_ram'].map((each) => [each, { type: ['null', 'integer'] }]),
      ),
    },
    additionalProperties: { type: 'string' },
    links: [{ rel: 'self', href: '{self}' }],
  };
  app.get('/v2/schemas/image', () => schema);
  app.get('/v2/schemas/images', () => ({
    name: 'images',
    properties: { images: { type: 'array', items: schema }, first: text, next: text, schema: text },
  }));
}
