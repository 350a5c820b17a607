import { field, items, text } from './read.ts';

/** The services that are asked, by the type that the catalogue has them under. */
export const SERVICE_TYPES = ['identity', 'compute', 'network', 'image', 'placement', 'baremetal'] as const;
export type ServiceType = (typeof SERVICE_TYPES)[number];

/** Which of a service's endpoints is meant. */
export const INTERFACES = ['public', 'internal', 'admin'] as const;
export type Interface = (typeof INTERFACES)[number];

/** Names that the field has given the same service. */
const ALIASES: { readonly [type in ServiceType]?: readonly string[] } = {
  baremetal: ['bare-metal'],
};

export interface Endpoint {
  readonly type: string;
  readonly name: string;
  readonly interface: string;
  readonly region: string;
  readonly url: string;
}

/** What Keystone gives with a token: undefined where it is no token. */
export function readToken(
  body: unknown,
): { expiresAt: string; roles: readonly string[]; catalog: readonly Endpoint[] } | undefined {
  const token = field(body, 'token');
  const expiresAt = text(field(token, 'expires_at'));
  if (expiresAt === '') return undefined;
  const catalog = items(field(token, 'catalog')).flatMap((service) =>
    items(field(service, 'endpoints')).map((endpoint) => ({
      type: text(field(service, 'type')),
      name: text(field(service, 'name')),
      interface: text(field(endpoint, 'interface')),
      region: text(field(endpoint, 'region_id')) || text(field(endpoint, 'region')),
      url: text(field(endpoint, 'url')),
    })),
  );
  const roles = items(field(token, 'roles')).map((role) => text(field(role, 'name')));
  return { expiresAt, roles, catalog };
}

/** The endpoint of a service; without a region the only one, or the first. */
export function endpointOf(
  catalog: readonly Endpoint[],
  type: ServiceType,
  { interface: wanted, region }: { readonly interface: Interface; readonly region?: string | undefined },
): Endpoint | undefined {
  const names = [type, ...(ALIASES[type] ?? [])];
  return catalog.find(
    (each) =>
      names.includes(each.type) &&
      each.interface === wanted &&
      (region === undefined || each.region === region) &&
      URL.canParse(each.url),
  );
}

/**
 * Where a service begins, without a slash at the end and without the version that some catalogues have in it
 * (`…/v2.1`, `…/v2.1/PROJECT`): paths that are asked for name theirs.
 */
export const rootOf = (url: string): string =>
  url.replace(/\/+$/, '').replace(/\/v\d+(\.\d+)?(\/(AUTH_)?[0-9a-f-]{32,36})?$/, '');
