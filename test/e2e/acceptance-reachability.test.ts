import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { probeUrl } from '../../activities/agent/urls.ts';
import { endpointOf } from '../../activities/drivers/redfish/bmc.ts';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import { convergeMedia } from '../../activities/redfish/media.ts';
import { findSystem } from '../../activities/redfish/service.ts';
import { withBmc } from '../../activities/redfish/transport.ts';
import { resolveSecret } from '../../activities/secrets/resolve.ts';
import { freePorts } from '../../client/up/ports.ts';
import { effectiveNode } from '../../contracts/inventory/effective.ts';
import { Inventory } from '../../contracts/inventory/inventory.ts';
import { failure } from '../../core/errors/failure.ts';
import { newNode } from '../../core/node.ts';
import type { OperationReport } from '../../core/operations.ts';
import { startLab, type RunningLab } from '../../lab/lab.ts';
import { createGateway } from '../../workers/gateway/gateway.ts';
import { aCluster } from '../activities/gates/kubernetes/support.ts';
import { startSshd, type SshdPeer } from '../peers/sshd.ts';
import { shownFailing } from '../support/shown.ts';
import { GateBench } from '../workflows/gate-bench.ts';
import { SITE } from '../workflows/support.ts';

// Gate 6 from hosts behind OpenSSH's own server, from pods of the lab's cluster, and from BMCs of the lab.

const inLab = shownFailing('the lab', ['conductor-to-bmc', 'bmc-to-publisher', 'probe-media-ejected']);
const bySsh = shownFailing('hosts behind OpenSSH', [
  'guest-to-network',
  'operator-to-api',
  'operator-to-console',
  'user-to-api',
  'user-to-guest',
  'user-to-workload',
]);
const inPlay = shownFailing('reports of operations', ['agent-to-call-backs', 'agent-to-image-source']);

const NODE = 'node-002';
const CHECKS = GATE_CHECKS.filter(({ check }) => check.gate === 6);

let folder: string;
let lab: RunningLab;
let cluster: Awaited<ReturnType<typeof aCluster>>;
let sshd: SshdPeer;
let bench: GateBench;
let gateway: FastifyInstance;
let inventory: Inventory;
/** What listens, by what it stands for; each at a port of its own. */
const services = {} as Record<(typeof SERVICES)[number], Service>;
const SERVICES = ['api', 'console', 'guest', 'workload', 'network', 'public', 'bmc'] as const;

interface Service {
  readonly port: number;
  up(): Promise<void>;
  down(): Promise<void>;
}

function service(port: number, kind: 'http' | 'tcp', status = 200): Service {
  let server: Server | HttpServer | undefined;
  return {
    port,
    async up() {
      server =
        kind === 'tcp'
          ? createServer((socket) => socket.end())
          : createHttpServer((_request, response) => response.writeHead(status).end());
      await new Promise<void>((listening) => server!.listen(port, '127.0.0.1', listening));
    },
    down: () => new Promise((done) => (server ? server.close(() => done()) : done())),
  };
}

const record = () => ({
  ...newNode(SITE, NODE),
  phase: 'available' as const,
  generation: 1,
  resident: { kind: 'none' as const },
  recent: [{ requestId: 'deploy-1', kind: 'deploy' as const, fingerprint: '', outcome: 'pass' as const }],
});

/** Keeps a report as an operation of the node leaves one. */
async function deployed(steps: OperationReport['steps'], endedAt = new Date().toISOString()): Promise<void> {
  const { site } = bench.house;
  await site.evidence.put(
    {
      site: SITE,
      node: NODE,
      requestId: 'deploy-1',
      step: 'operation',
      name: 'report',
      asked: 'deploy',
      of: NODE,
      from: 'operation deploy-1',
      answer: { kind: 'deploy', requestId: 'deploy-1', endedAt, steps } as never,
    },
    site.secrets,
  );
}
const step = (id: string, over: object = {}) => ({ id, title: id, state: 'done' as const, ...over });
const reached = [step('await-agent'), step('write-image')];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rackwright-reachability-'));
  const ports = await freePorts(SERVICES.length + 1);
  for (const [index, name] of SERVICES.entries())
    services[name] = service(
      ports[index]!,
      name === 'guest' || name === 'network' ? 'tcp' : 'http',
      name === 'api' ? 401 : 200,
    );
  for (const each of Object.values(services)) await each.up();
  const gatewayUrl = `http://127.0.0.1:${ports.at(-1)}`;
  lab = await startLab({ dataDir: join(folder, 'lab'), servers: 2, gatewayUrl });
  cluster = await aCluster();
  sshd = await startSshd();
  bench = await GateBench.build(6, CHECKS);
  const { site } = bench.house;
  await bench.house.records.write(record(), 0);
  gateway = createGateway({
    site: SITE,
    tokens: site.tokens,
    operations: undefined as never,
    contract: (hash) => site.contracts.load(hash),
    log: pino({ level: 'silent' }),
    probes: site.probes,
  });
  await gateway.listen({ host: '127.0.0.1', port: ports.at(-1)! });
  inventory = await contract();
  await deployed(reached);
});
afterAll(async () => {
  await bench?.close();
  await gateway?.close();
  await lab?.close();
  await cluster?.close();
  await sshd?.stop();
  for (const each of Object.values(services)) await each.down();
  rmSync(folder, { recursive: true, force: true });
});

