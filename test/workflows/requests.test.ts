import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeWorkflowId, WORKFLOW_QUEUE } from '../../core/names.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, refusalOf, SITE, until } from './support.ts';

let house: House;
/** How often a step ran, by operation. */
let ran: string[] = [];

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  house.driver.script['set-power'] = async ({ ref }) => {
    ran.push(ref.requestId);
    return undefined;
  };
  await house.open();
});

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

const signalWithStart = (verb: string, argument: unknown, node = 'n1') =>
  house.client.signalWithStart('node', {
    workflowId: nodeWorkflowId(SITE, node),
    taskQueue: WORKFLOW_QUEUE,
    args: [{ site: SITE, node }],
    signal: verb,
    signalArgs: [argument],
  });

describe('a requestId', () => {
  it('is one operation, by signal, update and signalWithStart, however often', async () => {
    ran = [];
    const message = { requestId: 'one', state: 'on' };
    await house.entity().signal('power', message);
    const tickets = [await house.send('power', message), await house.send('power', message)];
    await signalWithStart('power', message);
    await house.entity().signal('power', message);
    expect((await house.result('one')).outcome).toBe('pass');
    await until(async () => (await house.state()).operation === null);
    tickets.push(await house.send('power', message));
    expect(tickets).toEqual(tickets.map(() => ({ operationId: 'one', workflowId: 'op/test/n1/one' })));
    expect(ran).toEqual(['one']);
  });

  it('is refused for another request, by update and by signal, while known', async () => {
    const other = { requestId: 'one', state: 'off' };
    expect(await refusalOf(house.send('power', other))).toBe('REQUEST_ID_REUSED');
    await house.entity().signal('power', other);
    await until(async () => (await house.state()).refused.at(-1)?.code === 'REQUEST_ID_REUSED');
    expect((await house.result('one')).outcome).toBe('pass');
  });

  it('is answered by its operation when the node has forgotten it, and the node is as it was', async () => {
    ran = [];
    // The entity and its record are lost: a flag that is set meanwhile must stay.
    await house.entity().terminate('lost');
    const record = (await house.records.read(SITE, 'n1'))!;
    const blank = { ...record, generation: record.generation + 1, recent: [] };
    expect(await house.records.write(blank, record.generation)).toBe('written');
    await house.open();
    await Promise.all([
      house.send('power', { requestId: 'one', state: 'on' }),
      house.send('quarantine', { reason: 'flapping' }),
    ]);
    await until(async () => (await house.state()).operation === null);
    expect(await house.state()).toMatchObject({ phase: 'enrolled', flags: { quarantined: 'flapping' } });
    expect(ran).toEqual([]);
    expect(await refusalOf(house.send('power', { requestId: 'one', state: 'off' }))).toBe(
      'REQUEST_ID_REUSED',
    );
    expect(await house.state()).toMatchObject({ operation: null, recent: [] });
    await house.send('unquarantine', { reason: 'again' });
  });

  it('of a refused signal still has an operation, which says why', async () => {
    await house.entity().signal('deploy', { requestId: 'early-deploy', image: 'a' });
    const report = await house.result('early-deploy');
    expect(report).toMatchObject({ outcome: 'fail', phase: 'enrolled', failure: { code: 'ILLEGAL_VERB' } });
    expect(report.failure!.message).toContain('Legal now: enroll');
    expect((await house.state()).recent.map((r) => r.requestId)).not.toContain('early-deploy');
  });

  it('that came with signalWithStart before the record was read is served in order', async () => {
    await signalWithStart('enroll', { requestId: 'first-ever' }, 'n2');
    await signalWithStart('maintenance', { on: true, reason: 'new fans' }, 'n2');
    expect((await house.result('first-ever', 'n2')).phase).toBe('manageable');
    await until(async () => (await house.state('n2')).phase === 'manageable');
    expect((await house.state('n2')).flags.maintenance).toBe('new fans');
  });
});

describe('while an operation runs', () => {
  it('other verbs are BUSY and name phase, operation and legal verbs; flags and control get through', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    house.driver.script['inspect'] = async () => void (await gate) as undefined;
    const { operationId } = await house.send('enroll', { requestId: 'slow' });
    await until(async () => (await house.state()).phase === 'inspecting');

    const refused = await house.send('inspect').catch((error: { cause: Error }) => error.cause);
    expect(refused).toMatchObject({ type: 'BUSY' });
    const { message } = refused as Error;
    for (const part of [
      'n1 is inspecting',
      'slow (enroll)',
      'maintenance',
      'quarantine',
      'resume',
      'abort',
    ]) {
      expect(message).toContain(part);
    }
    expect(message).not.toContain('Legal now: enroll');
    await house.entity().signal('inspect', { requestId: 'not-now' });
    expect((await house.result('not-now')).failure).toMatchObject({
      code: 'BUSY',
      details: { operationId: 'slow', phase: 'inspecting' },
    });
    await house.send('maintenance', { on: true, reason: 'fans' });
    await house.send('quarantine', { reason: 'links' });
    await house.send('resume', {});
    expect(await house.state()).toMatchObject({
      phase: 'inspecting',
      flags: { maintenance: 'fans', quarantined: 'links' },
      legal: ['maintenance', 'quarantine', 'unquarantine', 'resume', 'abort'],
    });
    release();
    expect((await house.result(operationId)).outcome).toBe('pass');
    delete house.driver.script['inspect'];
    await until(async () => (await house.state()).operation === null);
    // What the operation did not know of is not undone by its end.
    expect(await house.state()).toMatchObject({
      phase: 'manageable',
      flags: { maintenance: 'fans', quarantined: 'links' },
    });
    await house.send('maintenance', { on: false, reason: 'done' });
    await house.send('unquarantine', { reason: 'done' });
  });

  it('ILLEGAL_VERB names phase and legal verbs; abort without an operation is NOT_HELD', async () => {
    const refused = (await house
      .send('reimage', { image: 'a' })
      .catch((e: { cause: Error }) => e.cause)) as Error;
    expect(refused).toMatchObject({ type: 'ILLEGAL_VERB' });
    expect(refused.message).toContain('n1 is manageable');
    expect(refused.message).toContain('inspect, clean');
    expect(await refusalOf(house.send('abort', { reason: 'x' }))).toBe('NOT_HELD');
    expect(await refusalOf(house.send('resume'))).toBe('NOT_HELD');
  });
});
