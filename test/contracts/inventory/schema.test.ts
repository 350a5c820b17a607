import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { canonicalJson } from '../../../core/canonical-json.ts';
import { crossCheck } from '../../../contracts/inventory/cross-checks.ts';
import { Inventory } from '../../../contracts/inventory/inventory.ts';
import { inventorySchema } from '../../../contracts/inventory/json-schema.ts';
import { RULES } from '../../../contracts/inventory/rules.ts';

const gpuRack = (): unknown => parse(readFileSync('examples/gpu-rack.yaml', 'utf8'), { merge: true });

describe('the schema', () => {
  test('a normalised inventory is its own normal form', () => {
    const once = Inventory.parse(gpuRack());
    expect(Inventory.parse(once)).toEqual(once);
    expect(once).toMatchObject({ holdFor: 259_200, timeouts: { deadlines: { deploy: 7200 } } });
  });

  test('each message of a rule stands for one correction', () => {
    const messages = Object.values(RULES).map(({ message }) => message);
    expect(new Set(messages).size).toBe(messages.length);
  });

  test('as JSON Schema it names every top-level field and allows no others', () => {
    const schema = inventorySchema();
    expect(schema).toMatchObject({ type: 'object', required: ['site'], additionalProperties: false });
    expect(Object.keys(schema['properties'] as object).sort()).toEqual(
      [
        'acceptance',
        'bmc',
        'controllers',
        'erase',
        'firmware',
        'holdFor',
        'images',
        'kubernetes',
        'machineTypes',
        'maintenance',
        'media',
        'networks',
        'nightly',
        'nodes',
        'onFailure',
        'onHold',
        'openstack',
        'requires',
        'site',
        'timeouts',
        'vantagePoints',
      ].sort(),
    );
    // What is written, not what it becomes: durations are text.
    expect(schema).toMatchObject({
      properties: { holdFor: { type: ['string', 'number'] } },
    });
  });
});

test('as JSON Schema it takes what the inventory takes, and refuses unknown fields', () => {
  const fromJson = z.fromJSONSchema(inventorySchema() as Parameters<typeof z.fromJSONSchema>[0]);
  expect(fromJson.safeParse(gpuRack()).error?.issues ?? []).toEqual([]);
  expect(fromJson.safeParse({ ...(gpuRack() as object), nodez: [] }).success).toBe(false);
  expect(fromJson.safeParse({ site: 's', nodes: [{ name: 'a', type: 't', colour: 'red' }] }).success).toBe(
    false,
  );
});

describe('crossCheck', () => {
  test('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (nodes, media, rest) => {
        crossCheck({
          nodes,
          media,
          images: rest,
          networks: rest,
          openstack: rest,
          firmware: { baselines: nodes },
        });
        crossCheck({ nodes: [{ bmc: nodes, ports: media, ironic: rest }], media: { gatewayUrl: rest } });
        crossCheck(rest);
      }),
    );
  });

  test('two systems behind one BMC are two nodes, if both say which', () => {
    const paths = (first: object, second: object) =>
      crossCheck({
        bmc: { credentials: { username: 'a', password: 'env:A' } },
        machineTypes: [{ name: 't' }],
        nodes: [
          { name: 'a', type: 't', bmc: { address: 'https://b', ...first } },
          { name: 'b', type: 't', bmc: { address: 'https://b/', ...second } },
        ],
      }).map(({ path }) => path);
    const [one, two] = [{ system: '/redfish/v1/Systems/1' }, { system: '/redfish/v1/Systems/2/' }];
    const wrong = [['nodes', 1, 'bmc', 'address']];
    expect(paths(one, two)).toEqual([]);
    expect(paths(one, one)).toEqual(wrong);
    expect(paths(one, {})).toEqual(wrong);
    expect(paths({}, {})).toEqual(wrong);
  });
});

describe('canonicalJson', () => {
  test('equal values give equal text, whatever the order of their keys', () => {
    expect(canonicalJson({ b: [{ d: 1, c: undefined }], a: null })).toBe('{"a":null,"b":[{"d":1}]}');
    const shuffled = (value: unknown): unknown =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
            Object.entries(value)
              .toReversed()
              .map(([key, inner]) => [key, shuffled(inner)]),
          )
        : Array.isArray(value)
          ? value.map(shuffled)
          : value;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

test.each([
  [{ LogicalProc: 'Disabled', NumaNodesPerSocket: 4, Turbo: true, AssetTag: '' }, undefined],
  [{}, RULES.biosSettings.message],
  [{ '1st': 'x' }, RULES.biosAttribute.message],
  [{ A: 1.5 }, RULES.biosValue.message],
  [{ A: null }, RULES.biosValue.message],
  [{ A: ['x'] }, RULES.biosValue.message],
  [{ A: 'two\nlines' }, RULES.biosValue.message],
  [Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`A${i}`, i])), RULES.biosSettings.message],
])('BIOS settings of a machine type: %j', (bios, message) => {
  const result = Inventory.safeParse({ site: 's', machineTypes: [{ name: 'a', bios }] });
  const said = JSON.stringify(result.error?.issues ?? []);
  if (message === undefined) expect(result.data?.machineTypes[0]?.bios).toEqual(bios);
  else expect(said).toContain(message);
});
