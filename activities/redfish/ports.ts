import type { SeenPort } from '../../core/cabling.ts';
import { seenPorts } from '../../core/redfish/lldp.ts';
import { at, linkOf, linksOf } from '../../core/redfish/read.ts';
import { reader, type Reader } from './reader.ts';
import type { Resource, SystemFound } from './service.ts';
import type { Bmc } from './transport.ts';

export interface Adapter {
  readonly uri: string;
  /** Where it is listed: a MAC that stands twice there identifies nothing. */
  readonly list: string;
  readonly functions: readonly Resource[];
  readonly ports: readonly Resource[];
}

/** The network adapters of the chassis, with their functions and their ports. */
export async function adaptersOf(r: Reader, chassis: readonly Resource[]): Promise<Adapter[]> {
  const found: Adapter[] = [];
  for (const { uri, body } of chassis) {
    for (const adapter of await r.members('network adapters', linkOf(body['NetworkAdapters']))) {
      found.push(await partsOf(r, uri, adapter));
    }
  }
  return found;
}

/** The functions and the ports of one: `Ports`, or the older `NetworkPorts`. */
export async function partsOf(r: Reader, list: string, { uri, body }: Resource): Promise<Adapter> {
  const ports = linkOf(body['Ports']) ?? linkOf(body['NetworkPorts']);
  return {
    uri,
    list,
    functions: await r.members('network functions', linkOf(body['NetworkDeviceFunctions'])),
    ports: await r.members('network ports', ports),
  };
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
