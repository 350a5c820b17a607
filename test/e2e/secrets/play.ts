import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import { stringify } from 'yaml';
import { startIronic, type IronicPeer } from '../../peers/ironic.ts';
import { startSshd, type SshdPeer } from '../../peers/sshd.ts';
import { startOutsideLab, withIronic, type Contract, type OutsideLab } from '../kill9/site.ts';
import { startProduct, type Product } from '../support/product.ts';
import { asIronic, asPage, asRedfish, quotingProxy, type QuotingProxy } from './quoting-proxy.ts';
import type { Page } from './places.ts';

/** A value that nobody has by chance. Its characters are those that encodings change. */
export const random = (what: string): string => `${what}+"&/${randomBytes(18).toString('base64')}`;

/** The secrets that people and files bring in. */
export const GIVEN = {
  userData: random('user-data'),
  ironicUserData: random('ironic-user-data'),
  wrongPassword: random('wrong-password'),
  driverPassword: random('driver-password'),
  ironicPassword: random('ironic-password'),
  inlinePassword: random('inline-password'),
  plainUserData: random('plain-user-data'),
  privateKey: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
};

/** The nodes of the play, and what each one is for. */
export const NODES = {
  plain: 'node-001',
  media: 'node-002',
  login: 'node-003',
  wrong: 'node-004',
  agent: 'node-005',
  basic: 'node-006',
  page: 'node-007',
  ironic: 'fake-01',
  quotingIronic: 'fake-02',
} as const;

const GUEST = '127.65.0.11';

/** A site in which much refuses what it is sent, and quotes it. */
export class Play {
  readonly home: string;
  lab!: OutsideLab;
  peer!: IronicPeer;
  /** Where the first node is tried from; it listens at the guest's address too. */
  sshd!: SshdPeer;
  product!: Product;
  readonly proxies: { [name in 'media' | 'login' | 'basic' | 'page' | 'ironic']?: QuotingProxy } = {};
  /** All that the command line ever said. */
  readonly said: Page[] = [];

  constructor(home: string) {
    this.home = home;
  }

  file(name: string, content: string): string {
    const path = join(this.home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  get labDir(): string {
    return join(this.home, 'outside', 'lab');
  }

  get bmcPassword(): string {
    return readFileSync(join(this.labDir, 'secrets', 'bmc-password'), 'utf8').trim();
  }

  async start(): Promise<void> {
    this.peer = await startIronic();
    this.sshd = await startSshd([`ListenAddress ${GUEST}`]);
    this.product = await startProduct({
      env: { RACKWRIGHT_LOG_LEVEL: 'trace', CANARY_DRIVER_PASSWORD: GIVEN.driverPassword },
      inventory: async ({ gatewayUrl }) => {
        this.lab = await startOutsideLab(join(this.home, 'outside'), { servers: 7, speed: 20, gatewayUrl });
        return this.inventory();
      },
    });
  }

  private async inventory(): Promise<string> {
    const { contract } = this.lab;
    const ca = readFileSync(contract.bmc.tls.ca, 'utf8');
    const bmcOf = (name: string): string => contract.nodes.find((node) => node.name === name)!.bmc!.address;
    for (const name of ['media', 'login', 'basic'] as const)
      this.proxies[name] = await quotingProxy(bmcOf(NODES[name]), asRedfish, ca);
    this.proxies.page = await quotingProxy(bmcOf(NODES.page), asPage, ca);
    const ironic = await quotingProxy(this.peer.url, asIronic);
    this.proxies.ironic = ironic;
    const wrong = `file:${this.file('wrong-password', GIVEN.wrongPassword)}`;
    const bmcs: { readonly [node: string]: object } = {
      ...Object.fromEntries(
        (['media', 'login', 'page'] as const).map((name) => [
          NODES[name],
          { address: this.proxies[name]!.url, tls: 'insecure' },
        ]),
      ),
      [NODES.basic]: { address: this.proxies.basic!.url, tls: 'insecure', auth: 'basic' },
      [NODES.wrong]: { credentials: { password: wrong } },
    };
    const nodes = contract.nodes
      .map((node) => ({ ...node, bmc: { ...node.bmc!, ...bmcs[node.name] } }))
      .map((node) => (node.name === NODES.plain ? { ...node, ...triedNode(node) } : node));
    const ironicPassword = `file:${this.file('ironic-password', GIVEN.ironicPassword)}`;
    return withIronic(
      { ...contract, ...this.tried(contract), nodes },
      ironic.url,
      [NODES.ironic, NODES.quotingIronic],
      {
        auth: { type: 'http_basic', username: 'rackwright', password: ironicPassword },
        driverInfo: { fake_password: 'env:CANARY_DRIVER_PASSWORD' },
      },
    );
  }

  /** The first node's type, whose guests are tried by SSH from a host. */
  private tried(contract: Contract): object {
    const { port, user, keyFile, hostKey } = this.sshd;
    const ssh = { host: '127.0.0.1', port, user, key: `file:${keyFile}`, hostKey };
    return {
      networks: { ...(contract as { networks?: object }).networks, tenant: { cidr: '127.65.0.0/16' } },
      vantagePoints: [{ name: 'jump', ssh }],
      machineTypes: [
        ...contract.machineTypes,
        { ...contract.machineTypes[0], name: 'tried', handOver: { from: 'jump', ports: [port] } },
      ],
    };
  }

  /** Runs a command; all that it says is kept. Answers its exit code. */
  async say(...args: string[]): Promise<number> {
    const { code, stdout, stderr } = await this.product.cli(...args);
    this.said.push({
      place: `rackwright ${args.join(' ')} (exit ${code})`,
      bytes: Buffer.from(`${stdout}${stderr}`),
    });
    return code;
  }

  /** Carries a verb out. What is not done as expected makes the play worthless. */
  async verb(expected: number, verb: string, node: string, ...args: string[]): Promise<void> {
    const code = await this.say('node', verb, node, ...args, '--on-failure', 'fail');
    if (code === expected) return;
    const said = Buffer.from(this.said.at(-1)!.bytes).toString();
    throw new Error(`${verb} of ${node} ended with ${code}, not ${expected}:\n${said}`);
  }

  /** An inventory with a password written into it, which no command may repeat. */
  inlineInventory(): string {
    const bmc = { credentials: { username: 'admin', password: GIVEN.inlinePassword } };
    return this.file('inline.yaml', stringify({ site: 'inline', bmc, nodes: [] }));
  }

  async stop(): Promise<void> {
    await this.product?.stop();
    await this.lab?.stop();
    await this.peer?.stop();
    await this.sshd?.stop();
    for (const proxy of Object.values(this.proxies)) await proxy.close();
  }
}

/** The node with the address of the guest on its second port. */
function triedNode(node: object): object {
  const { ports } = node as { readonly ports: readonly object[] };
  const addressed = ports.map((port, index) =>
    index === 1 ? { ...port, network: 'tenant', address: GUEST } : port,
  );
  return { type: 'tried', ports: addressed };
}