async function contract(): Promise<Inventory> {
  const theirs = parse(readFileSync(lab.inventory, 'utf8')) as {
    bmc: object;
    nodes: object[];
    media: object;
  };
  const ssh = {
    host: '127.0.0.1',
    port: sshd.port,
    user: sshd.user,
    key: `file:${sshd.keyFile}`,
    hostKey: sshd.hostKey,
  };
  const at = (name: (typeof SERVICES)[number]) => ({ host: '127.0.0.1', port: services[name].port });
  const url = (name: (typeof SERVICES)[number]) => `http://127.0.0.1:${services[name].port}/`;
  return Inventory.parse({
    ...theirs,
    site: SITE,
    firmware: undefined,
    bmc: { ...theirs.bmc, tls: { ca: join(folder, 'lab', 'ca.pem') } },
    kubernetes: cluster.inventory.kubernetes,
    openstack: { ironic: { url: url('public') } },
    nodes: [
      ...theirs.nodes,
      {
        name: 'ironic-1',
        type: 'lab-gpu-8',
        driver: 'ironic',
        ironic: { driver: 'redfish', driverInfo: { redfish_address: url('bmc') } },
      },
    ],
    vantagePoints: [
      { name: 'desk', ssh },
      { name: 'conductors', pod: { namespace: 'openstack', labels: { app: 'ironic-conductor' } } },
    ],
    acceptance: {
      node: NODE,
      reachability: {
        conductors: ['conductors'],
        operator: { from: 'desk', api: [url('api')], console: [url('console')] },
        user: { from: 'desk', api: [url('public')], guests: [at('guest')], workloads: [url('workload')] },
        guest: { from: 'desk', reaches: [at('network')] },
      },
    },
  });
}

