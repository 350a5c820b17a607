import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { firmwareFilesOf, imageOf, type FirmwareFile } from '../../contracts/inventory/effective.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import { fetchImage, imageFile } from '../../activities/agent/image-source.ts';
import type { Doors, GatewayDeps } from './doors.ts';
import { sendFile, type ServedFile } from './files.ts';
import { PATIENCE, patiently, type Patience } from './patience.ts';

/** The image of the operation, and no other, from wherever the contract keeps it. */
export function imageRoutes(app: FastifyInstance, deps: GatewayDeps, doors: Doors): void {
  app.route<{ Params: { token: string; name: string } }>({
    method: ['GET', 'HEAD'],
    url: '/images/:token/:name',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { ref, access } = await doors.open(request, request.params.token, 'image', true);
      const { inventory, node } = await doors.contract(ref);
      if (ref.kind === 'service') {
        const file = await firmwareFile(firmwareFilesOf(inventory, node.type), request.params.name);
        return sendFile(request, reply, file);
      }
      const name = access.args['image'];
      if (typeof name !== 'string' || request.params.name !== name) {
        throw fail('ROUTE_UNKNOWN', 'This is not the image of the operation.');
      }
      const image = imageOf(inventory, name);
      const file = await imageFile(image);
      if (file === undefined) return relay(request, reply, image.url, deps.patience ?? PATIENCE);
      return sendFile(request, reply, {
        path: file.path,
        size: file.size,
        etag: `"${image.checksum.replace(/^sha256:/, '').slice(0, 40)}-${file.size}-${Math.round(file.mtimeMs)}"`,
        type: 'application/octet-stream',
      });
    },
  });
}

/** A firmware file of the node's baselines, and no other. */
async function firmwareFile(files: readonly FirmwareFile[], name: string): Promise<ServedFile> {
  const found = files.find(({ file }) => basename(file) === name);
  if (found === undefined) throw fail('ROUTE_UNKNOWN', "This is no firmware of the node's baseline.");
  const { file: path, checksum } = found;
  const { size, mtimeMs } = await stat(path).catch(() => {
    throw fail('IMAGE_SOURCE_UNREACHABLE', `The firmware ${name} is not on this host.`);
  });
  return {
    path,
    size,
    etag: `"${checksum.replace(/^sha256:/, '').slice(0, 40)}-${size}-${Math.round(mtimeMs)}"`,
    type: 'application/octet-stream',
  };
}

const PASSED = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'] as const;

/** No answer, a 429 or a server's own trouble; an image that is not there will not be there in a moment. */
const mayPass = (error: unknown): boolean => {
  if (!(error instanceof RackwrightError) || error.failure.code !== 'IMAGE_SOURCE_UNREACHABLE') return false;
  const status = error.failure.details?.['status'];
  return typeof status !== 'number' || status === 429 || status >= 500;
};

/**
 * Passes an image through from its own server, which is asked again where it does not answer well at once.
 * The agent checks what it gets against the contract's checksum.
 */
async function relay(
  request: FastifyRequest,
  reply: FastifyReply,
  url: string,
  patience: Patience,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const head = request.method === 'HEAD';
  const answer = await patiently(
    patience,
    (error) => !gone.signal.aborted && mayPass(error),
    () =>
      fetchImage(url, {
        method: head ? 'HEAD' : 'GET',
        range: request.headers.range,
        signal: gone.signal,
      }),
  );
  for (const name of PASSED) {
    const value = answer.headers[name];
    if (typeof value === 'string') reply.header(name, value);
  }
  reply.code(answer.statusCode).type('application/octet-stream');
  if (!head) return reply.send(answer.body);
  await answer.body.dump();
  return reply.send();
}
