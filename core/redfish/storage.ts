import type { Drive, StorageController, VirtualDrive } from './inspection.ts';
import { isOccupied, readSlot } from './media.ts';
import { asList, asName, asPercent, asPositive, at } from './read.ts';
import { readHealth } from './readers.ts';

/** Reads a Drive, or a device of SimpleStorage. */
export function readDrive(uri: string, body: unknown, controller: string | null): Drive {
  const wwn = asList(at(body, 'Identifiers'))
    .filter((id) => /^(naa|eui|nguid)$/i.test(asName(at(id, 'DurableNameFormat')) ?? ''))
    .map((id) => asName(at(id, 'DurableName')))
    .find((name) => name !== null);
  return {
    uri,
    name: asName(at(body, 'Name')) ?? asName(at(body, 'Id')),
    manufacturer: asName(at(body, 'Manufacturer')),
    model: asName(at(body, 'Model')),
    serialNumber: asName(at(body, 'SerialNumber')),
    sizeBytes: asPositive(at(body, 'CapacityBytes')),
    mediaType: asName(at(body, 'MediaType')),
    protocol: asName(at(body, 'Protocol')),
    firmware: asName(at(body, 'FirmwareVersion')) ?? asName(at(body, 'Revision')),
    wwn: wwn?.toLowerCase() ?? null,
    controller,
    predictedLifeLeftPercent: asPercent(at(body, 'PredictedMediaLifeLeftPercent')),
    health: readHealth(body),
  };
}

/** The controllers of a Storage resource, or of one of SimpleStorage, which is its own. */
export function readControllers(uri: string, body: unknown): StorageController[] {
  const inside = asList(at(body, 'StorageControllers')).slice(0, 16);
  const one = (where: string, each: unknown): StorageController => ({
    uri: where,
    name: asName(at(each, 'Name')) ?? asName(at(each, 'Id')) ?? asName(at(body, 'Name')),
    manufacturer: asName(at(each, 'Manufacturer')),
    model: asName(at(each, 'Model')),
    firmware: asName(at(each, 'FirmwareVersion')),
    health: readHealth(each),
  });
  if (inside.length === 0) return [one(uri, body)];
  return inside.map((each, i) => one(`${uri}#/StorageControllers/${i}`, each));
}

/** Reads a virtual drive. */
export function readVirtualDrive(uri: string, body: unknown): VirtualDrive {
  const slot = readSlot(uri, 'system', body, null);
  return {
    uri,
    mediaTypes: slot.mediaTypes.slice(0, 16).map((type) => type.slice(0, 255)),
    occupied: isOccupied(slot),
    insertable: slot.insertTarget !== null,
  };
}
