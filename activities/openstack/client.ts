import type { Dispatcher } from 'undici';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import {
  endpointOf,
  rootOf,
  type Endpoint,
  type Interface,
  type ServiceType,
} from '../../core/openstack/catalog.ts';
import { field, items, text } from '../../core/openstack/read.ts';
import { answerInvalid, nameOf, type Asked } from './errors.ts';
import { Tokens, type Credentials } from './tokens.ts';
import { Transport, type Options, type Request } from './transport.ts';

/** Where the cloud is and as whom it is asked. Credentials are resolved. */
export interface Cloud {
  /** Keystone, with or without `/v3`. */
  readonly authUrl: string;
  readonly interface: Interface;
  /** Left out: the only region, or the first. */
  readonly region?: string | undefined;
  readonly credentials: Credentials;
  /** PEM of the CA, where it is not one of the system's. */
  readonly ca?: string | undefined;
}

const MAX_PAGES = 200;

/**
 * A cloud, as a user of it sees it: a token of Keystone, endpoints of its catalogue, and requests that are bounded in
 * time and size, without redirects. A token that a service no longer takes is made anew, once; none stands in an answer
 * or an error, whatever a service repeats.
 */
export class OpenStack {
  readonly tokens: Tokens;
  readonly #cloud: Cloud;
  readonly #transport: Transport;

  constructor(cloud: Cloud, options: Options) {
    this.#cloud = cloud;
    this.#transport = new Transport(cloud.ca, options, (text) => this.tokens.masked(text));
    this.tokens = new Tokens(cloud.credentials, async (asked, body) => {
      const response = await this.#transport.send(asked, rootOf(cloud.authUrl), { method: 'POST', body });
      const token = response.headers['x-subject-token'];
      return { token, body: parsed(asked, await this.#transport.read(asked, response.body)) };
    });
  }

  /** The project that it is asked for. */
  get project(): string {
    return this.#cloud.credentials.project;
  }

  /**
   * For an answer that has nothing in it, from a service that shows whoever has no right to it an empty one: whether
   * nothing is there. Throws OPENSTACK_FORBIDDEN where that is not told.
   */
  async mustSee(service: ServiceType, what: string): Promise<void> {
    const { roles } = await this.tokens.of(service);
    if (roles.some((role) => role.toLowerCase() === 'admin')) return;
    throw fail(
      'OPENSTACK_FORBIDDEN',
      `${nameOf(service)} shows no ${what}, and shows none to whoever may not see them, as this user may not: it has ${roles.length === 0 ? 'no role' : `the roles ${roles.slice(0, 10).join(', ')}`}, and not admin.`,
      { details: { service, roles: [...roles] } },
    );
  }

  /** The endpoint of a service. Throws OPENSTACK_ENDPOINT_MISSING. */
  async endpoint(service: ServiceType): Promise<Endpoint> {
    const { catalog } = await this.tokens.of(service);
    const { interface: wanted, region } = this.#cloud;
    const found = endpointOf(catalog, service, { interface: wanted, region });
    if (found) return found;
    const where = `${wanted} endpoint${region === undefined ? '' : ` in region ${region}`}`;
    throw fail(
      'OPENSTACK_ENDPOINT_MISSING',
      `The catalogue has no ${where} of ${nameOf(service)} (${service}).`,
      {
        details: { service },
      },
    );
  }

  /** The body of an answer, read as JSON. `path` begins with the version of the API: `/v2.1/servers`. */
  async json(service: ServiceType, path: string, options: Request = {}): Promise<unknown> {
    const asked = { service, method: options.method ?? 'GET', path };
    const { body } = await this.#authorised(asked, options);
    return parsed(asked, await this.#transport.read(asked, body));
  }

  /** As `json`; undefined where the answer is 404. */
  async find(service: ServiceType, path: string): Promise<unknown> {
    try {
      return await this.json(service, path);
    } catch (error) {
      if (error instanceof RackwrightError && error.failure.details?.['status'] === 404) return undefined;
      throw error;
    }
  }

  /**
   * All of a collection, page by page, as the services give their next page: `<name>_links`, or `next`.
   *
   * @param name the field that the items are in
   */
  async list(service: ServiceType, path: string, name: string): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    let next: string | undefined = path;
    for (let page = 0; next !== undefined; page++) {
      const asked = { service, method: 'GET', path };
      if (page >= MAX_PAGES) throw answerInvalid(asked, `it has more than ${MAX_PAGES} pages`);
      const body: unknown = await this.json(service, next);
      if (!Array.isArray(field(body, name))) throw answerInvalid(asked, `it has no list \`${name}\``);
      found.push(...items(field(body, name)));
      next = nextOf(path, name, body);
    }
    return found;
  }

  /** The bytes of an answer, as they come. */
  async *bytes(service: ServiceType, path: string, options: Request = {}): AsyncGenerator<Uint8Array> {
    const asked = { service, method: 'GET', path };
    const { body } = await this.#authorised(asked, options);
    yield* this.#transport.pieces(asked, body);
  }

  /** The status that a URL which a service has given answers with, without a token. It stands in no error. */
  statusOf(service: ServiceType, url: string): Promise<number> {
    return this.#transport.statusOf(service, url);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #authorised(asked: Asked, options: Request): Promise<Dispatcher.ResponseData> {
    const root = rootOf((await this.endpoint(asked.service)).url);
    const repeatable = !(Symbol.asyncIterator in (options.body ?? {}));
    for (let attempt = 1; ; attempt++) {
      const { token } = await this.tokens.of(asked.service);
      try {
        return await this.#transport.send(asked, root, options, token);
      } catch (error) {
        const refused = error instanceof RackwrightError && error.failure.code === 'OPENSTACK_UNAUTHORIZED';
        if (!refused || attempt > 1 || !repeatable) throw error;
        this.tokens.forget(asked.service);
      }
    }
  }
}

/** The path of the next page. Its host may be one that only the service knows itself by: the query is what counts. */
function nextOf(path: string, name: string, body: unknown): string | undefined {
  const links = items(field(body, `${name}_links`));
  const link = links.find((each) => text(field(each, 'rel')) === 'next');
  const next =
    text(field(link, 'href')) || text(field(body, 'next')) || text(field(field(body, 'links'), 'next'));
  const query = next.indexOf('?');
  return query === -1 ? undefined : `${path.split('?')[0]}${next.slice(query)}`;
}

function parsed(asked: Asked, body: string): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw answerInvalid(asked, 'it is no JSON');
  }
}
