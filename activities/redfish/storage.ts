import type { Drive, StorageController } from '../../core/redfish/inspection.ts';
import { asList, asName, linkOf, linksOf } from '../../core/redfish/read.ts';
import { isAbsent } from '../../core/redfish/readers.ts';
import { readControllers, readDrive } from '../../core/redfish/storage.ts';
import type { Reader } from './reader.ts';
import type { Resource } from './service.ts';

const MAX_DEVICES = 256;

interface Storage {
  readonly controllers: StorageController[];
  readonly drives: Drive[];
}

/** Controllers and their drives; SimpleStorage only where Storage shows no drive. */
export async function storageOf(r: Reader, system: Resource['body']): Promise<Storage> {
  const controllers: StorageController[] = [];
  const drives = new Map<string, Drive>();
  for (const { uri, body } of await r.members('storage', linkOf(system['Storage']))) {
    const members = await r.members('storage controllers', linkOf(body['Controllers']));
    controllers.push(
      ...(members.length > 0
        ? members.flatMap((each) => readControllers(each.uri, each.body))
        : readControllers(uri, body)),
    );
    const name = asName(body['Name']) ?? asName(body['Id']);
    for (const drive of await r.all('drives', linksOf(body['Drives']))) {
      if (!isAbsent(drive.body)) drives.set(drive.uri, readDrive(drive.uri, drive.body, name));
    }
  }
  if (drives.size > 0) return { controllers, drives: [...drives.values()] };
  for (const { uri, body } of await r.members('simple storage', linkOf(system['SimpleStorage']))) {
    if (controllers.every((known) => known.name !== asName(body['Name']))) {
      controllers.push(...readControllers(uri, body));
    }
    asList(body['Devices'])
      .slice(0, MAX_DEVICES)
      .forEach((device, i) => {
        const where = `${uri}#/Devices/${i}`;
        if (!isAbsent(device)) drives.set(where, readDrive(where, device, asName(body['Name'])));
      });
  }
  return { controllers, drives: [...drives.values()] };
}
