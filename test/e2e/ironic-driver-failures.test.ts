import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ironicDriver } from '../../activities/drivers/ironic/driver.ts';
import type { JsonObject } from '../../core/json.ts';
import { SHA } from '../activities/drivers/ironic/context.ts';
import { startIronic, type IronicPeer } from '../peers/ironic.ts';
import { again, Bench, failureOf, ironicNode, serving } from './ironic-bench.ts';

/** Against a real standalone Ironic with fake hardware. */
let peer: IronicPeer;
let bench: Bench;

beforeAll(async () => {
  peer = await startIronic();
  bench = new Bench(peer.url, [
    ironicNode('gpu-03'),
    ironicNode('gpu-05', {
      ironic: { driver: 'fake-hardware', interfaces: { bios: 'no-bios', vendor: 'no-vendor' } },
    }),
    ironicNode('gpu-04', { ironic: { driver: 'fake-hardware', interfaces: { deploy: 'direct' } } }),
  ]);
}, 700_000);
afterAll(() => peer?.stop());

describe('failures', () => {
  test('the image must be in the contract and fetchable, the request possible', async () => {
    const of = (args: JsonObject) => failureOf(bench.run('gpu-03', 'reimage', 'preflight', { args }));
    expect((await of({ image: 'nixos' })).code).toBe('IMAGE_UNKNOWN');
    expect((await of({ image: 'local' })).code).toBe('IRONIC_IMAGE_SOURCE');
    expect((await of({ image: 'ubuntu', keepData: false })).code).toBe('IRONIC_REQUEST_UNSUPPORTED');
  });

  test("a failure from before is recovered Ironic's way", async () => {
    await bench.verb('gpu-03', 'enroll');
    const { uuid } = await bench.node('gpu-03');
    const clean_steps = [{ interface: 'deploy', step: 'erase_devices' }];
    await bench.asOperator((client) => client.provision(uuid, 'clean', { clean_steps }));
    await bench.seen('gpu-03', 'clean failed', 'idle');
    const output = await bench.run('gpu-03', 'release', 'erase');
    expect(output.data).toEqual({ erase: 'none' });
    expect((await bench.node('gpu-03')).provisionState).toBe('manageable');
  });

  test('an error recorded while it was cleaned is no proof, and the next visit cleans again', async () => {
    const before = await bench.node('gpu-03');
    // As if an operator had recovered the node while our request had failed.
    const value = { requestId: 'u-1', step: 'erase', target: 'clean', since: before.provisionUpdatedAt };
    await bench.asOperator(async (client) => {
      await client.patchNode(before.uuid, [{ op: 'add', path: '/extra/rackwright/operation', value }]);
      await client.provision(before.uuid, 'clean', {
        clean_steps: [{ interface: 'deploy', step: 'erase_devices' }],
      });
    });
    await bench.seen('gpu-03', 'clean failed', 'idle');
    await bench.asOperator((client) => client.provision(before.uuid, 'manage'));
    await bench.seen('gpu-03', 'manageable', 'idle');
    const failure = await failureOf(bench.run('gpu-03', 'clean', 'erase', { requestId: 'u-1' }));
    expect(failure).toMatchObject({ code: 'IRONIC_ERASE_UNPROVEN', retryable: false });
    expect(failure.message).toContain('does not support this clean step');
    await bench.run('gpu-03', 'clean', 'erase', { requestId: 'u-1' });
  });

  test('interfaces that cannot erase are named, and nothing is called erased', async () => {
    await bench.verb('gpu-05', 'enroll');
    const failure = await failureOf(bench.run('gpu-05', 'clean', 'erase'));
    expect(failure).toMatchObject({
      code: 'IRONIC_ERASE_UNSUPPORTED',
      retryable: false,
      faultDomain: 'ironic',
    });
    expect((await bench.node('gpu-05')).provisionState).toBe('clean failed');
    expect(await ironicDriver.facts['ironic-available']!(bench.context('gpu-05', 'clean', 'erase'))).toBe(
      false,
    );
  });

  test("Ironic's own automated cleaning is waited for", async () => {
    const { uuid } = await bench.node('gpu-03');
    await bench.asOperator((client) =>
      client.patchNode(uuid, [{ op: 'add', path: '/automated_clean', value: true }]),
    );
    await bench.run('gpu-03', 'clean', 'provide', { requestId: 'auto-1' });
    expect((await bench.node('gpu-03')).provisionState).toBe('available');
    await bench.run('gpu-03', 'clean', 'manage', { requestId: 'auto-1' });
  });

  test("someone's maintenance is respected", async () => {
    const { uuid } = await bench.node('gpu-03');
    const maintenance = (method: 'PUT' | 'DELETE') =>
      fetch(`${bench.url}/v1/nodes/${uuid}/maintenance`, {
        method,
        headers: { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.95' },
        ...(method === 'PUT' ? { body: JSON.stringify({ reason: 'fan swap' }) } : {}),
      });
    await maintenance('PUT');
    const failure = await failureOf(bench.run('gpu-03', 'clean', 'provide', { requestId: 'm-1' }));
    expect(failure).toMatchObject({ code: 'IRONIC_MAINTENANCE', retryable: false });
    expect(failure.message).toContain('fan swap');
    await maintenance('DELETE');
    await bench.run('gpu-03', 'clean', 'provide', { requestId: 'm-1' });
  });

  test('an image that Ironic cannot fetch fails the deployment; the next visit asks again', async () => {
    await bench.verb('gpu-04', 'enroll');
    await bench.run('gpu-04', 'clean', 'provide');
    const deploy = () => failureOf(bench.run('gpu-04', 'deploy', 'deploy', { args: { image: 'ubuntu' } }));
    const failure = await deploy();
    expect(failure).toMatchObject({
      code: 'IRONIC_NODE_FAILED',
      faultDomain: 'image-supply',
      retryable: false,
    });
    expect(failure.message).toContain('deploy failed');
    expect(failure.details).toMatchObject({ provisionState: 'deploy failed' });
    const { provisionUpdatedAt } = await bench.node('gpu-04');
    expect((await deploy()).code).toBe('IRONIC_NODE_FAILED');
    expect((await bench.node('gpu-04')).provisionUpdatedAt).not.toBe(provisionUpdatedAt);
  });

  test('a deploy interface that waits for its agent is waited for, and taken down by settle', async () => {
    const server = await serving('an image');
    try {
      const images = [{ name: 'served', url: server.url, checksum: `sha256:${SHA}`, format: 'raw' }];
      const given = { requestId: 'deploy-2', args: { image: 'served' }, images };
      const step = bench.context('gpu-04', 'deploy', 'deploy', given);
      const failure = await failureOf(ironicDriver.steps['deploy']!(step));
      expect(failure).toMatchObject({
        code: 'IRONIC_AGENT_AWAITED',
        retryable: true,
        faultDomain: 'deploy-agent',
      });
      const captured = await ironicDriver.capture(step);
      expect(captured).toMatchObject({ provisionState: 'wait call-back', targetProvisionState: 'active' });
      expect(await again(() => ironicDriver.settle(step, ['allocation']))).toMatchObject({ left: [] });
      expect((await bench.node('gpu-04')).provisionState).toBe('available');
    } finally {
      await server.close();
    }
  });

  test('an erasure that someone aborts is a failure, and nothing is called erased', async () => {
    await bench.run('gpu-04', 'clean', 'manage', { requestId: 'e-1' });
    const { uuid } = await bench.node('gpu-04');
    // The driver asks real interfaces for the agent's erasure; this one has no agent to do it.
    const waits = await failureOf(bench.once('gpu-04', 'clean', 'erase', { requestId: 'e-1' }));
    expect(waits).toMatchObject({ code: 'IRONIC_AGENT_AWAITED', retryable: true });
    await bench.asOperator((client) => client.provision(uuid, 'abort'));
    await bench.seen('gpu-04', 'clean failed', 'idle');
    const failure = await failureOf(bench.run('gpu-04', 'clean', 'erase', { requestId: 'e-1' }));
    expect(failure).toMatchObject({ code: 'IRONIC_NODE_FAILED', retryable: false });
    expect(failure.message).toContain('clean failed');
  });
});
