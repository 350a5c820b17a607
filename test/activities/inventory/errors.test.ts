import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkInventory } from '../../../activities/inventory/load.ts';
import { RIGHT, folderWithFiles } from './right.ts';
import { WRONG } from './wrong.ts';

let folder: string;
beforeAll(() => {
  folder = folderWithFiles();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** `line:column field message` of every problem. */
async function problemsOf(text: string, options: { allowExec?: boolean } = {}): Promise<string[]> {
  const result = await checkInventory([{ file: 'rack.yaml', text }], folder, options);
  if (result.ok) return [];
  for (const problem of result.problems) {
    expect(problem.file).toBe('rack.yaml');
    expect(problem.correction).toMatch(/^[A-Z].*\.$/);
  }
  return result.problems.map(({ line, column, path, message }) => `${line}:${column} ${path} ${message}`);
}

test('the inventory that the tables start from is right', async () => {
  expect(await problemsOf(RIGHT)).toEqual([]);
});

describe('each error is named by line, column and field', () => {
  test.each(WRONG)('%j -> %j', async (right, wrong, expected) => {
    expect(RIGHT).toContain(right);
    expect(await problemsOf(RIGHT.replace(right, wrong))).toEqual(expected);
  });

  test('all errors are named at once, in the order of the file', async () => {
    const text = RIGHT.replace('env:BMC', 'hunter2')
      .replace('type: gpu', 'type: cpu')
      .replace('n2', 'n1')
      .replace('agent.iso', 'x.iso')
      .replace('image: ubuntu', 'image: debian\n  color: red');
    expect(await problemsOf(text)).toEqual([
      '3:45 bmc.credentials.password is a plain-text secret or no reference',
      '7:8 media.iso names a file that is not there',
      '19:11 nodes[0].type names no machine type of this inventory',
      '26:11 nodes[1].name is the name of nodes[0] too',
      '34:10 acceptance.image names no image of this inventory',
      '35:3 acceptance.color is not a field of an inventory here',
    ]);
  });

  test('text that is no inventory', async () => {
    const none = ['1:1  holds no inventory'];
    expect(await problemsOf('')).toEqual(none);
    expect(await problemsOf('- a\n- b')).toEqual(none);
    expect(await problemsOf('just text')).toEqual(none);
    expect(await problemsOf('site: a\n---\nsite: b')).toEqual(['2:1  begins a second document']);
  });
});

describe('a secret written plainly is never repeated', () => {
  const SECRET = 'hunter2';
  const PLACES = [
    `password: ${SECRET}`,
    `password: '${SECRET}'`,
    `password: *${SECRET}`,
    `password: !${SECRET} x`,
    `password: @${SECRET}`,
    `password: "\\${SECRET}"`,
    `password: "${SECRET}`,
    `password: [${SECRET}]`,
    `password: {${SECRET}: 1}`,
    `password: env:${SECRET} x`,
    `password: {{${SECRET}}}`,
    `password: %${SECRET}: ${SECRET}`,
  ];
  test.each(PLACES)('%s', async (line) => {
    const result = await checkInventory(
      [{ file: 'rack.yaml', text: RIGHT.replace('password: env:BMC', line) }],
      folder,
    );
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain(SECRET);
  });
});
