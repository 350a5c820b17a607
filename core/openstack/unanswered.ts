import type { Found } from './found.ts';
import { field } from './read.ts';

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : url);

const CHANGE = 'or correct the URL in the catalogue (openstack endpoint set --url)';

/** What the worker's own request for an endpoint has shown for certain, by the details of its failure. */
export function judgeUnanswered(details: unknown, url: string): Found | undefined {
  const reason = field(details, 'reason');
  if (reason === 'ENOTFOUND')
    return {
      message: `The name ${hostOf(url)} of the endpoint ${url} has no address.`,
      correction: `Let DNS have ${hostOf(url)}; ${CHANGE}.`,
    };
  if (reason === 'ECONNREFUSED')
    return {
      message: `Nothing listens at the endpoint ${url}.`,
      correction: `Start what is to listen there; ${CHANGE}.`,
    };
  return undefined;
}
