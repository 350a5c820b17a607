import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ironicDriver } from '../../activities/drivers/ironic/driver.ts';
import { IronicClient } from '../../activities/ironic/client.ts';
import { RackwrightError, type Failure } from '../../core/errors/failure.ts';
import type { IronicNode } from '../../core/ironic/node.ts';
import type { JsonObject } from '../../core/json.ts';
import type { StepOutput } from '../../core/operations.ts';
import { ironicPlan } from '../../core/plans/ironic.ts';
import type { OperationVerbName } from '../../core/verbs.ts';
import { contextFor, inventoryFor, type Kept } from '../activities/drivers/ironic/context.ts';
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
async function run(
  name: string,
  kind: OperationVerbName,
  step: string,
  given: Given = {},
): Promise<StepOutput> {
  for (let attempt = 0; attempt < 60; attempt++) {
    try {
      return await ironicDriver.steps[step]!(context(name, kind, step, given));
    } catch (cause) {
      if (!(cause instanceof RackwrightError) || !cause.failure.retryable) throw cause;
      await new Promise((next) => setTimeout(next, 200));
    }
  }
  throw new Error(`${step} never converged`);
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

  test('a deploy interface that waits for its agent is waited for, and taken down by settle', async () => {
    await verb('gpu-04', 'enroll');
    await run('gpu-04', 'clean', 'provide');
    const step = context('gpu-04', 'deploy', 'deploy', { args: { image: 'ubuntu' } });
    const failure = await failureOf(ironicDriver.steps['deploy']!(step));
    expect(failure).toMatchObject({
      code: 'IRONIC_AGENT_AWAITED',
      retryable: true,
      faultDomain: 'deploy-agent',
    });
    const captured = await ironicDriver.capture(step);
    expect(captured).toMatchObject({ provisionState: 'wait call-back', targetProvisionState: 'active' });
    const left = await settle(step);
    expect(left).toMatchObject({ left: [] });
    expect((await nodeOf('gpu-04')).provisionState).toBe('available');
  });

  const settle = async (step: ReturnType<typeof context>) => {
    for (let attempt = 0; attempt < 30; attempt++) {
      try {
        return await ironicDriver.settle(step, ['allocation']);
      } catch (cause) {
        if (!(cause instanceof RackwrightError) || !cause.failure.retryable) throw cause;
      }
    }
    throw new Error('settle never converged');
  };
});

describe('crashes in between', () => {
  test('an attempt that is cut off after the request is adopted by the next one', async () => {
    await peer.start({ deploy: 2, bios: 2 });
    await verb('gpu-05', 'enroll');
    const asked = failureOf(ironicDriver.steps['erase']!(context('gpu-05', 'clean', 'erase')));
    const early = await settled('gpu-05', 'cleaning').catch(() => undefined);
    void early;
    await asked.catch(() => undefined);
    await run('gpu-05', 'clean', 'erase');
    const cleaned = await nodeOf('gpu-05');
    await run('gpu-05', 'clean', 'provide');
    expect(cleaned.provisionState).toBe('manageable');
  });
});
