import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OperationReport } from '../../core/operations.ts';
import { freePort } from '../peers/peer.ts';
import { startSshd, type SshdPeer } from '../peers/sshd.ts';
import { startOutsideLab, type OutsideLab } from './kill9/site.ts';
import { startProduct, type Product } from './support/product.ts';

// Guests that are tried from a host with OpenSSH's own server, with the product as its users have it. At once, since
// who is not reached is tried again until the time of the step is over.

const home = mkdtempSync(join(tmpdir(), 'rackwright-vantage-'));
let lab: OutsideLab;
let product: Product;
let sshd: SshdPeer;
let guest: Server;
/** What the guests listen on, and what none listens on. */
let port: number;
let closed: number;

const NODES = { reached: 'node-001', refused: 'node-002', down: 'node-003' } as const;
const ADDRESSES = { reached: '127.65.0.11', refused: '127.65.0.12', down: '127.65.0.13' } as const;
type Case = keyof typeof NODES;

/** A type for each case: only where its guests are tried from differs, or on which port. */
function inventory(): string {
  const { contract } = lab;
  const [type] = contract.machineTypes as { name: string }[];
  const ssh = { host: '127.0.0.1', user: sshd.user, key: `file:${sshd.keyFile}`, hostKey: sshd.hostKey };
  const handOver: { readonly [name in Case]: object } = {
    reached: { from: 'tenant-jump', ports: [port] },
    refused: { from: 'tenant-jump', ports: [closed] },
    down: { from: 'jump-that-is-down', ports: [port] },
  };
  const cases = Object.keys(NODES) as Case[];
  return stringify(
    {
      ...contract,
      timeouts: { handOver: '20s' },
      networks: { ...(contract as { networks?: object }).networks, tenant: { cidr: '127.65.0.0/16' } },
      controllers: [
        { name: 'ctl-1', address: '127.0.0.1', ssh: { ...ssh, port: sshd.port, host: undefined } },
      ],
      vantagePoints: [
        { name: 'tenant-jump', controller: 'ctl-1' },
        { name: 'jump-that-is-down', ssh: { ...ssh, port: closed } },
      ],
      machineTypes: cases.map((name) => ({ ...type, name, handOver: handOver[name] })),
      firmware: undefined,
      nodes: contract.nodes.map((node) => {
        const name = cases.find((each) => NODES[each] === node.name)!;
        const ports = (node as unknown as { ports: object[] }).ports.map((each, index) =>
          index === 1 ? { ...each, network: 'tenant', address: ADDRESSES[name] } : each,
        );
        return { ...node, type: name, ports };
      }),
    },
    { aliasDuplicateObjects: false },
  );
}

beforeAll(async () => {
  sshd = await startSshd();
  [port, closed] = [await freePort(), await freePort()];
  guest = createServer((socket) => socket.end());
  await new Promise<void>((listening) => guest.listen(port, ADDRESSES.reached, listening));
  product = await startProduct({
    inventory: async ({ gatewayUrl }) => {
      lab = await startOutsideLab(join(home, 'lab'), { servers: 3, speed: 50, gatewayUrl });
      return inventory();
    },
  });
  for (const node of Object.values(NODES)) {
    expect(await verb('enroll', node)).toMatchObject({ outcome: 'pass' });
    expect(await verb('clean', node)).toMatchObject({ outcome: 'pass' });
  }
});
afterAll(async () => {
  await product?.stop();
  await lab?.stop();
  await sshd?.stop();
  await new Promise((done) => (guest === undefined ? done(undefined) : guest.close(done)));
  await rm(home, { recursive: true, force: true });
});

const verb = async (...args: string[]): Promise<OperationReport> =>
  (await product.answer<OperationReport>('node', ...args)).document;
const deploy = (name: Case): Promise<OperationReport> =>
  verb(
    'deploy',
    NODES[name],
    '--image',
    lab.contract.images[0]!.name,
    '--owner',
    'a',
    '--on-failure',
    'fail',
  );

const handOver = ({ steps }: OperationReport) => steps.find(({ id }) => id === 'hand-over')!;

it.concurrent(
  'a guest that is reached from a vantage point is handed over, and from where is said and kept',
  async () => {
    const report = await deploy('reached');
    expect(report).toMatchObject({ outcome: 'pass', phase: 'active' });
    const { summary, evidence } = handOver(report);
    expect(summary).toContain(`reached on 127.65.0.11:${port} from vantage point tenant-jump`);
    expect(sshd.log()).toContain('Accepted publickey');
    expect(evidence).toHaveLength(1);
    expect(await product.json('evidence', 'show', evidence![0]!.id)).toMatchObject({
      asked: `connections to port ${port}, from vantage point tenant-jump`,
      answer: { from: 'tenant-jump', tried: [{ address: '127.65.0.11', port, outcome: 'open' }] },
    });
  },
);

it.concurrent(
  'a guest that refuses there is not handed over: the image is asked to answer for it',
  async () => {
    const report = await deploy('refused');
    expect(report).toMatchObject({ outcome: 'fail', phase: 'deploy-failed' });
    expect(report.failure).toMatchObject({
      code: 'HAND_OVER_INCOMPLETE',
      faultDomain: 'first-boot',
      message: `The guest is not reached from vantage point tenant-jump: 127.65.0.12:${closed} refused.`,
    });
  },
);

it.concurrent(
  'a vantage point that is down says nothing of the guest: the failure is the host it stands on',
  async () => {
    const report = await deploy('down');
    expect(report).toMatchObject({ outcome: 'error', phase: 'deploy-failed' });
    expect(report.failure).toMatchObject({
      code: 'SSH_REFUSED',
      faultDomain: 'control-host',
      message: expect.stringMatching(/^SSH to vantage point jump-that-is-down .*refuses the connection\.$/),
    });
  },
);
