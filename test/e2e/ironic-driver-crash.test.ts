import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ironicDriver } from '../../activities/drivers/ironic/driver.ts';
import type { OperationVerbName } from '../../core/verbs.ts';
import { startIronic, type IronicPeer } from '../peers/ironic.ts';
import { Bench, failureOf, ironicNode, losingAnswers, type Given } from './ironic-bench.ts';

/** Against a real standalone Ironic with fake hardware. */
let peer: IronicPeer;
let bench: Bench;

beforeAll(async () => {
  peer = await startIronic();
  bench = new Bench(peer.url, [ironicNode('gpu-03'), ironicNode('gpu-05')]);
}, 700_000);
afterAll(() => peer?.stop());

describe('requests that must not be sent twice', () => {
  const spied = async (name: string, kind: OperationVerbName, step: string, given: Given) => {
    const before = await bench.node(name);
    const output = await bench.run(name, kind, step, given);
    return { output, moved: (await bench.node(name)).provisionUpdatedAt !== before.provisionUpdatedAt };
  };

  test('erase, deploy and rebuild run once in one operation, and again in the next', async () => {
    await bench.verb('gpu-03', 'enroll');
    await bench.run('gpu-03', 'clean', 'manage');
    expect((await spied('gpu-03', 'clean', 'erase', {})).moved).toBe(true);
    expect((await spied('gpu-03', 'clean', 'erase', {})).moved).toBe(false);
    expect((await spied('gpu-03', 'clean', 'erase', { requestId: 'clean-2' })).moved).toBe(true);
    await bench.run('gpu-03', 'clean', 'provide');
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
    const now = await bench.node('gpu-03');
    const value = { requestId: 'lost', step: 'rebuild', target: 'rebuild', since: now.provisionUpdatedAt };
    await bench.asOperator((c) =>
      c.patchNode(now.uuid, [{ op: 'add', path: '/extra/rackwright/operation', value }]),
    );
    const args = { image: 'ubuntu' };
    expect((await spied('gpu-03', 'reimage', 'rebuild', { requestId: 'lost', args })).moved).toBe(true);
    expect((await spied('gpu-03', 'reimage', 'rebuild', { requestId: 'lost', args })).moved).toBe(false);
  });

  test("an active node that this operation did not deploy is not taken for one's own", async () => {
    const failure = await failureOf(
      bench.run('gpu-03', 'deploy', 'deploy', { requestId: 'other', args: { image: 'ubuntu' } }),
    );
    expect(failure).toMatchObject({ code: 'IRONIC_STATE_UNEXPECTED', retryable: false });
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
    await bench.verb('gpu-05', 'enroll');
    const { uuid } = await bench.node('gpu-05');
    const cut = new AbortController();
    const first = ironicDriver.steps['erase']!({
      ...bench.context('gpu-05', 'clean', 'erase'),
      signal: cut.signal,
    });
    const gone = expect(first).rejects.toThrow();
    await bench.seen('gpu-05', 'cleaning', 'busy');
    cut.abort();
    await gone;
    await bench.run('gpu-05', 'clean', 'erase');
    expect((await bench.node('gpu-05')).provisionState).toBe('manageable');
    expect(await cleanings(uuid)).toBe(1);
  });

  test('a request whose answer is lost is adopted', async () => {
    const { uuid } = await bench.node('gpu-05');
    const before = await cleanings(uuid);
    const proxy = await losingAnswers(bench.url, 'PUT');
    try {
      const step = bench.context('gpu-05', 'clean', 'erase', { requestId: 'clean-2', url: proxy.url });
      expect(await failureOf(ironicDriver.steps['erase']!(step))).toMatchObject({
        code: 'IRONIC_UNREACHABLE',
        retryable: true,
      });
    } finally {
      await proxy.close();
    }
    await bench.seen('gpu-05', 'cleaning', 'busy');
    await bench.run('gpu-05', 'clean', 'erase', { requestId: 'clean-2' });
    expect(await cleanings(uuid)).toBe(before + 1);
  });

  test("Ironic's own death in the middle of a deployment is a failure, and resuming deploys again", async () => {
    await bench.run('gpu-05', 'clean', 'provide');
    const args = { image: 'ubuntu' };
    const first = failureOf(bench.once('gpu-05', 'deploy', 'deploy', { args }));
    await bench.seen('gpu-05', 'deploying', 'busy');
    await peer.kill();
    expect(await first).toMatchObject({ code: 'IRONIC_UNREACHABLE', retryable: true });
    expect(await ironicDriver.capture(bench.context('gpu-05', 'deploy', 'deploy', { args }))).toMatchObject({
      unavailable: { code: 'IRONIC_UNREACHABLE' },
    });
    await peer.start();
    const failure = await failureOf(bench.run('gpu-05', 'deploy', 'deploy', { args }));
    expect(failure).toMatchObject({
      code: 'IRONIC_NODE_FAILED',
      details: { provisionState: 'deploy failed' },
    });
    await bench.run('gpu-05', 'deploy', 'deploy', { args });
    expect((await bench.node('gpu-05')).provisionState).toBe('active');
  }, 200_000);
});
