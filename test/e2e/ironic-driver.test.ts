import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ironicDriver } from '../../activities/drivers/ironic/driver.ts';
import { startIronic, type IronicPeer } from '../peers/ironic.ts';
import { Bench, failureOf, ironicNode } from './ironic-bench.ts';

/** Against a real standalone Ironic with fake hardware. */
let peer: IronicPeer;
let bench: Bench;

beforeAll(async () => {
  peer = await startIronic();
  bench = new Bench(peer.url, [
    ironicNode('gpu-01', {
      ironic: {
        driver: 'fake-hardware',
        driverInfo: { fake_password: 'env:BMC' },
        interfaces: { deploy: 'fake', inspect: 'fake', bios: 'fake' },
      },
      // Ironic makes the guest's config drive of it.
      ports: [{ mac: '52:54:00:00:01:01', network: 'tenant', address: '10.2.0.11' }],
      rootDevice: { minSizeGiB: 100, model: 'X' },
      resourceClass: 'hgx',
    }),
    ironicNode('gpu-02', { ports: [{ mac: '52:54:00:00:01:01' }] }),
    ironicNode('gpu-03'),
    ironicNode('gpu-06'),
  ]);
}, 700_000);
afterAll(() => peer?.stop());

describe('the life of a node', () => {
  test('enroll registers, verifies, inspects and compares', async () => {
    const outputs = await bench.verb('gpu-01', 'enroll');
    const now = await bench.node('gpu-01');
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
    expect(JSON.stringify([...outputs, bench.kept])).not.toContain('hunter2');
  });

  test('registering again changes nothing but the secrets that cannot be read back', async () => {
    const output = await bench.run('gpu-01', 'enroll', 'register', { requestId: 'enroll-2' });
    expect(output.summary).toMatch(/corrected in Ironic .* 1 ports, 0 of them new/);
    const other = await bench.run('gpu-03', 'enroll', 'register');
    expect(other.summary).toContain('created');
    const again = await bench.run('gpu-03', 'enroll', 'register');
    expect(again.summary).toContain('is as the contract has it');
  });

  test('clean runs what the fake interfaces offer, and calls nothing erased', async () => {
    const outputs = await bench.verb('gpu-01', 'clean', { args: { erase: 'full' } });
    expect(outputs.get('erase')!.summary).toContain("no erase proof from this driver's interfaces");
    expect(outputs.get('erase')!.data).toEqual({ erase: 'none' });
    expect((await bench.node('gpu-01')).provisionState).toBe('available');
  });

  test('deploy writes image and config drive, and ends active', async () => {
    const args = {
      image: 'ubuntu',
      hostname: 'trainer',
      userData: 'env:USER_DATA',
      sshKeys: ['ssh-ed25519 AAAA'],
    };
    const outputs = await bench.verb('gpu-01', 'deploy', { args });
    const now = await bench.node('gpu-01');
    expect(now.provisionState).toBe('active');
    expect(now.instanceInfo).toMatchObject({
      image_source: 'http://127.0.0.1:9/ubuntu.raw',
      image_os_hash_algo: 'sha256',
      image_os_hash_value: 'a'.repeat(64),
      configdrive: '******',
    });
    expect(outputs.get('hand-over')!.summary).toContain(
      "The guest's first boot was not checked; it was not tried from where its user is.",
    );
  });

  test('inspecting an active node touches nothing', async () => {
    const before = await bench.node('gpu-01');
    const outputs = await bench.verb('gpu-01', 'inspect');
    expect(outputs.get('inspect')!.summary).toContain('Ironic inspects no node that is active');
    expect((await bench.node('gpu-01')).provisionUpdatedAt).toBe(before.provisionUpdatedAt);
  });

  test('reimage rebuilds with the other image', async () => {
    const before = await bench.node('gpu-01');
    await bench.verb('gpu-01', 'reimage', { args: { image: 'debian' } });
    const now = await bench.node('gpu-01');
    expect(now.provisionState).toBe('active');
    expect(now.provisionUpdatedAt).not.toBe(before.provisionUpdatedAt);
    expect(now.instanceInfo['image_os_hash_value']).toBe('b'.repeat(64));
  });

  test('power goes off, on, and through a reboot', async () => {
    await bench.verb('gpu-01', 'power', { args: { state: 'on' }, requestId: 'p-1' });
    expect((await bench.node('gpu-01')).powerState).toBe('power on');
    await bench.verb('gpu-01', 'power', { args: { state: 'off' }, requestId: 'p-2' });
    expect((await bench.node('gpu-01')).powerState).toBe('power off');
    const outputs = await bench.verb('gpu-01', 'power', { args: { state: 'reboot' }, requestId: 'p-3' });
    expect(outputs.get('set-power')).toMatchObject({ data: { power: 'on' } });
    expect((await bench.node('gpu-01')).powerState).toBe('power on');
  });

  test('release takes the instance down, cleans, and makes it available', async () => {
    await bench.verb('gpu-01', 'release');
    const now = await bench.node('gpu-01');
    expect(now.provisionState).toBe('available');
    expect(now.instanceInfo).toEqual({});
  });

  test('a config drive of the other form is taken whole', async () => {
    const args = { image: 'cidata', userData: 'env:USER_DATA' };
    await bench.verb('gpu-01', 'deploy', { requestId: 'nocloud', args });
    const now = await bench.node('gpu-01');
    expect(now).toMatchObject({ provisionState: 'active', instanceInfo: { configdrive: '******' } });
    await bench.verb('gpu-01', 'release', { requestId: 'nocloud-release' });
    expect((await bench.node('gpu-01')).provisionState).toBe('available');
  });

  test('decommission removes it, and may be repeated', async () => {
    await bench.verb('gpu-01', 'decommission');
    const facts = ironicDriver.facts;
    expect(await facts['ironic-gone']!(bench.context('gpu-01', 'decommission', 'unregister'))).toBe(true);
    expect(await facts['ironic-node']!(bench.context('gpu-01', 'decommission', 'unregister'))).toBe(false);
    expect((await bench.run('gpu-01', 'decommission', 'unregister')).summary).toContain('no such node');
  });
});

describe('whose node it is', () => {
  test("somebody else's node of this name is not touched", async () => {
    await bench.asOperator((client) => client.createNode({ name: 'gpu-02', driver: 'fake-hardware' }));
    const failure = await failureOf(bench.run('gpu-02', 'enroll', 'register'));
    expect(failure).toMatchObject({ code: 'IRONIC_NODE_FOREIGN', faultDomain: 'contract' });
    expect(await failureOf(bench.run('gpu-02', 'decommission', 'unregister'))).toMatchObject({
      code: failure.code,
    });
    await bench.asOperator(async (client) => client.deleteNode((await client.node('gpu-02'))!.uuid));
  });

  test('a MAC address of another node is named', async () => {
    await bench.verb('gpu-01', 'enroll', { requestId: 'again' });
    const failure = await failureOf(bench.run('gpu-02', 'enroll', 'register'));
    expect(failure.code).toBe('IRONIC_PORT_TAKEN');
    expect(failure.message).toContain('52:54:00:00:01:01');
  });

  test('a node that is not there is missed', async () => {
    expect(await failureOf(bench.run('gpu-06', 'clean', 'manage'))).toMatchObject({
      code: 'IRONIC_NODE_MISSING',
    });
    expect((await bench.run('gpu-06', 'decommission', 'undeploy')).summary).toContain('no such node');
  });
});
