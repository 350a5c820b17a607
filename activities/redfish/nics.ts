import {
  readBootOptionPort,
  readDeviceFunction,
  readEthernetInterface,
  readNetworkPort,
  type NicReading,
} from '../../core/redfish/nics.ts';
import type { SeenPort } from '../../core/cabling.ts';
import { seenPorts } from '../../core/redfish/lldp.ts';
import { at, linkOf, sameUri } from '../../core/redfish/read.ts';
import { adaptersOf, partsOf, type Adapter } from './ports.ts';
import type { Reader } from './reader.ts';
import type { Resource } from './service.ts';

export interface NicsFound {
  readonly readings: NicReading[];
  /** The ports of all adapters, with what they hear by LLDP. */
  readonly ports: SeenPort[];
}

/**
 * Every reading of every network interface: of the system's EthernetInterfaces, of the adapters of its
 * chassis, of its NetworkInterfaces, and of its boot options. None of them alone has all, on any BMC.
 */
export async function nicReadings(
  r: Reader,
  system: Resource['body'],
  chassis: readonly Resource[],
): Promise<NicsFound> {
  const ethernet = await r.members('ethernet interfaces', linkOf(system['EthernetInterfaces']));
  const adapters = await adaptersOf(r, chassis);
  const interfaces = await networkInterfaces(r, system, adapters);
  const options = await r.members('boot options', linkOf(at(system, 'Boot', 'BootOptions')));
  const all = [...adapters, ...interfaces];
  const readings = [
    ...ethernet.map((nic) => readEthernetInterface(nic.uri, nic.body)),
    ...all.flatMap(({ list, functions, ports }) => [
      ...functions.map((f) => readDeviceFunction(f.uri, f.body, `${list} functions`)),
      ...ports.flatMap((p) => readNetworkPort(p.uri, p.body, `${list} ports`)),
    ]),
    ...options.flatMap((option) => readBootOptionPort(option.uri, option.body)),
  ];
  return { readings, ports: all.flatMap(({ ports, functions }) => seenPorts(ports, functions)) };
}

/** The system's own view of its adapters, less what a chassis has shown; and adapters that no chassis lists. */
async function networkInterfaces(
  r: Reader,
  system: Resource['body'],
  shown: readonly Adapter[],
): Promise<Adapter[]> {
  const collection = linkOf(system['NetworkInterfaces']);
  const read = new Set(shown.map(({ uri }) => uri));
  const found: Adapter[] = [];
  for (const each of await r.members('network interfaces', collection)) {
    const link = linkOf(at(each.body, 'Links', 'NetworkAdapter'));
    if (link !== null && [...read].some((uri) => sameUri(uri, link))) continue;
    const adapter = link === null ? null : await r.one('network adapters', link);
    found.push(await partsOf(r, collection!, adapter ?? each));
    if (link !== null) read.add(link);
  }
  return found;
}
