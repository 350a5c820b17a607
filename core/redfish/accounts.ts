import { quoted, shownWord, type Comparison } from './comparison.ts';
import { asBoolean, asText, at } from './read.ts';

/** One account of a BMC. A slot that nobody uses is none. */
export interface Account {
  /** Empty: an account that anyone can use without a name. */
  readonly name: string;
  readonly role: string | null;
  readonly enabled: boolean | null;
}

/** One way from the host to its BMC. */
export interface HostInterface {
  readonly uri: string;
  readonly type: string | null;
  readonly enabled: boolean | null;
}

/** What a BMC shows of who can get in; null: it does not show that at all. */
export interface BmcAccess {
  readonly accounts: readonly Account[] | null;
  /** Accounts that are listed and could not be read. */
  readonly unread: number;
  readonly hostInterfaces: readonly HostInterface[] | null;
  /** What our account may not read. */
  readonly forbidden: readonly Forbidden[];
}

/** Parts of a BMC that an account may be kept from reading. */
export type Forbidden = 'accounts' | 'host interface';

/** What the contract says of it; undefined: nothing. */
export interface ExpectedAccess {
  /** The user name that the contract logs in with. */
  readonly own: string;
  readonly accounts: readonly string[] | undefined;
  readonly hostInterface: 'enabled' | 'disabled' | undefined;
}

/**
 * Reads an account; undefined for an unused slot. The name is taken as it stands: `none` and `unknown` are
 * names that someone may have given an account so that it is overlooked.
 */
export function readAccount(body: unknown): Account | undefined {
  const raw = at(body, 'UserName');
  const name = typeof raw === 'string' ? raw : typeof raw === 'number' ? String(raw) : '';
  const enabled = asBoolean(at(body, 'Enabled'));
  if (name.trim() === '' && enabled !== true) return undefined;
  return { name, role: asText(at(body, 'RoleId')), enabled };
}

export const readHostInterface = (uri: string, body: unknown): HostInterface => ({
  uri,
  type: asText(at(body, 'HostInterfaceType')),
  enabled: asBoolean(at(body, 'InterfaceEnabled')),
});

/** Accounts beside the own one that can be used, or are not said to be disabled. */
export const othersOf = ({ accounts }: BmcAccess, own: string): Account[] =>
  (accounts ?? []).filter(({ name, enabled }) => enabled !== false && name !== own);

/** An account for people. */
export const shownAccount = ({ name, role }: Account): string =>
  `${name.trim() === '' ? 'an account without a name' : `account ${quoted(name)}`}${role === null ? '' : ` (${shownWord(role)})`}`;

/** How the ways into a BMC differ from what the contract says of them. */
export function accessDifferences(seen: BmcAccess, expected: ExpectedAccess): Comparison {
  const differences: string[] = [];
  const untold: string[] = [];
  const forbidden: string[] = [];
  if (expected.accounts !== undefined) {
    const allowed = new Set(expected.accounts);
    for (const account of othersOf(seen, expected.own)) {
      if (!allowed.has(account.name)) differences.push(`${shownAccount(account)} is enabled`);
    }
    if (seen.forbidden.includes('accounts')) forbidden.push('accounts');
    else if (seen.accounts === null) untold.push('accounts');
    else if (seen.unread > 0) untold.push(`${seen.unread} accounts that are listed`);
  }
  if (expected.hostInterface !== undefined) {
    const wanted = expected.hostInterface === 'enabled';
    const told = (seen.hostInterfaces ?? []).filter(({ enabled }) => enabled !== null);
    if (seen.forbidden.includes('host interface')) forbidden.push('host interface');
    else if (told.length === 0) untold.push('host interface');
    for (const { uri, enabled } of told) {
      if (enabled === wanted) continue;
      differences.push(`host interface ${quoted(uri)} is ${enabled === true ? 'enabled' : 'disabled'}`);
    }
  }
  return { differences, untold, forbidden };
}
