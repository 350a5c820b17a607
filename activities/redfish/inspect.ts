import type { Inspection, TrustedModule } from '../../core/redfish/inspection.ts';
import { isStarting, readBootSetting } from '../../core/redfish/firmware-settings.ts';
import { identityMacs, mergeNics } from '../../core/redfish/nics.ts';
import { readPower } from '../../core/redfish/power.ts';
import { asName, asPositive, at, linkOf, linksOf, sameUri } from '../../core/redfish/read.ts';
import * as read from '../../core/redfish/readers.ts';
import { readVirtualDrive } from '../../core/redfish/storage.ts';
import { nicReadings } from './nics.ts';
import { reader, type Reader } from './reader.ts';
import { managing, type Resource, type SystemFound } from './service.ts';
import { storageOf } from './storage.ts';
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
  const { readings, ports } = await nicReadings(r, body, chassis);
  const nics = mergeNics(readings);
  const { controllers, drives } = await storageOf(r, body);
  const pcie = await r.held('PCIe devices', body['PCIeDevices'], 128);
  const secureBoot = link('SecureBoot') === null ? null : await r.one('secure boot', link('SecureBoot')!);
  const bios = link('Bios') === null ? null : await r.one('BIOS', link('Bios')!);
  const setting = readBootSetting(body, bios?.body ?? null, secureBoot?.body ?? null);
  const managers = await managersOf(r, system);
  const media = await virtualMedia(r, [body, ...managers.map((manager) => manager.body)]);
  const trusted = await trustedModules(r, body, chassis);
  const firmware = await inventory(r, root);

  const cpus = processors.filter((p) => read.isCpu(p.body)).map((p) => read.readProcessor(p.uri, p.body));
  const dimms = modules.map((m) => read.readMemoryModule(m.uri, m.body));
  // What was not read in full is not counted.
  const whole = (part: string): boolean => r.unread().every((each) => each.part !== part);
  const gpuProcessors = processors.filter((p) => read.isGpu(p.body));
  // A GPU is shown as a processor, as a PCIe device, or as both: processors say more, so they win.
  const baseboard = gpuProcessors.length > 0 ? [] : await baseboardGpus(r, root, system.uri);
  const own = [gpuProcessors, baseboard, pcie.filter((d) => read.isGpu(d.body))];
  const gpus =
    own.find((list) => list.length > 0) ?? (await gpusElsewhere(r, body, pcie.length > 0 ? [] : chassis));
  return {
    system: read.readIdentity(body),
    vendor: system.identity.vendor,
    redfishVersion: asName(root['RedfishVersion']),
    power: readPower(body),
    starting: isStarting(body),
    health: read.readHealth(body),
    indicator: read.readIndicator(body),
    bios: { version: asName(body['BiosVersion']) },
    boot: {
      ...setting,
      ...read.readOverride(body),
      order: read.readOrder(body),
    },
    trustedModules: trusted,
    cpus: {
      count:
        cpus.length > 0 && whole('processors')
          ? cpus.length
          : asPositive(at(body, 'ProcessorSummary', 'Count')),
      model: cpus[0]?.model ?? asName(at(body, 'ProcessorSummary', 'Model')),
      threads: read.threadsOf(body, whole('processors') ? cpus : []),
      items: cpus,
    },
    memory: { totalGiB: read.memoryGiBOf(body, whole('memory') ? dimms : []), modules: dimms },
    gpus: gpus.map((g) => read.readGpu(g.uri, g.body)),
    nics,
    macs: identityMacs(nics),
    neighbours: ports.flatMap(({ mac, neighbour }) =>
      mac === null || neighbour === null ? [] : [{ mac, ...neighbour }],
    ),
    controllers,
    drives,
    virtualMedia: media.map((drive) => readVirtualDrive(drive.uri, drive.body)),
    firmware: firmware.map((f) => read.readFirmwareItem(f.uri, f.body)),
    managers: managers.map((m) => read.readManager(m.uri, m.body)),
    chassis: chassis.map((c) => read.readChassis(c.uri, c.body)),
    unread: r.unread(),
    requests: r.requests(),
  };
}

/** The managers of the system, as far as they can be read. */
async function managersOf(r: Reader, { uri, body, root }: SystemFound): Promise<Resource[]> {
  const named = linksOf(at(body, 'Links', 'ManagedBy'));
  if (named.length > 0) return r.all('managers', named.slice(0, 4));
  return managing(uri, await r.members('managers', linkOf(root['Managers']) ?? '/redfish/v1/Managers'));
}

/** Virtual drives under the system and under its managers, each once. */
async function virtualMedia(r: Reader, holders: readonly Resource['body'][]): Promise<Resource[]> {
  const collections = holders.map((holder) => linkOf(holder['VirtualMedia'])).filter((uri) => uri !== null);
  const found: Resource[] = [];
  for (const uri of collections.filter((each, i) => collections.findIndex((c) => sameUri(c, each)) === i)) {
    found.push(...(await r.members('virtual media', uri)));
  }
  return found;
}

/** TPMs of the system; where it shows none, those among the trusted components of its chassis. */
async function trustedModules(
  r: Reader,
  body: Resource['body'],
  chassis: readonly Resource[],
): Promise<TrustedModule[]> {
  const own = read.readTrustedModules(body);
  if (own.length > 0) return own;
  const linked = linksOf(at(body, 'Links', 'TrustedComponents')).slice(0, 8);
  const components = await r.all('trusted components', linked);
  if (linked.length === 0) {
    for (const each of chassis) {
      components.push(...(await r.members('trusted components', linkOf(each.body['TrustedComponents']))));
    }
  }
  return components
    .map((component) => read.readTrustedComponent(component.body))
    .filter((module) => module !== null);
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

/** Where GPUs are shown by those who show them nowhere else: the devices of the chassis, graphics controllers. */
async function gpusElsewhere(
  r: Reader,
  body: Resource['body'],
  chassis: readonly Resource[],
): Promise<Resource[]> {
  const found: Resource[] = [];
  for (const each of chassis) {
    const devices = await r.held('PCIe devices', each.body['PCIeDevices'], 64);
    found.push(...devices.filter((device) => read.isGpu(device.body) && !read.isAbsent(device.body)));
  }
  if (found.length > 0) return found;
  const controllers = await r.members('graphics controllers', linkOf(body['GraphicsControllers']));
  return controllers.filter((each) => read.isGpu(each.body) && !read.isAbsent(each.body));
}

async function inventory(r: Reader, root: Resource['body']): Promise<Resource[]> {
  const service = linkOf(root['UpdateService']);
  const update = service === null ? null : await r.one('update service', service);
  return update === null ? [] : r.members('firmware', linkOf(update.body['FirmwareInventory']));
}
