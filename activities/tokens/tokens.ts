import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OperationRef, TokenWindow } from '../../core/operations.ts';

/** What a token opens. One audience never opens another's door. */
export const AUDIENCES = ['agent', 'media', 'image', 'first-boot', 'probe'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** What stands in a token, readable by anyone who holds it; only the signature is secret. */
export interface TokenClaims {
  readonly site: string;
  readonly node: string;
  readonly requestId: string;
  readonly generation: number;
  readonly epoch: number;
  readonly expires: number;
  readonly audience: Audience;
}

type Identity = Pick<OperationRef, 'site' | 'node' | 'requestId' | 'generation'>;

/**
 * Call-back tokens. They are derived where they are needed and never stored or sent through a payload:
 * whoever has the site key can make the same token again.
 */
export class Tokens {
  readonly #key: Buffer;

  /** @param siteKey the site's key, 32 bytes or more */
  constructor(siteKey: Uint8Array) {
    if (siteKey.length < 32) throw new Error('the site key must have at least 32 bytes');
    this.#key = Buffer.from(siteKey);
  }

  /** The token that opens one door for one operation until `window.expires`. Safe in a URL path. */
  mint(ref: Identity, audience: Audience, window: TokenWindow): string {
    const { site, node, requestId, generation } = ref;
    const claims = [site, node, requestId, generation, window.epoch, window.expires, audience];
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return `${body}.${this.#sign(`token:${body}`)}`;
  }

  /** The claims of a token whose signature is ours; undefined for any other string. Expiry is the caller's. */
  open(token: string): TokenClaims | undefined {
    if (token.length > 2048) return undefined;
    const [body, signature, ...rest] = token.split('.');
    if (!body || !signature || rest.length > 0) return undefined;
    const given = Buffer.from(signature);
    const right = Buffer.from(this.#sign(`token:${body}`));
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    const [site, node, requestId, generation, epoch, expires, audience] = JSON.parse(
      Buffer.from(body, 'base64url').toString(),
    ) as [string, string, string, number, number, number, Audience];
    return { site, node, requestId, generation, epoch, expires, audience };
  }

  /**
   * The token with which the deploy agent and its conductor know each other (`agent_token`).
   * The same for as long as the agent of one epoch lives, so an agent that lost the answer may ask again.
   */
  agentToken(ref: Identity, epoch: number): string {
    const { site, node, requestId, generation } = ref;
    return this.#sign(`agent-token:${JSON.stringify([site, node, requestId, generation, epoch])}`);
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
