import { describe, expect, it } from 'vitest';
import { readNode } from '../../../core/ironic/node.ts';
import { readingOf } from '../../../core/ironic/reading.ts';

const OWNER = { site: 's', node: 'n' };
const node = (over: object) =>
  readNode({
    uuid: 'u',
    name: 'n',
    provision_state: 'active',
    power_state: 'power on',
    target_power_state: null,
    maintenance: false,
    fault: null,
    extra: { rackwright: OWNER },
    ...over,
  });

describe('what Ironic says of a node', () => {
  it.each<[string, object, object | string]>([
    ['as it is', {}, { power: 'on', health: 'no fault in Ironic' }],
    ['off', { power_state: 'power off' }, { power: 'off', health: 'no fault in Ironic' }],
    ['being switched: no power', { target_power_state: 'power off' }, { health: 'no fault in Ironic' }],
    ['a power that it does not know', { power_state: null }, { health: 'no fault in Ironic' }],
    [
      'a fault',
      { fault: 'power failure', maintenance: true, power_state: null },
      { health: 'Ironic: power failure' },
    ],
    [
      'maintenance by an operator',
      { maintenance: true, maintenance_reason: 'new\nfans' },
      { power: 'on', health: 'in maintenance in Ironic: new fans' },
    ],
    ['of somebody else', { extra: {} }, 'IRONIC_NODE_FOREIGN'],
  ])('%s', (_, over, expected) => {
    expect(readingOf(node(over), OWNER)).toEqual(expected);
  });

  it('that it does not have', () => {
    expect(readingOf(undefined, OWNER)).toBe('IRONIC_NODE_MISSING');
  });
});
