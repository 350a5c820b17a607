import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ironicDriver } from '../../activities/drivers/ironic/driver.ts';
import { IronicClient } from '../../activities/ironic/client.ts';
import { RackwrightError, type Failure } from '../../core/errors/failure.ts';
import type { IronicNode } from '../../core/ironic/node.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StepOutput } from '../../core/operations.ts';
import { ironicPlan } from '../../core/plans/ironic.ts';
import type { OperationVerbName } from '../../core/verbs.ts';
import { contextFor, inventoryFor, SHA, type Kept } from '../activities/drivers/ironic/context.ts';
import { startIronic, type IronicPeer } from '../peers/ironic.ts';

/** Against a real standalone Ironic with fake hardware. */
let peer: IronicPeer;
const kept: Kept[] = [];
const SECRETS = { 'env:USER_DATA': '#cloud-config\n', 'env:BMC': 'hunter2-very-secret' };

const node = (name: string, more: object = {}) => ({
  name,
  type: 'hgx',
  driver: 'ironic',
  ironic: { driver: 'fake-hardware', driverInfo: {} },
  ...more,
});
const nodes = [
  node('gpu-01', {
    ironic: {
      driver: 'fake-hardware',
      driverInfo: { fake_password: 'env:BMC' },
      interfaces: { deploy: 'fake', inspect: 'fake', bios: 'fake' },
    },
    ports: [{ mac: '52:54:00:00:01:01' }],
    rootDevice: { minSizeGiB: 100, model: 'X' },
    resourceClass: 'hgx',
  }),
  node('gpu-02', { ports: [{ mac: '52:54:00:00:01:01' }] }),
  node('gpu-03'),
  node('gpu-04', { ironic: { driver: 'fake-hardware', interfaces: { deploy: 'direct' } } }),
  node('gpu-05'),
  node('gpu-06'),
];

interface Given {
  requestId?: string;
  args?: JsonObject;
}

const context = (name: string, kind: OperationVerbName, step: string, { requestId, args }: Given = {}) =>
  contextFor({
    inventory: inventoryFor(peer.url, nodes),
    node: name,
    kind,
    step,
    requestId: requestId ?? `${kind}-1`,
    args: args ?? {},
    secrets: SECRETS,
    kept,
  });

/** One step, tried again for as long as it says "not yet", as the product does. */
const run = (name: string, kind: OperationVerbName, step: string, given: Given = {}): Promise<StepOutput> =>
  again(() => ironicDriver.steps[step]!(context(name, kind, step, given)));

async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 0; attempts < 60; attempts++) {
    try {
      return await attempt();
    } catch (cause) {
      if (!(cause instanceof RackwrightError) || !cause.failure.retryable) throw cause;
      await new Promise((next) => setTimeout(next, 200));
    }
  }
  throw new Error('it never converged');
}

/** A whole verb, step by step. */
async function verb(
  name: string,
  kind: OperationVerbName,
  given: Given = {},
): Promise<Map<string, StepOutput>> {
  const outputs = new Map<string, StepOutput>();
  for (const { id } of ironicPlan(kind, given.args ?? {})!) outputs.set(id, await run(name, kind, id, given));
  return outputs;
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (cause) {
    if (cause instanceof RackwrightError) return cause.failure;
    throw cause;
  }
  throw new Error('it did not fail');
}

async function asOperator<T>(run: (client: IronicClient) => Promise<T>): Promise<T> {
  const client = new IronicClient({ url: peer.url });
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}
const nodeOf = (name: string): Promise<IronicNode> =>
  asOperator(async (client) => (await client.node(name))!);

