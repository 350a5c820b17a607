import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { readHeartbeat, readLookup, versionDocument } from '../../core/agent/messages.ts';
import { agentHints } from '../../core/agent/root-device.ts';
import { fail, notYet } from '../../core/errors/failure.ts';
import type { EffectiveNode } from '../../contracts/inventory/effective.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { nodeUuid } from '../../activities/agent/identity.ts';
import { checkedCallback } from './addresses.ts';
import type { Doors, GatewayDeps } from './doors.ts';

interface TokenParams {
  Params: { token: string };
}

/** What an agent that has been told its token is told instead of it. */
const HIDDEN = '******';
const HEARTBEAT_BYTES = 32 * 1024;
const ASK_AGAIN_MS = 5_000;

/** The conductor's side of ironic-python-agent: version, lookup, heartbeat. */
export function agentRoutes(app: FastifyInstance, deps: GatewayDeps, doors: Doors): void {
  for (const path of ['/agent/:token/', '/agent/:token/v1/', '/agent/:token/v1']) {
    app.route<TokenParams>({
      method: 'GET',
      url: path,
      handler: async (request) => {
        await doors.open(request, request.params.token, 'agent');
        return versionDocument();
      },
    });
  }

  app.route<TokenParams>({
    method: 'GET',
    url: '/agent/:token/v1/lookup',
    handler: async (request) => {
      const { claims, ref, access } = await doors.open(request, request.params.token, 'agent');
      const read = readLookup(request.query);
      if ('problem' in read) throw fail('REQUEST_INVALID', `Lookup: ${read.problem}.`);
      const { macs, uuid } = read.value;
      const { inventory, node } = await doors.contract(ref);
      checkMacs(inventory, node, macs);
      const own = nodeUuid(ref.site, ref.node);
      if (uuid !== null && uuid.toLowerCase() !== own) throw wrongNode('The agent asks for another node.');
      // Once it was heard, and for as long as nothing changes, a lookup is no news to the operation.
      const { heard } = access.agentHeard
        ? { heard: true }
        : await deps.operations.agentLookup(claims, { epoch: claims.epoch, macs });
      doors.forget(claims);
      const root = agentHints(node.rootDevice);
      return {
        node: {
          uuid: own,
          name: ref.node,
          properties: {
            capabilities: `boot_mode:${node.bootMode}`,
            ...(root === undefined ? {} : { root_device: root }),
          },
          instance_info: {},
          driver_internal_info: {},
        },
        config: {
          heartbeat_timeout: deps.heartbeatSeconds ?? 60,
          agent_token: heard ? HIDDEN : deps.tokens.agentToken(ref, claims.epoch),
          agent_token_required: true,
          agent_md5_checksum_enable: false,
          metrics: null,
          metrics_statsd: null,
        },
      };
    },
  });

  app.route<TokenParams & { Params: { uuid: string } }>({
    method: 'POST',
    url: '/agent/:token/v1/heartbeat/:uuid',
    bodyLimit: HEARTBEAT_BYTES,
    handler: async (request, reply) => {
      const { claims, ref, access } = await doors.open(request, request.params.token, 'agent');
      if (request.params.uuid.toLowerCase() !== nodeUuid(ref.site, ref.node)) {
        throw wrongNode('The heartbeat is for another node.');
      }
      const read = readHeartbeat(request.body);
      if ('problem' in read) throw fail('REQUEST_INVALID', `Heartbeat: ${read.problem}.`);
      const { agentToken, callbackUrl: given, version } = read.value;
      if (!sameSecret(agentToken, deps.tokens.agentToken(ref, claims.epoch))) {
        throw fail('AGENT_TOKEN_WRONG', 'The heartbeat does not carry the token of its lookup.');
      }
      const { inventory } = await doors.contract(ref);
      const callbackUrl = checkedCallback(given, request.ip, inventory);
      const certificate = plainCertificate(read.value.certificate);
      reply.code(202);
      if (access.agentHeard) {
        if (access.callbackUrl !== callbackUrl || access.certificate !== certificate) {
          throw fail(
            'AGENT_CHANGED',
            'Callback URL or certificate differ from the first heartbeat of this boot.',
          );
        }
        return null;
      }
      await deps.operations.agentHeartbeat(claims, {
        epoch: claims.epoch,
        callbackUrl,
        certificate,
        version,
      });
      doors.forget(claims);
      return null;
    },
  });
}

const wrongNode = (message: string): Error => fail('AGENT_WRONG_NODE', message);

/**
 * The token says which node is meant; one port of it that the machine has will do. A machine that has a port of
 * another node is another machine. One that names no port that anybody knows may know more in a moment.
 */
function checkMacs(inventory: Inventory, node: EffectiveNode, macs: readonly string[]): void {
  const has = (ports: EffectiveNode['ports']): boolean => ports.some(({ mac }) => macs.includes(mac));
  if (has(node.ports)) return;
  const seen = macs.slice(0, 8).join(', ');
  const other = inventory.nodes.find((each) => each.name !== node.name && has(each.ports));
  if (other !== undefined) {
    throw wrongNode(`The agent runs on a machine with ports of ${other.name}: ${seen}.`);
  }
  if (node.ports.length === 0) return;
  throw notYet(
    'AGENT_PORTS_UNKNOWN',
    seen === ''
      ? 'The agent names no MAC address yet.'
      : `The agent runs on a machine with ${seen}; the contract gives the node other ports.`,
    ASK_AGAIN_MS,
  );
}

/** Compares in the same time, whatever is given. */
function sameSecret(given: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(right));
}

/** One certificate in its plain form, and nothing beside it. */
function plainCertificate(pem: string): string {
  if ((pem.match(/-----BEGIN /g) ?? []).length !== 1) {
    throw fail('REQUEST_INVALID', 'Heartbeat: `agent_verify_ca` is not one certificate.');
  }
  try {
    return new X509Certificate(pem).toString();
  } catch {
    throw fail('REQUEST_INVALID', 'Heartbeat: `agent_verify_ca` is not a certificate in PEM form.');
  }
}
