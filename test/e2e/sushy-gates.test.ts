import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeUrl } from '../../activities/agent/urls.ts';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import { freePorts } from '../../client/up/ports.ts';
import { Inventory } from '../../contracts/inventory/inventory.ts';
import { newNode } from '../../core/node.ts';
import { createGateway } from '../../workers/gateway/gateway.ts';
import { Front } from '../peers/front.ts';
import { startSushy, type Sushy } from '../peers/sushy.ts';
import { shownFailing } from '../support/shown.ts';
import { GateBench } from '../workflows/gate-bench.ts';
import { SITE } from '../workflows/support.ts';
import { redfish, type MediaDocument } from './sushy/redfish.ts';

// What gates 1 and 6 say of BMCs, on two that no one here wrote: emulators of OpenStack, which fetch what they are given.

const shown = shownFailing('sushy-tools', [
  'bmc-access',
  'conductor-to-bmc',
  'bmc-to-publisher',
  'probe-media-ejected',
]);

/** The dedicated node, whose BMC is given media, and another. */
const [NODE, OTHER] = ['node-1', 'node-2'];

let folder: string;
let sushy: Record<string, Sushy>;
let front: Front;
let inventory: Inventory;
let bench: GateBench;

const password = (text: string): void => writeFileSync(join(folder, 'password'), text);
const own = (): Sushy => sushy[NODE]!;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-sushy-gates-'));
  const [one, other] = await Promise.all([startSushy({ systems: 1 }), startSushy({ systems: 1 })]);
  sushy = { [NODE]: one, [OTHER]: other };
  const [port] = await freePorts(1);
  // The way from BMCs to the gateway, and no one else's.
  front = await Front.start(port!);
  password(one.password);
  inventory = Inventory.parse({
    site: SITE,
    bmc: {
      credentials: { username: one.username, password: `file:${join(folder, 'password')}` },
      auth: 'basic',
    },
    media: {
      gatewayUrl: `http://127.0.0.1:${port}`,
      bmcGatewayUrl: `http://127.0.0.1:${front.port}`,
      iso: join(folder, 'base.iso'),
    },
    networks: { provisioning: { cidr: '127.0.0.0/8', kind: 'provisioning' } },
    images: [],
    machineTypes: [{ name: 'pretended', expect: { nics: 1 } }],
    nodes: Object.entries(sushy).map(([name, { url, systems }]) => ({
      name,
      type: 'pretended',
      bmc: { address: url, system: systems[0]!.uri },
      ports: [{ mac: systems[0]!.mac, network: 'provisioning' }],
      rootDevice: { serial: 'D1' },
      architecture: 'x86_64',
      bootMode: 'uefi',
    })),
    acceptance: { node: NODE },
  });
});
afterAll(async () => {
  await front?.stop();
  await Promise.all(Object.values(sushy ?? {}).map((each) => each.stop()));
  rmSync(folder, { recursive: true, force: true });
});

/** Gives the tests of a room runs of one gate. */
function benchOf(gate: 1 | 6): void {
  beforeAll(async () => {
    bench = await GateBench.build(
      gate,
      GATE_CHECKS.filter(({ check }) => check.gate === gate),
    );
  });
  afterAll(() => bench?.close());
}

/** What the checks of the gate have come to that are about these nodes. */
async function outcomes(): Promise<object> {
  const report = await bench.run(inventory);
  expect(report.failure).toBeUndefined();
  return Object.fromEntries(
    bench
      .checksOf(report)
      .filter(({ outcome }) => outcome !== 'skipped')
      .map(({ id, outcome, summary }) => [id, `${outcome}: ${summary}`]),
  );
}

describe('gate 1', () => {
  benchOf(1);

  it('passes', async () => {
    expect(await outcomes()).toEqual({ 'bmc-access': 'pass: 2: reached and logged in to' });
  });

  it('bmc-access: the BMC is down', async () => {
    await bench.failing(inventory, {
      fault: () => own().down(),
      mend: () => own().up(),
      id: 'bmc-access',
      expected: { domain: 'management-network', code: 'BMC_UNREACHABLE', message: /ECONNREFUSED|refused/ },
    });
    shown('bmc-access');
  });

  it('bmc-access: it has another password than the contract', async () => {
    await bench.failing(inventory, {
      fault: () => password('another'),
      mend: () => password(own().password),
      id: 'bmc-access',
      expected: { domain: 'contract', code: 'BMC_AUTH_FAILED', message: /refuses the credentials/ },
    });
  });
});

