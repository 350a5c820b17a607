import { RIGHT, SUM } from './right.ts';

type WrongCase = readonly [string, string, readonly string[]];

const firmware = (fields: string, problems: readonly string[]): readonly WrongCase[] => [
  ['acceptance:', `firmware: { ${fields} }\nacceptance:`, problems],
];

/** Where URLs stand that are tried from elsewhere. */
const PROBED: readonly (readonly [field: string, text: string])[] = [
  ['openstack.ironic.url', 'openstack: { ironic: { url: URL } }'],
  ['openstack.bareMetal.publishers[0]', 'openstack: { bareMetal: { publishers: [URL] } }'],
  ['openstack.bareMetal.consoles.proxies[0]', 'openstack: { bareMetal: { consoles: { proxies: [URL] } } }'],
];

const OUTSIDE = '25:20 nodes[0].ports[0].address is not an address of a host in the network of the port';

/** The first node with a console. */
const console = (
  value: string,
  problems: readonly string[],
): readonly (readonly [string, string, readonly string[]])[] => [
  ['  - name: n1\n    type: gpu', `  - name: n1\n    type: gpu\n    console: ${value}`, problems],
];

/** The network of the first port with more fields, and an address of the port. */
const network = (
  fields: string,
  address: string,
  problems: readonly string[],
): ReturnType<typeof firmware> => {
  const right = RIGHT.slice(RIGHT.indexOf('  provisioning: {'), RIGHT.indexOf('  - name: n2'));
  const wrong = right
    .replace('/24 }', `/24${fields === '' ? '' : `, ${fields}`} }`)
    .replace(
      "- mac: '52:54:00:00:00:01'\n        network: provisioning",
      `- { mac: '52:54:00:00:00:01', network: provisioning,\n          address: ${address} }`,
    );
  return [[right, wrong, problems]];
};

/** One baseline of type gpu with these components. */
const baseline = (components: string, problems: readonly string[]): ReturnType<typeof firmware> =>
  firmware(`baselines: [{ name: b, types: [gpu], components: [${components}] }]`, problems);

/** A controller with these fields. */
const controller = (fields: string, problems: readonly string[]): ReturnType<typeof firmware> => [
  ['site: s1', `site: s1\ncontrollers: [{ name: c1, address: 10.0.0.1, ${fields} }]`, problems],
];

const FROM = '20:36 machineTypes[0].handOver.from';
const FROM_NOTHING = `${FROM} names no vantage point of this inventory`;

/** A controller at this address, that is logged in to as these fields say. */
const logIn = (address: string, fields: string, problems: readonly string[]): ReturnType<typeof firmware> => [
  [
    'site: s1',
    `site: s1\ncontrollers: [{ name: c1, address: '${address}', ssh: { user: root, key: 'env:K'${fields} } }]`,
    problems,
  ],
];
const NO_HOST = '2:36 controllers[0].address is neither a host name nor an IP address';

/** A machine type whose guests are tried from a vantage point with these fields. */
const vantage = (fields: string, problems: readonly string[], from = 'jump'): ReturnType<typeof firmware> => {
  const right = RIGHT.slice(RIGHT.indexOf('site: s1'), RIGHT.indexOf('  - name: gpu') + 13);
  const wrong = right
    .replace('  - name: gpu', `  - { name: gpu, handOver: { from: ${from}, ports: [22] } }`)
    .replace(
      'site: s1\n',
      `site: s1
vantagePoints:
  - { name: jump, ${fields} }
controllers:
  [{ name: c1, address: 10.0.0.1, ssh: { user: root, key: "env:K" } }, { name: c2, address: 10.0.0.2 }]
`,
    );
  return [[right, wrong, problems]];
};

