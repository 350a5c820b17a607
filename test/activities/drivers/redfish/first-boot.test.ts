import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { firstBootUrl } from '../../../../activities/agent/urls.ts';
import { captureConsole } from '../../../../activities/console/capture.ts';
import { redfishDriver } from '../../../../activities/drivers/redfish/driver.ts';
import { freePorts } from '../../../../client/up/ports.ts';
import type { Inventory } from '../../../../contracts/inventory/inventory.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { startBench, until, type Bench, type Running } from './bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench({ servers: 1 });
});
afterAll(() => bench.close());

const NODE = 'node-001';
const TENANT = { cidr: '10.9.0.0/24', gateway: '10.9.0.1', dns: ['10.9.0.53'] };

/** The lab's contract, in which the guest gets its address on the second port from us. */
function contractWith(changes: Partial<Inventory> = {}): Inventory {
  const { images, nodes, networks } = bench.inventory;
  const [node] = nodes;
  const ports = node!.ports.map((port, index) =>
    index === 1 ? { ...port, network: 'tenant', address: '10.9.0.11' } : port,
  );
  return {
    ...bench.inventory,
    networks: { ...networks, tenant: TENANT },
    nodes: [{ ...node!, ports }],
    images: images.map((image) => ({ ...image, configDrive: 'nocloud' as const })),
    ...changes,
  };
}

const deploy = (contract: Inventory, verb: 'deploy' | 'reimage' = 'deploy'): Running =>
  bench.begin(verb, NODE, { image: bench.inventory.images[0]!.name, hostname: 'tenant-7' }, contract);

/** The hand-over of what a guest said, as if it had just said so; the machine runs. */
async function handOver(contract: Inventory, changes: JsonObject): Promise<unknown> {
  const operation = deploy(contract, 'reimage');
  bench.operations.reports.push({ ...told, ...changes });
  try {
    return (await operation.step('hand-over')).summary;
  } catch (error) {
    return (error as { failure?: unknown }).failure;
  } finally {
    operation.end();
  }
}
let told: JsonObject;

it.each(['openstack', 'nocloud'] as const)(
  'a guest gets its network by a drive of form %s, and is held to it',
  async (configDrive) => {
    const contract = contractWith({
      images: bench.inventory.images.map((image) => ({ ...image, configDrive })),
    });
    const operation = deploy(contract, configDrive === 'openstack' ? 'deploy' : 'reimage');
    await operation.run();
    operation.end();
    told = bench.operations.reports[0]!;
    expect(told).toMatchObject({
      hostname: 'tenant-7',
      addresses: expect.arrayContaining([expect.objectContaining({ address: '10.9.0.11' })]),
      routes: [{ destination: 'default', gateway: '10.9.0.1' }],
      dns: ['10.9.0.53'],
    });
    expect(operation.outputs.get('hand-over')!.summary).toMatch(/2 links up; its clock is \d s off;/);
  },
);

it('a network that is not the one of the contract is not handed over', async () => {
  const routes = [{ destination: 'default', gateway: '10.0.0.1', interface: 'eth0' }];
  expect(await handOver(contractWith(), { routes, dns: ['10.9.0.54'] })).toMatchObject({
    code: 'HAND_OVER_INCOMPLETE',
    details: {
      differences: [
        "its default route is by 10.0.0.1, and the contract's gateway is 10.9.0.1",
        'it does not ask DNS server 10.9.0.53',
      ],
    },
  });
});

it('what a guest does not tell is not judged, and said', async () => {
  const { hostname, addresses, disks, gpus, mounts } = told;
  const operation = deploy(contractWith(), 'reimage');
  bench.operations.reports.push({ hostname, addresses, disks, gpus, mounts } as JsonObject);
  expect((await operation.step('hand-over')).summary).toContain(
    'not told by the guest, hence not judged: links, routes, DNS servers, time',
  );
  operation.end();
});

