import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fail } from '../../core/errors/failure.ts';
import { WORKFLOW_QUEUE } from '../../core/names.ts';
import type { GatewayAccess } from '../../core/operations.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { CERTIFICATE, House, refusalOf, SITE, timerSummaries, until } from './support.ts';

let house: House;

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  house.answerCallbacks();
  await house.makeAvailable();
});

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

/** What a workflow that is started wrongly fails with; it names no path of the machine. */
async function startFailure(type: string, workflowId: string, input: unknown) {
  const handle = await house.client.start(type, { workflowId, taskQueue: WORKFLOW_QUEUE, args: [input] });
  return handle.result().then(
    () => expect.fail('it passed'),
    (error: { cause: { type: string; message: string; failure: { stackTrace?: string } } }) => {
      expect(error.cause.failure.stackTrace ?? '').toBe('');
      return error.cause;
    },
  );
}

describe('a workflow that is started wrongly fails at once and says how', () => {
  const operation = {
    site: SITE,
    node: 'n9',
    requestId: 'r',
    kind: 'clean',
    args: {},
    source: 'signal',
    snapshot: { phase: 'available' },
    generation: 1,
    residue: [],
  };
  it.each<[string, string, unknown, string, string]>([
    ['node', 'node/test/n8', { site: SITE, node: 'n9' }, 'INVALID_WORKFLOW_ID', 'node/test/n9'],
    ['node', 'a', null, 'INVALID_MESSAGE', 'not null'],
    ['node', 'b', undefined, 'INVALID_MESSAGE', '(message)'],
    ['node', 'c', 'n9', 'INVALID_MESSAGE', 'not a string'],
    ['node', 'd', { site: SITE }, 'INVALID_MESSAGE', 'node is required'],
    ['node', 'e', { site: SITE, node: 'N9' }, 'INVALID_MESSAGE', 'node must be'],
    ['node', 'node/test/n9', { site: SITE, node: 'n9', memory: { record: 5 } }, 'INVALID_MESSAGE', 'memory'],
    ['node', 'node/test/n9', { site: SITE, node: 'n9', owner: 'x' }, 'INVALID_MESSAGE', 'owner'],
    ['operation', 'f', null, 'INVALID_MESSAGE', 'send it the verb'],
    ['operation', 'g', { ...operation, kind: 'explode' }, 'INVALID_MESSAGE', 'kind must be'],
    ['operation', 'h', { ...operation, residue: 'media' }, 'INVALID_MESSAGE', 'residue must be'],
    ['operation', 'op/test/n9/q', operation, 'INVALID_WORKFLOW_ID', 'op/test/n9/r'],
  ])('%s as %s', async (type, id, input, code, part) => {
    const cause = await startFailure(type, id, input);
    expect(cause.type).toBe(code);
    expect(cause.message).toContain(part);
  });

  it('an operation started by hand is not the one that the record names', async () => {
    const input = { ...operation, node: 'n1', requestId: 'by-hand' };
    const handle = await house.client.start('operation', {
      workflowId: 'op/test/n1/by-hand',
      taskQueue: WORKFLOW_QUEUE,
      args: [input],
    });
    expect(await handle.result()).toMatchObject({
      outcome: 'fail',
      failure: { code: 'GENERATION_CONFLICT' },
    });
    expect((await house.state()).phase).toBe('available');
  });

  it('a node that the contract does not name says so, and ends when it is cancelled', async () => {
    const handle = await house.client.start('node', {
      workflowId: 'node/test/n7',
      taskQueue: WORKFLOW_QUEUE,
      args: [{ site: SITE, node: 'n7' }],
    });
    await until(async () => (await house.state('n7')).refused.at(-1)?.code === 'NODE_UNKNOWN');
    expect(await refusalOf(house.send('enroll', {}, 'n7'))).toBe('NODE_UNKNOWN');
    await until(async () => (await timerSummaries(handle)).length > 0);
    expect(new Set(await timerSummaries(handle))).toEqual(
      new Set(['Look for the node in the contract again']),
    );
    await handle.cancel();
    expect(await handle.result().catch((error: { cause: Error }) => error.cause.name)).toBe(
      'CancelledFailure',
    );
  });
});

describe('a query', () => {
  it('and a message to a fresh entity, before it has read its record', async () => {
    await house.stopWorkers('activities');
    await house.client.start('node', {
      workflowId: 'node/test/n2',
      taskQueue: WORKFLOW_QUEUE,
      args: [{ site: SITE, node: 'n2' }],
    });
    expect(await house.state('n2')).toMatchObject({ phase: 'enrolled', operation: null, supports: [] });
    expect(await refusalOf(house.send('enroll', {}, 'n2'))).toBe('NOT_READY');
    expect(await refusalOf(house.send('enroll', 7, 'n2'))).toBe('INVALID_MESSAGE');
    await house.startActivities();
    await until(async () => (await house.state('n2')).supports.length > 0);
  });
});

/** The Markdown that the Web UI shows of a workflow. */
async function details(handle: WorkflowHandle): Promise<{ current: string; summary: string }> {
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  const summary = (await (await handle.describe()).staticSummary()) ?? '';
  return { current: currentDetails, summary };
}

