import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { fail } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import { BoundedMap } from './bounded-map.ts';
import type { Doors, GatewayDeps } from './doors.ts';

const REPORT_BYTES = 16 * 1024;
const MAX_KEPT = 4096;

/** Where a guest says that it is up, and what it sees. Any content type will do, as long as it is JSON. */
export function firstBootRoutes(app: FastifyInstance, deps: GatewayDeps, doors: Doors): void {
  const accepted = new BoundedMap<string>(MAX_KEPT);
  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: '/firstboot/:token',
    bodyLimit: REPORT_BYTES,
    handler: async (request, reply) => {
      const { claims } = await doors.open(request, request.params.token, 'first-boot');
      const report = request.body;
      if (typeof report !== 'object' || report === null || Array.isArray(report)) {
        throw fail('REQUEST_INVALID', 'First boot: the report is not one JSON object.');
      }
      const key = `${claims.node}/${claims.requestId}`;
      const digest = createHash('sha256').update(JSON.stringify(report)).digest('base64');
      if (accepted.get(key) !== digest) {
        await deps.operations.firstBoot(claims, report as JsonObject);
        accepted.set(key, digest);
      }
      return reply.code(202).send({ accepted: true });
    },
  });
}
