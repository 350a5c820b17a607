import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { redact } from '../redact.ts';
import type { Server } from '../server.ts';
import { ROOT, serviceTree, type Resource, type Tree } from './services.ts';
import { systemTree } from './system.ts';
import { taskTree } from './tasks.ts';
import { updateTree } from './update.ts';

/** All resources of a BMC, by path; each is made when it is asked for. */
export const tree = (server: Server): Tree => ({
  ...serviceTree(server),
  ...taskTree(server),
  ...updateTree(server),
  ...systemTree(server),
});

export const pathOf = (request: FastifyRequest): string =>
  request.url.replace(/[?#].*$/, '').replace(/\/+$/, '');

export const etag = (body: Resource): string =>
  `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 16)}"`;

export const LOGIN_PATHS = ['/SessionService/Sessions', '/SessionService/Sessions/Members'];

/** The methods of a resource. */
export function allowed(path: string): string {
  if (path === `${ROOT}/SessionService/Sessions`) return 'GET, HEAD, POST';
  if (path.startsWith(`${ROOT}/SessionService/Sessions/`)) return 'GET, HEAD, DELETE';
  if (path === `${ROOT}/Managers/1/Jobs`) return 'POST';
  const patched = /\/(Accounts\/1|Systems\/1(\/Settings)?|Bios(\/Settings)?|SecureBoot)$/.test(path);
  return patched ? 'GET, HEAD, PATCH' : 'GET, HEAD';
}

/** What needs no login. */
export const isOpen = (request: FastifyRequest): boolean => {
  const path = pathOf(request);
  if (request.method === 'POST') return LOGIN_PATHS.some((login) => path === `${ROOT}${login}`);
  return ['/redfish', ROOT, `${ROOT}/odata`, `${ROOT}/$metadata`].includes(path);
};

export function logWrite(server: Server, request: FastifyRequest, status: number | null): void {
  server.log.append('request', {
    method: request.method,
    path: pathOf(request),
    body: redact(request.body ?? null),
    status,
  });
}