describe('gate 6', () => {
  let gateway: FastifyInstance;
  benchOf(6);

  beforeAll(async () => {
    const { site, records } = bench.house;
    await records.write({ ...newNode(SITE, NODE), phase: 'available', generation: 1 }, 0);
    gateway = createGateway({
      site: SITE,
      tokens: site.tokens,
      operations: undefined as never,
      contract: (hash) => site.contracts.load(hash),
      log: pino({ level: 'silent' }),
      probes: site.probes,
    });
    await gateway.listen({ host: '127.0.0.1', port: Number(new URL(inventory.media!.gatewayUrl).port) });
  });
  afterAll(() => gateway?.close());

  const drive = (node: string): Promise<MediaDocument> =>
    redfish(sushy[node]!).get(`${sushy[node]!.systems[0]!.uri}/VirtualMedia/Cd`);

  it('passes: the publisher saw the BMC fetch', async () => {
    const before = front.connections;
    expect(await outcomes()).toEqual({
      'conductor-to-bmc': 'pass: 2 reached from the worker',
      'bmc-to-publisher': `pass: the BMC of ${NODE} asked for the probe image with GET from 127.0.0.1`,
    });
    expect(front.connections).toBe(before + 1);
    expect(await drive(NODE)).toMatchObject({ Inserted: false });
  });

  it('conductor-to-bmc: a BMC is down', async () => {
    await bench.failing(inventory, {
      fault: () => sushy[OTHER]!.down(),
      mend: () => sushy[OTHER]!.up(),
      id: 'conductor-to-bmc',
      expected: { domain: 'bmc', message: /the BMC of node-2 .* refuses .*from the worker/ },
    });
    shown('conductor-to-bmc');
  });

  it('bmc-to-publisher: there is no way from the BMC to the publisher', async () => {
    await bench.failing(inventory, {
      fault: () => front.listen(false),
      mend: () => front.listen(true),
      id: 'bmc-to-publisher',
      expected: { domain: 'media-publisher', code: 'MEDIA_FETCH_FAILED', message: /could not fetch/ },
    });
    expect(await drive(NODE)).toMatchObject({ Inserted: false });
    shown('bmc-to-publisher');
  });

  it('probe-media-ejected: the BMC does not eject what a killed worker left', async () => {
    const theirs = Inventory.parse({ ...inventory, acceptance: { node: OTHER } });
    await leave(theirs, OTHER);
    let writable: () => Promise<void>;
    await bench.failing(theirs, {
      fault: async () => (writable = await sushy[OTHER]!.keepsNothing()),
      mend: async () => {
        expect(await drive(OTHER)).toMatchObject({ Inserted: true });
        await writable();
      },
      id: 'probe-media-ejected',
      expected: { domain: 'bmc', outcome: 'error', code: 'BMC_INTERNAL_ERROR', message: /Ejecting/ },
    });
    expect(await drive(OTHER)).toMatchObject({ Inserted: false });
    shown('probe-media-ejected');
  });

  /** Has a probe image in a drive as a worker leaves it that is killed before it ejects it. */
  async function leave(of: Inventory, node: string): Promise<void> {
    const { site } = bench.house;
    await site.probes.open(node, { id: 'left', contractHash: await site.contracts.store(of) });
    const door = { tokens: site.tokens, gatewayUrl: of.media!.gatewayUrl };
    const expires = Math.floor(Date.now() / 1000) + 600;
    const image = probeUrl(
      door,
      { site: SITE, node, requestId: 'left', generation: 1 },
      { epoch: 0, expires },
    );
    const { url, username, password: word, systems } = sushy[node]!;
    const answer = await fetch(`${url}${systems[0]!.uri}/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ Image: image }),
    });
    expect(answer.status).toBe(204);
  }
});
