import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CATALOGUE, type ErrorCode } from '../../core/errors/catalogue.ts';
import { withoutTokens } from '../../core/agent/read.ts';
import { failure, RackwrightError, type Failure } from '../../core/errors/failure.ts';
import { Trouble } from './trouble.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom the token of the request names, once its signature was found to be ours. */
    operation: { readonly node: string; readonly requestId: string } | null;
  }
}

/** A path for a log line: what stands where a token is, and every query, is cut out. */
export const withoutToken = (url: string): string =>
  url.replace(/[?#].*$/s, '').replace(/^(\/+(?:agent|media|images|firstboot)\/+)[^/]+/i, '$1…');

/** Refusals that someone may want to look into: forged, foreign, or after the end. */
const AUDITED = new Set<ErrorCode>([
  'TOKEN_INVALID',
  'TOKEN_EXPIRED',
  'OPERATION_OVER',
  'MEDIA_CLOSED',
  'MEDIA_CLIENT_REFUSED',
  'AGENT_TOKEN_WRONG',
  'AGENT_WRONG_NODE',
  'AGENT_CHANGED',
  'CALLBACK_REFUSED',
]);

const FRAMEWORK: { readonly [code: string]: ErrorCode } = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'REQUEST_TOO_LARGE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'REQUEST_INVALID',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'REQUEST_INVALID',
  FST_ERR_CTP_INVALID_JSON_BODY: 'REQUEST_INVALID',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'REQUEST_INVALID',
};

function asKnown(error: unknown): RackwrightError | undefined {
  if (error instanceof RackwrightError) return error;
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>;
  const known = FRAMEWORK[code] ?? (statusCode === 413 ? 'REQUEST_TOO_LARGE' : undefined);
  if (known !== undefined) return new RackwrightError(failure(known, CATALOGUE[known].meaning));
  if (statusCode < 500) return new RackwrightError(failure('REQUEST_INVALID', 'The request cannot be read.'));
  return undefined;
}

/** Errors as `{error: {code, message, correction}}`, with the status of the catalogue. */
export function installReplies(app: FastifyInstance, now: () => number): void {
  const trouble = new Trouble();
  app.decorateRequest('operation', null);
  app.setNotFoundHandler((request, reply) =>
    answer(request, reply, failure('ROUTE_UNKNOWN', 'There is nothing at this path.'), undefined),
  );
  app.setErrorHandler((error, request, reply) => {
    const known = asKnown(error);
    if (known === undefined) {
      request.log.error({ err: shownError(error), ...request.operation }, 'unexpected error');
      return answer(request, reply, failure('UNEXPECTED', 'The gateway failed on this request.'), undefined);
    }
    const { code, message } = known.failure;
    const leftOut = trouble.tell(code, request.operation?.node ?? '', now());
    if (leftOut !== undefined) request.log.warn({ ...about(request), code, leftOut }, message);
    return answer(request, reply, known.failure, known.retryAfterMs);
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.log.debug(
      { ...about(request), status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'served',
    );
    done();
  });
}

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, message, correction }: Failure,
  retryAfterMs: number | undefined,
): FastifyReply {
  if (AUDITED.has(code)) request.log.warn({ ...about(request), code }, message);
  if (retryAfterMs !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(retryAfterMs / 1000)));
  return reply
    .code(CATALOGUE[code].httpStatus)
    .type('application/json; charset=utf-8')
    .send({ error: { code, message, correction } });
}

const about = (request: FastifyRequest): object => ({
  method: request.method,
  path: withoutToken(request.url),
  peer: request.ip,
  ...request.operation,
});

/** An error without its URL: messages of libraries may hold one, and it may hold a token. */
const shownError = (error: unknown): object => {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message: withoutTokens(message), stack: withoutTokens(stack ?? '') };
};

/** The logger of a server: what it writes of a request by itself has no token either. */
export const gatewayLogger = (log: FastifyBaseLogger): FastifyBaseLogger =>
  log.child(
    {},
    {
      serializers: {
        req: (request: FastifyRequest) => about(request),
        err: shownError,
      },
    },
  );
