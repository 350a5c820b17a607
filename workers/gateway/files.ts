import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseRange } from '../../core/agent/ranges.ts';
import { fail } from '../../core/errors/failure.ts';
import { pour, type EachPiece } from './pour.ts';

/** A file of which any part can be sent. */
export interface ServedFile {
  readonly path: string;
  readonly size: number;
  /** Strong: equal means equal bytes. */
  readonly etag: string;
  readonly type: string;
  /** What becomes of its bytes on their way. @default they are sent as they are */
  readonly each?: EachPiece;
}

/** Answers GET and HEAD, whole or one range, with ETag, If-None-Match and If-Range. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ServedFile,
): Promise<FastifyReply> {
  const header = (name: string): string | undefined => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  reply.headers({ 'accept-ranges': 'bytes', etag: file.etag, 'cache-control': 'no-store' });
  if (isKnown(header('if-none-match'), file.etag)) return reply.code(304).send();
  // A part only makes sense with the rest of the same version; a date cannot tell versions apart.
  const condition = header('if-range');
  const wanted = condition === undefined || condition === file.etag ? header('range') : undefined;
  const range = parseRange(wanted, file.size);
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`);
    throw fail('RANGE_UNSATISFIABLE', `The file has ${file.size} bytes.`);
  }
  const part = range ?? { start: 0, end: file.size - 1 };
  if (range !== undefined)
    reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${file.size}`);
  reply.type(file.type).header('content-length', part.end - part.start + 1);
  if (request.method === 'HEAD' || file.size === 0) return reply.send();
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string | number>);
  try {
    await pour(file, part, reply.raw);
  } catch (err) {
    request.log.error({ err, ...request.operation }, 'a file could not be sent to its end');
  }
  return reply;
}

/** Whether the caller has the version; here a weak tag is as good as a strong one (RFC 9110, 13.1.2). */
const isKnown = (condition: string | undefined, etag: string): boolean =>
  condition?.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, ''))) ?? false;
