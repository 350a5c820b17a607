import { RackwrightError } from '../../core/errors/failure.ts';
import { asText, linkOf, linksOf, asObject } from '../../core/redfish/read.ts';
import { codeOf, refusal } from './errors.ts';
import type { Resource } from './service.ts';
import type { Bmc } from './transport.ts';

/** Reads many resources within a budget; what cannot be read is noted, not thrown. */
export interface Reader {
  one(part: string, uri: string): Promise<Resource | null>;
  all(part: string, uris: readonly string[]): Promise<Resource[]>;
  members(part: string, collection: string | null): Promise<Resource[]>;
  unread(): { part: string; why: string }[];
  requests(): number;
}

const AT_ONCE = 4;
const MAX_PAGES = 16;
const LOST_IN_A_ROW = 3;

/** A reader over one BMC. It gives up, with the last error, when the BMC itself is lost. */
export function reader(bmc: Bmc, maxRequests: number, deadline: number): Reader {
  const notes = new Map<string, string>();
  const note = (part: string, why: string): void => {
    if (!notes.has(part)) notes.set(part, why.slice(0, 300));
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
      if (
        answer.status >= 200 &&
        answer.status < 300 &&
        typeof answer.body === 'object' &&
        answer.body !== null
      ) {
        const body = asObject(answer.body);
        return { uri, body, etag: answer.headers.etag ?? asText(body['@odata.etag']) };
      }
      const code = codeOf(answer);
      if (code === 'BMC_AUTH_FAILED' || code === 'BMC_PASSWORD_CHANGE_REQUIRED')
        throw refusal(answer, `Reading ${uri}`);
      note(part, `GET ${uri} answered ${answer.status}`);
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

  return {
    one,
    all,
    async members(part, collection) {
      const links = new Set<string>();
      const seen = new Set<string>();
      for (let next = collection; next !== null && seen.size < MAX_PAGES && !seen.has(next);) {
        seen.add(next);
        const page: Resource | null = await one(part, next);
        if (page === null) break;
        for (const link of linksOf(page.body['Members'])) links.add(link);
        next = linkOf(page.body['Members@odata.nextLink'] ?? page.body['@odata.nextLink']);
      }
      return all(part, [...links]);
    },
    unread: () => [...notes].map(([part, why]) => ({ part, why })),
    requests: () => requests,
  };
}
