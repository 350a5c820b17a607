import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkInventory, loadInventory, requireInventory } from '../../../activities/inventory/load.ts';
import { formatProblem } from '../../../activities/inventory/problems.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inventory-'));
  writeFileSync(join(folder, 'agent.iso'), 'iso');
  writeFileSync(join(folder, 'not-a-ca.pem'), 'no certificate');
  mkdirSync(join(folder, 'a-folder'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const SUM = `sha256:${'ab'.repeat(32)}`;

/** A right inventory; a test replaces one line (or more) by wrong ones. */
const RIGHT = `site: s1
bmc:
  credentials: { username: admin, password: env:BMC }
  tls: verify
media:
  gatewayUrl: http://10.0.0.1:8080
  iso: agent.iso
networks:
  provisioning: { cidr: 10.0.0.0/24 }
images:
  - name: ubuntu
    url: https://images.example/u.img
    checksum: ${SUM}
    format: raw
machineTypes:
  - name: gpu
nodes:
  - name: n1
    type: gpu
    bmc:
      address: https://10.0.1.1
      system: /redfish/v1/Systems/1
    ports:
      - mac: '52:54:00:00:00:01'
        network: provisioning
  - name: n2
    type: gpu
    bmc:
      address: https://10.0.1.2
    ports:
      - mac: '52:54:00:00:00:02'
acceptance:
  node: n1
  image: ubuntu
`;

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

// [what is replaced, by what, the problems expected]
const WRONG: readonly (readonly [string, string, readonly string[]])[] = [
  ['site: s1\n', '', ['1:1 site is missing']],
  ['site: s1', 'site: Site_1', ['1:7 site is not a name']],
  ['site: s1', 'site: 12', ['1:7 site is not text']],
  ['site: s1', 'site: s1\nsiet: s2', ['2:1 siet is not a field of an inventory here']],
  ['  tls: verify', '  tls: maybe', ['4:8 bmc.tls is not a TLS policy']],
  ['  tls: verify', '  tls: { ca: 1 }', ['4:3 bmc.tls is not a TLS policy']],
  ['  tls: verify', '  tls: { ca: none.pem }', ['4:14 bmc.tls.ca names a file that is not there']],
  ['  tls: verify', '  tls: { ca: a-folder }', ['4:14 bmc.tls.ca is not a file']],
  [
    '  tls: verify',
    '  tls: { ca: not-a-ca.pem }',
    ['4:14 bmc.tls.ca names a file that is no certificate in PEM form'],
  ],
  [
    'password: env:BMC',
    'password: hunter2',
    ['3:45 bmc.credentials.password is a plain-text secret or no reference'],
  ],
  [
    'password: env:BMC',
    'password: 12345',
    ['3:45 bmc.credentials.password is a plain-text secret or no reference'],
  ],
  [
    'password: env:BMC',
    'password: "exec:cat x"',
    ['3:45 bmc.credentials.password is an exec: reference, and these are not allowed here'],
  ],
  [
    ', password: env:BMC',
    '',
    [
      '3:3 bmc.credentials.password is missing',
      '20:5 nodes[0].bmc has no complete credentials',
      '28:5 nodes[1].bmc has no complete credentials',
    ],
  ],
  ['http://10.0.0.1:8080', '10.0.0.1:8080', ['6:15 media.gatewayUrl is not an http or https URL']],
  ['http://10.0.0.1:8080', 'gateway:8080', ['6:15 media.gatewayUrl is not an http or https URL']],
  [
    'http://10.0.0.1:8080',
    'http://0.0.0.0:80',
    ['6:15 media.gatewayUrl is an address to listen on, not one that can be reached'],
  ],
  [
    'http://10.0.0.1:8080',
    'http://[::1]:80',
    ['6:15 media.gatewayUrl is a loopback address, which BMCs elsewhere cannot reach'],
  ],
  ['iso: agent.iso', 'iso: other.iso', ['7:8 media.iso names a file that is not there']],
  ['iso: agent.iso', 'iso: { x86_64: other.iso }', ['7:18 media.iso.x86_64 names a file that is not there']],
  [
    'iso: agent.iso',
    'iso: { sparc: agent.iso }',
    ['7:10 media.iso.sparc is not a field of an inventory here'],
  ],
  ['iso: agent.iso', 'iso: 5', ['7:8 media.iso is not a path']],
  ['  iso: agent.iso\n', '', ['5:1 media.iso is missing']],
  ['cidr: 10.0.0.0/24', 'cidr: 10.0.0.0', ['9:25 networks.provisioning.cidr is not a network in CIDR form']],
  [
    '  provisioning: {',
    '  Prov: {',
    [
      '8:1 networks lacks `provisioning`, the network that deploy agents call from',
      '9:3 networks.Prov is not a name',
      '25:18 nodes[0].ports[0].network names no network of this inventory',
    ],
  ],
  [
    'https://images.example/u.img',
    'ftp://images.example/u.img',
    ['12:10 images[0].url is neither an http, https or file URL nor a path'],
  ],
  ['https://images.example/u.img', 'u.img', ['12:10 images[0].url names a file that is not there']],
  [
    'https://images.example/u.img',
    'https://me:hunter2@images.example/u.img',
    ['12:10 images[0].url holds a user name or a password'],
  ],
  [SUM, 'md5:0123', ['13:15 images[0].checksum is not a SHA-256']],
  ['format: raw', 'format: iso', ['14:13 images[0].format is not one of the values allowed']],
  ['    format: raw\n', '', ['11:5 images[0].format is missing']],
  [
    '  - name: gpu\n',
    '  - name: gpu\n  - name: gpu\n',
    ['17:11 machineTypes[1].name is the name of machineTypes[0] too'],
  ],
  ['  - name: n2', '  - name: n1', ['26:11 nodes[1].name is the name of nodes[0] too']],
  ['    type: gpu', '    type: cpu', ['19:11 nodes[0].type names no machine type of this inventory']],
  ['https://10.0.1.1', '10.0.1.1', ['21:16 nodes[0].bmc.address is not an http or https URL']],
  ['https://10.0.1.1', 'bmc-1:443', ['21:16 nodes[0].bmc.address is not an http or https URL']],
  [
    'https://10.0.1.1',
    'https://root:hunter2@10.0.1.1',
    ['21:16 nodes[0].bmc.address holds a user name or a password'],
  ],
  [
    'https://10.0.1.1',
    'https://10.0.1.1/redfish/v1/Systems/1',
    ['21:16 nodes[0].bmc.address names a Redfish resource, not the BMC'],
  ],
  [
    '/redfish/v1/Systems/1',
    '/redfish/v1/Managers/1',
    ['22:15 nodes[0].bmc.system names a Manager, which is the BMC itself, not the server'],
  ],
  [
    'system: /redfish/v1/Systems/1',
    'system: https://10.0.1.1/redfish/v1/Systems/1',
    ['22:15 nodes[0].bmc.system is not the path of a system'],
  ],
  ['https://10.0.1.2', 'HTTPS://10.0.1.1/', ['29:16 nodes[1].bmc.address is the BMC of n1 too']],
  ["mac: '52:54:00:00:00:01'", 'mac: 52:54:00', ['24:14 nodes[0].ports[0].mac is not a MAC address']],
  [
    '52:54:00:00:00:02',
    '52-54-00-00-00-01',
    ['31:14 nodes[1].ports[0].mac is the MAC address of a port of n1 too'],
  ],
  [
    'network: provisioning',
    'network: tenant',
    ['25:18 nodes[0].ports[0].network names no network of this inventory'],
  ],
  ['  node: n1', '  node: n9', ['33:9 acceptance.node names no node of this inventory']],
  ['  image: ubuntu', '  image: debian', ['34:10 acceptance.image names no image of this inventory']],
  ['site: s1', 'site: s1\nholdFor: soon', ['2:10 holdFor is not a duration']],
  ['site: s1', 'site: s1\nholdFor: 400d', ['2:10 holdFor is not a duration']],
  ['site: s1', 'site: s1\nonFailure: retry', ['2:12 onFailure is not one of the values allowed']],
  [
    'site: s1',
    'site: s1\ntimeouts: { deadlines: { reinstall: 1h } }',
    ['2:26 timeouts.deadlines.reinstall is not a field of an inventory here'],
  ],
  ['site: s1', 'site: s1\nnightly: { schedule: often }', ['2:22 nightly.schedule is not a schedule']],
  ['site: s1', 'site: s1\nrequires: { gates: [8] }', ['2:21 requires.gates[0] is too large or too long']],
  ['site: s1', 'site: s1\nrequires: { gates: [] }', ['2:13 requires.gates is too small or too short']],
  [
    'site: s1',
    'site: s1\nmaintenance: { timeZone: Mars/Base, windows: [{ days: [mon], from: "25:00", to: "04:00" }] }',
    ['2:26 maintenance.timeZone is not a time zone', '2:68 maintenance.windows[0].from is not a time of day'],
  ],
  [
    'site: s1',
    'site: s1\nvantagePoints: [{ name: v, controller: c1, worker: true }]',
    [
      '2:17 vantagePoints[0] says not, or more than once, where it is',
      '2:40 vantagePoints[0].controller names no controller of this inventory',
    ],
  ],
  [
    'site: s1',
    'site: s1\nfirmware: { baselines: [{ name: b, types: [cpu], components: [{ component: BIOS, version: "1" }] }] }',
    ['2:44 firmware.baselines[0].types[0] names no machine type of this inventory'],
  ],
  [
    '    bmc:\n      address: https://10.0.1.2\n',
    '',
    ['26:5 nodes[1].bmc is missing: driver redfish reaches the server through its BMC'],
  ],
  [
    '  - name: n2\n',
    '  - name: n2\n    driver: ironic\n',
    [
      '26:5 nodes[1].ironic is missing: driver ironic needs it',
      '27:13 nodes[1].driver is ironic, but the inventory does not say where Ironic is',
    ],
  ],
  [
    '  - name: n2\n',
    '  - name: n2\n    ironic: { driver: redfish, driverInfo: { redfish_password: hunter2 } }\n',
    [
      '27:5 nodes[1].ironic is only for driver ironic',
      '27:64 nodes[1].ironic.driverInfo.redfish_password is a plain-text secret or no reference',
    ],
  ],
  ['  - name: n2\n', '  - name: n2\n    rootDevice: {}\n', ['27:5 nodes[1].rootDevice has no hint']],
  ['  - name: n2\n', '  - name: n2\n    retired: "yes"\n', ['27:14 nodes[1].retired is not true or false']],
  ['  - name: n2\n', '  - name: n2\n    name: n3\n', ['27:5 name stands twice in this map']],
  ['site: s1', 'site: *s1', ['1:7  is an alias (`*`) without an anchor (`&`) before it']],
  ['site: s1', 'site: !s1 x', ['1:7  has a tag (`!`) that is not known']],
  ['site: s1', 'site: @s1', ['1:7  begins or holds a character that YAML gives a meaning of its own']],
  ['  tls: verify', '\ttls: verify', ['4:1  is indented with a tab']],
];

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
    expect(await problemsOf(text.replace('type: gpu', 'type: cpu'))).toEqual([
      '7:11 nodes[0].type names no machine type of this inventory',
      '7:11 nodes[1].type names no machine type of this inventory',
    ]);
  });

  test('an exec: reference is let through by its flag, and not run', async () => {
    const text = RIGHT.replace('env:BMC', `"exec:touch ${join(folder, 'ran')}"`);
    const inventory = await load(text, { allowExec: true });
    expect(inventory.bmc.credentials?.password).toContain('exec:touch');
    const { existsSync } = await import('node:fs');
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
