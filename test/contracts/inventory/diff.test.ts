import { describe, expect, test } from 'vitest';
import { diffInventories } from '../../../contracts/inventory/diff.ts';
import { Inventory } from '../../../contracts/inventory/inventory.ts';

const base = {
  site: 's',
  holdFor: '1h',
  bmc: { tls: 'verify' },
  machineTypes: [{ name: 'gpu' }],
  nodes: [
    { name: 'a', type: 'gpu', bmc: { address: 'https://a' }, ports: [{ mac: '52:54:00:00:00:01' }] },
    { name: 'b', type: 'gpu', bmc: { address: 'https://b' } },
  ],
};
const diff = (after: object) =>
  diffInventories(Inventory.parse(base), Inventory.parse({ ...base, ...after }));
const [a, b] = base.nodes as [object, object];

describe('diffInventories', () => {
  test('equal meaning is no change, whatever the notation and the order of nodes', () => {
    expect(diff({ holdFor: 3600, nodes: [b, a] })).toEqual([]);
  });

  test('names each changed field by its path', () => {
    expect(
      diff({
        holdFor: '2h',
        onHold: 'leave',
        bmc: {},
        nodes: [
          { ...a, ports: [{ mac: '52:54:00:00:00:02' }], bmc: { address: 'https://c' } },
          { name: 'c', type: 'gpu' },
        ],
      }),
    ).toEqual([
      { path: 'bmc.tls', kind: 'removed', before: 'verify' },
      { path: 'nodes[a].bmc.address', kind: 'changed', before: 'https://a', after: 'https://c' },
      {
        path: 'nodes[a].ports',
        kind: 'changed',
        before: [{ mac: '52:54:00:00:00:01' }],
        after: [{ mac: '52:54:00:00:00:02' }],
      },
      expect.objectContaining({ path: 'nodes[b]', kind: 'removed' }),
      expect.objectContaining({ path: 'nodes[c]', kind: 'added' }),
      { path: 'holdFor', kind: 'changed', before: 3600, after: 7200 },
      { path: 'onHold', kind: 'added', after: 'leave' },
    ]);
  });

  test('a list that becomes or was empty', () => {
    expect(diff({ nodes: [] }).map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'removed nodes[a]',
      'removed nodes[b]',
    ]);
    expect(
      diff({ images: [{ name: 'i', url: 'u', checksum: `sha256:${'0'.repeat(64)}`, format: 'raw' }] }),
    ).toEqual([expect.objectContaining({ path: 'images[i]', kind: 'added' })]);
  });
});
