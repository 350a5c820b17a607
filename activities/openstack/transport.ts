import { Agent, request, type Dispatcher } from 'undici';
import { RackwrightError } from '../../core/errors/failure.ts';
import type { ServiceType } from '../../core/openstack/catalog.ts';
import { BARE_METAL_VERSION } from '../../core/openstack/versions.ts';
import { readBounded } from '../http-answers.ts';
import { answerInvalid, refusal, unanswered, type Asked } from './errors.ts';

export interface Options {
  readonly signal: AbortSignal;
  /** Bound of one request in milliseconds, connecting included. @default 15000 */
  readonly timeoutMs?: number;
}

/** One request to a service. */
export interface Request {
  /** @default GET */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Is sent as JSON, or as the bytes it is. */
  readonly body?: object | Uint8Array | AsyncIterable<Uint8Array>;
  readonly contentType?: string;
  /** Bound in milliseconds where it is another than the client's. */
  readonly timeoutMs?: number;
}

const REQUEST_MS = 15_000;
const CONNECT_MS = 10_000;
const MAX_BODY = 8 * 1024 * 1024;

/** The microversions that are spoken: those of Train, which later releases offer, too. */
const VERSIONS: { readonly [type in ServiceType]?: { readonly [header: string]: string } } = {
  compute: { 'openstack-api-version': 'compute 2.79', 'x-openstack-nova-api-version': '2.79' },
  placement: { 'openstack-api-version': 'placement 1.36' },
  baremetal: { 'x-openstack-ironic-api-version': BARE_METAL_VERSION },
};

/** One way to the services of a cloud: bounded in time and size, without redirects. */
export class Transport {
  readonly #options: Options;
  readonly #masked: (text: string) => string;
  readonly #agent: Agent;

  /**
   * @param ca PEM of the CA, where it is not one of the system's
   * @param masked takes out of an answer what nobody may see of it
   */
  constructor(ca: string | undefined, options: Options, masked: (text: string) => string) {
    this.#options = options;
    this.#masked = masked;
    const connect = { timeout: Math.min(CONNECT_MS, options.timeoutMs ?? REQUEST_MS), ...(ca ? { ca } : {}) };
    this.#agent = new Agent({ connect });
  }

  /** Sends one request. Anything but a success is thrown as the failure that it stands for. */
  async send(asked: Asked, root: string, options: Request, token?: string): Promise<Dispatcher.ResponseData> {
    const { body, method = 'GET' } = options;
    const signal = this.#bound(options.timeoutMs);
    const raw = body === undefined || body instanceof Uint8Array || Symbol.asyncIterator in body;
    let response: Dispatcher.ResponseData;
    try {
      response = await request(`${root}${asked.path}`, {
        dispatcher: this.#agent,
        method,
        headers: {
          accept: 'application/json',
          // Ironic refuses to list its versions to whoever asks in one that it does not have.
          ...(asked.path === '/' ? {} : VERSIONS[asked.service]),
          ...(token === undefined ? {} : { 'x-auth-token': token }),
          ...(body === undefined
            ? {}
            : {
                'content-type':
                  options.contentType ?? (raw ? 'application/octet-stream' : 'application/json'),
              }),
        },
        body: body === undefined ? null : raw ? (body as Uint8Array) : JSON.stringify(body),
        signal,
      });
    } catch (cause) {
      this.#options.signal.throwIfAborted();
      throw unanswered(asked, root, cause);
    }
    // 300 is how several services list the versions of their API.
    if (response.statusCode <= 300) return response;
    throw refusal(asked, response.statusCode, await this.read(asked, response.body));
  }

  /** All of a body, as text. */
  async read(asked: Asked, body: AsyncIterable<Uint8Array>): Promise<string> {
    const tooLong = (): Error => answerInvalid(asked, `it is larger than ${MAX_BODY} bytes`);
    try {
      return this.#masked((await readBounded(body, MAX_BODY, tooLong)).toString('utf8'));
    } catch (cause) {
      if (cause instanceof RackwrightError) throw cause;
      this.#options.signal.throwIfAborted();
      throw unanswered(asked, 'an endpoint that had begun to answer', cause);
    }
  }

  /** The bytes of a body, as they come. */
  async *pieces(asked: Asked, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (cause) {
      this.#options.signal.throwIfAborted();
      throw unanswered(asked, 'an endpoint that had begun to answer', cause);
    }
  }

  /** The status that a URL answers with, without a token. It stands in no error. */
  async statusOf(service: ServiceType, url: string): Promise<number> {
    try {
      const { statusCode, body } = await request(url, { dispatcher: this.#agent, signal: this.#bound() });
      await body.dump();
      return statusCode;
    } catch (cause) {
      this.#options.signal.throwIfAborted();
      throw unanswered({ service, method: 'GET', path: '…' }, new URL(url).origin, cause);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #bound(timeoutMs = this.#options.timeoutMs ?? REQUEST_MS): AbortSignal {
    return AbortSignal.any([this.#options.signal, AbortSignal.timeout(timeoutMs)]);
  }
}
