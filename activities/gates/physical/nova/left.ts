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

/**
 * What servers that are gone have left behind. A port of one is nobody's any more: it is taken away, and told of all
 * the same.
 */
export async function leftOf(
  cloud: OpenStack,
  ids: readonly string[],
): Promise<{ readonly found: readonly CloudFinding[]; readonly shown: JsonObject }> {
  const found: CloudFinding[] = [];
  const ports: unknown[] = [];
  for (const id of ids) {
    for (const port of portsOf(await portsOfServer(cloud, id), id)) {
      ports.push(shownPort(port));
      const name = text(field(port, 'id'));
      await deletePort(cloud, name);
      found.push({
        message: `Port ${name} was left when server ${id} was deleted. It is deleted now.`,
        correction: `Look why nova-compute did not delete it: its log for server ${id}, and what Neutron answered.`,
        faultDomain: 'openstack',
      });
    }
    const left = allocationsLeft(await allocationsOf(cloud, id));
    if (left.length > 0) {
      found.push({
        message: `Placement still has an allocation of server ${id}, which is deleted, at ${left.join(', ')}.`,
        correction: `openstack resource provider allocation delete ${id}`,
        faultDomain: 'openstack',
      });
    }
  }
  return { found, shown: { servers: [...ids], ports: ports as Json[], left: found.length } };
}
