import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { redfishDriver } from '../../../activities/drivers/redfish/driver.ts';
import { closeAllBmcs } from '../../../activities/redfish/transport.ts';
import { forgetRefusedCredentials } from '../../../activities/redfish/session.ts';
import type { Site } from '../../../activities/site.ts';
import { watchNodes } from '../../../activities/watch/watch.ts';
import { Inventory } from '../../../contracts/inventory/inventory.ts';
import { newNode, type NodeRecord } from '../../../core/node.ts';
import type { Observed } from '../../../core/observed.ts';
import { aSite } from '../support.ts';

/** So many BMCs with so many systems each, as in a chassis of blades. */
const BMCS = 100;
const SYSTEMS = 10;
const NODES = BMCS * SYSTEMS;

/** The least that a Redfish service can be. */
class Bmc {
  readonly server: Server;
  readonly off = new Set<string>();
  wrongPassword = false;

  constructor(count: (what: string) => void) {
    this.server = createServer((request, response) => {
      const { method, url } = request;
      const system = /^\/redfish\/v1\/Systems\/(\d+)$/.exec(url!)?.[1];
      const json = (status: number, body: object, headers = {}): void => {
        setImmediate(() => {
          count(system === undefined ? `${method} ${url}` : 'GET a system');
          response.writeHead(status, { 'content-type': 'application/json', ...headers });
          response.end(JSON.stringify(body));
        });
      };
      request.resume();
      if (url === '/redfish/v1/')
        return json(200, { RedfishVersion: '1.0.0', SessionService: { '@odata.id': '/s' } });
      if (method === 'POST' && this.wrongPassword) return json(401, {});
      if (method === 'POST') return json(201, {}, { 'x-auth-token': 't', location: '/s/Sessions/1' });
      if (request.headers['x-auth-token'] !== 't') return json(401, {});
      return json(200, { PowerState: this.off.has(system!) ? 'Off' : 'On', Status: { Health: 'OK' } });
    });
  }
}

const bmcs: Bmc[] = [];
let counts: Map<string, number>;
let signals: { node: string; seen: Observed }[];
let site: Site;

beforeAll(async () => {
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  for (let i = 0; i < BMCS; i++) {
    const bmc = new Bmc(count);
    await new Promise<void>((done) => bmc.server.listen(0, '127.0.0.1', done));
    bmcs.push(bmc);
  }
});
beforeEach(async () => {
  counts = new Map();
  signals = [];
  const credentials = { username: 'u', password: 'env:P' };
  const nodes = Array.from({ length: NODES }, (_, i) => ({
    name: `n${i}`,
    type: 'plain',
    bmc: {
      address: `http://127.0.0.1:${(bmcs[i % BMCS]!.server.address() as AddressInfo).port}`,
      system: `/redfish/v1/Systems/${Math.floor(i / BMCS)}`,
      credentials,
      tls: 'insecure',
    },
  }));
  const contract = Inventory.parse({ site: 's', machineTypes: [{ name: 'plain' }], nodes });
  const inventory = { ...contract, bmc: { ...contract.bmc, watch: { interval: 0.5 } } };
  const record = (node: string): NodeRecord => ({
    ...newNode('s', node),
    generation: 4,
    phase: 'active',
    power: 'on',
    health: 'OK',
  });
  const getHandle = (id: string) => ({
    signal: async (_: string, seen: Observed) => void signals.push({ node: id.split('/')[2]!, seen }),
  });
  const secret = async (): Promise<string> => {
    counts.set('secret', (counts.get('secret') ?? 0) + 1);
    return 'p';
  };
  site = await aSite({ name: 's', inventory: async () => inventory, secret });
  Object.assign(site, {
    client: { workflow: { getHandle } } as unknown as Client,
    records: { ...site.records, read: async (_: string, node: string) => record(node) },
  });
});
afterAll(async () => {
  await closeAllBmcs();
  for (const { server } of bmcs) server.closeAllConnections();
  await Promise.all(bmcs.map(({ server }) => new Promise((closed) => server.close(closed))));
});

/** Runs so many rounds, and answers what was asked in each. */
async function run(rounds: number, between: (round: number) => void = () => undefined): Promise<object[]> {
  const asked: object[] = [];
  const stop = new AbortController();
  await watchNodes(site, [redfishDriver], {
    signal: stop.signal,
    onRound: () => {
      asked.push(Object.fromEntries(counts));
      counts = new Map();
      if (asked.length === rounds) stop.abort();
      else between(asked.length);
    },
  });
  return asked;
}

it('a thousand nodes: one request each a round, one login for each BMC, one signal for each change', async () => {
  const changed = ['n7', 'n100', 'n999'];
  const asked = await run(4, (round) => {
    if (round !== 2) return;
    for (const name of changed) {
      const i = Number(name.slice(1));
      bmcs[i % BMCS]!.off.add(String(Math.floor(i / BMCS)));
    }
  });
  const each = { 'GET a system': NODES, secret: 1 };
  const login = { 'GET /redfish/v1/': BMCS, 'POST /s/Sessions': BMCS };
  expect(asked).toEqual([{ ...each, ...login }, each, each, each]);
  expect(signals.map(({ node }) => node).sort()).toEqual(changed.toSorted());
  expect(signals[0]!.seen).toMatchObject({ generation: 4, reachable: true, power: 'off', health: 'OK' });
});

it('a refused password is sent once to each BMC, however many systems and rounds there are', async () => {
  await closeAllBmcs();
  for (const bmc of bmcs) bmc.wrongPassword = true;
  try {
    const asked = await run(4);
    expect(asked[0]).toMatchObject({ 'POST /s/Sessions': BMCS });
    for (const round of asked.slice(1)) expect(round).toEqual({ secret: 1 });
    expect(signals).toHaveLength(NODES);
    expect(signals[0]!.seen).toMatchObject({ reachable: false, why: 'BMC_AUTH_FAILED' });
  } finally {
    forgetRefusedCredentials();
    for (const bmc of bmcs) bmc.wrongPassword = false;
  }
});
