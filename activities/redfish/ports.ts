import type { SeenPort } from '../../core/cabling.ts';
import { seenPorts } from '../../core/redfish/lldp.ts';
import { at, linkOf, linksOf } from '../../core/redfish/read.ts';
import { reader, type Reader } from './reader.ts';
import type { Resource, SystemFound } from './service.ts';
import type { Bmc } from './transport.ts';

interface Adapter {
  readonly functions: readonly Resource[];
  readonly ports: readonly Resource[];
}

/** The network adapters of the chassis, with their functions and their ports: `Ports`, or the older `NetworkPorts`. */
export async function adaptersOf(r: Reader, chassis: readonly Resource[]): Promise<Adapter[]> {
  const found: Adapter[] = [];
  for (const { body } of chassis) {
    for (const adapter of await r.members('network adapters', linkOf(body['NetworkAdapters']))) {
      const functions = linkOf(adapter.body['NetworkDeviceFunctions']);
      const ports = linkOf(adapter.body['Ports']) ?? linkOf(adapter.body['NetworkPorts']);
      found.push({
        functions: await r.members('network functions', functions),
        ports: await r.members('network ports', ports),
      });
    }
  }
  return found;
}

/**
 * The network ports as the BMC sees them, within a bounded number of requests and a bounded time. What it
 * does not show, or cannot give, is left out; a BMC that is lost altogether throws.
 */
export async function networkPorts(bmc: Bmc, { body }: SystemFound): Promise<SeenPort[]> {
  const r = reader(bmc, 200, Date.now() + 40_000);
  const chassis = await r.all('chassis', linksOf(at(body, 'Links', 'Chassis')).slice(0, 8));
  return (await adaptersOf(r, chassis)).flatMap(({ ports, functions }) => seenPorts(ports, functions));
}
