import { isActive, isBiosJob, jobLinksOf, jobNamed } from '../../core/redfish/bios-jobs.ts';
import { at, linkOf } from '../../core/redfish/read.ts';
import { codeOf, refusal, type RedfishResponse } from './errors.ts';
import { collectionLinks, managersOf, tryResource, type SystemFound } from './service.ts';
import { pathOf } from './session.ts';
import type { Bmc } from './transport.ts';

/** The queue may be long, and in either order: what is new stands at one of its ends. */
const MOST_AT_AN_END = 16;

/** The path of the job that the answer to a write names; null if it names none. */
export function jobOf(answer: RedfishResponse): string | null {
  const named = jobNamed(answer.headers.location, answer.body);
  return named === null ? null : pathOf(named, answer.url);
}

/** The first job that is still to be done, and applies settings of this BIOS; null if there is none. */
export async function activeBiosJob(bmc: Bmc, system: SystemFound, settings: string): Promise<string | null> {
  for (const collection of await jobCollections(bmc, system)) {
    const links = await collectionLinks(bmc, collection);
    const ends =
      links.length > 2 * MOST_AT_AN_END
        ? [...links.slice(0, MOST_AT_AN_END), ...links.slice(-MOST_AT_AN_END)]
        : links;
    for (const uri of ends.toReversed()) {
      const body = (await tryResource(bmc, uri))?.body;
      if (body !== undefined && isActive(body) && isBiosJob(body, settings)) return uri;
    }
  }
  return null;
}

async function jobCollections(bmc: Bmc, system: SystemFound): Promise<string[]> {
  const services = [
    [linkOf(system.root['JobService']), 'Jobs'],
    [linkOf(system.root['Tasks']), 'Tasks'],
  ] as const;
  const found = await managerJobs(bmc, system);
  for (const [service, name] of services) {
    if (service === null) continue;
    const link = linkOf(at((await tryResource(bmc, service))?.body, name));
    if (link !== null) found.push(link);
  }
  return [...new Set(found)];
}

async function managerJobs(bmc: Bmc, system: SystemFound): Promise<string[]> {
  const found: string[] = [];
  for (const uri of await managersOf(bmc, system)) {
    found.push(...jobLinksOf((await tryResource(bmc, uri))?.body));
  }
  return found;
}

/**
 * Makes the job that applies what is pending, where the BMC has such jobs and makes none by itself. A BMC
 * that has one already refuses: that one is taken. Null where there are no such jobs.
 */
export async function makeBiosJob(bmc: Bmc, system: SystemFound, settings: string): Promise<string | null> {
  const collection = (await managerJobs(bmc, system))[0];
  if (collection === undefined) return null;
  const answer = await bmc.send('POST', collection, { body: { TargetSettingsURI: settings } });
  if (answer.status < 400) return jobOf(answer);
  if (answer.status === 404 || answer.status === 405 || answer.status === 501) return null;
  const there = await activeBiosJob(bmc, system, settings);
  if (there !== null || (answer.status === 400 && codeOf(answer) === 'BMC_STATE_REFUSED')) return there;
  throw refusal(answer, 'Making the job that applies the BIOS settings');
}
