import { describe, expect, it } from 'vitest';
import { judgeIdentity, readIdentity, type Identity } from '../../../core/host/identity.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGgQmvKcJZfNTAF1n7m8q3pPqvY0eHl5Yw9o3VZ8aT1x';
const OWN: Identity = {
  hostname: 'c1',
  staticHostname: 'c1',
  machineId: '3d1219c7c4c5404aaa1f6d2a48adfda4',
  bootId: '5c6b1a7e-8c1d-4f0e-9d57-0d3c2b1a9f11',
  productUuid: '4c4c4544-0042-3510-8052-b7c04f4d3533',
  hostKeys: [KEY],
};
const OTHER: Identity = {
  hostname: 'c2',
  staticHostname: 'c2',
  machineId: 'b1946ac92492d2347c6235b4d2611184',
  bootId: '0f4a2b3c-1d2e-4a5b-8c7d-9e8f7a6b5c4d',
  productUuid: '4c4c4544-0042-3510-8052-b7c04f4d3534',
  hostKeys: [KEY.replace('GgQ', 'XYZ')],
};
const said = (expected: string, own: Partial<Identity>, other: Partial<Identity> = {}) =>
  judgeIdentity(expected, { ...OWN, ...own }, new Map([['c2', { ...OTHER, ...other }]])).map(
    ({ message }) => message,
  );

describe('who a host is', () => {
  it('is read from its files, where it has them', () => {
    const file = (text: string, exit = 0) => ({ text, exit });
    expect(
      readIdentity({
        hostname: file('c1'),
        'static-hostname': file('# set by the installer\nc1'),
        'machine-id': file('3d1219c7c4c5404aaa1f6d2a48adfda4'),
        'boot-id': file('5c6b1a7e-8c1d-4f0e-9d57-0d3c2b1a9f11'),
        'product-uuid': file('4C4C4544-0042-3510-8052-B7C04F4D3533'),
        'host-keys': file(`${KEY} root@c1`),
      }),
    ).toEqual(OWN);
    expect(readIdentity({ 'static-hostname': file('', 1), 'product-uuid': file('', 1) })).toEqual({
      hostname: undefined,
      staticHostname: undefined,
      machineId: undefined,
      bootId: undefined,
      productUuid: undefined,
      hostKeys: [],
    });
  });

  it.each([
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    '03000200-0400-0500-0006-000700080009',
  ])('is not told by the system UUID %s, which boards have that were given none', (text) => {
    expect(readIdentity({ 'product-uuid': { text, exit: 0 } }).productUuid).toBeUndefined();
  });
});

describe('a host', () => {
  it('that is called as the contract says, and is like no other, is right', () => {
    expect(said('c1', {})).toEqual([]);
  });

  it.each<[string, Partial<Identity>, Partial<Identity>, string, RegExp]>([
    ['no static name', { staticHostname: undefined }, {}, 'c1', /no static host name .* says c1/],
    [
      'another static name',
      { staticHostname: 'c1.example.org' },
      {},
      'c1',
      /is c1.example.org, and the contract says c1/,
    ],
    [
      'another name in use',
      { hostname: 'localhost' },
      {},
      'c1',
      /calls itself localhost, .* static host name is c1/,
    ],
    ['no machine-id', { machineId: undefined }, {}, 'c1', /machine-id holds nothing/],
    ['a machine-id to come', { machineId: 'uninitialized' }, {}, 'c1', /no id: uninitialized/],
    ['one boot id', {}, { bootId: OWN.bootId }, 'c1', /c2 are the same machine: they have one boot id/],
    [
      'one system UUID',
      {},
      { productUuid: OWN.productUuid },
      'c1',
      /c2 are the same machine: .* one system UUID/,
    ],
    ['one machine-id', {}, { machineId: OWN.machineId }, 'c1', /c2 have one machine-id, 3d12/],
    ['one host key', {}, { hostKeys: [KEY] }, 'c1', /c2 have one SSH host key/],
  ])('with %s is not', (_what, own, other, expected, message) => {
    expect(said(expected, own, other)).toEqual([expect.stringMatching(message)]);
  });

  it("reached by two names is the contract's fault, and told once", () => {
    const twice = new Map([['c2', OWN]]);
    expect(judgeIdentity('c1', OWN, twice)).toEqual([expect.objectContaining({ faultDomain: 'contract' })]);
  });

  it('that does not tell is not taken for another that does not', () => {
    const silent = { productUuid: undefined, bootId: undefined, hostKeys: [] };
    expect(said('c1', silent, silent)).toEqual([]);
  });
});
