import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Account, Cloud } from '../cloud.ts';
import type { Token } from '../state.ts';

const LASTS_MS = 3_600_000;

const equal = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

export const accountOf = (cloud: Cloud, name: string): Account | undefined =>
  cloud.accounts.find((account) => account.name === name);

/** Who has this name and password. */
export function authenticate(cloud: Cloud, name: string, password: string): Account | undefined {
  const account = accountOf(cloud, name);
  return account !== undefined && equal(account.password, password) ? account : undefined;
}

/** A new token; those that have expired are forgotten. */
export function issueToken(cloud: Cloud, account: Account, system: boolean): { id: string; token: Token } {
  const now = Date.now();
  const id = `gAAAAAB${randomBytes(132).toString('base64url')}`;
  const token = {
    user: account.name,
    system,
    issuedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + LASTS_MS).toISOString(),
  };
  const { tokens } = cloud.state;
  for (const [old, { expiresAt }] of Object.entries(tokens))
    if (Date.parse(expiresAt) < now) delete tokens[old];
  tokens[id] = token;
  cloud.save();
  return { id, token };
}

/** A token that is good; using it may be what finds out that it has expired. */
export function goodToken(cloud: Cloud, id: unknown): Token | undefined {
  if (typeof id !== 'string') return undefined;
  const token = cloud.state.tokens[id];
  if (token === undefined || Date.parse(token.expiresAt) < Date.now()) return undefined;
  if (!cloud.faults.keystone.take('tokenExpired')) return token;
  revoke(cloud, id);
  return undefined;
}

export function holderOf(cloud: Cloud, id: unknown): Account | undefined {
  const token = goodToken(cloud, id);
  return token && accountOf(cloud, token.user);
}

export function revoke(cloud: Cloud, id: string): void {
  delete cloud.state.tokens[id];
  cloud.save();
}