const bmcFaults = async (values: object, node = NODE): Promise<void> => {
  const answer = await fetch(`${lab.controlUrl}/servers/${node}/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(values),
  });
  expect(answer.ok).toBe(true);
};
const drives = async (node: string): Promise<{ inserted: boolean }[]> => {
  const answer = await fetch(`${lab.controlUrl}/servers/${node}`);
  return Object.values(((await answer.json()) as { media: Record<string, { inserted: boolean }> }).media);
};
const isInserted = async (node = NODE): Promise<boolean> =>
  (await drives(node)).some(({ inserted }) => inserted);

it('passes, says from where each was tried, and keeps what was asked from there', async () => {
  const report = await bench.run(inventory);
  expect(report.failure).toBeUndefined();
  const checks = bench.checksOf(report);
  expect(
    Object.fromEntries(checks.map(({ id, outcome, summary }) => [id, `${outcome}: ${summary}`])),
  ).toEqual({
    'conductor-to-bmc':
      'pass: 2 reached from the worker; 1 reached from vantage point conductors (pod openstack/ironic-conductor-0), vantage point conductors (pod openstack/ironic-conductor-1)',
    'bmc-to-publisher': `pass: the BMC of ${NODE} asked for the probe image with HEAD from 127.0.0.1`,
    'agent-to-call-backs': expect.stringMatching(
      /^pass: the agent reached its call-backs .* ago, at 20.*, in deploy deploy-1$/,
    ) as string,
    'agent-to-image-source': expect.stringMatching(/^pass: the agent reached the image source /) as string,
    'guest-to-network': 'pass: 1 reached from vantage point desk',
    'operator-to-api': 'pass: 3 reached from vantage point desk',
    'operator-to-console': 'pass: 1 reached from vantage point desk',
    'user-to-api': 'pass: 1 reached from vantage point desk',
    'user-to-guest': 'pass: 1 reached from vantage point desk',
    'user-to-workload': 'pass: 1 reached from vantage point desk',
    'probe-media-ejected': 'skipped: no probe image is left to be ejected',
  });
  const { evidence } = checks.find(({ id }) => id === 'conductor-to-bmc')!;
  const kept = await Promise.all(evidence!.map(({ id }) => bench.house.evidence.read(id)));
  expect(kept.map(({ asked }) => asked).sort()).toEqual([
    'connections from the worker',
    'connections from vantage point conductors (pod openstack/ironic-conductor-0)',
    'connections from vantage point conductors (pod openstack/ironic-conductor-1)',
  ]);
  expect(await isInserted()).toBe(false);
});

describe('a fault stops the run at the one check that it is for, and the correction has it pass', () => {
  it.each<[id: string, service: (typeof SERVICES)[number], domain: string, message: RegExp]>([
    [
      'conductor-to-bmc',
      'bmc',
      'bmc',
      /the BMC of ironic-1 .* refuses .*\(pod openstack\/ironic-conductor-0\)/,
    ],
    ['guest-to-network', 'network', 'tenant-network', /what guests reach .* from vantage point desk/],
    ['operator-to-api', 'api', 'orchestrator', /an API .* refuses the connection from vantage point desk/],
    ['operator-to-console', 'console', 'console', /a console .* refuses/],
    ['user-to-guest', 'guest', 'first-boot', /a guest .* refuses/],
    ['user-to-workload', 'workload', 'first-boot', /a workload .* refuses/],
  ])('%s: %s is down', async (id, name, domain, message) => {
    await bench.failing(inventory, {
      fault: () => services[name].down(),
      mend: () => services[name].up(),
      id,
      expected: { domain, message },
    });
    (id === 'conductor-to-bmc' ? inLab : bySsh)(id);
  });

  it('user-to-api: an endpoint that users have is down', async () => {
    const theirs = Inventory.parse({
      ...inventory,
      openstack: undefined,
      nodes: inventory.nodes.slice(0, 2),
      vantagePoints: inventory.vantagePoints,
    });
    await bench.failing(theirs, {
      fault: () => services.public.down(),
      mend: () => services.public.up(),
      id: 'user-to-api',
      expected: { domain: 'openstack', message: /an API .* refuses the connection from vantage point desk/ },
    });
    bySsh('user-to-api');
  });

  it('bmc-to-publisher: the BMC cannot fetch', async () => {
    await bench.failing(inventory, {
      fault: () => bmcFaults({ mediaUnreachable: true }),
      mend: () => bmcFaults({ mediaUnreachable: false }),
      id: 'bmc-to-publisher',
      expected: { domain: 'media-publisher', code: 'MEDIA_FETCH_FAILED', message: /could not fetch/ },
    });
    expect(await isInserted()).toBe(false);
    inLab('bmc-to-publisher');
  });

  it('bmc-to-publisher: the BMC says that it holds the image, and the publisher has heard nothing of it', async () => {
    await bench.failing(inventory, {
      fault: () => bmcFaults({ mediaNeverFetched: true }),
      mend: () => bmcFaults({ mediaNeverFetched: false }),
      id: 'bmc-to-publisher',
      expected: { domain: 'management-network', message: /has not asked the publisher for it within/ },
    });
    expect(await isInserted()).toBe(false);
  });

  it('agent-to-call-backs: the newest agent was silent', async () => {
    const silent = failure('AGENT_SILENT', 'No deploy agent of this boot has called yet.');
    await bench.failing(inventory, {
      fault: () => deployed([step('await-agent', { state: 'failed', failure: silent }), step('write-image')]),
      mend: () => deployed(reached),
      id: 'agent-to-call-backs',
      expected: {
        domain: 'deploy-agent',
        message: /did not reach its call-backs .* ago, at .* in deploy deploy-1/,
      },
    });
    inPlay('agent-to-call-backs');
  });

  it('agent-to-image-source: the newest agent could not fetch the image', async () => {
    const unfetched = failure('IMAGE_DOWNLOAD_FAILED', 'The agent could not fetch it.');
    await bench.failing(inventory, {
      fault: () =>
        deployed([step('await-agent'), step('write-image', { state: 'failed', failure: unfetched })]),
      mend: () => deployed(reached),
      id: 'agent-to-image-source',
      expected: { domain: 'image-supply', message: /did not reach the image source/ },
    });
    inPlay('agent-to-image-source');
  });

  it('probe-media-ejected: what a killed worker left in a drive cannot be ejected', async () => {
    const node = 'node-001';
    const theirs = Inventory.parse({ ...inventory, acceptance: { ...inventory.acceptance, node } });
    await leave(theirs, node);
    await bench.failing(theirs, {
      fault: () => bmcFaults({ 'ejectMedia.status500': true }, node),
      mend: async () => {
        expect(await isInserted(node)).toBe(true);
        await bmcFaults({ 'ejectMedia.status500': false }, node);
      },
      id: 'probe-media-ejected',
      expected: { domain: 'bmc', outcome: 'error', code: 'BMC_INTERNAL_ERROR', message: /Ejecting/ },
    });
    expect(await isInserted(node)).toBe(false);
    inLab('probe-media-ejected');
  });
});

/** Has a probe image in a drive as a worker leaves it that is killed before it ejects it. */
async function leave(of: Inventory, name: string): Promise<void> {
  const { site } = bench.house;
  const contractHash = await site.contracts.store(of);
  await site.probes.open(name, { id: 'left', contractHash });
  const door = { tokens: site.tokens, gatewayUrl: of.media!.gatewayUrl };
  const expires = Math.floor(Date.now() / 1000) + 600;
  const url = probeUrl(
    door,
    { site: SITE, node: name, requestId: 'left', generation: 1 },
    { epoch: 0, expires },
  );
  const node = effectiveNode(of, name);
  const endpoint = await endpointOf({ node, secret: (reference) => resolveSecret(reference) });
  await withBmc(endpoint, async (bmc) => {
    const system = await findSystem(bmc, node.bmc?.system);
    expect(await convergeMedia(bmc, system, url, { ours: [] })).toMatchObject({ state: 'reached' });
  });
}

describe('what is not known is not passed', () => {
  it('a vantage point that is down is an error of each check that is made from it', async () => {
    const desk = inventory.vantagePoints.map((each) =>
      each.ssh === undefined ? each : { ...each, ssh: { ...each.ssh, port: 1 } },
    );
    const held = await bench.run(Inventory.parse({ ...inventory, vantagePoints: desk }));
    const from = ['guest-to-network', 'operator-to-api', 'operator-to-console'];
    const erred = bench.checksOf(held).filter(({ outcome }) => outcome === 'error');
    expect(erred.map(({ id }) => id)).toEqual([...from, 'user-to-api', 'user-to-guest', 'user-to-workload']);
    expect(erred[0]!.findings![0]!.failure).toMatchObject({
      code: 'SSH_REFUSED',
      faultDomain: 'control-host',
    });
    await bench.abort(held);
  });

  it('no pod of the conductors is ready: an error', async () => {
    const points = inventory.vantagePoints.map((each) =>
      each.pod === undefined ? each : { ...each, pod: { ...each.pod, labels: { app: 'nobody' } } },
    );
    const held = await bench.run(Inventory.parse({ ...inventory, vantagePoints: points }));
    const erred = bench.checksOf(held).filter(({ outcome }) => outcome === 'error');
    expect(erred.map(({ id, findings }) => [id, findings![0]!.failure.code])).toEqual([
      ['conductor-to-bmc', 'KUBERNETES_POD_UNUSABLE'],
    ]);
    await bench.abort(held);
  });

  it('no place stands for anybody: what the worker itself reaches counts for nobody else', async () => {
    const bare = Inventory.parse({ ...inventory, acceptance: { node: NODE } });
    const held = await bench.run(bare);
    const outcomes = Object.fromEntries(
      bench.checksOf(held).map(({ id, outcome, summary }) => [id, `${outcome}: ${summary}`]),
    );
    const stands = /^skipped: the contract names no place that stands for/;
    for (const id of ['guest-to-network', 'operator-to-api', 'operator-to-console', 'user-to-guest'])
      expect([id, outcomes[id]]).toEqual([id, expect.stringMatching(stands)]);
    const conductors = bench.checksOf(held).find(({ id }) => id === 'conductor-to-bmc')!;
    expect(conductors).toMatchObject({
      outcome: 'error',
      findings: [{ failure: { code: 'VANTAGE_NOT_NAMED' } }],
    });
    await bench.abort(held);
  });
});
