import type { FastifyInstance } from 'fastify';
import { parametersArea } from '../../core/agent/parameters.ts';
import { isPlaced } from '../../core/cabling.ts';
import { fail } from '../../core/errors/failure.ts';
import { mediaBase, mediaEtag, mediaPiece } from '../../activities/agent/media-base.ts';
import { agentUrl, baseIsoOf, gatewayUrlOf, mediaParameters } from '../../activities/agent/urls.ts';
import { checkMediaClient } from './addresses.ts';
import type { Doors, GatewayDeps } from './doors.ts';
import { sendFile } from './files.ts';
import { sendProbe } from './probe-media.ts';

/** The operations whose plan checks the network. */
const ATTACHING: ReadonlySet<string> = new Set(['deploy', 'reimage']);

/** The deploy media of a boot: the base ISO with this boot's parameters, until its agent has looked itself up. */
export function mediaRoutes(app: FastifyInstance, deps: GatewayDeps, doors: Doors): void {
  app.route<{ Params: { token: string; file: string } }>({
    method: ['GET', 'HEAD'],
    url: '/media/:token/:file',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const claims = deps.tokens.open(request.params.token);
      if (claims?.audience === 'probe') return sendProbe(request, reply, claims, deps);
      const { ref, access } = await doors.open(request, request.params.token, 'media', true);
      const { inventory, node } = await doors.contract(ref);
      checkMediaClient(node, request.ip, inventory);
      if (!access.mediaOpen)
        throw fail('MEDIA_CLOSED', 'The agent of this boot has started; its media is closed.');
      if (request.params.file !== `${ref.node}.iso`) throw fail('ROUTE_UNKNOWN', 'There is no such media.');
      const base = await mediaBase(baseIsoOf(inventory, node.architecture));
      const door = { tokens: deps.tokens, gatewayUrl: gatewayUrlOf(inventory, 'agent') };
      // Listening takes time: only where a step compares what was heard with the contract.
      const listens = ATTACHING.has(ref.kind) && node.ports.some(isPlaced);
      const area = parametersArea(mediaParameters(agentUrl(door, ref, access.window), listens));
      return sendFile(request, reply, {
        path: base.path,
        size: base.size,
        etag: mediaEtag(base, area),
        type: 'application/x-iso9660-image',
        each: (piece, offset) => mediaPiece(base, area, piece, offset),
      });
    },
  });
}