describe('what the gateway asks and tells', () => {
  it('is bound to the boot of the agent, to its certificate, and to the life of the operation', async () => {
    const heartbeat = (id: string, epoch: number, over: object = {}) =>
      house.operation(id).executeUpdate('agentHeartbeat', {
        args: [
          { epoch, callbackUrl: 'https://127.0.0.1:9', certificate: CERTIFICATE, version: '1.0', ...over },
        ],
      });
    const lookup = (id: string, epoch: number) =>
      house.operation(id).executeUpdate('agentLookup', { args: [{ epoch, macs: ['52:54:00:00:00:01'] }] });
    const access = (id: string) => house.operation(id).query<GatewayAccess>('access');
    const seen: unknown[] = [];
    const { script } = house.driver;
    script['boot-agent'] = async ({ ref, window: { epoch } }) => {
      const id = ref.requestId;
      seen.push(await refusalOf(lookup(id, epoch + 1)), (await access(id)).mediaOpen);
      seen.push(await lookup(id, epoch), (await access(id)).mediaOpen, (await access(id)).agentHeard);
      seen.push(await refusalOf(heartbeat(id, epoch + 1)), await refusalOf(heartbeat(id, epoch)));
      seen.push(await refusalOf(heartbeat(id, epoch)), await lookup(id, epoch));
      seen.push(await refusalOf(heartbeat(id, epoch, { certificate: CERTIFICATE.replace('MA', 'MB') })));
      seen.push(await refusalOf(heartbeat(id, epoch, { callbackUrl: 'https://127.0.0.2:9' })));
      seen.push((await access(id)).callbackUrl, (await access(id)).firstBootOpen);
      return undefined;
    };
    let reported: unknown;
    script['hand-over'] = async ({ firstBoot }) => {
      reported = firstBoot;
      return undefined;
    };
    await house.send('deploy', { image: 'a', owner: 'team-a', requestId: 'd1' });
    expect((await house.result('d1')).outcome).toBe('pass');
    expect(seen).toEqual([
      'TOKEN_EXPIRED',
      true,
      { heard: false },
      false,
      false,
      'TOKEN_EXPIRED',
      'accepted',
      'accepted',
      { heard: true },
      'AGENT_CHANGED',
      'AGENT_CHANGED',
      'https://127.0.0.1:9',
      true,
    ]);
    expect(reported).toEqual({ hostname: 'n1' });
    for (const late of [() => lookup('d1', 1), () => heartbeat('d1', 1)]) {
      expect(await refusalOf(late())).toMatch(/NotFound/);
    }
    delete script['hand-over'];
    house.answerCallbacks();
    await until(async () => (await house.state()).operation === null);
  });

  it('of a first boot is refused while none is awaited', async () => {
    house.driver.script['preflight'] = async () => {
      throw fail('FIRST_BOOT_SILENT', 'scripted');
    };
    await house.send('reimage', { image: 'a', requestId: 'd2' });
    await until(async () => (await house.state()).operation?.held === true);
    const report = house.operation('d2').executeUpdate('firstBoot', { args: [{ hostname: 'n1' }] });
    expect(await refusalOf(report)).toBe('TOKEN_EXPIRED');
    delete house.driver.script['preflight'];
  });
});

describe('what the Web UI shows', () => {
  it('is true while held: failing step, fault domain, correction; nothing from a device is Markdown', async () => {
    house.driver.script['preflight'] = async () => {
      throw fail('FIRST_BOOT_SILENT', `<img src=x> **bold** | [a](http://b) ${'long '.repeat(400)}`);
    };
    await house.send('resume');
    await until(async () => (await house.progress('d2')).failure?.message.startsWith('<img') === true);
    await until(async () => (await house.state()).operation?.failure?.message.startsWith('<img') === true);
    const op = await details(house.operation('d2'));
    expect(op.summary).toBe('reimage of n1');
    const node = await details(house.entity());
    for (const { current } of [op, node]) {
      expect(current).toContain('**FIRST_BOOT_SILENT** · fault domain **first-boot**');
      expect(current).toContain('**Correction:**');
      for (const raw of ['<img', '**bold**', '[a](', 'http://b']) expect(current).not.toContain(raw);
      expect(current.length).toBeLessThan(6000);
    }
    expect(op.current).toContain('### reimage of n1: held');
    expect(op.current).toMatch(/\*\*Check image, media and disk[^|]*FIRST/);
    expect(node.current).toContain('### n1: deploy-failed (held)');
    expect(node.current).toContain('Legal now: `maintenance` `quarantine` `unquarantine` `resume` `abort`');

    const { searchAttributes: of, memo } = await house.entity().describe();
    expect(of).toMatchObject({
      RackwrightSite: ['test'],
      RackwrightNode: ['n1'],
      RackwrightPhase: ['deploy-failed'],
      RackwrightOperation: ['d2'],
      RackwrightFaultDomain: ['first-boot'],
      RackwrightTenant: ['team-a'],
      RackwrightFlags: ['held'],
    });
    expect(memo).toMatchObject({ phase: 'deploy-failed', owner: 'team-a', operation: 'd2', flags: ['held'] });
    const described = await house.operation('d2').describe();
    expect(described.searchAttributes).toMatchObject({
      RackwrightOperation: ['d2'],
      RackwrightFlags: ['held'],
      RackwrightFaultDomain: ['first-boot'],
    });
    expect(described.memo).toMatchObject({ kind: 'reimage', source: 'update' });
    delete house.driver.script['preflight'];
  });

  it('is true once it is over', async () => {
    await house.send('abort', { reason: 'seen enough' });
    expect((await house.result('d2')).outcome).toBe('aborted');
    await until(async () => (await house.state()).operation === null);
    expect((await details(house.operation('d2'))).current).toContain('### reimage of n1: aborted');
    const { searchAttributes } = await house.operation('d2').describe();
    expect(searchAttributes).toMatchObject({
      RackwrightOutcome: ['aborted'],
      RackwrightPhase: ['deploy-failed'],
    });
    expect(searchAttributes['RackwrightFlags'] ?? []).toEqual([]);
    const after = await house.entity().describe();
    expect(after.searchAttributes['RackwrightOperation'] ?? []).toEqual([]);
    await house.entity().signal('deploy', '<b>');
    await until(async () => (await details(house.entity())).current.includes('Messages that were refused'));
  });
});
