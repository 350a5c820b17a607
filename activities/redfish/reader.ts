import { RackwrightError } from '../../core/errors/failure.ts';
import { asNumber, asText, linkOf, linksOf, asObject, type Loose } from '../../core/redfish/read.ts';
import { codeOf, refusal } from './errors.ts';
import type { Resource } from './service.ts';
import type { Bmc } from './transport.ts';
import { firstWords } from '../../core/whole-words.ts';

/** Reads many resources within a budget; what cannot be read is noted, not thrown. */
export interface Reader {
  one(part: string, uri: string): Promise<Resource | null>;
  all(part: string, uris: readonly string[]): Promise<Resource[]>;
  members(part: string, collection: string | null): Promise<Resource[]>;
  /** What a property holds: the links in it, or the members of the collection that it links. */
  held(part: string, property: unknown, most: number): Promise<Resource[]>;
  unread(): { part: string; why: string }[];
  requests(): number;
}

const AT_ONCE = 4;
const MAX_PAGES = 16;
const LOST_IN_A_ROW = 3;

/** Some BMCs answer an error with a status of success. */
const isError = (body: Loose): boolean => body['error'] !== undefined && body['@odata.id'] === undefined;

/** A reader over one BMC. It gives up, with the last error, when the BMC itself is lost. */
export function reader(bmc: Bmc, maxRequests: number, deadline: number): Reader {
  const notes = new Map<string, { readonly why: string; more: number }>();
  const note = (part: string, why: string): void => {
    const noted = notes.get(part);
    if (noted === undefined) notes.set(part, { why: firstWords(why, 300), more: 0 });
    else noted.more += 1;
  };
  let requests = 0;
  let lost = 0;

  const one = async (part: string, uri: string): Promise<Resource | null> => {
    if (requests >= maxRequests) return (note(part, `more than ${maxRequests} requests`), null);
    if (Date.now() >= deadline) return (note(part, 'out of time'), null);
    requests += 1;
    try {
      const answer = await bmc.send('GET', uri, {
        requestMs: Math.max(1, Math.min(20_000, deadline - Date.now())),
      });
      lost = 0;
      const ok = answer.status >= 200 && answer.status < 300;
      const body = asObject(answer.body);
      if (ok && Object.keys(body).length > 0 && !isError(body)) {
        return { uri, body, etag: answer.headers.etag ?? asText(body['@odata.etag']) };
      }
      const code = codeOf(answer);
      if (code === 'BMC_AUTH_FAILED' || code === 'BMC_PASSWORD_CHANGE_REQUIRED')
        throw refusal(answer, `Reading ${uri}`);
      note(part, `GET ${uri} answered ${answer.status}${ok ? ' without a resource' : ''}`);
      return null;
    } catch (error) {
      if (!(error instanceof RackwrightError)) throw error;
      const { code } = error.failure;
      if (code === 'BMC_UNREACHABLE' || code === 'BMC_CONNECTION_LOST') lost += 1;
      else if (code !== 'BMC_ANSWER_INVALID' && code !== 'BMC_FOREIGN_ORIGIN') throw error;
      if (lost >= LOST_IN_A_ROW) throw error;
      note(part, error.message);
      return null;
    }
  };

  const all = async (part: string, uris: readonly string[]): Promise<Resource[]> => {
    const found: (Resource | null)[] = [];
    for (let i = 0; i < uris.length; i += AT_ONCE) {
      found.push(...(await Promise.all(uris.slice(i, i + AT_ONCE).map((uri) => one(part, uri)))));
    }
    return found.filter((resource) => resource !== null);
  };

  const members = async (part: string, collection: string | null): Promise<Resource[]> => {
    const links = new Set<string>();
    const seen = new Set<string>();
    let told = 0;
    for (let next = collection; next !== null && seen.size < MAX_PAGES && !seen.has(next);) {
      seen.add(next);
      const page: Resource | null = await one(part, next);
      if (page === null) return all(part, [...links]);
      told = asNumber(page.body['Members@odata.count']) ?? 0;
      for (const link of linksOf(page.body['Members'])) links.add(link);
      next = linkOf(page.body['Members@odata.nextLink'] ?? page.body['@odata.nextLink']);
    }
    if (links.size < told) note(part, `GET ${collection} counts ${told} members and lists ${links.size}`);
    return all(part, [...links]);
  };

  return {
    one,
    all,
    members,
    held: (part, property, most) =>
      Array.isArray(property) ? all(part, linksOf(property).slice(0, most)) : members(part, linkOf(property)),
    unread: () =>
      [...notes].map(([part, { why, more }]) => ({
        part,
        why: more === 0 ? why : `${why}, and ${more} more`,
      })),
    requests: () => requests,
  };
}
