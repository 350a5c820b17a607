import type { FastifyInstance } from 'fastify';
import { fail } from '../../core/errors/failure.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Doors, GatewayDeps } from './doors.ts';

const REPORT_BYTES = 16 * 1024;

/** Where a guest says that it is up, and what it sees. Any content type will do, as long as it is JSON. */
export function firstBootRoutes(app: FastifyInstance, deps: GatewayDeps, doors: Doors): void {
  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: '/firstboot/:token',
    bodyLimit: REPORT_BYTES,
    handler: async (request, reply) => {
      const { claims, access } = await doors.open(request, request.params.token, 'first-boot');
      const report = request.body;
      if (typeof report !== 'object' || report === null || Array.isArray(report)) {
        throw fail('REQUEST_INVALID', 'First boot: the report is not one JSON object.');
      }
      // The operation counts what it was told, not we: after a hold it may wait for the very same words again.
      if (!access.firstBootHeard) {
        // By this clock, whatever the guest says: its own is compared with it.
        const receivedAt = new Date().toISOString();
        await deps.operations.firstBoot(claims, { ...(report as JsonObject), receivedAt });
      }
      return reply.code(202).send({ accepted: true });
    },
  });
}
