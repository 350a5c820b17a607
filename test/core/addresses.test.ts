import { describe, expect, it, test } from 'vitest';
import {
  isHostAddress,
  isInNetwork,
  netmask,
  parseAddress,
  parseCidr,
  sameAddress,
} from '../../core/addresses.ts';

describe('addresses as numbers', () => {
  test.each([
    ['0.0.0.0', 4, 0n],
    ['10.1.2.3', 4, 0x0a010203n],
    ['255.255.255.255', 4, 0xffffffffn],
    ['::', 6, 0n],
    ['::1', 6, 1n],
    ['fd00::', 6, 0xfd00n << 112n],
    ['1:2:3:4:5:6:7:8', 6, 0x00010002000300040005000600070008n],
    ['::ffff:10.1.2.3', 6, 0xffff0a010203n],
  ])('%s', (text, family, value) => {
    expect(parseAddress(text)).toEqual({ family, value });
  });

  test.each([
    '',
    '10.1.2',
    '10.1.2.256',
    '10.1.2.010',
    '10.1.2.3/24',
    'host',
    ':',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4::5:6:7:8',
    'fe80::1%eth0',
    '::ffff:10.1.2.256',
    '12345::',
  ])('%j is none', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

it('knows what lies in a network', () => {
  const inside = (address: string, cidr: string) => isInNetwork(parseAddress(address)!, parseCidr(cidr)!);
  expect(inside('10.1.0.255', '10.1.0.0/24')).toBe(true);
  expect(inside('10.1.1.0', '10.1.0.0/24')).toBe(false);
  expect(inside('10.1.1.0', '10.1.0.99/23')).toBe(true);
  expect(inside('192.0.2.1', '0.0.0.0/0')).toBe(true);
  expect(inside('fd00::1', 'fd00::/64')).toBe(true);
  expect(inside('fd00:0:0:1::1', 'fd00::/64')).toBe(false);
  expect(inside('fd00::1', '0.0.0.0/0')).toBe(false);
});

it('knows what a host may have', () => {
  const fit = (address: string, cidr: string) => isHostAddress(parseAddress(address)!, parseCidr(cidr)!);
  expect(fit('10.1.0.1', '10.1.0.0/24')).toBe(true);
  expect(fit('10.1.0.0', '10.1.0.0/24')).toBe(false);
  expect(fit('10.1.0.255', '10.1.0.0/24')).toBe(false);
  expect(fit('10.1.0.0', '10.1.0.0/31')).toBe(true);
  expect(fit('10.1.0.7', '10.1.0.7/32')).toBe(true);
  expect(fit('fd00::', 'fd00::/64')).toBe(false);
  expect(fit('fd00::ffff:ffff:ffff:ffff', 'fd00::/64')).toBe(true);
});

it('writes masks, refuses networks that are none, and sees through notations', () => {
  expect(netmask(parseCidr('10.1.0.0/20')!)).toBe('255.255.240.0');
  expect(netmask(parseCidr('fd00::/56')!)).toBe('ffff:ffff:ffff:ff00:0:0:0:0');
  expect(netmask(parseCidr('10.1.0.0/0')!)).toBe('0.0.0.0');
  for (const text of ['10.1.0.0/33', 'fd00::/129', '10.1.0.0', '10.1.0.0/x'])
    expect(parseCidr(text)).toBeUndefined();
  expect(sameAddress('fd00::1', 'FD00:0:0:0:0:0:0:1')).toBe(true);
  expect(sameAddress('10.0.0.1', '::10.0.0.1')).toBe(false);
  expect(sameAddress('a', 'a')).toBe(false);
});
