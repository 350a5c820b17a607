import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkInventory, loadInventory, requireInventory } from '../../../activities/inventory/load.ts';
import { formatProblem } from '../../../activities/inventory/problems.ts';
import { RIGHT, folderWithFiles } from './right.ts';

let folder: string;
beforeAll(() => {
  folder = folderWithFiles();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('what a valid inventory becomes', () => {
  const load = async (text: string, options = {}) => {
    const result = await checkInventory([{ file: 'rack.yaml', text }], folder, options);
    if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
    return result.inventory;
  };

  test('values are normalised', async () => {
    const text = RIGHT.replace("'52:54:00:00:00:01'", "'52-54-00-AB-CD-EF'")
      .replace('https://10.0.1.1', 'https://10.0.1.1/')
      .replace('site: s1', 'site: s1\nholdFor: 1h30m');
    const inventory = await load(text);
    expect(inventory.holdFor).toBe(5400);
    expect(inventory.nodes[0]).toEqual({
      name: 'n1',
      type: 'gpu',
      driver: 'redfish',
      retired: false,
      bmc: { address: 'https://10.0.1.1', system: '/redfish/v1/Systems/1' },
      ports: [{ mac: '52:54:00:ab:cd:ef', network: 'provisioning' }],
    });
  });

  test('paths become absolute, unless they are to be compared', async () => {
    const text = RIGHT.replace('env:BMC', 'file:pw').replace('https://images.example/u.img', 'agent.iso');
    const absolute = await load(text);
    expect(absolute.media?.iso).toBe(join(folder, 'agent.iso'));
    expect(absolute.bmc.credentials?.password).toBe(`file:${join(folder, 'pw')}`);
    expect(absolute.images[0]?.url).toBe(`file://${join(folder, 'agent.iso')}`);
    const written = await load(text, { paths: 'as-written' });
    expect(written.media?.iso).toBe('agent.iso');
    expect(written.bmc.credentials?.password).toBe('file:pw');
    expect(written.images[0]?.url).toBe('agent.iso');
  });

  test('anchors and merges are filled in, and errors inside them are found where they are written', async () => {
    const text = `site: s
bmc: { credentials: { username: a, password: env:B } }
machineTypes: [{ name: gpu }]
nodes:
  - &first
    name: a
    type: gpu
    bmc: { address: https://a }
  - <<: *first
    name: b
    bmc: { address: https://b }
`;
    const inventory = await load(text);
    expect(inventory.nodes.map(({ name, type }) => [name, type])).toEqual([
      ['a', 'gpu'],
      ['b', 'gpu'],
    ]);
    const wrong = await checkInventory(
      [{ file: 'rack.yaml', text: text.replace('type: gpu', 'type: cpu') }],
      folder,
    );
    expect(
      wrong.ok ? [] : wrong.problems.map(({ line, column, path }) => `${line}:${column} ${path}`),
    ).toEqual(['7:11 nodes[0].type', '7:11 nodes[1].type']);
  });

  test('an exec: reference is let through by its flag, and not run', async () => {
    const text = RIGHT.replace('env:BMC', `"exec:touch ${join(folder, 'ran')}"`);
    const inventory = await load(text, { allowExec: true });
    expect(inventory.bmc.credentials?.password).toContain('exec:touch');
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

describe('folders', () => {
  const write = (name: string, files: Record<string, string>): string => {
    const path = join(folder, name);
    mkdirSync(path);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    return path;
  };

  test('files are merged: maps by key, lists by name', async () => {
    const path = write('good', {
      'a-site.yaml':
        'site: s\nbmc: { credentials: { username: a, password: env:B } }\nmachineTypes: [{ name: t }]\n',
      'nodes-1.yml': 'nodes:\n  - { name: n1, type: t, bmc: { address: https://a } }\n',
      'nodes-2.yaml': 'nodes:\n  - { name: n2, type: t, bmc: { address: https://b } }\n',
      'places.json': '{"nodes": [{"name": "n1", "location": {"rack": "r1"}}]}',
      'notes.txt': 'not read',
      '.hidden.yaml': 'not: read',
    });
    const inventory = await requireInventory(path);
    expect(inventory.nodes.map(({ name, location }) => [name, location?.rack])).toEqual([
      ['n1', 'r1'],
      ['n2', undefined],
    ]);
  });

  test('two values for one field are an error, named where the second one stands', async () => {
    const path = write('bad', {
      'a.yaml':
        'site: s\nmachineTypes: [{ name: t }]\nnodes:\n  - name: n1\n    type: t\n    driver: redfish\n',
      'b.yaml':
        'site: other\nnodes:\n  - name: n2\n    type: t\n    color: red\n  - name: n1\n    bmc:\n      address: https://x\n    driver: ironic\n',
    });
    const result = await loadInventory(path);
    const a = join(path, 'a.yaml');
    const b = join(path, 'b.yaml');
    expect(result.ok ? [] : result.problems.map((p) => `${p.file}:${p.line} ${p.path} ${p.message}`)).toEqual(
      [
        `${b}:1 site has another value in ${a}:1`,
        `${b}:3 nodes[1].bmc is missing: driver redfish reaches the server through its BMC`,
        `${b}:5 nodes[1].color is not a field of an inventory here`,
        `${b}:7 nodes[0].bmc has no complete credentials`,
        `${b}:9 nodes[0].driver has another value in ${a}:6`,
      ],
    );
  });

  test('what is not there, empty, too large, or no text', async () => {
    const messages = async (path: string) => {
      const result = await loadInventory(path);
      return result.ok ? [] : result.problems.map(({ message }) => message);
    };
    expect(await messages(join(folder, 'nowhere.yaml'))).toEqual(['is not there']);
    expect(await messages(join(folder, 'a-folder'))).toEqual(['holds 0 YAML files']);
    writeFileSync(join(folder, 'large.yaml'), Buffer.alloc(16 * 1024 * 1024 + 1, '#'));
    expect(await messages(join(folder, 'large.yaml'))).toEqual(['is larger than 16 MiB']);
    writeFileSync(join(folder, 'latin1.yaml'), Buffer.from([0x73, 0x3a, 0x20, 0xe9]));
    expect(await messages(join(folder, 'latin1.yaml'))).toEqual(['is not text in UTF-8']);
  });

  test('requireInventory throws the errors as one failure', async () => {
    writeFileSync(join(folder, 'wrong.yaml'), 'site: S\n');
    await expect(requireInventory(join(folder, 'wrong.yaml'))).rejects.toMatchObject({
      failure: { code: 'CONTRACT_INVALID', faultDomain: 'contract' },
      message: expect.stringContaining('wrong.yaml:1:7: site is not a name.'),
    });
  });
});
