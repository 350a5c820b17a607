import {
  isOldestFirst,
  keyOf,
  newsOf,
  readLogEntry,
  type LogEntry,
  type LogNews,
} from '../../core/redfish/log.ts';
import type { LogPositions } from '../../core/redfish/kept.ts';
import { asList, asName, asNumber, asObject, at, bareUri, linkOf, linksOf } from '../../core/redfish/read.ts';
import { reader, type Reader } from './reader.ts';
import type { Resource, SystemFound } from './service.ts';
import type { Bmc } from './transport.ts';

export interface LogFound extends LogNews {
  readonly uri: string;
  readonly name: string;
}

export interface LogsFound {
  readonly logs: readonly LogFound[];
  readonly unread: readonly { readonly part: string; readonly why: string }[];
}

/** Bounds of one look at all logs. */
const MOST = { requests: 80, logs: 12, entries: 200, pages: 6, linked: 40 } as const;
/** Not about the hardware's health, and long. */
const OTHER_LOGS = /dump|post_?codes?|journal|hostlogger|audit|debug|console|telemetry/i;

export interface LogOptions {
  /** What is not read by then is named in `unread`. */
  readonly deadlineMs: number;
}

/**
 * The newest entries of the logs of the system, its managers and its chassis, as far as they came after the last
 * look. A log that cannot be read is named in `unread`; its position stays as it was.
 */
export async function newLogEntries(
  bmc: Bmc,
  { body }: SystemFound,
  last: LogPositions,
  { deadlineMs }: LogOptions,
): Promise<LogsFound> {
  const r = reader(bmc, MOST.requests, Date.now() + deadlineMs);
  const logs: LogFound[] = [];
  const endless: { part: string; why: string }[] = [];
  for (const { uri, body: log } of await logServices(r, body)) {
    const entries = linkOf(log['Entries']);
    if (entries === null) continue;
    const known = last[uri];
    const newest = await newestEntries(r, entries, new Set(known));
    if (newest === 'endless') {
      endless.push({ part: 'log entries', why: `GET ${entries} begins with the oldest, and has no end` });
    } else if (newest !== 'unread') logs.push({ uri, name: nameOf(uri, log), ...newsOf(newest, known) });
  }
  return { logs, unread: [...r.unread(), ...endless] };
}

const HOLDERS: { readonly [collection: string]: string } = { Systems: 'system', Managers: 'BMC' };

const nameOf = (uri: string, log: Resource['body']): string => {
  const parts = bareUri(uri).split('/');
  return `${HOLDERS[parts[3] ?? ''] ?? 'chassis'} log ${asName(log['Id']) ?? parts.at(-1)}`;
};

/** The logs, each once, that are kept and are about the hardware. */
async function logServices(r: Reader, body: Resource['body']): Promise<Resource[]> {
  const linked = ['ManagedBy', 'Chassis'].flatMap((name) => linksOf(at(body, 'Links', name)).slice(0, 4));
  const holders = [body, ...(await r.all('logs', linked)).map((each) => each.body)];
  const found = new Map<string, string>();
  for (const holder of holders) {
    const collection = linkOf(holder['LogServices']);
    const page = collection === null ? null : await r.one('logs', collection);
    for (const uri of linksOf(page?.body['Members'])) {
      const id = bareUri(uri).split('/').at(-1) ?? '';
      if (!OTHER_LOGS.test(id)) found.set(bareUri(uri), uri);
    }
  }
  const services = await r.all('logs', [...found.values()].slice(0, MOST.logs));
  return services.filter(({ body: log }) => log['ServiceEnabled'] !== false);
}

/** The newest entries of a log, newest first, down to one that is known, or to as many as are read. */
async function newestEntries(
  r: Reader,
  collection: string,
  known: ReadonlySet<string>,
): Promise<LogEntry[] | 'unread' | 'endless'> {
  const first = await r.one('log entries', collection);
  if (first === null) return 'unread';
  const isKnown = (entries: readonly LogEntry[]): boolean => entries.some((each) => known.has(keyOf(each)));
  if (linksOnly(first.body)) return newestLinked(r, first.body, isKnown);

  const all = entriesOf(first.body);
  const next = nextOf(first.body);
  if (!isOldestFirst(all)) {
    const enough = (): boolean => all.length >= MOST.entries || isKnown(all);
    if (!enough()) await follow(r, next, (page) => (all.push(...page), enough()));
    return all.slice(0, MOST.entries);
  }
  const newer = lastPages(next, asNumber(first.body['Members@odata.count']), all.length);
  if (newer !== next) all.length = 0;
  const end = await follow(r, newer, (page) => (all.push(...page), false));
  // Without its newest entries a log has only old news.
  if (end !== 'end') return end;
  return all.toReversed().slice(0, MOST.entries);
}

const nextOf = (body: unknown): string | null =>
  linkOf(at(body, 'Members@odata.nextLink') ?? at(body, '@odata.nextLink'));

/** Goes from page to page until there is none, or there is enough. */
async function follow(
  r: Reader,
  from: string | null,
  enough: (entries: LogEntry[]) => boolean,
): Promise<'end' | 'unread' | 'endless'> {
  let next = from;
  for (let pages = 1; next !== null; pages += 1) {
    if (pages >= MOST.pages) return 'endless';
    const page: Resource | null = await r.one('log entries', next);
    if (page === null) return 'unread';
    if (enough(entriesOf(page.body))) return 'end';
    next = nextOf(page.body);
  }
  return 'end';
}

/** Where the last pages begin, if pages are told by how many entries they skip; else the next one. */
function lastPages(next: string | null, count: number | null, size: number): string | null {
  if (next === null || count === null || size === 0) return next;
  const skip = Math.max(size, count - Math.min(MOST.entries, size * (MOST.pages - 2)));
  return next.replace(/(\$|%24)skip=\d+/i, (_, sign: string) => `${sign}skip=${skip}`);
}

const entriesOf = (body: unknown): LogEntry[] =>
  asList(at(body, 'Members'))
    .slice(0, 5_000)
    .flatMap((member) => readLogEntry(linkOf(member), member) ?? []);

const linksOnly = (body: unknown): boolean => {
  const members = asList(at(body, 'Members'));
  return members.length > 0 && members.every((member) => Object.keys(asObject(member)).length <= 1);
};

/** Of a log that lists links: from its newer end, which the entries at both ends tell, as far as is needed. */
async function newestLinked(
  r: Reader,
  body: unknown,
  isKnown: (entries: readonly LogEntry[]) => boolean,
): Promise<LogEntry[]> {
  const links = linksOf(at(body, 'Members'));
  const read = async (uris: readonly string[]): Promise<LogEntry[]> =>
    (await r.all('log entries', uris)).flatMap((each) => readLogEntry(each.uri, each.body) ?? []);
  const ends = await read([...new Set([links[0]!, links.at(-1)!])]);
  const newestFirst = isOldestFirst(ends) ? links.toReversed() : links;
  const found: LogEntry[] = [];
  for (let from = 0; from < Math.min(links.length, MOST.linked) && !isKnown(found); from += 4) {
    found.push(...(await read(newestFirst.slice(from, from + 4))));
  }
  return found;
}
