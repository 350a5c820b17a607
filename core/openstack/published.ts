import type { FaultDomain } from '../fault-domains.ts';
import type { ServiceFinding } from '../ironic/service.ts';
import type { Probed } from '../reachability/probe.ts';

/** What came back when an address was asked by HTTP. */
export type HttpAnswer =
  | { readonly status: number }
  /** Its host refuses the connection: nothing listens there. */
  | { readonly refused: true }
  /** Nothing came, and why. */
  | { readonly silent: string };

export type Published =
  | { readonly right: string }
  | { readonly wrong: ServiceFinding }
  /** It could not be told. */
  | { readonly untold: string };

/** What an address is asked for, in words, and whose it is. */
export interface Asked {
  /** As in `boot images`. */
  readonly what: string;
  readonly url: string;
  /** As in `vantage point bmc-net`. */
  readonly from: string;
  readonly faultDomain: FaultDomain;
  /** Whether any answer of a server will do, of whatever status. */
  readonly anyAnswer: boolean;
}

const GONE: readonly number[] = [404, 410];

/** Whether a place is only a folder: a server may well refuse to list it. */
export const isFolder = (url: string): boolean => new URL(url).pathname.endsWith('/');

/** What an answer says of an address that something is fetched from. */
export function judgePublished(asked: Asked, answer: HttpAnswer): Published {
  const { what, url, from, faultDomain, anyAnswer } = asked;
  if ('silent' in answer) return { untold: `${url}, asked from ${from}: ${answer.silent}` };
  if ('refused' in answer) {
    return {
      wrong: {
        message: `Nothing listens at ${url}, where ${what} are to be had, asked from ${from}.`,
        correction: `Start the server there and read its log; or correct the address in the contract.`,
        faultDomain,
      },
    };
  }
  const { status } = answer;
  if (status >= 500) return { untold: `${url}, asked from ${from}, is answered with ${status}` };
  if (anyAnswer || isFolder(url) || (status >= 200 && status < 300))
    return { right: `it answers (${status})` };
  if (GONE.includes(status)) {
    return {
      wrong: {
        message: `There is nothing at ${url} (${status}), where ${what} are to be had, asked from ${from}.`,
        correction: 'Publish it there again, or correct the address in the contract.',
        faultDomain,
      },
    };
  }
  return { untold: `${url}, asked from ${from}, is answered with ${status}` };
}

/** What is not its own word for it. */
const SILENT: { readonly [outcome: string]: string } = {
  silent: 'no answer in time',
  untrusted: 'its certificate is not trusted',
};

/** What the try of an address shows. */
export function answerOf({ outcome, status }: Pick<Probed, 'outcome' | 'status'>): HttpAnswer {
  if (status !== undefined) return { status };
  return outcome === 'refused' ? { refused: true } : { silent: SILENT[outcome] ?? outcome };
}