/** What is replaced in the right inventory, by what, and the problems expected. */
export const WRONG: readonly WrongCase[] = [
  ['site: s1\n', '', ['1:1 site is missing']],
  ...network('gateway: 10.0.0.1, dns: [10.9.9.9]', '10.0.0.11', []),
  ...network('', '10.0.0.11/24', ['25:20 nodes[0].ports[0].address is not an IP address']),
  ...network('', '10.0.1.11', [OUTSIDE]),
  ...network('', '10.0.0.0', [OUTSIDE]),
  ...network('', '10.0.0.255', [OUTSIDE]),
  ...network('', 'fd00::11', [OUTSIDE]),
  ...network('gateway: 10.0.0.11', '10.0.0.11', [
    '25:20 nodes[0].ports[0].address is the address of the gateway of its network',
  ]),
  ...network('gateway: 10.0.1.1', '10.0.0.11', [
    '9:47 networks.provisioning.gateway is not an address of a host in this network',
  ]),
  ...network('dns: [resolver.example]', '10.0.0.11', [
    '9:44 networks.provisioning.dns[0] is not an IP address',
  ]),
  ...network(
    '',
    "10.0.0.11 }\n      - { mac: '52:54:00:00:00:0b', network: provisioning, address: 10.0.0.11",
    ['26:69 nodes[0].ports[1].address is the address of a port of n1 too'],
  ),
  ...network(
    'gateway: 10.0.0.1',
    "10.0.0.11 }\n      - { mac: '52:54:00:00:00:0b', network: provisioning, address: 10.0.0.12",
    ['26:69 nodes[0].ports[1].address would be the second default gateway of this server'],
  ),
  [
    "mac: '52:54:00:00:00:02'",
    "{ mac: '52:54:00:00:00:02', address: 10.0.0.12 }",
    ['31:46 nodes[1].ports[0].address stands on a port that names no network'],
  ],
  ['  - name: gpu', '  - { name: gpu, handOver: { from: worker, ports: [22] } }', []],
  [
    '  - name: gpu',
    '  - { name: gpu, handOver: { from: [rack-7], ports: [22, 0] } }',
    [
      '16:30 machineTypes[0].handOver.from is no place that a guest can be tried from',
      '16:58 machineTypes[0].handOver.ports[1] is too small or too short',
    ],
  ],
  [
    '  - name: gpu',
    '  - { name: gpu, handOver: { from: worker, ports: [] } }',
    ['16:44 machineTypes[0].handOver.ports is too small or too short'],
  ],
  [
    RIGHT.slice(RIGHT.indexOf('  - name: gpu'), RIGHT.indexOf('acceptance:')),
    `  - { name: gpu, handOver: { from: worker, ports: [22] } }
openstack: { ironic: { url: 'http://10.0.0.5:6385' } }
nodes:
  - { name: n1, type: gpu, driver: ironic, ironic: { driver: redfish } }
`,
    [
      '19:23 nodes[0].type is a machine type whose guests are tried, and no port of this server has an `address`',
    ],
  ],
  ...[
    ['0.5', true],
    ['11m', true],
    ['1h', true],
    ['1s', false],
    ['65s', false],
    ['10m', false],
  ].map(([watch, isWrong]): WrongCase => [
    'site: s1',
    `site: s1\nopenstack: { watch: ${String(watch)} }`,
    isWrong ? ['2:21 openstack.watch is no time of 1 second to 10 minutes'] : [],
  ]),
  ...PROBED.flatMap(([field, text]): WrongCase[] =>
    ['?token=s3cret', '#token=s3cret', ''].map((query) => {
      const [value = '', path = ''] = [text.replace('URL', `'https://h/x${query}'`), field];
      const column = value.indexOf("'https") + 1;
      const said = `2:${column} ${path} holds a query or a fragment, which others would see`;
      return ['site: s1', `site: s1\n${value}`, query === '' ? [] : [said]];
    }),
  ),
  ...[
    ['operator.api[0]', 'operator: { from: worker, api: [URL] }'],
    ['operator.console[0]', 'operator: { from: worker, console: [URL] }'],
    ['user.api[0]', 'user: { from: worker, api: [URL] }'],
    ['user.workloads[0]', 'user: { from: worker, workloads: [URL] }'],
  ].map(([field = '', text = '']): WrongCase => {
    const line = `  reachability: { ${text.replace('URL', "'https://h/x?token=s3cret'")} }`;
    const at = `${RIGHT.split('\n').indexOf('acceptance:') + 2}:${line.indexOf("'https") + 1}`;
    const said = 'holds a query or a fragment, which others would see';
    return ['acceptance:', `acceptance:\n${line}`, [`${at} acceptance.reachability.${field} ${said}`]];
  }),
  ...vantage('ssh: { host: jump, user: root, key: "env:KEY" }', []),
  ...vantage('ssh: { host: jump, user: root, key: "env:KEY" }', [FROM_NOTHING], 'elsewhere'),
  ...vantage('controller: c1', []),
  ...vantage('controller: c2', [`${FROM} names a vantage point on a controller that has no \`ssh\``]),
  ...vantage('worker: true', [
    `${FROM} names a vantage point with a worker of its own, from which nothing is tried yet`,
  ]),
  ...vantage('ssh: { host: "-oProxyCommand=id", user: "-l", key: "env:KEY", hostKey: "SHA256:abc" }', [
    '3:32 vantagePoints[0].ssh.host is neither a host name nor an IP address',
    '3:59 vantagePoints[0].ssh.user is not the name of a user who can log in',
    '3:90 vantagePoints[0].ssh.hostKey is not a public key of a host',
  ]),
  [
    'site: s1',
    'site: s1\nvantagePoints: [{ name: worker, ssh: { host: jump, user: root, key: "env:KEY" } }]',
    ['2:25 vantagePoints[0].name is the name of the machine that the worker runs on'],
  ],
  [
    'site: s1',
    'site: s1\nvantagePoints: [{ name: v, pod: { namespace: openstack, labels: {} } }]',
    ['2:57 vantagePoints[0].pod.labels names no label'],
  ],
  ...vantage('pod: { namespace: openstack, labels: { app: x } }', [
    `${FROM} names a vantage point in a pod, and the inventory has no \`kubernetes\``,
  ]),
  ...controller('bmc: { address: "https://10.0.0.9" }', []),
  ...controller('bmc: { address: "https://10.0.1.1/" }', [
    '2:62 controllers[0].bmc.address is the BMC of n1 too',
  ]),
  ...['c1.example.org', 'fd00::11', 'fe80::11%eno1'].flatMap((address) => logIn(address, '', [])),
  ...['https://10.0.0.5', '10.0.0.5/24', 'admin@10.0.0.5', '10.0.0.5 ', '-x'].flatMap((address) =>
    logIn(address, '', [NO_HOST]),
  ),
  ...logIn('the first one', ', host: 10.0.0.5', []),
  ...controller('hostname: c1_, interfaces: [{ name: eno 1 }], reaches: [{ host: -x, port: 0 }]', [
    '2:56 controllers[0].hostname is not a host name',
    '2:82 controllers[0].interfaces[0].name is not the name of a network interface',
    '2:110 controllers[0].reaches[0].host is neither a host name nor an IP address',
    '2:120 controllers[0].reaches[0].port is too small or too short',
  ]),
  [
    '  credentials: { username: admin, password: env:BMC }\n  tls: verify',
    '  tls: verify\ncontrollers: [{ name: c1, address: 10.0.0.1, bmc: { address: "https://10.0.0.9" } }]',
    [
      '4:46 controllers[0].bmc has no complete credentials',
      '20:5 nodes[0].bmc has no complete credentials',
      '28:5 nodes[1].bmc has no complete credentials',
    ],
  ],
  ...console('{ file: logs/n1.log }', []),
  ...console('{}', ['20:5 nodes[0].console does not say where the log of the console is, or says it twice']),
  ...console('{ file: a, url: "http://c/a" }', [
    '20:5 nodes[0].console does not say where the log of the console is, or says it twice',
  ]),
  ...console('{ file: a, credentials: { username: u, password: env:X } }', [
    '20:5 nodes[0].console does not say where the log of the console is, or says it twice',
  ]),
  ...console('{ url: "ssh://c/a" }', ['20:21 nodes[0].console.url is not an http or https URL']),
  ...console('{ url: "http://u:p@c/a" }', ['20:21 nodes[0].console.url holds a user name or a password']),
  ...console('{ url: "http://c/a", credentials: { username: u, password: hunter2 } }', [
    '20:73 nodes[0].console.credentials.password is a plain-text secret or no reference',
  ]),
  [
    'format: raw',
    'format: raw\n    configDrive: NoCloud',
    ['15:18 images[0].configDrive is not one of the values allowed'],
  ],
  ['site: s1', 'site: Site_1', ['1:7 site is not a name']],
  ['site: s1', 'site: 12', ['1:7 site is not text']],
  ['site: s1', 'site: s1\nsiet: s2', ['2:1 siet is not a field of an inventory here']],
  ['  tls: verify', '  accounts: admin', ['4:13 bmc.accounts is not a list']],
  ['  tls: verify', '  accounts: ["env:NAME"]', ['4:14 bmc.accounts[0] is not a user name']],
  ['  tls: verify', '  accounts: [7]', ['4:14 bmc.accounts[0] is not a user name']],
  ['  tls: verify', '  hostInterface: off', ['4:18 bmc.hostInterface is not one of the values allowed']],
  [
    '  - name: gpu',
    '  - { name: gpu, tpm: wipe }',
    ['16:23 machineTypes[0].tpm is not one of the values allowed'],
  ],
  [
    '  - name: gpu',
    '  - { name: gpu, expect: { secureBoot: Enabled, bootOptions: PXE } }',
    [
      '16:40 machineTypes[0].expect.secureBoot is not true or false',
      '16:62 machineTypes[0].expect.bootOptions is not a list',
    ],
  ],
  [
    '  - name: gpu',
    '  - { name: gpu, expect: { mounts: [/scratch, data] } }',
    ['16:47 machineTypes[0].expect.mounts[1] is not an absolute path'],
  ],
  ['  tls: verify', '  watch: on', ['4:10 bmc.watch does not say how to watch']],
  ['  tls: verify', '  watch: {}', ['4:3 bmc.watch does not say how to watch']],
  ['  tls: verify', '  watch: { interval: 500 days }', ['4:3 bmc.watch does not say how to watch']],
  [
    '  tls: verify',
    '  watch: { interval: 2h }',
    ['4:22 bmc.watch.interval is no interval of 1 second to 1 hour'],
  ],
  [
    'address: https://10.0.1.1',
    'address: https://10.0.1.1\n      watch: { interval: 5m }',
    ['22:7 nodes[0].bmc.watch is not `off`'],
  ],
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
  ...['bmcGatewayUrl', 'guestGatewayUrl'].flatMap((key): WrongCase[] => [
    [
      'iso: agent.iso',
      `${key}: 'http://0.0.0.0:80'\n  iso: agent.iso`,
      [`7:${key.length + 5} media.${key} is an address to listen on, not one that can be reached`],
    ],
    [
      'iso: agent.iso',
      `${key}: http://127.0.0.1:80\n  iso: agent.iso`,
      [`7:${key.length + 5} media.${key} is a loopback address, which BMCs elsewhere cannot reach`],
    ],
  ]),
  ['iso: agent.iso', 'iso: other.iso', ['7:8 media.iso names a file that is not there']],
  ['iso: agent.iso', 'iso: { x86_64: other.iso }', ['7:18 media.iso.x86_64 names a file that is not there']],
  [
    'iso: agent.iso',
    'iso: { sparc: agent.iso }',
    ['7:10 media.iso.sparc is not a field of an inventory here'],
  ],
  ['iso: agent.iso', 'iso: agent.iso\n  checksum: sha256:1', ['8:13 media.checksum is not a SHA-256']],
  [
    'iso: agent.iso',
    `iso: agent.iso\n  checksum: { x86_64: '${SUM}' }`,
    ['8:3 media.checksum is not in the form of `iso`'],
  ],
  [
    'iso: agent.iso',
    `iso: { x86_64: agent.iso }\n  checksum: ${SUM}`,
    ['8:13 media.checksum is not in the form of `iso`'],
  ],
  [
    'iso: agent.iso',
    `iso: { x86_64: agent.iso }\n  checksum: { x86_64: '${SUM}', aarch64: '${SUM}' }`,
    ['8:3 media.checksum is not in the form of `iso`'],
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
  ['site: s1', "site: s1\nnightly: { schedule: '60 2 * * *' }", ['2:22 nightly.schedule is not a schedule']],
  [
    'site: s1',
    "site: s1\nnightly: { schedule: '30 2 31 2 *' }",
    ['2:22 nightly.schedule is a schedule that never comes: no month that it names has such a day'],
  ],
  ['site: s1', 'site: s1\nrequires: { gates: [8] }', ['2:21 requires.gates[0] is too large or too long']],
  ['site: s1', 'site: s1\nrequires: { gates: [] }', ['2:13 requires.gates is too small or too short']],
  [
    'site: s1',
    'site: s1\nmaintenance: { timeZone: Mars/Base, windows: [{ days: [mon], from: "25:00", to: "04:00" }] }',
    ['2:26 maintenance.timeZone is not a time zone', '2:68 maintenance.windows[0].from is not a time of day'],
  ],
  ...(
    [
      ['{}', ['2:36 kubernetes.ceph says not, or twice, where `ceph` is run']],
      [
        '{ namespace: r, from: v }',
        [
          '2:36 kubernetes.ceph says not, or twice, where `ceph` is run',
          '2:64 kubernetes.ceph.from names no vantage point of this inventory',
        ],
      ],
      ['{ from: v }', ['2:50 kubernetes.ceph.from names no vantage point of this inventory']],
      ['{ namespace: r, user: "-x" }', ['2:64 kubernetes.ceph.user is not the name of a user of Ceph']],
      ['{ namespace: r, user: rackwright.1, toolbox: app=t }', []],
      [
        '{ from: v, toolbox: app=t }',
        [
          '2:36 kubernetes.ceph has a `toolbox`, and asks elsewhere',
          '2:50 kubernetes.ceph.from names no vantage point of this inventory',
        ],
      ],
    ] as const
  ).map(([ceph, problems]): WrongCase => [
    'site: s1',
    `site: s1\nkubernetes: { kubeconfig: "env:K", ceph: ${ceph} }`,
    problems,
  ]),
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
  ...firmware('owner: us', ['32:20 firmware.owner is not one of the values allowed']),
  ...firmware('baselines: [{ name: b, types: [gpu], components: [{ component: BIOS, version: 2.4 }] }]', [
    '32:91 firmware.baselines[0].components[0].version is not text',
  ]),
  ...baseline('{ component: A, version: "1", url: https://x.example/a }', [
    '32:63 firmware.baselines[0].components[0].checksum is missing: a file is only given to a BMC if it is the one that is meant',
  ]),
  ...baseline(`{ component: A, version: "1", url: https://x.example/a, file: agent.iso, checksum: ${SUM} }`, [
    '32:125 firmware.baselines[0].components[0].file stands beside `url`: a file has one source',
  ]),
  ...baseline(`{ component: A, version: "1", file: none.bin, checksum: ${SUM} }`, [
    '32:99 firmware.baselines[0].components[0].file names a file that is not there',
  ]),
  ...baseline('{ component: A, version: "1" }, { component: a, version: "2" }', [
    '32:108 firmware.baselines[0].components[1].component has a version in firmware.baselines[0] for the same type too',
  ]),
  ...firmware(
    'baselines: [{ name: b, types: [gpu], windows: [{ days: [mo], from: "1:00", to: "02:00" }], components: [{ component: A, version: "1" }] }, { name: b, types: [cpu], components: [{ component: A, version: "1" }] }]',
    [
      '32:69 firmware.baselines[0].windows[0].days[0] is not one of the values allowed',
      '32:80 firmware.baselines[0].windows[0].from is not a time of day',
      '32:160 firmware.baselines[1].name is the name of firmware.baselines[0] too',
      '32:171 firmware.baselines[1].types[0] names no machine type of this inventory',
    ],
  ),
];
