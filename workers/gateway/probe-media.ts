import type { FastifyReply, FastifyRequest } from 'fastify';
import { effectiveNode } from '../../contracts/inventory/effective.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import { PROBE_FILE } from '../../core/reachability/media-probe.ts';
import type { TokenClaims } from '../../activities/tokens/tokens.ts';
import { plainAddress, checkMediaClient } from './addresses.ts';
import type { GatewayDeps } from './doors.ts';
import { sendFile } from './files.ts';

/**
 * Gives a probe image to the BMC that it is for, while it is open, and notes each request: who asked, and whether that
 * one may have it.
 */
export async function sendProbe(
  request: FastifyRequest<{ Params: { file: string } }>,
  reply: FastifyReply,
  { node: name, requestId, site, expires }: TokenClaims,
  deps: GatewayDeps,
): Promise<FastifyReply> {
  if (site !== deps.site) throw fail('TOKEN_INVALID', 'The token is not one of ours, or is not for this.');
  request.operation = { node: name, requestId };
  const now = (deps.now ?? Date.now)();
  const probe = expires * 1000 > now ? await deps.probes?.find(name, requestId) : undefined;
  if (!probe) throw fail('TOKEN_EXPIRED', 'The probe image is not given away any more.');
  if (request.params.file !== PROBE_FILE) throw fail('ROUTE_UNKNOWN', 'There is no such media.');
  const inventory = await deps.contract(probe.contractHash);
  const note = (refused?: string): Promise<void> | undefined =>
    deps.probes?.note(name, {
      at: new Date(now).toISOString(),
      method: request.method,
      from: plainAddress(request.ip),
      ...short('agent', request.headers['user-agent']),
      ...short('range', request.headers.range),
      ...(refused === undefined ? {} : { refused }),
    });
  try {
    checkMediaClient(effectiveNode(inventory, name), request.ip, inventory);
  } catch (error) {
    if (error instanceof RackwrightError) await note(error.failure.message);
    throw error;
  }
  await note();
  const { path, size, id } = probe;
  return sendFile(request, reply, { path, size, etag: `"${id}"`, type: 'application/x-iso9660-image' });
}

const short = (name: string, value: string | undefined): object =>
  value === undefined ? {} : { [name]: value.slice(0, 120) };
