import { asObject, asText, at, linkOf, sameUri } from './read.ts';
import { readTask, taskLocation } from './task.ts';

/** Where the collections of jobs of a manager may stand, for those that have their own. */
export function jobLinksOf(manager: unknown): string[] {
  const places = [at(manager, 'Links', 'Oem'), at(manager, 'Oem')];
  const links = places.flatMap((place) =>
    Object.values(asObject(place)).map((maker) => linkOf(at(maker, 'Jobs'))),
  );
  return [...new Set(links.filter((link): link is string => link !== null))];
}

/** The texts in which a job says what it does. */
const wordsOf = (job: unknown): string =>
  [at(job, 'Name'), at(job, 'TaskName'), at(job, 'Description')].map((each) => asText(each) ?? '').join(' ');

/** Whether a job or task applies settings of the BIOS; one that writes firmware does not. */
export function isBiosJob(job: unknown, settings: string): boolean {
  const target = asText(at(job, 'TargetSettingsURI')) ?? asText(at(job, 'Payload', 'TargetUri'));
  if (target !== null) return sameUri(target, settings);
  const type = asText(at(job, 'JobType')) ?? asText(at(job, 'Oem', 'Dell', 'JobType'));
  if (type !== null) return /bios_?config/i.test(type);
  const words = wordsOf(job);
  return /\bbios\b/i.test(words) && !/update|firmware|flash|upgrade/i.test(words);
}

/** Whether a job is still to be done, as far as it says. */
export const isActive = (job: unknown): boolean => {
  const { state, taskState } = readTask(200, job);
  return taskState !== null && (state === 'running' || state === 'reboot-needed');
};

const JOB = /\/(Tasks|TaskMonitors|Monitors|Jobs)\/[^/]/i;

/** The job that an answer to a write names; null if what it names is none. */
export function jobNamed(location: string | undefined, body: unknown): string | null {
  if (location !== undefined && JOB.test(location)) return location.trim();
  const named = taskLocation(undefined, body);
  return named !== null && JOB.test(named) ? named : null;
}
