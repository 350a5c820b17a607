import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { effectiveNode, type EffectiveNode } from '../../contracts/inventory/effective.ts';
import { fail, RackwrightError } from '../../core/errors/failure.ts';
import type { GatewayAccess, OperationRef } from '../../core/operations.ts';
import type { Audience, TokenClaims, Tokens } from '../../activities/tokens/tokens.ts';
import type { MediaProbes } from '../../activities/media-probes/store.ts';
import { BoundedMap } from './bounded-map.ts';
import type { Operations } from './operations.ts';
import { PATIENCE, patiently, type Patience } from './patience.ts';

/** What the gateway is made of. */
export interface GatewayDeps {
  readonly site: string;
  readonly tokens: Tokens;
  readonly operations: Operations;
  /** The stored version of the contract with this hash. */
  readonly contract: (hash: string) => Promise<Inventory>;
  readonly log: Logger;
  /** The images that BMCs are given to show that they reach the gateway. Left out: none is. */
  readonly probes?: MediaProbes;
  /** Seconds between two heartbeats that agents are asked for; they come at 0.3 to 0.6 of it. @default 60 */
  readonly heartbeatSeconds?: number;
  /**
   * How long an operation's answer serves further ranges of media and images, in milliseconds. A lookup
   * through this gateway ends it at once. @default 1000
   */
  readonly accessMs?: number;
  /** Requests per second, and at once, that one token may make beside media and images. @default 2 and 30 */
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  /** How long media and images are tried for before their caller is told. @default PATIENCE */
  readonly patience?: Patience;
  /** @default Date.now */
  readonly now?: () => number;
}

/** A token whose door is open: who is meant, and what the operation says now. */
export interface Opened {
  readonly claims: TokenClaims;
  readonly ref: OperationRef;
  readonly access: GatewayAccess;
}

const MAX_KEPT = 4096;
/** Versions of the contract; one is what it is for ever. */
const MAX_CONTRACTS = 8;

/** Judges tokens. Every route goes through it. */
export class Doors {
  readonly #deps: GatewayDeps;
  readonly #kept: BoundedMap<{ readonly at: number; readonly access: Promise<GatewayAccess> }>;
  readonly #rates: BoundedMap<{ tokens: number; at: number }>;
  readonly #contracts = new BoundedMap<Promise<Inventory>>(MAX_CONTRACTS);

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.#kept = new BoundedMap(MAX_KEPT);
    this.#rates = new BoundedMap(MAX_KEPT);
  }

  /**
   * Opens a door: TOKEN_INVALID, TOKEN_EXPIRED, OPERATION_OVER or GATEWAY_UNAVAILABLE if it stays shut.
   * @param recent whether an answer of the operation from a moment ago will do, as for media and images; their
   * callers may not ask twice, so an operation that cannot be asked now is asked again before they are told
   */
  async open(request: FastifyRequest, token: string, audience: Audience, recent = false): Promise<Opened> {
    const claims = this.#deps.tokens.open(token);
    if (claims === undefined || claims.audience !== audience || claims.site !== this.#deps.site) {
      throw fail('TOKEN_INVALID', 'The token is not one of ours, or is not for this.');
    }
    request.operation = { node: claims.node, requestId: claims.requestId };
    const now = this.#now();
    if (claims.expires * 1000 <= now) throw fail('TOKEN_EXPIRED', 'The token has expired.');
    if (!recent) this.#limit(token, now);
    const access = recent
      ? await patiently(this.#deps.patience ?? PATIENCE, isUnavailable, () => this.#begun(claims, true))
      : await this.#begun(claims, false);
    const { ref, window } = access;
    if (ref.generation !== claims.generation) {
      throw fail('TOKEN_EXPIRED', 'The token is of an earlier generation of the node.');
    }
    // What stands on the disk may have been written in an earlier boot of the agent and still be the one.
    const current = audience === 'first-boot' ? claims.epoch <= window.epoch : claims.epoch === window.epoch;
    if (!current) throw fail('TOKEN_EXPIRED', 'The token is of an earlier boot of the agent.');
    return { claims, ref, access };
  }

  /** The contract that an operation runs under, and its node there. */
  async contract(ref: OperationRef): Promise<{ inventory: Inventory; node: EffectiveNode }> {
    const hash = ref.contractHash;
    const loading = this.#contracts.get(hash) ?? this.#deps.contract(hash);
    this.#contracts.set(hash, loading);
    loading.catch(() => this.#contracts.delete(hash));
    const inventory = await loading;
    return { inventory, node: effectiveNode(inventory, ref.node) };
  }

  /** Forgets what the operation said, since something changed. */
  forget(claims: TokenClaims): void {
    this.#kept.delete(keyOf(claims));
  }

  async #begun(claims: TokenClaims, recent: boolean): Promise<GatewayAccess & { ref: OperationRef }> {
    const access = await this.#access(claims, this.#now(), recent);
    if (access.ref !== null) return { ...access, ref: access.ref };
    this.forget(claims);
    throw fail('GATEWAY_UNAVAILABLE', 'The operation has not begun yet.', {}, { retryAfterMs: 5_000 });
  }

  async #access(claims: TokenClaims, now: number, recent: boolean): Promise<GatewayAccess> {
    const key = keyOf(claims);
    const known = this.#kept.get(key);
    if (recent && known !== undefined && now - known.at < (this.#deps.accessMs ?? 1000)) return known.access;
    const access = this.#deps.operations.access(claims);
    this.#kept.set(key, { at: now, access });
    access.catch(() => {
      if (this.#kept.get(key)?.access === access) this.#kept.delete(key);
    });
    return access;
  }

  /** A bucket for each token. Only tokens of ours get this far, so there are few. */
  #limit(token: string, now: number): void {
    const { perSecond, burst } = this.#deps.rate ?? { perSecond: 2, burst: 30 };
    const bucket = this.#rates.get(token) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    this.#rates.set(token, bucket);
    if (bucket.tokens < 1) {
      const retryAfterMs = Math.ceil(((1 - bucket.tokens) / perSecond) * 1000);
      throw fail('RATE_LIMITED', 'Too many requests with this token.', {}, { retryAfterMs });
    }
    bucket.tokens -= 1;
  }

  #now(): number {
    return (this.#deps.now ?? Date.now)();
  }
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof RackwrightError && error.failure.code === 'GATEWAY_UNAVAILABLE';

const keyOf = (claims: TokenClaims): string => `${claims.node}/${claims.requestId}`;
