import { expect, test } from 'vitest';
import { sentence } from '../../../../activities/drivers/redfish/bmc.ts';

test('a sentence begins with a capital, a name stays as it is', () => {
  expect(sentence('the power is on', undefined, 'no override is set')).toBe(
    'The power is on; no override is set',
  );
  expect(sentence('node-001.iso is inserted')).toBe('node-001.iso is inserted');
  expect(sentence('ubuntu-24.04 written to /dev/sda')).toBe('ubuntu-24.04 written to /dev/sda');
  expect(sentence('')).toBe('');
});
