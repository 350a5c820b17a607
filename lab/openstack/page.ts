import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';
import type { Wire } from './state.ts';

export type Query = { readonly [parameter: string]: string | undefined };

export const queryOf = (request: FastifyRequest): Query => {
  // A parameter that is given twice counts with its last value.
  const all = Object.entries(request.query as { [name: string]: string | string[] });
  return Object.fromEntries(all.map(([name, value]) => [name, Array.isArray(value) ? value.at(-1) : value]));
};

/** Parts of a list, by `limit` and `marker`: the id of the last one that was seen. */
export function page<T>(
  all: readonly T[],
  { limit, marker }: Query,
  idOf: (each: T) => string,
): { items: T[]; last: string | undefined } {
  const after = marker === undefined ? -1 : all.findIndex((each) => idOf(each) === marker);
  if (marker !== undefined && after < 0) throw new ApiError(400, `marker [${marker}] not found`);
  const most = limit === undefined ? 1000 : Number(limit);
  if (!Number.isInteger(most) || most < 0)
    throw new ApiError(400, `Invalid input for query parameters limit. Value: ${limit}.`);
  const items = all.slice(after + 1, after + 1 + (most === 0 ? 1000 : most));
  const more = after + 1 + items.length < all.length;
  return { items, last: more ? idOf(items.at(-1)!) : undefined };
}

/** The address of the next part. */
export function nextUrl(base: string, request: FastifyRequest, last: string): string {
  const url = new URL(request.url, base);
  url.searchParams.set('marker', last);
  return url.href;
}

/** The fields that a query asks for, which those of a list have to be equal in. */
export const matches = (wire: Wire, query: Query, but: readonly string[] = []): boolean =>
  Object.entries(query).every(([field, value]) => {
    if (['limit', 'marker', 'sort_key', 'sort_dir', 'sort', 'fields', ...but].includes(field)) return true;
    const has = wire[field];
    if (Array.isArray(has)) return has.map(String).includes(String(value));
    return String(has ?? '').toLowerCase() === String(value).toLowerCase();
  });

/** A JSON object of a request; anything else is refused. */
export function bodyOf(request: FastifyRequest, key?: string): Wire {
  const whole = request.body;
  const body = key === undefined ? whole : (whole as Wire | null | undefined)?.[key];
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError(400, key === undefined ? 'Malformed request body' : `'${key}' is a required property`);
  return body as Wire;
}
