import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeState } from '../../workflows/messages.ts';
import { codeBlocks } from '../docs/code-blocks.ts';
import { startProduct, type Product } from './support/product.ts';

// What a newcomer types, as it stands in the tutorial, after `up` in the first terminal.
const TUTORIAL = 'docs/tutorials/first-node.md';
const typed = codeBlocks(TUTORIAL, 'console')
  .flatMap((block) => block.split('\n'))
  .flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []))
  .filter((line) => !/^(npm run demo|npx rackwright up )/.test(line));

let product: Product;
let node: string;
let image: string;

beforeAll(async () => {
  product = await startProduct({ lab: { servers: 2, speed: 10 } });
  const { nodes } = await product.json<{ nodes: { node: string }[] }>('node', 'list');
  node = nodes[0]!.node;
  const inventory = parse(await readFile(join(product.dataDir, 'lab', 'inventory.yaml'), 'utf8')) as {
    images: { name: string }[];
  };
  image = inventory.images[0]!.name;
});

afterAll(() => product?.stop());

const filled = (line: string): string =>
  line
    .replaceAll(/\bNODE\b/g, node)
    .replaceAll(/\bIMAGE\b/g, image)
    .replaceAll(/\bLAB\b/g, product.urls.lab!);

/** Does what the line says; answers the exit code. */
async function type(line: string): Promise<number> {
  const ours = /^npx rackwright (.*)$/.exec(line);
  if (ours) return (await product.cli(...ours[1]!.split(' '))).code;
  const curl = /^curl -X PUT (\S+) -H '([^:]+): ([^']+)' -d '([^']+)'$/.exec(line);
  if (!curl) throw new Error(`what is this? ${line}`);
  const [, url, header, value, body] = curl;
  const { ok } = await fetch(url!, { method: 'PUT', headers: { [header!]: value! }, body: body! });
  return ok ? 0 : 1;
}

describe('the tutorial', () => {
  it('has commands to type', () => {
    expect(typed.length).toBeGreaterThan(8);
  });

  // One after the other: each begins where the one before has left the node.
  it.each(typed)('%s', async (line) => {
    // The re-image with wrong bytes is held, which is what the tutorial shows.
    const held = line.includes('node reimage');
    expect(await type(filled(line))).toBe(held ? 4 : 0);
    if (held) {
      expect(await product.json<NodeState>('node', 'show', node)).toMatchObject({
        phase: 'deploy-failed',
        operation: { held: true, failure: { code: 'IMAGE_CHECKSUM_MISMATCH', faultDomain: 'image-supply' } },
      });
    }
    if (line.includes('node deploy')) {
      expect(await product.json<NodeState>('node', 'show', node)).toMatchObject({
        phase: 'active',
        owner: 'team-a',
      });
    }
  });

  it('ends with the node available to the next one, erased', async () => {
    expect(await product.json<NodeState>('node', 'show', node)).toMatchObject({
      phase: 'available',
      owner: null,
      resident: { kind: 'none' },
      residue: [],
    });
  });
});
