import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

/** The microversions that a service has, and how a request asks for one. */
export interface Microversions {
  /** As `OpenStack-API-Version` names the service. */
  readonly type: string;
  /** A header of its own, from before that one. */
  readonly legacy?: string;
  readonly min: string;
  readonly max: string;
  /** What is meant where nothing was asked for. */
  readonly fallback: string;
  readonly refused: (asked: string) => ApiError;
}

const minor = (version: string): number => Number(version.split('.')[1]);
const major = (version: string): string => version.split('.')[0]!;

/** The version that a request is answered in; a 406 where there is none such. */
export function negotiate({ headers }: FastifyRequest, known: Microversions): string {
  const own = known.legacy === undefined ? undefined : headers[known.legacy];
  const asked =
    pick(headers['openstack-api-version'], known.type) ?? (own === undefined ? undefined : String(own));
  if (asked === undefined) return known.fallback;
  if (asked === 'latest') return known.max;
  if (!/^\d+\.\d+$/.test(asked))
    throw new ApiError(
      400,
      `API Version String ${asked} is of invalid format. Must be of format MajorNum.MinorNum.`,
    );
  const fits =
    major(asked) === major(known.min) && minor(asked) >= minor(known.min) && minor(asked) <= minor(known.max);
  if (!fits) throw known.refused(asked);
  return asked;
}

function pick(header: string | string[] | undefined, type: string): string | undefined {
  const all = String(header ?? '').split(',');
  const words = all.map((each) => each.trim().split(/\s+/)).find(([name]) => name === type);
  return words?.[1];
}

/** Whether an answer is to be as it is since a version. */
export const since = (version: string, first: string): boolean => minor(version) >= minor(first);
