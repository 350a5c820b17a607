import { readBoot } from '../../core/redfish/boot.ts';
import type { Drive, Inspection } from '../../core/redfish/inspection.ts';
import {
  identityMacs,
  mergeNics,
  readDeviceFunction,
  readEthernetInterface,
  readNetworkPort,
  type NicReading,
} from '../../core/redfish/nics.ts';
import { readPower } from '../../core/redfish/power.ts';
import { asList, asNumber, asText, at, linkOf, linksOf, sameUri, textsOf } from '../../core/redfish/read.ts';
import * as read from '../../core/redfish/readers.ts';
import { adaptersOf } from './ports.ts';
import { reader, type Reader } from './reader.ts';
import { managersOf, type Resource, type SystemFound } from './service.ts';
import type { Bmc } from './transport.ts';

export interface InspectOptions {
  /** No more requests than this. @default 400 */
  readonly maxRequests?: number;
  /** What is not read by then is named in `unread`. @default 45000 */
  readonly deadlineMs?: number;
}

/**
 * Reads what the node is made of, within a bounded number of requests and a bounded time. A part that
 * cannot be read is named in `unread` and sinks nothing else; a BMC that is lost altogether throws.
 */
export async function inspectSystem(
  bmc: Bmc,
  system: SystemFound,
  options: InspectOptions = {},
): Promise<Inspection> {
  const r = reader(bmc, options.maxRequests ?? 400, Date.now() + (options.deadlineMs ?? 45_000));
  const { body, root } = system;
  const link = (name: string): string | null => linkOf(body[name]);

  const processors = (await r.members('processors', link('Processors'))).filter(
    (p) => !read.isAbsent(p.body),
  );
  const modules = (await r.members('memory', link('Memory'))).filter((m) => !read.isAbsent(m.body));
  const chassis = await r.all('chassis', linksOf(at(body, 'Links', 'Chassis')).slice(0, 8));
  const nics = [
    ...(await ethernetInterfaces(r, link('EthernetInterfaces'))),
    ...(await adapters(r, chassis)),
  ];
  const drives = await storage(r, body);
  const pcie = await r.all('PCIe devices', linksOf(body['PCIeDevices']).slice(0, 128));
  const secureBoot = link('SecureBoot') === null ? null : await r.one('secure boot', link('SecureBoot')!);
  const managers = await r.all('managers', (await managersOf(bmc, system)).slice(0, 4));
  const firmware = await inventory(r, root);

  const merged = mergeNics(nics);
  const cpus = processors.filter((p) => !read.isGpu(p.body));
  const gpuProcessors = processors.filter((p) => read.isGpu(p.body));
  // A GPU is shown as a processor, as a PCIe device, or as both: processors say more, so they win.
  const baseboard = gpuProcessors.length > 0 ? [] : await baseboardGpus(r, root, system.uri);
  const gpus =
    [gpuProcessors, baseboard, pcie.filter((d) => read.isGpu(d.body))].find((list) => list.length > 0) ?? [];
  const boot = readBoot(body);
  return {
    system: read.readIdentity(body),
    vendor: system.identity.vendor,
    redfishVersion: asText(root['RedfishVersion']),
    power: readPower(body),
    health: read.readHealth(body),
    indicator: read.readIndicator(body),
    bios: { version: asText(body['BiosVersion']) },
    boot: {
      mode: read.readBootMode(body),
      overrideTarget: boot.target,
      overrideEnabled: boot.enabled,
      order: textsOf(at(body, 'Boot', 'BootOrder')).slice(0, 64),
      secureBoot: secureBoot === null ? null : read.readSecureBoot(secureBoot.body),
    },
    trustedModules: read.readTrustedModules(body),
    cpus: {
      count: asNumber(at(body, 'ProcessorSummary', 'Count')) ?? (cpus.length > 0 ? cpus.length : null),
      model: asText(at(body, 'ProcessorSummary', 'Model')) ?? asText(cpus[0]?.body['Model']),
      items: cpus.map((p) => read.readProcessor(p.uri, p.body)),
    },
    memory: {
      totalGiB: asNumber(at(body, 'MemorySummary', 'TotalSystemMemoryGiB')),
      modules: modules.map((m) => read.readMemoryModule(m.uri, m.body)),
    },
    gpus: gpus.map((g) => read.readGpu(g.uri, g.body)),
    nics: merged,
    macs: identityMacs(merged),
    drives,
    firmware: firmware.map((f) => read.readFirmwareItem(f.uri, f.body)),
    managers: managers.map((m) => read.readManager(m.uri, m.body)),
    chassis: chassis.map((c) => read.readChassis(c.uri, c.body)),
    unread: r.unread(),
    requests: r.requests(),
  };
}

async function ethernetInterfaces(r: Reader, uri: string | null): Promise<NicReading[]> {
  return (await r.members('ethernet interfaces', uri)).map((nic) => readEthernetInterface(nic.uri, nic.body));
}

/** GPUs of a baseboard that the BMC shows as a system of its own, beside the node's. */
async function baseboardGpus(r: Reader, root: Resource['body'], own: string): Promise<Resource[]> {
  const systems = linkOf(root['Systems']);
  const page = systems === null ? null : await r.one('systems', systems);
  const boards = linksOf(page?.body['Members']).filter(
    (uri) => !sameUri(uri, own) && /hgx|baseboard/i.test(uri),
  );
  const found: Resource[] = [];
  for (const board of await r.all('baseboards', boards.slice(0, 4))) {
    found.push(...(await r.members('GPUs', linkOf(board.body['Processors']))));
  }
  return found.filter((processor) => read.isGpu(processor.body) && !read.isAbsent(processor.body));
}

/** The adapters of the chassis: their functions and their ports, new style and old. */
async function adapters(r: Reader, chassis: readonly Resource[]): Promise<NicReading[]> {
  return (await adaptersOf(r, chassis)).flatMap(({ functions, ports }) => [
    ...functions.map((f) => readDeviceFunction(f.uri, f.body)),
    ...ports.flatMap((p) => readNetworkPort(p.uri, p.body)),
  ]);
}

/** Drives of every storage controller; SimpleStorage only where there is no Storage. */
async function storage(r: Reader, system: Resource['body']): Promise<Drive[]> {
  const drives = new Map<string, Drive>();
  for (const controller of await r.members('storage', linkOf(system['Storage']))) {
    const name = asText(controller.body['Name']) ?? asText(controller.body['Id']);
    for (const drive of await r.all('drives', linksOf(controller.body['Drives']))) {
      if (!read.isAbsent(drive.body)) drives.set(drive.uri, read.readDrive(drive.uri, drive.body, name));
    }
  }
  if (drives.size > 0) return [...drives.values()];
  for (const simple of await r.members('simple storage', linkOf(system['SimpleStorage']))) {
    asList(simple.body['Devices']).forEach((device, i) => {
      if (!read.isAbsent(device)) {
        const uri = `${simple.uri}#/Devices/${i}`;
        drives.set(uri, read.readDrive(uri, device, asText(simple.body['Name'])));
      }
    });
  }
  return [...drives.values()];
}

async function inventory(r: Reader, root: Resource['body']): Promise<Resource[]> {
  const service = linkOf(root['UpdateService']);
  const update = service === null ? null : await r.one('update service', service);
  return update === null ? [] : r.members('firmware', linkOf(update.body['FirmwareInventory']));
}
