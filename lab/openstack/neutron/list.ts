import type { FastifyRequest } from 'fastify';
import type { Cloud } from '../cloud.ts';
import { matches, nextUrl, page, queryOf } from '../page.ts';
import type { Wire } from '../state.ts';

/** A list as Neutron answers it: filtered, in pages, with the fields that are wanted. */
export function listed(cloud: Cloud, name: string, all: readonly Wire[], request: FastifyRequest): Wire {
  const query = queryOf(request);
  const { fields } = request.query as { fields?: string | string[] };
  const found = all.filter((each) => matches(each, query, ['page_reverse']));
  const { items, last } = page(found, query, ({ id }) => String(id));
  const wanted = fields === undefined ? undefined : [fields].flat();
  return {
    [name]:
      wanted === undefined
        ? items
        : items.map((each) =>
            Object.fromEntries(wanted.filter((field) => field in each).map((field) => [field, each[field]])),
          ),
    ...(last === undefined || query['limit'] === undefined
      ? {}
      : { [`${name}_links`]: [{ rel: 'next', href: nextUrl(cloud.url(), request, last) }] }),
  };
}
