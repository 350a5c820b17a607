import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Account, Api } from './site.ts';

/** Plain REST with a token of Keystone: what tests set OpenStack up and look at it with. */

/** Microversions that are asked for, of what 2026.1 supports. */
const MICROVERSIONS: { readonly [api in Api]?: readonly [header: string, value: string] } = {
  nova: ['OpenStack-API-Version', 'compute 2.96'],
  ironic: ['X-OpenStack-Ironic-API-Version', '1.90'],
  placement: ['OpenStack-API-Version', 'placement 1.39'],
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
// Answers of other programs, looked at by tests.
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
}

type Headers = { readonly [name: string]: string };

export type Scope = 'project' | 'system';

/** Asks Keystone for a token. */
export async function issueToken(authUrl: string, who: Account, scope: Scope = 'project'): Promise<Answer> {
  const domain = { id: 'default' };
  const user = { name: who.username, password: who.password, domain };
  const to = scope === 'system' ? { system: { all: true } } : { project: { name: who.project, domain } };
  return ask('POST', `${authUrl}/auth/tokens`, {
    body: { auth: { identity: { methods: ['password'], password: { user } }, scope: to } },
  });
}

/** Sends a request, JSON unless its body is bytes; whatever comes back is the answer. */
export async function ask(
  method: Method,
  url: string,
  {
    api,
    token,
    body,
    headers,
  }: { api?: Api; token?: string; body?: object | Buffer | undefined; headers?: Headers } = {},
): Promise<Answer> {
  const version = api && MICROVERSIONS[api];
  const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
  const response = await request(url, {
    method,
    headersTimeout: 180_000,
    bodyTimeout: 180_000,
    headers: {
      ...(body && { 'content-type': method === 'PATCH' && api === 'glance' ? GLANCE_PATCH : type }),
      ...(token && { 'x-auth-token': token }),
      ...(version && { [version[0]]: version[1] }),
      ...headers,
    },
    body: Buffer.isBuffer(body) ? body : body === undefined ? null : JSON.stringify(body),
  });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  const json = String(response.headers['content-type']).includes('json') && bytes.length > 0;
  return {
    status: response.statusCode,
    headers: response.headers,
    body: json ? (JSON.parse(bytes.toString()) as Json) : bytes,
  };
}

const GLANCE_PATCH = 'application/openstack-images-v2.1-json-patch';

/** One account that is logged in: its tokens are renewed when they are refused. */
export class Session {
  #token: string | undefined;
  readonly #authUrl: string;
  readonly #who: Account;
  readonly #endpoint: (api: Api) => string;
  readonly #scope: Scope;

  constructor(authUrl: string, who: Account, endpoint: (api: Api) => string, scope: Scope = 'project') {
    this.#authUrl = authUrl;
    this.#who = who;
    this.#endpoint = endpoint;
    this.#scope = scope;
  }

  async token(): Promise<string> {
    if (this.#token === undefined) {
      const { status, headers, body } = await issueToken(this.#authUrl, this.#who, this.#scope);
      if (status !== 201) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
      this.#token = String(headers['x-subject-token']);
    }
    return this.#token;
  }

  /** Whatever status comes back is the answer. */
  async try(
    method: Method,
    api: Api,
    path: string,
    body?: object | Buffer,
    headers: Headers = {},
  ): Promise<Answer> {
    const url = `${this.#endpoint(api)}${path}`;
    const answer = await ask(method, url, { api, token: await this.token(), body, headers });
    if (answer.status !== 401) return answer;
    this.#token = undefined;
    return ask(method, url, { api, token: await this.token(), body, headers });
  }

  /** What is not a success is thrown. */
  async call(
    method: Method,
    api: Api,
    path: string,
    body?: object | Buffer,
    headers: Headers = {},
  ): Promise<Json> {
    const answer = await this.try(method, api, path, body, headers);
    if (answer.status < 300) return answer.body;
    const said = Buffer.isBuffer(answer.body) ? answer.body.toString() : JSON.stringify(answer.body);
    throw new Error(`${method} ${api}${path}: ${answer.status} ${said.slice(0, 2_000)}`);
  }
}

/** Waits until something is there; after three minutes, throws what was seen last. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const ends = Date.now() + 180_000;
  let failed: unknown;
  while (Date.now() < ends) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      failed = undefined;
    } catch (error) {
      failed = error;
    }
    await sleep(200);
  }
  throw new Error(`${what} did not come`, { cause: failed });
}
