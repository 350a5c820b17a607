import { fail } from '../../core/errors/failure.ts';
import type { RackwrightError } from '../../core/errors/failure.ts';
import { asObject, asText, at, linkOf } from '../../core/redfish/read.ts';
import { digest, type BmcEndpoint } from './endpoint.ts';
import { codeOf, refusal, withoutSecrets, type RedfishResponse } from './errors.ts';
import type { Method } from './http.ts';
import type { SessionLedger } from './session-ledger.ts';

/** Sends a request as it is, with retries only where they are harmless, and with no credentials but the given. */
export type RawSend = (
  method: Method,
  target: string,
  options?: { headers?: { [name: string]: string }; body?: unknown },
) => Promise<RedfishResponse>;

/** Headers that prove who we are; `stamp` tells one login from the next. */
export interface Proof {
  readonly headers: { readonly [name: string]: string };
  readonly stamp: number;
}

let ledger: SessionLedger | undefined;

/** From now on sessions are written down, and those that processes before this one left open are closed. */
export function keepLedger(kept: SessionLedger | undefined): void {
  ledger = kept;
}

const refused = new Map<string, { readonly origin: string }>();
const limited = new Map<string, { readonly until: number; readonly pauseMs: number }>();

/**
 * Forgets which credentials were refused, at one origin or at all, so that they are tried once more: when
 * someone says that the account was put right on the BMC. A new password is tried without that.
 */
export function forgetRefusedCredentials(origin?: string): void {
  for (const [key, entry] of refused)
    if (origin === undefined || entry.origin === origin) refused.delete(key);
}

/**
 * Authenticates to one BMC. The rule: `basic` sends Basic with each request. `session` logs in once and
 * sends the token; where the service root offers no session service (neither `SessionService` nor
 * `Links.Sessions`), or the one it offers answers 404, 405 or 501, Basic is used. A refused password is
 * never sent again by this process, however many ask at once: accounts lock.
 */
export class Authenticator {
  private readonly key: string;
  private readonly origin: string;
  private readonly endpoint: BmcEndpoint;
  private readonly raw: RawSend;
  private proof: Promise<Proof> | undefined;
  private session: { token: string; uri: string | null } | undefined;
  private stamp = 0;

  constructor(origin: string, endpoint: BmcEndpoint, raw: RawSend) {
    this.origin = origin;
    this.endpoint = endpoint;
    this.raw = raw;
    this.key = digest(origin, endpoint.credentials.username, endpoint.credentials.password);
  }

  /** The headers for a request; logs in if needed, once for all who ask at the same time. */
  async prove(): Promise<Proof> {
    if (refused.has(this.key)) throw this.rejected('They were refused before, and are not tried again.');
    if (this.proof === undefined) {
      const attempt = this.login();
      this.proof = attempt;
      attempt.catch(() => {
        if (this.proof === attempt) this.proof = undefined;
      });
    }
    return this.proof;
  }

  /** After a 401: a new proof, once for all who were refused with the same one. */
  async renew(old: Proof): Promise<Proof> {
    if (this.stamp === old.stamp) {
      const { session } = this;
      this.proof = undefined;
      this.session = undefined;
      this.stamp += 1;
      if (session?.uri) void ledger?.closed(this.origin, session.uri);
    }
    return this.prove();
  }

  /** Deletes the session. A failed logout never fails the work. */
  async logout(): Promise<void> {
    await this.proof?.catch(() => undefined);
    const { session } = this;
    this.proof = undefined;
    this.session = undefined;
    if (session?.uri === undefined || session.uri === null) return;
    await this.raw('DELETE', session.uri, { headers: { 'x-auth-token': session.token } }).catch(
      () => undefined,
    );
    await ledger?.closed(this.origin, session.uri);
  }

  private async login(): Promise<Proof> {
    if (this.endpoint.auth === 'basic') return this.proveBasic();
    const wait = limited.get(this.origin);
    if (wait !== undefined && wait.until > Date.now()) {
      throw fail(
        'BMC_SESSION_LIMIT',
        'The BMC had no session left a moment ago; waiting before asking again.',
        {},
        {
          retryAfterMs: wait.until - Date.now(),
        },
      );
    }
    const sessions = await this.findSessions();
    return sessions === null ? this.proveBasic() : this.openSession(sessions);
  }

