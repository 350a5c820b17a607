import { expect, it } from 'vitest';
import { readAccount, readHostInterface } from '../../../../core/redfish/accounts.ts';
import { bootDifferences, readBootOption, readBootOrder } from '../../../../core/redfish/boot-variables.ts';
import * as boot from '../../../../core/redfish/boot.ts';
import { seenPorts } from '../../../../core/redfish/lldp.ts';
import * as media from '../../../../core/redfish/media.ts';
import { mostSevere, namedProperties, readMessages } from '../../../../core/redfish/messages.ts';
import * as nics from '../../../../core/redfish/nics.ts';
import * as power from '../../../../core/redfish/power.ts';
import { quirksFor } from '../../../../core/redfish/quirks.ts';
import { asName, asObject, linksOf } from '../../../../core/redfish/read.ts';
import * as read from '../../../../core/redfish/readers.ts';
import * as storage from '../../../../core/redfish/storage.ts';
import { readTask, taskLocation } from '../../../../core/redfish/task.ts';
import { tpmClearOf, tpmsOf, tpmStanding } from '../../../../core/redfish/tpm.ts';
import { RackwrightError } from '../../../../core/errors/failure.ts';
import { inspected } from './inspecting.ts';
import { mutated, oneOf, seeded } from './mutations.ts';
import { allBodies, capture, describeCaptures, mockup } from './payloads.ts';

const CASES = 10_000;
/** Bodies that there are readers for; they are taken more often. */
const LOOKED_AT =
  /^#(Bios|Chassis|ComputerSystem|EthernetInterface|Manager|ManagerAccount|Memory|Processor|SecureBoot|SimpleStorage|SoftwareInventory|Task|TrustedComponent|VirtualMedia)\./;
const URI = '/redfish/v1/x';

/** What an inspection keeps of a body. */
const kept = (body: unknown): unknown => {
  const modules = [read.readMemoryModule(URI, body)];
  const processors = [read.readProcessor(URI, body)];
  return [
    modules,
    processors,
    read.readIdentity(body),
    read.readHealth(body),
    read.readGpu(URI, body),
    read.readFirmwareItem(URI, body),
    read.readManager(URI, body),
    read.readChassis(URI, body),
    read.readTrustedModules(body),
    read.readTrustedComponent(body),
    read.readIndicator(body),
    read.readBootMode(body),
    read.readSecureBoot(body),
    read.readOverride(body),
    read.readOrder(body),
    read.threadsOf(body, processors),
    read.memoryGiBOf(body, modules),
    [read.isAbsent(body), read.isCpu(body), read.isGpu(body)],
    storage.readDrive(URI, body, null),
    storage.readControllers(URI, body),
    storage.readVirtualDrive(URI, body),
    nics.mergeNics([
      nics.readEthernetInterface(URI, body),
      nics.readDeviceFunction(URI, body),
      ...nics.readNetworkPort(URI, body),
      ...nics.readBootOptionPort(URI, body),
    ]),
    power.readPower(body),
  ];
};

/** The other readers of bodies. */
function readAll(body: unknown): void {
  const override = boot.readBoot(body);
  boot.shownBoot(override);
  boot.clearingPatches(override);
  boot.offeredTarget(override, 'Cd');
  boot.settingsObject(body);
  power.resetCandidates('on', true, power.readResetTypes(body));
  power.resetTarget(body, URI);
  const slot = media.readSlot(URI, 'manager', body, null);
  media.holds(slot, 'http://p/a.iso');
  media.takesCd(slot);
  media.insertCandidates([slot], 'http://p/a.iso', { prefixes: ['http://p/'], names: [] }, []);
  media.shownUrl(slot.image ?? '');
  for (const link of linksOf(asObject(body)['Members'])) {
    media.fileName(link);
    media.takesCd({ ...slot, uri: link, mediaTypes: [] });
  }
  const messages = readMessages(body);
  mostSevere(messages);
  namedProperties(messages, ['Image', 'TransferProtocolType']);
  media.saysNotFetched(messages);
  readTask(200, body);
  taskLocation(undefined, body);
  seenPorts([{ uri: URI, body }], [{ uri: URI, body }]);
  readAccount(body);
  readHostInterface(URI, body);
  bootDifferences(
    { order: readBootOrder(body), options: [readBootOption(body)], secureBoot: null, forbidden: [] },
    { bootOptions: ['UEFI: *'] },
  );
  tpmsOf(body, [body]);
  const clear = tpmClearOf(asObject(asObject(body)['Attributes']));
  if (clear !== undefined) tpmStanding(body, body, clear);
  const root = asObject(body);
  quirksFor({
    vendor: asName(root['Vendor']),
    product: asName(root['Model']),
    manager: asName(root['Model']),
    firmware: asName(root['FirmwareVersion']),
  });
}

describeCaptures('captured bodies that are changed at random', () => {
  it(`are read without an error, and in no time, ${CASES} of them`, { timeout: 300_000 }, () => {
    const bodies = allBodies();
    const looked = bodies.filter(({ body }) => LOOKED_AT.test(String(asObject(body)['@odata.type'])));
    const random = seeded(20_260_101);
    for (let i = 0; i < CASES; i += 1) {
      const { name, body } = oneOf(random, random() < 0.8 ? looked : bodies);
      const changed = mutated(body, random);
      const before = performance.now();
      let size = 0;
      try {
        size = JSON.stringify(kept(changed)).length;
        readAll(changed);
      } catch (error) {
        throw new Error(`case ${i}, of ${name}: ${String(error)}`, { cause: error });
      }
      const ms = performance.now() - before;
      // A reader that goes over a text once for each of its letters takes minutes.
      if (ms > 10_000) throw new Error(`case ${i}, of ${name}: took ${Math.round(ms)} ms`);
      if (size > 40_000) throw new Error(`case ${i}, of ${name}: ${size} characters of it were kept`);
    }
  });

  it('are inspected, or refused with a reason', { timeout: 120_000 }, async () => {
    const trees = [capture('supermicro-x10'), capture('dell-idrac10'), mockup('public-rackmount1')];
    const random = seeded(7);
    let read = 0;
    for (let i = 0; i < 60; i += 1) {
      const tree = oneOf(random, trees);
      const paths = [...tree.keys()].filter((path) => !path.endsWith('/SessionService/Sessions'));
      const changes = Array.from({ length: 8 }, () => oneOf(random, paths));
      const changed = new Map(tree);
      for (const path of changes) changed.set(path, mutated(changed.get(path), random));
      const seen = await inspected(changed).catch((error: unknown) => {
        if (error instanceof RackwrightError) return undefined;
        throw new Error(`tree ${i}, with changes in ${changes.join(', ')}`, { cause: error });
      });
      if (seen === undefined) continue;
      read += 1;
      expect(seen.server.writes).toEqual([]);
      expect(JSON.stringify(seen.found).length).toBeLessThan(200_000);
    }
    expect(read).toBeGreaterThan(30);
  });
});
