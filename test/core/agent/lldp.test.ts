import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLldp } from '../../../core/agent/lldp.ts';

const silent = { chassisId: null, systemName: null, portId: null, portDescription: null };
const ascii = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

it('reads a frame of a switch as ironic-python-agent tells it', () => {
  expect(
    readLldp([
      [1, '04885a92ec5459'],
      [2, '0545746865726e6574312f3138'],
      [3, '0078'],
      [4, ascii('gpu-01')],
      [5, ascii('leaf-r1a.dc.example')],
      [127, '0080c2010001'],
      [0, ''],
    ]),
  ).toEqual({
    chassisId: '88:5a:92:ec:54:59',
    portId: 'Ethernet1/18',
    portDescription: 'gpu-01',
    systemName: 'leaf-r1a.dc.example',
  });
});

it.each([
  ['a component', '01', ascii('chassis 1'), 'chassis 1'],
  ['an alias of an interface', '02', ascii('uplink'), 'uplink'],
  ['a MAC', '04', 'AABBCC000102', 'aa:bb:cc:00:01:02'],
  ['an IPv4 address', '05', '010a000001', '10.0.0.1'],
  ['an IPv6 address', '05', '02fd00000000000000000000000000002a', 'fd00:0000:0000:0000:0000:0000:0000:002a'],
  ['an address of another family', '05', '06aabbcc', '06:aa:bb:cc'],
  ['the name of an interface', '06', ascii('swp1'), 'swp1'],
  ['a local name, with a NUL at its end', '07', `${ascii('leaf-1')}00`, 'leaf-1'],
  ['the bytes of a MAC for a local name', '07', 'aabbcc000102', 'aa:bb:cc:00:01:02'],
  ['other bytes that are no text', '07', 'ff00ff', null],
  ['text that would break lines', '07', ascii('a\nb'), null],
  ['a MAC of another length is text', '04', ascii('leaf'), 'leaf'],
  ['nothing', '04', '', null],
  ['spaces', '07', '2020', null],
])('a chassis id that is %s', (_what, subtype, value, expected) => {
  expect(readLldp([[1, `${subtype}${value}`]])?.chassisId ?? null).toBe(expected);
});

it.each([
  ['an alias of an interface', '01', ascii('uplink'), 'uplink'],
  ['a MAC', '03', 'aabbcc000102', 'aa:bb:cc:00:01:02'],
  ['an IPv4 address', '04', '010a000001', '10.0.0.1'],
  ['the name of an interface', '05', ascii('Ethernet1/1'), 'Ethernet1/1'],
  ['a local number', '07', ascii('526'), '526'],
])('a port id that is %s', (_what, subtype, value, expected) => {
  expect(readLldp([[2, `${subtype}${value}`]])?.portId ?? null).toBe(expected);
});

it.each([
  ['no LLDP collected', null],
  ['nothing heard', []],
  [
    'only what we do not ask for',
    [
      [3, '0078'],
      [0, ''],
    ],
  ],
  ['half a byte', [[5, '6']]],
  ['no hexadecimal', [[5, 'leaf-1']]],
  ['more bytes than a frame has room for', [[5, '61'.repeat(512)]]],
  [
    'something behind the end',
    [
      [0, ''],
      [5, '61'],
    ],
  ],
  ['types that are no numbers', [['5', '61']]],
  ['no pairs', ['5', 5, {}, [], null]],
])('%s is nothing told', (_what, tlvs) => {
  expect(readLldp(tlvs)).toBeNull();
});

it('of what a frame repeats, the first counts; and texts are bounded', () => {
  expect(
    readLldp([
      [5, '61'],
      [5, '62'],
      [4, '63'.repeat(511)],
    ]),
  ).toEqual({
    ...silent,
    systemName: 'a',
    portDescription: 'c'.repeat(255),
  });
});

it('never throws, and tells short printable texts or nothing', () => {
  const value = fc.oneof(
    fc.anything(),
    fc.string(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('hex')),
  );
  const tlv = fc.oneof(
    fc.anything(),
    fc.tuple(fc.oneof(fc.integer({ min: 0, max: 8 }), fc.anything()), value),
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.array(tlv)), (tlvs) => {
      for (const text of Object.values(readLldp(tlvs) ?? {}) as (string | null)[]) {
        expect(text === null || (/^\P{C}+$/u.test(text) && text.length <= 512 * 3)).toBe(true);
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});