/** The contract in which a guest is tried on a port; it tells the address of its second port itself. */
function triedOn(port: number): Inventory {
  const { machineTypes, nodes, networks } = bench.inventory;
  const handOver = { from: 'worker' as const, ports: [port] };
  const ports = nodes[0]!.ports.map((each, index) => (index === 1 ? { ...each, network: 'tenant' } : each));
  return contractWith({
    machineTypes: machineTypes.map((type) => ({ ...type, handOver })),
    networks: { ...networks, tenant: { cidr: '127.65.0.0/16' } },
    nodes: [{ ...nodes[0]!, ports: ports.filter(({ network }) => network === 'tenant') }],
  });
}

it('a guest is tried from the worker where its machine type wants it, until it answers', async () => {
  const [port] = await freePorts(1);
  const contract = triedOn(port!);
  const addresses = [
    { interface: 'lo', address: '127.0.0.1' },
    { interface: 'docker0', address: '172.17.0.1' },
    { interface: 'ens2f0', address: '127.65.0.1' },
  ];
  const operation = deploy(contract, 'reimage');
  bench.operations.reports.push({ ...told, addresses, routes: null, dns: null });
  const context = operation.context('hand-over');
  await expect(redfishDriver.steps['hand-over']!(context)).rejects.toMatchObject({
    failure: {
      code: 'HAND_OVER_INCOMPLETE',
      faultDomain: 'first-boot',
      retryable: true,
      message: `The guest is not reached from the worker: 127.65.0.1:${port} refused.`,
      details: { from: 'worker', tried: [`127.65.0.1:${port}`] },
    },
    retryAfterMs: 5_000,
  });
  const server = createServer((socket) => socket.end());
  await new Promise<void>((listening) => server.listen(port, '127.65.0.1', listening));
  expect((await operation.step('hand-over')).summary).toContain(
    `reached on 127.65.0.1:${port} from the worker`,
  );
  await new Promise((closed) => server.close(closed));
  operation.end();
});

it('a guest without an address that it could be tried at is not handed over', async () => {
  const addresses = [{ interface: 'docker0', address: '172.17.0.1' }];
  expect(await handOver(triedOn(22), { addresses, routes: null, dns: null })).toMatchObject({
    code: 'HAND_OVER_INCOMPLETE',
    retryable: false,
    message: expect.stringContaining('no address that it could be tried at from the worker'),
  });
});

it('where nothing is to be tried, that is said', async () => {
  expect(await handOver(contractWith(), {})).toContain('it was not tried from where its user is');
});

it('of a guest that stays silent the console is kept, without the call-back that it printed there', async () => {
  await bench.faults(NODE, { firstBootSilent: 1 });
  const operation = deploy(contractWith(), 'reimage');
  await operation.run('boot-disk');
  const context = operation.context('await-first-boot');
  const { file } = context.node.console!;
  const shown = await until('the last words of the guest', () => {
    const text = readFileSync(file!, 'utf8');
    return text.includes('unreachable') ? text : undefined;
  });
  const door = { tokens: bench.tokens, gatewayUrl: bench.gatewayUrl };
  const { ref, window } = context.input;
  const signature = firstBootUrl(door, ref, window).split('.').at(-1)!;
  expect(shown.replaceAll('\r\n', '')).toContain(signature);
  const { console } = (await captureConsole(context))!;
  expect(console).toEqual({
    last: [
      expect.stringMatching(/^report\.py: http:.*…/),
      'report.py: not taken yet: [Errno 101] Network is unreachable',
    ],
  });
  const { lines } = bench.evidence.get(`${ref.requestId}/await-first-boot/console`) as { lines: string[] };
  expect(lines.join('')).not.toContain(signature.slice(0, 16));
  expect(lines).toContain('OK Started the system tenant-7.');
  operation.end();
});

it('a guest whose clock is an hour behind is not handed over', async () => {
  await bench.faults(NODE, { guestClockBehind: true });
  const operation = deploy(contractWith(), 'reimage');
  await expect(operation.run()).rejects.toMatchObject({
    failure: {
      code: 'HAND_OVER_INCOMPLETE',
      message: expect.stringMatching(/^The guest: its clock is 3(599|600|60\d) s behind\.$/),
    },
  });
  operation.end();
  await bench.faults(NODE, {});
});
