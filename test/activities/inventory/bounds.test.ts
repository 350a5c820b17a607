import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import { checkInventory, type LoadResult } from '../../../activities/inventory/load.ts';

const check = (text: string): Promise<LoadResult> => checkInventory([{ file: 'x.yaml', text }], '/nowhere');

const messages = async (text: string): Promise<string[]> => {
  const result = await check(text);
  return result.ok ? [] : result.problems.map(({ message }) => message);
};

describe('what an inventory may cost', () => {
  const TOO_MUCH = ['is nested too deeply, or grows too large by its aliases'];

  test('aliases that multiply', async () => {
    const levels = Array.from({ length: 12 }, (_, i) =>
      i === 0
        ? 'a0: &a0 [x, x, x, x, x, x, x, x]'
        : `a${i}: &a${i} [${Array(8)
            .fill(`*a${i - 1}`)
            .join(', ')}]`,
    );
    expect(await messages(levels.join('\n'))).toEqual(TOO_MUCH);
  });

  test('merges that multiply', async () => {
    const levels = Array.from({ length: 24 }, (_, i) =>
      i === 0 ? 'a0: &a0 { x: 1 }' : `a${i}: &a${i} { l: { <<: *a${i - 1} }, r: { <<: *a${i - 1} } }`,
    );
    expect(await messages(levels.join('\n'))).toEqual(TOO_MUCH);
  });

  test('an alias to what is around it', async () => {
    expect(await messages('site: &a [*a]')).toEqual(['is an alias (`*`) without an anchor (`&`) before it']);
  });

  test('deep nesting', async () => {
    expect(await messages(`site: ${'['.repeat(40)}${']'.repeat(40)}`)).toEqual(TOO_MUCH);
    expect(await check('['.repeat(100_000))).toMatchObject({ ok: false });
  });

  test('10,000 nodes, each with the anchor of its rack, are checked in seconds', async () => {
    const nodes = Array.from({ length: 10_000 }, (_, i) => {
      const mac = [i >> 16, (i >> 8) & 255, i & 255].map((b) => b.toString(16).padStart(2, '0')).join(':');
      return `  - name: n${i}
    type: gpu
    bmc:
      address: https://bmc-${i}.example
      credentials: *c
    ports:
      - { mac: '52:54:00:${mac}', network: provisioning }
    location: { rack: r${i >> 4}, unit: ${(i % 40) + 1} }`;
    });
    const text = `site: s
bmc: { credentials: &c { username: a, password: env:B } }
networks: { provisioning: { cidr: 10.0.0.0/16 } }
machineTypes: [{ name: gpu }]
nodes:
${nodes.join('\n')}
`;
    const started = performance.now();
    const result = await check(text);
    expect(result).toMatchObject({ ok: true });
    // Many times what it takes: this fails on quadratic work, not on a slow machine.
    expect(performance.now() - started).toBeLessThan(60_000);

    const wrong = await check(text.replaceAll('type: gpu', 'type: cpu').replaceAll(/bmc-\d+/g, 'bmc-0'));
    expect(wrong.ok ? 0 : wrong.problems.length).toBe(10_000 + 9_999);
  });
});

describe('the loader never throws', () => {
  test('on any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 400 }), async (text) => {
        expect((await check(text)).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test('on text of YAML punctuation', async () => {
    const piece = fc.constantFrom(
      'site',
      'nodes',
      'name',
      ': ',
      '- ',
      '\n',
      '  ',
      '&a ',
      '*a',
      '<<',
      '{',
      '}',
      '[',
      ']',
      ', ',
      '"',
      "'",
      '|',
      '>',
      '!!str ',
      '!x ',
      '# ',
      '---',
      '...',
      '%YAML 1.2',
      '? ',
      '\t',
      '1',
      '~',
      '@',
      '`',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
        const result = await check(pieces.join(''));
        for (const { line, column } of result.ok ? [] : result.problems) {
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('on any value under the names of an inventory', async () => {
    const key = fc.constantFrom(
      'site',
      'bmc',
      'media',
      'iso',
      'gatewayUrl',
      'networks',
      'images',
      'machineTypes',
      'nodes',
      'name',
      'type',
      'ports',
      'mac',
      'address',
      'system',
      'credentials',
      'tls',
      'ca',
      'acceptance',
      'openstack',
      'ironic',
      'driver',
      'driverInfo',
      'firmware',
      'baselines',
      'types',
      'url',
      '__proto__',
      'constructor',
      'toString',
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(null, true, 0, -1, 1.5, '', 'a', 'ironic', 'https://a', 'file:x', 'exec:x', 'n1'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(value, async (any) => {
        const result = await check(stringify(any));
        // A name for the site is all that an inventory needs: a few of these values are inventories.
        for (const { line, column } of result.ok ? [] : result.problems) {
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
        }
      }),
      { numRuns: 500 },
    );
  });
});
