import { STATUS_CODES } from 'node:http';
import type { CloudService } from './switches.ts';

/** An answer that is no success; each service has its own form for it. */
export class ApiError extends Error {
  readonly status: number;
  /** Neutron's name of the failure. */
  readonly type: string;
  /** More of the body. */
  readonly more: { readonly [field: string]: unknown };

  constructor(
    status: number,
    message: string,
    { type, ...more }: { type?: string; readonly [field: string]: unknown } = {},
  ) {
    super(message);
    this.status = status;
    this.type = type ?? `HTTP${STATUS_CODES[status]?.replaceAll(' ', '')}`;
    this.more = more;
  }
}

interface Body {
  readonly type: string;
  readonly body: unknown;
}

const json = (body: unknown): Body => ({ type: 'application/json', body });

const NOVA: { readonly [status: number]: string } = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  501: 'notImplemented',
  503: 'serviceUnavailable',
};

const html = (status: number, message: string): Body => {
  const title = `${status} ${STATUS_CODES[status]}`;
  return {
    type: 'text/html; charset=UTF-8',
    body: `<html>\n <head>\n  <title>${title}</title>\n </head>\n <body>\n  <h1>${title}</h1>\n  ${message}<br /><br />\n\n\n\n </body>\n</html>`,
  };
};

const FORMS: {
  readonly [service in CloudService]: (error: ApiError, request: string) => Body;
} = {
  keystone: ({ status, message }) => json({ error: { code: status, message, title: STATUS_CODES[status] } }),
  nova: ({ status, message, more }) =>
    json({ [NOVA[status] ?? 'computeFault']: { code: status, message, ...more } }),
  neutron: ({ type, message }) => json({ NeutronError: { type, message, detail: '' } }),
  glance: ({ status, message }) => html(status, message),
  placement: ({ status, message, more }, request_id) =>
    json({
      errors: [
        {
          status,
          title: STATUS_CODES[status],
          detail: `${REASONS[status] ?? ''}\n\n ${message}  `,
          ...more,
          request_id,
        },
      ],
    }),
  ironic: ({ status, message }) =>
    json({
      error_message: JSON.stringify({
        faultcode: status < 500 ? 'Client' : 'Server',
        faultstring: message,
        debuginfo: null,
      }),
    }),
};

const REASONS: { readonly [status: number]: string } = {
  400: 'The server could not comply with the request since it is either malformed or otherwise incorrect.',
  403: 'Access was denied to this resource.',
  404: 'The resource could not be found.',
  406: 'The resource could not be generated that was acceptable to your browser (content of type application/json).',
  409: 'There was a conflict when trying to complete your request.',
};

export const formOf = (service: CloudService, error: ApiError, request: string): Body =>
  // Whoever has no token is turned away before the service is asked: by one program for all of them.
  error.status === 401 && service !== 'keystone'
    ? json({ error: { code: 401, title: 'Unauthorized', message: UNAUTHORIZED } })
    : FORMS[service](error, request);

export const UNAUTHORIZED = 'The request you have made requires authentication.';

/** How a load balancer says that nobody is behind it. */
export const UNAVAILABLE =
  '<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n';
