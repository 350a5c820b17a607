import { RackwrightError } from '../../../../core/errors/failure.ts';
import type { Json, JsonObject } from '../../../../core/json.ts';
import type { CloudFinding } from '../../../../core/openstack/finding.ts';
import { field, text } from '../../../../core/openstack/read.ts';
import { allocationsLeft, portsOf, shownPort } from '../../../../core/openstack/left.ts';
import type { OpenStack } from '../../../openstack/client.ts';

/** The ports of a server in Neutron. */
export const portsOfServer = (cloud: OpenStack, id: string): Promise<readonly unknown[]> =>
  cloud.list('network', `/v2.0/ports?device_id=${encodeURIComponent(id)}`, 'ports');

/** What a server has taken of Placement. */
export const allocationsOf = (cloud: OpenStack, id: string): Promise<unknown> =>
  cloud.json('placement', `/allocations/${encodeURIComponent(id)}`);

/** A port that is gone by now is as good as deleted. */
async function deletePort(cloud: OpenStack, id: string): Promise<void> {
  try {
    await cloud.json('network', `/v2.0/ports/${encodeURIComponent(id)}`, { method: 'DELETE' });
  } catch (error) {
    if (!(error instanceof RackwrightError) || error.failure.details?.['status'] !== 404) throw error;
  }
}

/** A port that a server has left behind. */
export interface LeftPort {
  readonly server: string;
  /** As it is kept as evidence. */
  readonly port: Json;
}

/**
 * What servers that are gone have left behind. A port of one is nobody's any more: it is taken away, and told of all
 * the same. So it is noted first: whoever comes after a worker that died finds it no more.
 *
 * @param noted what attempts before have noted
 */
export async function leftOf(
  cloud: OpenStack,
  noted: { readonly ids: readonly string[]; readonly left: readonly LeftPort[] },
  note: (left: LeftPort, id: string) => Promise<unknown>,
): Promise<{ readonly found: readonly CloudFinding[]; readonly shown: JsonObject }> {
  const ports = new Map(noted.left.map((each) => [text(field(each.port, 'id')), each]));
  const allocations: CloudFinding[] = [];
  for (const server of noted.ids) {
    for (const port of portsOf(await portsOfServer(cloud, server), server)) {
      const id = text(field(port, 'id'));
      const left: LeftPort = { server, port: shownPort(port) as Json };
      ports.set(id, left);
      await note(left, id);
      await deletePort(cloud, id);
    }
    const left = allocationsLeft(await allocationsOf(cloud, server));
    if (left.length > 0) {
      allocations.push({
        message: `Placement still has an allocation of server ${server}, which is deleted, at ${left.join(', ')}.`,
        correction: `openstack resource provider allocation delete ${server}`,
        faultDomain: 'openstack',
      });
    }
  }
  const found = [...[...ports].map(([id, { server }]) => wasLeft(id, server)), ...allocations];
  const shown = { servers: [...noted.ids], ports: [...ports.values()].map(({ port }) => port) };
  return { found, shown: { ...shown, left: found.length } };
}

const wasLeft = (port: string, server: string): CloudFinding => ({
  message: `Port ${port} was left when server ${server} was deleted. It is deleted now.`,
  correction: `Look why nova-compute did not delete it: its log for server ${server}, and what Neutron answered.`,
  faultDomain: 'openstack',
});
