import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseRange } from '../../core/agent/ranges.ts';
import { fail } from '../../core/errors/failure.ts';

/** Something with a size that any part can be read of. */
export interface ServedFile {
  readonly size: number;
  /** Strong: equal means equal bytes. */
  readonly etag: string;
  readonly type: string;
  /** The bytes from `start` to `end`, both included. */
  readonly open: (start: number, end: number) => Readable;
}

/** Answers GET and HEAD, whole or one range, with ETag, If-None-Match and If-Range. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: ServedFile): FastifyReply {
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  reply.headers({ 'accept-ranges': 'bytes', etag: file.etag, 'cache-control': 'no-store' });
  if (
    header('if-none-match')
      ?.split(/\s*,\s*/)
      .includes(file.etag)
  )
    return reply.code(304).send();
  // A part only makes sense with the rest of the same version; a date cannot tell versions apart.
  const condition = header('if-range');
  const wanted = condition === undefined || condition === file.etag ? header('range') : undefined;
  const range = parseRange(wanted, file.size);
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`);
    throw fail('RANGE_UNSATISFIABLE', `The file has ${file.size} bytes.`);
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`);
  reply.type(file.type).header('content-length', end - start + 1);
  if (request.method === 'HEAD' || file.size === 0) return reply.send();
  return reply.send(file.open(start, end));
}
