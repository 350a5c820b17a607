import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../activities/inventory/problems.ts';
import { loadInventory } from '../../../activities/inventory/load.ts';

const examples = readdirSync('examples').filter((name) => name.endsWith('.yaml'));

describe('the examples', () => {
  test('are there', () => {
    expect(examples).toEqual(['gpu-rack.yaml', 'ironic.yaml', 'minimal.yaml']);
  });

  test.each(examples)('%s is valid from a bare clone', async (name) => {
    const result = await loadInventory(`examples/${name}`);
    expect(result.ok ? [] : result.problems.map(formatProblem)).toEqual([]);
  });
});