async function settled(name: string, state: string): Promise<IronicNode> {
  for (let looks = 0; looks < 200; looks++) {
    const now = await nodeOf(name);
    if (now.provisionState === state && now.reservation === null) return now;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error(`${name} never became ${state}: ${(await nodeOf(name)).provisionState}`);
}

beforeAll(async () => {
  peer = await startIronic();
}, 700_000);
afterAll(() => peer?.stop());

describe('the life of a node', () => {
  test('enroll registers, verifies, inspects and compares', async () => {
    const outputs = await verb('gpu-01', 'enroll');
    const now = await nodeOf('gpu-01');
    expect(now).toMatchObject({
      provisionState: 'manageable',
      driver: 'fake-hardware',
      resourceClass: 'hgx',
      properties: {
        cpu_arch: 'x86_64',
        capabilities: 'boot_mode:uefi',
        root_device: { model: 'X', size: '>= 100' },
      },
      extra: { rackwright: { site: 'berlin', node: 'gpu-01' } },
    });
    expect(outputs.get('inspect')!.summary).toContain('stored no inventory');
    expect(outputs.get('compare')).toMatchObject({
      summary: 'Nothing could be compared. Not compared, for Ironic does not tell: ports.',
      data: { drift: false },
    });
    expect(JSON.stringify([...outputs, kept])).not.toContain('hunter2');
  });

  test('registering again changes nothing but the secrets that cannot be read back', async () => {
    const output = await run('gpu-01', 'enroll', 'register', { requestId: 'enroll-2' });
    expect(output.summary).toMatch(/corrected in Ironic .* 1 ports, 0 of them new/);
    const other = await run('gpu-03', 'enroll', 'register');
    expect(other.summary).toContain('created');
    const again = await run('gpu-03', 'enroll', 'register');
    expect(again.summary).toContain('is as the contract has it');
  });

  test('clean runs what the fake interfaces offer, and calls nothing erased', async () => {
    const outputs = await verb('gpu-01', 'clean', { args: { erase: 'full' } });
    expect(outputs.get('erase')!.summary).toContain("no erase proof from this driver's interfaces");
    expect(outputs.get('erase')!.data).toEqual({ erase: 'none' });
    expect((await nodeOf('gpu-01')).provisionState).toBe('available');
  });

  test('deploy writes image and config drive, and ends active', async () => {
    const args = {
      image: 'ubuntu',
      hostname: 'trainer',
      userData: 'env:USER_DATA',
      sshKeys: ['ssh-ed25519 AAAA'],
    };
    const outputs = await verb('gpu-01', 'deploy', { args });
    const now = await nodeOf('gpu-01');
    expect(now.provisionState).toBe('active');
    expect(now.instanceInfo).toMatchObject({
      image_source: 'http://127.0.0.1:9/ubuntu.raw',
      image_os_hash_algo: 'sha256',
      image_os_hash_value: 'a'.repeat(64),
      configdrive: '******',
    });
    expect(outputs.get('hand-over')!.summary).toContain('were not checked');
  });

  test('inspecting an active node touches nothing', async () => {
    const before = await nodeOf('gpu-01');
    const outputs = await verb('gpu-01', 'inspect');
    expect(outputs.get('inspect')!.summary).toContain('Ironic inspects no node that is active');
    expect((await nodeOf('gpu-01')).provisionUpdatedAt).toBe(before.provisionUpdatedAt);
  });

  test('reimage rebuilds with the other image', async () => {
    const before = await nodeOf('gpu-01');
    await verb('gpu-01', 'reimage', { args: { image: 'debian' } });
    const now = await nodeOf('gpu-01');
    expect(now.provisionState).toBe('active');
    expect(now.provisionUpdatedAt).not.toBe(before.provisionUpdatedAt);
    expect(now.instanceInfo['image_os_hash_value']).toBe('b'.repeat(64));
  });

  test('power goes off, on, and through a reboot', async () => {
    await verb('gpu-01', 'power', { args: { state: 'on' }, requestId: 'p-1' });
    expect((await nodeOf('gpu-01')).powerState).toBe('power on');
    await verb('gpu-01', 'power', { args: { state: 'off' }, requestId: 'p-2' });
    expect((await nodeOf('gpu-01')).powerState).toBe('power off');
    const outputs = await verb('gpu-01', 'power', { args: { state: 'reboot' }, requestId: 'p-3' });
    expect(outputs.get('set-power')).toMatchObject({ data: { power: 'on' } });
    expect((await nodeOf('gpu-01')).powerState).toBe('power on');
  });

  test('release takes the instance down, cleans, and makes it available', async () => {
    await verb('gpu-01', 'release');
    const now = await nodeOf('gpu-01');
    expect(now.provisionState).toBe('available');
    expect(now.instanceInfo).toEqual({});
  });

  test('decommission removes it, and may be repeated', async () => {
    await verb('gpu-01', 'decommission');
    const facts = ironicDriver.facts;
    expect(await facts['ironic-gone']!(context('gpu-01', 'decommission', 'unregister'))).toBe(true);
    expect(await facts['ironic-node']!(context('gpu-01', 'decommission', 'unregister'))).toBe(false);
    expect((await run('gpu-01', 'decommission', 'unregister')).summary).toContain('no such node');
  });
});

describe('whose node it is', () => {
  test("somebody else's node of this name is not touched", async () => {
    await asOperator((client) => client.createNode({ name: 'gpu-02', driver: 'fake-hardware' }));
    const failure = await failureOf(run('gpu-02', 'enroll', 'register'));
    expect(failure).toMatchObject({ code: 'IRONIC_NODE_FOREIGN', faultDomain: 'contract' });
    expect(await failureOf(run('gpu-02', 'decommission', 'unregister'))).toMatchObject({
      code: failure.code,
    });
    await asOperator(async (client) => client.deleteNode((await client.node('gpu-02'))!.uuid));
  });

  test('a MAC address of another node is named', async () => {
    await verb('gpu-01', 'enroll', { requestId: 'again' });
    const failure = await failureOf(run('gpu-02', 'enroll', 'register'));
    expect(failure.code).toBe('IRONIC_PORT_TAKEN');
    expect(failure.message).toContain('52:54:00:00:01:01');
  });

  test('a node that is not there is missed', async () => {
    expect(await failureOf(run('gpu-06', 'clean', 'manage'))).toMatchObject({ code: 'IRONIC_NODE_MISSING' });
    expect((await run('gpu-06', 'decommission', 'undeploy')).summary).toContain('no such node');
  });
});

describe('requests that must not be sent twice', () => {
  const spied = async (name: string, kind: OperationVerbName, step: string, given: Given) => {
    const before = await nodeOf(name);
    const output = await run(name, kind, step, given);
    return { output, moved: (await nodeOf(name)).provisionUpdatedAt !== before.provisionUpdatedAt };
  };

  test('erase, deploy and rebuild run once in one operation, and again in the next', async () => {
    await verb('gpu-03', 'enroll');
    await run('gpu-03', 'clean', 'manage');
    expect((await spied('gpu-03', 'clean', 'erase', {})).moved).toBe(true);
    expect((await spied('gpu-03', 'clean', 'erase', {})).moved).toBe(false);
    expect((await spied('gpu-03', 'clean', 'erase', { requestId: 'clean-2' })).moved).toBe(true);
    await run('gpu-03', 'clean', 'provide');
    const ubuntu = { args: { image: 'ubuntu' } };
    expect((await spied('gpu-03', 'deploy', 'deploy', ubuntu)).moved).toBe(true);
    expect((await spied('gpu-03', 'deploy', 'deploy', ubuntu)).moved).toBe(false);
    const debian = { args: { image: 'debian' } };
    expect((await spied('gpu-03', 'reimage', 'rebuild', debian)).moved).toBe(true);
    expect((await spied('gpu-03', 'reimage', 'rebuild', debian)).moved).toBe(false);
    expect((await spied('gpu-03', 'reimage', 'rebuild', { ...debian, requestId: 'reimage-2' })).moved).toBe(
      true,
    );
  });

  test('a marker whose request never arrived is followed by the request', async () => {
    const now = await nodeOf('gpu-03');
    const value = { requestId: 'lost', step: 'rebuild', target: 'rebuild', since: now.provisionUpdatedAt };
    await asOperator((c) =>
      c.patchNode(now.uuid, [{ op: 'add', path: '/extra/rackwright/operation', value }]),
    );
    const args = { image: 'ubuntu' };
    expect((await spied('gpu-03', 'reimage', 'rebuild', { requestId: 'lost', args })).moved).toBe(true);
    expect((await spied('gpu-03', 'reimage', 'rebuild', { requestId: 'lost', args })).moved).toBe(false);
  });

  test("an active node that this operation did not deploy is not taken for one's own", async () => {
    const failure = await failureOf(
      run('gpu-03', 'deploy', 'deploy', { requestId: 'other', args: { image: 'ubuntu' } }),
    );
    expect(failure).toMatchObject({ code: 'IRONIC_STATE_UNEXPECTED', retryable: false });
  });
});

describe('failures', () => {
  test('the image must be in the contract and fetchable, the request possible', async () => {
    const of = (args: JsonObject) => failureOf(run('gpu-03', 'reimage', 'preflight', { args }));
    expect((await of({ image: 'nixos' })).code).toBe('IMAGE_UNKNOWN');
    expect((await of({ image: 'local' })).code).toBe('IRONIC_IMAGE_SOURCE');
    expect((await of({ image: 'ubuntu', keepData: false })).code).toBe('IRONIC_REQUEST_UNSUPPORTED');
  });

  test("a failure from before is recovered Ironic's way", async () => {
    await run('gpu-03', 'release', 'undeploy');
    await run('gpu-03', 'release', 'manage');
    const { uuid } = await nodeOf('gpu-03');
    const clean_steps = [{ interface: 'deploy', step: 'erase_devices' }];
    await asOperator((client) => client.provision(uuid, 'clean', { clean_steps }));
    await settled('gpu-03', 'clean failed');
    const output = await run('gpu-03', 'release', 'erase');
    expect(output.data).toEqual({ erase: 'none' });
    expect((await nodeOf('gpu-03')).provisionState).toBe('manageable');
  });

  test('an error recorded while it was cleaned is no proof, and the next visit cleans again', async () => {
    const before = await nodeOf('gpu-03');
    // As if an operator had recovered the node while our request had failed.
    const value = { requestId: 'u-1', step: 'erase', target: 'clean', since: before.provisionUpdatedAt };
    await asOperator(async (client) => {
      await client.patchNode(before.uuid, [{ op: 'add', path: '/extra/rackwright/operation', value }]);
      await client.provision(before.uuid, 'clean', {
        clean_steps: [{ interface: 'deploy', step: 'erase_devices' }],
      });
    });
    await settled('gpu-03', 'clean failed');
    await asOperator((client) => client.provision(before.uuid, 'manage'));
    await settled('gpu-03', 'manageable');
    const failure = await failureOf(run('gpu-03', 'clean', 'erase', { requestId: 'u-1' }));
    expect(failure).toMatchObject({ code: 'IRONIC_ERASE_UNPROVEN', retryable: false });
    expect(failure.message).toContain('does not support this clean step');
    await run('gpu-03', 'clean', 'erase', { requestId: 'u-1' });
  });

  test("someone's maintenance is respected", async () => {
    const { uuid } = await nodeOf('gpu-03');
    const maintenance = (method: 'PUT' | 'DELETE') =>
      fetch(`${peer.url}/v1/nodes/${uuid}/maintenance`, {
        method,
        headers: { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.95' },
        ...(method === 'PUT' ? { body: JSON.stringify({ reason: 'fan swap' }) } : {}),
      });
    await maintenance('PUT');
    const failure = await failureOf(run('gpu-03', 'clean', 'provide', { requestId: 'm-1' }));
    expect(failure).toMatchObject({ code: 'IRONIC_MAINTENANCE', retryable: false });
    expect(failure.message).toContain('fan swap');
    await maintenance('DELETE');
    await run('gpu-03', 'clean', 'provide', { requestId: 'm-1' });
  });

  test('an image that Ironic cannot fetch fails the deployment; the next visit asks again', async () => {
    await verb('gpu-04', 'enroll');
    await run('gpu-04', 'clean', 'provide');
    const deploy = () => failureOf(run('gpu-04', 'deploy', 'deploy', { args: { image: 'ubuntu' } }));
    const failure = await deploy();
    expect(failure).toMatchObject({
      code: 'IRONIC_NODE_FAILED',
      faultDomain: 'image-supply',
      retryable: false,
    });
    expect(failure.message).toContain('deploy failed');
    expect(failure.details).toMatchObject({ provisionState: 'deploy failed' });
    const { provisionUpdatedAt } = await nodeOf('gpu-04');
    expect((await deploy()).code).toBe('IRONIC_NODE_FAILED');
    expect((await nodeOf('gpu-04')).provisionUpdatedAt).not.toBe(provisionUpdatedAt);
  });

  test('a deploy interface that waits for its agent is waited for, and taken down by settle', async () => {
    const server = await serving('an image');
    try {
      const images = [{ name: 'served', url: server.url, checksum: `sha256:${SHA}`, format: 'raw' }];
      const step = contextFor({
        inventory: inventoryFor(peer.url, nodes, { images }),
        node: 'gpu-04',
        kind: 'deploy',
        step: 'deploy',
        requestId: 'deploy-2',
        args: { image: 'served' },
      });
      const failure = await failureOf(ironicDriver.steps['deploy']!(step));
      expect(failure).toMatchObject({
        code: 'IRONIC_AGENT_AWAITED',
        retryable: true,
        faultDomain: 'deploy-agent',
      });
      const captured = await ironicDriver.capture(step);
      expect(captured).toMatchObject({ provisionState: 'wait call-back', targetProvisionState: 'active' });
      expect(await again(() => ironicDriver.settle(step, ['allocation']))).toMatchObject({ left: [] });
      expect((await nodeOf('gpu-04')).provisionState).toBe('available');
    } finally {
      await server.close();
    }
  });

  test('an erasure that someone aborts is a failure, and nothing is called erased', async () => {
    await run('gpu-04', 'clean', 'manage', { requestId: 'e-1' });
    const { uuid } = await nodeOf('gpu-04');
    // The driver asks real interfaces for the agent's erasure; this one has no agent to do it.
    const waits = await failureOf(
      ironicDriver.steps['erase']!(context('gpu-04', 'clean', 'erase', { requestId: 'e-1' })),
    );
    expect(waits).toMatchObject({ code: 'IRONIC_AGENT_AWAITED', retryable: true });
    await asOperator((client) => client.provision(uuid, 'abort'));
    await settled('gpu-04', 'clean failed');
    const failure = await failureOf(run('gpu-04', 'clean', 'erase', { requestId: 'e-1' }));
    expect(failure).toMatchObject({ code: 'IRONIC_NODE_FAILED', retryable: false });
    expect(failure.message).toContain('clean failed');
  });
});

describe('crashes in between', () => {
  beforeAll(() => peer.start({ deploy: 1, bios: 2 }), 200_000);

  const cleanings = async (uuid: string): Promise<number> =>
    (await readFile(join(peer.dir, 'ironic.log'), 'utf8'))
      .split('\n')
      .filter((line) => line.includes(`Executing manual cleaning on node ${uuid}, remaining steps: [{`))
      .length;

  test('an attempt that is cut off after the request is adopted by the next one', async () => {
    await verb('gpu-05', 'enroll');
    const { uuid } = await nodeOf('gpu-05');
    const cut = new AbortController();
    const first = ironicDriver.steps['erase']!({
      ...context('gpu-05', 'clean', 'erase'),
      signal: cut.signal,
    });
    const gone = expect(first).rejects.toThrow();
    await working('gpu-05', 'cleaning');
    cut.abort();
    await gone;
    await run('gpu-05', 'clean', 'erase');
    expect((await nodeOf('gpu-05')).provisionState).toBe('manageable');
    expect(await cleanings(uuid)).toBe(1);
  });

  test('a request whose answer is lost is adopted', async () => {
    const { uuid } = await nodeOf('gpu-05');
    const before = await cleanings(uuid);
    const proxy = await losingAnswers(peer.url, 'PUT');
    try {
      const step = contextFor({
        inventory: inventoryFor(proxy.url, nodes),
        node: 'gpu-05',
        kind: 'clean',
        step: 'erase',
        requestId: 'clean-2',
      });
      expect(await failureOf(ironicDriver.steps['erase']!(step))).toMatchObject({
        code: 'IRONIC_UNREACHABLE',
        retryable: true,
      });
    } finally {
      await proxy.close();
    }
    await working('gpu-05', 'cleaning');
    await run('gpu-05', 'clean', 'erase', { requestId: 'clean-2' });
    expect(await cleanings(uuid)).toBe(before + 1);
  });

  test("Ironic's own death in the middle of a deployment is a failure, and resuming deploys again", async () => {
    await run('gpu-05', 'clean', 'provide');
    const args = { image: 'ubuntu' };
    const first = failureOf(ironicDriver.steps['deploy']!(context('gpu-05', 'deploy', 'deploy', { args })));
    await working('gpu-05', 'deploying');
    await peer.kill();
    expect(await first).toMatchObject({ code: 'IRONIC_UNREACHABLE', retryable: true });
    expect(await ironicDriver.capture(context('gpu-05', 'deploy', 'deploy', { args }))).toMatchObject({
      unavailable: { code: 'IRONIC_UNREACHABLE' },
    });
    await peer.start();
    const failure = await failureOf(run('gpu-05', 'deploy', 'deploy', { args }));
    expect(failure).toMatchObject({
      code: 'IRONIC_NODE_FAILED',
      details: { provisionState: 'deploy failed' },
    });
    await run('gpu-05', 'deploy', 'deploy', { args });
    expect((await nodeOf('gpu-05')).provisionState).toBe('active');
  }, 200_000);
});

async function working(name: string, state: string): Promise<void> {
  for (let looks = 0; looks < 400; looks++) {
    if ((await nodeOf(name)).provisionState === state) return;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error(`${name} was never seen ${state}`);
}

interface Served {
  readonly url: string;
  close(): Promise<void>;
}

async function listening(server: Server): Promise<Served> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Serves one file, for a conductor that looks whether an image is there. */
async function serving(content: string): Promise<Served> {
  const served = await listening(
    createServer((_, response) => {
      response.setHeader('content-length', content.length);
      response.end(content);
    }),
  );
  return { ...served, url: `${served.url}/image.raw` };
}

/** Passes requests on; the answers to one method are lost after the request was served. */
function losingAnswers(to: string, method: string): Promise<Served> {
  return listening(
    createServer(async (request, response) => {
      const body = await buffer(request);
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => /^(accept|content-type|x-)/.test(name)),
      ) as Record<string, string>;
      const answer = await fetch(to + request.url, {
        method: request.method!,
        headers,
        ...(body.length > 0 ? { body } : {}),
      });
      const text = await answer.text();
      if (request.method === method) return void request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    }),
  );
}
