import { Agent, request } from 'undici';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import type { Json } from '../../core/json.ts';
import { readBounded } from '../http-answers.ts';
import { refusal, unreachable, type Asked } from './errors.ts';

const MAX_BODY = 8 * 1024 * 1024;

/** Where Ironic is and how it is spoken to. Credentials are resolved. */
export interface IronicEndpoint {
  /** With its path prefix, without a slash at the end. */
  readonly url: string;
  readonly basic?: { readonly username: string; readonly password: string };
  /** PEM of the CA, where it is not one of the system's. */
  readonly ca?: string | undefined;
  /** Bound of one request in milliseconds. @default 30000 */
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly body: Json | undefined;
}

/** One way to one Ironic: bounded in time and size, no redirects, no retries. */
export class IronicTransport {
  readonly #endpoint: IronicEndpoint;
  readonly #agent: Agent;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;

  constructor(endpoint: IronicEndpoint) {
    this.#endpoint = endpoint;
    this.#timeoutMs = endpoint.timeoutMs ?? 30_000;
    const { ca, basic } = endpoint;
    this.#agent = new Agent({
      connect: { timeout: Math.min(10_000, this.#timeoutMs), ...(ca === undefined ? {} : { ca }) },
    });
    const credentials = basic && Buffer.from(`${basic.username}:${basic.password}`).toString('base64');
    this.#headers = {
      accept: 'application/json',
      ...(credentials === undefined ? {} : { authorization: `Basic ${credentials}` }),
    };
  }

  /** Sends one request. Anything but a 2xx is thrown as a failure of the catalogue. */
  async send(
    asked: Asked,
    options: { version?: string; body?: Json; signal?: AbortSignal } = {},
  ): Promise<Answer> {
    const { version, body, signal } = options;
    const time = AbortSignal.timeout(this.#timeoutMs);
    try {
      const response = await request(`${this.#endpoint.url}${asked.path}`, {
        dispatcher: this.#agent,
        method: asked.method as 'GET',
        headers: {
          ...this.#headers,
          ...(version === undefined ? {} : { 'x-openstack-ironic-api-version': version }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal === undefined ? time : AbortSignal.any([signal, time]),
      });
      const tooLong = (): Error => invalid(asked, `it is larger than ${MAX_BODY} bytes`);
      const text = (await readBounded(response.body, MAX_BODY, tooLong)).toString('utf8');
      if (response.statusCode >= 300) throw refusal(asked, response.statusCode, text);
      return { status: response.statusCode, body: text === '' ? undefined : parse(asked, text) };
    } catch (cause) {
      if (cause instanceof RackwrightError) throw cause;
      if (signal?.aborted) throw signal.reason;
      throw unreachable(asked, new URL(this.#endpoint.url).origin, cause);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** An answer that the API would not give. */
export const invalid = (asked: Asked, why: string): RackwrightError =>
  fail(
    'IRONIC_ANSWER_INVALID',
    `The answer to ${asked.method} ${asked.path} is not Ironic's: ${why}.`,
    { details: { ...asked } },
    { retryAfterMs: 5000 },
  );

function parse(asked: Asked, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw invalid(asked, 'it is no JSON');
  }
}
