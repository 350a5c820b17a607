import { isActiveTask, isUpdateTask } from '../../core/redfish/firmware-task.ts';
import { asText, at, linkOf } from '../../core/redfish/read.ts';
import { collectionMembers, tryResource, type SystemFound } from './service.ts';
import type { UpdateService } from './update-service.ts';
import type { Bmc } from './transport.ts';

/** A task of the BMC that is about an update of firmware. */
export interface UpdateTask {
  readonly uri: string;
  readonly name: string;
  readonly active: boolean;
}

const MOST = 64;

/** The tasks and jobs about updates; null where the BMC lists none, so that nothing can be told from them. */
export async function updateTasks(bmc: Bmc, { root }: SystemFound): Promise<UpdateTask[] | null> {
  const found: UpdateTask[] = [];
  let listed = false;
  for (const [service, list] of [
    [linkOf(root['Tasks']), 'Tasks'],
    [linkOf(root['JobService']), 'Jobs'],
  ] as const) {
    if (service === null) continue;
    const collection = linkOf((await tryResource(bmc, service))?.body[list]);
    if (collection === null) continue;
    listed = true;
    for (const { uri, body } of await collectionMembers(bmc, collection, MOST)) {
      if (!isUpdateTask(body)) continue;
      const name = asText(body['Name']) ?? uri;
      found.push({ uri, name, active: isActiveTask(body) });
    }
  }
  return listed ? found : null;
}

const WORKING = /^(updating|uploading|verifying|writing|flashing|downloading)/i;

/** What the update service itself says that it is doing; undefined if it is idle, or does not say. */
export function serviceAtWork({ body }: UpdateService): string | undefined {
  const state = asText(at(body, 'Status', 'State')) ?? '';
  const oem = Object.values((body['Oem'] ?? {}) as object).map((each) => asText(at(each, 'State')) ?? '');
  return [state, ...oem].find((each) => WORKING.test(each));
}
