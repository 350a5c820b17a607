import { readToken, type Endpoint, type ServiceType } from '../../core/openstack/catalog.ts';
import { MASK } from '../secrets/redact.ts';
import { answerInvalid, type Asked } from './errors.ts';

/** A user of the cloud. The password is resolved. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly project: string;
  /** Of the user and of the project. */
  readonly domain: string;
  /** Whether Ironic is asked with a token of the system instead of the project. */
  readonly systemScope: boolean;
}

/** A token, and where its services are. */
export interface Token {
  readonly token: string;
  readonly expiresAt: string;
  /** Names of the roles that it stands for. */
  readonly roles: readonly string[];
  readonly catalog: readonly Endpoint[];
}

type Scope = 'project' | 'system';
type Ask = (asked: Asked, body: object) => Promise<{ readonly token: unknown; readonly body: unknown }>;

/** The tokens of one user, one for each scope, each asked for once. */
export class Tokens {
  readonly #credentials: Credentials;
  readonly #ask: Ask;
  readonly #made = new Set<string>();
  readonly #kept = new Map<Scope, Promise<Token>>();

  constructor(credentials: Credentials, ask: Ask) {
    this.#credentials = credentials;
    this.#ask = ask;
  }

  /** The text without any token of these. */
  masked(text: string): string {
    return [...this.#made].reduce((masked, token) => masked.replaceAll(token, MASK), text);
  }

  /** The token that a service is asked with. What failed is asked for again by the next call. */
  of(service: ServiceType): Promise<Token> {
    const scope = this.#scopeOf(service);
    const kept = this.#kept.get(scope);
    if (kept) return kept;
    const asked = this.#make(scope);
    this.#kept.set(scope, asked);
    asked.catch(() => this.#kept.delete(scope));
    return asked;
  }

  /** The next call asks for a new one. */
  forget(service: ServiceType): void {
    this.#kept.delete(this.#scopeOf(service));
  }

  #scopeOf(service: ServiceType): Scope {
    return service === 'baremetal' && this.#credentials.systemScope ? 'system' : 'project';
  }

  async #make(scope: Scope): Promise<Token> {
    const { username, password, project, domain } = this.#credentials;
    const asked = { service: 'identity' as const, method: 'POST', path: '/v3/auth/tokens' };
    const { token, body } = await this.#ask(asked, {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: username, domain: { name: domain }, password } },
        },
        scope:
          scope === 'system'
            ? { system: { all: true } }
            : { project: { name: project, domain: { name: domain } } },
      },
    });
    const read = readToken(body);
    if (typeof token !== 'string' || !read) throw answerInvalid(asked, 'it is no token');
    this.#made.add(token);
    return { token, ...read };
  }
}
