import { RackwrightError } from '../../../core/errors/failure.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { readBoot, shownBoot } from '../../../core/redfish/boot.ts';
import { isOccupied, shownUrl } from '../../../core/redfish/media.ts';
import { readPower } from '../../../core/redfish/power.ts';
import { asText, linkOf } from '../../../core/redfish/read.ts';
import { readHealth } from '../../../core/redfish/readers.ts';
import { shownText } from '../../redfish/errors.ts';
import { listMedia } from '../../redfish/media-drives.ts';
import {
  collectionLinks,
  collectionMembers,
  managersOf,
  tryResource,
  type SystemFound,
} from '../../redfish/service.ts';
import type { Bmc } from '../../redfish/transport.ts';
import type { StepContext } from '../driver.ts';
import { agentOf } from './agent-steps.ts';
import { onSystem } from './bmc.ts';
import { firstWords } from '../../../core/whole-words.ts';

const MAX_ENTRIES = 20;

/** What could not be read, in words; everything else of the capture still counts. */
const why = (error: unknown): string =>
  error instanceof RackwrightError ? `${error.failure.code}: ${error.failure.message}` : 'could not be read';

const attempt = async (look: () => Promise<Json>): Promise<Json> => {
  try {
    return await look();
  } catch (error) {
    return { unread: why(error) };
  }
};

/** The state of the node at the moment of a failure. Only reads, and never throws. */
export async function capture(context: StepContext): Promise<JsonObject> {
  const bmc = await attempt(() =>
    onSystem(context, async (bmc, system) => ({
      power: readPower(system.body),
      health: readHealth(system.body),
      boot: shownBoot(readBoot(system.body)),
      progress: asText((system.body['BootProgress'] as { LastState?: unknown } | undefined)?.LastState),
      media: await attempt(() => mediaState(bmc, system)),
      log: await attempt(() => recentEntries(bmc, system)),
    })),
  );
  const power = (bmc as JsonObject)['power'];
  return {
    ...(power === undefined ? {} : { power }),
    bmc,
    agent: await attempt(() => agentState(context)),
  };
}

async function mediaState(bmc: Bmc, system: SystemFound): Promise<Json> {
  return (await listMedia(bmc, system)).map((slot) => ({
    drive: slot.uri,
    occupied: isOccupied(slot),
    image: slot.image === null ? slot.imageName : shownUrl(slot.image),
  }));
}

/** The newest entries of the first log that has any: of the system, then of its managers. */
async function recentEntries(bmc: Bmc, system: SystemFound): Promise<Json> {
  const manager = (await managersOf(bmc, system))[0];
  const managerBody = manager === undefined ? null : await tryResource(bmc, manager);
  for (const services of [linkOf(system.body['LogServices']), linkOf(managerBody?.body['LogServices'])]) {
    if (services === null) continue;
    for (const uri of await collectionLinks(bmc, services, 4)) {
      const entries = linkOf((await tryResource(bmc, uri))?.body['Entries']);
      if (entries === null) continue;
      const found = (await collectionMembers(bmc, entries, MAX_ENTRIES)).map(({ body }) => ({
        created: asText(body['Created']),
        severity: asText(body['Severity']),
        message: firstWords(shownText(asText(body['Message']) ?? ''), 300) || null,
      }));
      if (found.length > 0) return found;
    }
  }
  return [];
}

async function agentState(context: StepContext): Promise<Json> {
  const agent = agentOf(context);
  if (agent === undefined) return null;
  const commands = await agent.commands();
  return {
    callbackUrl: context.input.agent!.callbackUrl,
    commands: commands.slice(-MAX_ENTRIES).map(({ name, status, error }) => ({ name, status, error })),
  };
}