  /** Where sessions are made; null if the service has none. */
  private async findSessions(): Promise<string | null> {
    const usual = '/redfish/v1/SessionService/Sessions';
    const root = await this.raw('GET', '/redfish/v1/');
    if (root.status === 401 || root.status === 403) return usual;
    if (root.status >= 400) throw refusal(root, 'Reading the service root');
    if (typeof root.body !== 'object' || root.body === null || Array.isArray(root.body)) {
      throw fail(
        'BMC_ANSWER_INVALID',
        `GET ${root.url}: the answer is no JSON object, so this is no Redfish service.`,
        {
          details: { url: root.url, status: root.status },
        },
      );
    }
    const direct = linkOf(at(root.body, 'Links', 'Sessions'));
    if (direct !== null) return direct;
    const service = linkOf(asObject(root.body)['SessionService']);
    return service === null ? null : `${service.replace(/\/+$/, '')}/Sessions`;
  }

  private async openSession(sessions: string): Promise<Proof> {
    const { username, password } = this.endpoint.credentials;
    const sent = await this.raw('POST', sessions, { body: { UserName: username, Password: password } });
    const answer = withoutSecrets(sent, [password]);
    if (answer.status === 404 || answer.status === 405 || answer.status === 501) return this.proveBasic();
    if (answer.status >= 300) {
      const code = codeOf(answer);
      if (code === 'BMC_AUTH_FAILED') throw this.refuse();
      if (code === 'BMC_SESSION_LIMIT') throw this.limit(answer);
      throw refusal(answer, 'Logging in');
    }
    const token = answer.headers.token;
    const uri = answer.headers.location ?? linkOf(answer.body);
    if (token === undefined) {
      throw fail('BMC_ANSWER_INVALID', `POST ${answer.url}: a session without a token.`, {
        details: { url: answer.url, status: answer.status },
      });
    }
    limited.delete(this.origin);
    this.session = { token, uri: uri === null ? null : pathOf(uri, answer.url) };
    const headers = { 'x-auth-token': token };
    if (this.session.uri !== null) await ledger?.opened(this.origin, this.session.uri);
    await this.closeAbandoned(headers);
    return { headers, stamp: this.stamp };
  }

  /** Closes what a killed process left open. Names of sessions come back: only what is our user's is closed. */
  private async closeAbandoned(headers: Proof['headers']): Promise<void> {
    for (const uri of ledger?.abandoned(this.origin) ?? []) {
      try {
        const found = await this.raw('GET', uri, { headers });
        const ours =
          found.status === 200 && at(found.body, 'UserName') === this.endpoint.credentials.username;
        if (ours) await this.raw('DELETE', uri, { headers });
      } catch {
        // It is tried again at the next login.
        return;
      }
      await ledger?.closed(this.origin, uri);
    }
  }

  /** One request shows whether the password is right, before many at once could lock the account. */
  private async proveBasic(): Promise<Proof> {
    const { username, password } = this.endpoint.credentials;
    const headers = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
    const answer = await this.raw('GET', '/redfish/v1/Systems', { headers });
    if (answer.status === 401) throw this.refuse();
    return { headers, stamp: this.stamp };
  }

  private refuse(): RackwrightError {
    refused.set(this.key, { origin: this.origin });
    return this.rejected('They are not tried again.');
  }

  private limit(answer: RedfishResponse): RackwrightError {
    const pauseMs = Math.min((limited.get(this.origin)?.pauseMs ?? 2_500) * 2, 120_000);
    const wait = answer.headers.retryAfterMs ?? pauseMs;
    limited.set(this.origin, { until: Date.now() + wait, pauseMs });
    return refusal(
      { ...answer, headers: { ...answer.headers, retryAfterMs: wait } },
      'Logging in',
      'BMC_SESSION_LIMIT',
    );
  }

  private rejected(more: string): RackwrightError {
    const name = asText(this.endpoint.credentials.username) ?? '(empty)';
    return fail('BMC_AUTH_FAILED', `${this.origin} refuses the credentials of user ${name}. ${more}`, {
      details: { origin: this.origin, username: name },
    });
  }
}

/** Path and query of a URL that a BMC gave for a resource of its own, whatever name it gives itself. */
export function pathOf(given: string, base: string): string {
  const url = new URL(given, base);
  return url.pathname + url.search;
}
