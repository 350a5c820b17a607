import { describe, expect, it } from 'vitest';
import {
  accessDifferences,
  readAccount,
  shownAccount,
  type Account,
  type BmcAccess,
} from '../../../core/redfish/accounts.ts';
import { shownList } from '../../../core/redfish/comparison.ts';

const account = (name: string, enabled: boolean | null = true, role: string | null = null): Account => ({
  name,
  role,
  enabled,
});
const face = (enabled: boolean | null) => ({ uri: '/m/1/HostInterfaces/1', type: null, enabled });
const seen = (accounts: readonly Account[] | null, over: Partial<BmcAccess> = {}): BmcAccess => ({
  accounts,
  unread: 0,
  hostInterfaces: null,
  forbidden: [],
  ...over,
});

describe('an account', () => {
  it.each([
    [{ UserName: 'root', RoleId: 'Administrator', Enabled: true }, account('root', true, 'Administrator')],
    [{ UserName: 'root' }, account('root', null)],
    // An unused slot.
    [{ UserName: '', Enabled: false }, undefined],
    [{ UserName: null }, undefined],
    // The user without a name that IPMI knows.
    [{ UserName: '', Enabled: true }, account('')],
    // Words that a lenient reader takes for "I do not know".
    [{ UserName: 'none', Enabled: true }, account('none')],
    [{ UserName: 'unknown', Enabled: 'True' }, account('unknown')],
    ['nothing', undefined],
  ])('of %j is %j', (body, expected) => expect(readAccount(body)).toEqual(expected));
});

describe('accounts against the contract', () => {
  const expected = { own: 'rackwright', accounts: ['monitor'], hostInterface: undefined };
  it.each([
    ['the own one and those that may be', [account('rackwright'), account('monitor')], []],
    ['a foreign one that is disabled', [account('rackwright'), account('tenant', false)], []],
    [
      'a foreign one',
      [account('rackwright'), account('tenant', true, 'Administrator')],
      ['account "tenant" (Administrator) is enabled'],
    ],
    ['one of which it is not said', [account('tenant', null)], ['account "tenant" is enabled']],
    ['a name that differs in case', [account('Monitor')], ['account "Monitor" is enabled']],
    [
      'a name with a space behind',
      [account('monitor ')],
      ['account "monitor" with characters that are not shown is enabled'],
    ],
    ['the one without a name', [account('')], ['an account without a name is enabled']],
  ])('%s', (_, accounts, differences) => {
    expect(accessDifferences(seen(accounts), expected)).toEqual({ differences, untold: [], forbidden: [] });
  });

  it('of which the contract does not speak make no difference', () => {
    const silent = { own: 'rackwright', accounts: undefined, hostInterface: undefined };
    const all = seen([account('tenant')], { hostInterfaces: [face(true)] });
    expect(accessDifferences(all, silent)).toEqual({ differences: [], untold: [], forbidden: [] });
  });

  it('that our account may not read are neither told nor untold', () => {
    const kept = seen(null, { forbidden: ['accounts', 'host interface'] });
    expect(accessDifferences(kept, { ...expected, hostInterface: 'disabled' })).toEqual({
      differences: [],
      untold: [],
      forbidden: ['accounts', 'host interface'],
    });
    const silent = { own: 'rackwright', accounts: undefined, hostInterface: undefined };
    expect(accessDifferences(kept, silent).forbidden).toEqual([]);
  });

  it('that are not shown, or cannot be read, are untold', () => {
    expect(accessDifferences(seen(null), expected)).toEqual({
      differences: [],
      untold: ['accounts'],
      forbidden: [],
    });
    expect(accessDifferences(seen([], { unread: 2 }), expected).untold).toEqual([
      '2 accounts that are listed',
    ]);
  });
});

describe('the host interface', () => {
  const differs = (wanted: 'enabled' | 'disabled', hostInterfaces: BmcAccess['hostInterfaces']) =>
    accessDifferences(seen([], { hostInterfaces }), { own: 'a', accounts: undefined, hostInterface: wanted });
  const is = (what: string) => [`host interface "/m/1/HostInterfaces/1" is ${what}`];
  it.each([
    ['disabled', [face(false)], [], []],
    ['disabled', [face(true)], is('enabled'), []],
    ['disabled', [face(false), face(true)], is('enabled'), []],
    ['enabled', [face(true)], [], []],
    ['enabled', [face(false)], is('disabled'), []],
    ['disabled', null, [], ['host interface']],
    ['disabled', [], [], ['host interface']],
    ['enabled', [face(null)], [], ['host interface']],
  ] as const)('that is to be %s, shown as %j', (wanted, shown, differences, untold) => {
    expect(differs(wanted, shown)).toEqual({ differences, untold, forbidden: [] });
  });
});

describe('what a tenant could have named', () => {
  it('is one line, capped, and cannot be read as words of ours', () => {
    expect(shownAccount(account(`x" is allowed.\n\u202eresume`))).toBe(
      `account "x' is allowed. resume" with characters that are not shown`,
    );
    expect(shownAccount(account('n'.repeat(300))).length).toBe('account ""'.length + 60);
  });

  it('is listed up to a number', () => {
    const items = Array.from({ length: 20 }, (_, i) => `d${i}`);
    expect(shownList(items)).toMatch(/^d0; d1;.*; d15; and 4 more$/);
    expect(shownList(['a', 'b'])).toBe('a; b');
  });
});
