import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_VERBS, type Verb } from '../../core/verbs.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, until } from './support.ts';

let house: House;

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  await house.open();
});

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

const MEGABYTE = 'x'.repeat(1_000_000);
/** What the fields that a verb needs may hold. */
const NEEDED: { readonly [V in Verb]?: object } = {
  deploy: { image: 'a' },
  reimage: { image: 'a' },
  service: { steps: ['a'] },
  power: { state: 'on' },
  maintenance: { reason: 'r', on: true },
  quarantine: { reason: 'r' },
  unquarantine: { reason: 'r' },
  adopt: { owner: 'o' },
  abort: { reason: 'r' },
};
/** Wrong messages of every kind, each with the field that the answer has to name. */
const wrong = (verb: Verb): [string, unknown, string][] => {
  const needed = NEEDED[verb];
  return [
    ['null', null, '(message)'],
    ['a string', 'reimage', '(message)'],
    ['a number', 7, '(message)'],
    ['a list', [{}], '(message)'],
    ['an unknown field', { ...needed, colour: 'red' }, 'colour'],
    ['a wrong type', { ...needed, requestId: 7 }, 'requestId'],
    ['a nested object', { ...needed, deadline: { s: 1 } }, 'deadline'],
    ['a reserved requestId', { ...needed, requestId: 'cleanup-1' }, 'requestId'],
    ['__proto__ as a key', JSON.parse('{"__proto__": {"requestId": "p"}}'), '__proto__'],
    ['constructor as a key', { ...needed, constructor: 1 }, 'constructor'],
    ...(needed ? [['a missing field', {}, Object.keys(needed)[0]!] as [string, unknown, string]] : []),
  ];
};

/** The code and the message that an update was refused with; it names no path of the machine. */
async function refused(update: Promise<unknown>): Promise<Refusal> {
  return update.then(
    () => expect.fail('it was accepted'),
    (error: { cause: Refusal }) => {
      expect(error.cause.failure.stackTrace ?? '').toBe('');
      return error.cause;
    },
  );
}

interface Refusal {
  readonly type: string;
  readonly message: string;
  readonly failure: { readonly stackTrace?: string };
}

describe('a wrong message to a node', () => {
  it.each(ALL_VERBS)('%s by update: the sender gets code and field', async (verb) => {
    for (const [kind, message, field] of wrong(verb)) {
      const { type, message: text } = await refused(house.send(verb, message));
      expect([kind, type]).toEqual([kind, 'INVALID_MESSAGE']);
      expect(text).toContain(`${verb}: ${field} `);
    }
  });

  it('by update without any argument, and one of a megabyte', async () => {
    const none = house.entity().executeUpdate('reimage', { args: [] });
    expect((await refused(none)).message).toContain('must be one JSON object, not nothing');
    const big = await refused(house.send('quarantine', { reason: MEGABYTE }));
    expect(big.type).toBe('INVALID_MESSAGE');
    expect(big.message).toContain('a string of 1000000 characters');
    expect(big.message.length).toBeLessThan(500);
  });

  it('by signal: it is shown, and a requestId gets an operation that ends as fail', async () => {
    const entity = house.entity();
    for (const verb of ALL_VERBS) {
      for (const [, message] of wrong(verb)) await entity.signal(verb, message);
      await entity.signal(verb);
      await entity.signal(verb, { ...NEEDED[verb], requestId: `wrong-${verb}`, colour: 'red' });
    }
    await entity.signal('quarantine', { reason: MEGABYTE, requestId: 'big' });
    await entity.signal('re-image', { image: 'a' });
    for (const event of [null, 'x', {}, { type: 'ended', requestId: 'x' }, { type: 'held', requestId: 1 }]) {
      await entity.signal('operation', event);
    }
    await until(async () => (await house.state()).refused.at(-1)?.verb === 'operation', { seconds: 100 });
    expect((await house.state()).refused).toHaveLength(10);
    expect((await house.state()).refused.find(({ verb }) => verb === 're-image')?.message).toContain(
      'no such verb',
    );
    for (const verb of ALL_VERBS.filter((v) => v !== 'resume' && v !== 'abort')) {
      const report = await house.result(`wrong-${verb}`);
      expect(report).toMatchObject({ outcome: 'fail', kind: verb, failure: { code: 'INVALID_MESSAGE' } });
      expect(report.failure!.message).toContain('colour');
    }
    const big = await house.result('big');
    expect(big.failure!.message).toContain('a string of 1000000 characters');
  });

  it('leaves the node able to work', async () => {
    expect((await house.run('enroll')).outcome).toBe('pass');
    expect(await house.state()).toMatchObject({ phase: 'manageable', flags: { quarantined: null } });
  });

  it('an event that looks like one of the running operation, and is not, changes nothing', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    house.driver.script['inspect'] = async () => {
      await gate;
      return undefined;
    };
    await house.send('inspect', { requestId: 'r1' });
    const wrongEnds = [
      undefined,
      { outcome: 'pass' },
      { outcome: 'great', phase: 'active', residue: [] },
      { outcome: 'pass', phase: 'nowhere', residue: [] },
      { outcome: 'pass', phase: 'active', residue: 'media' },
      { outcome: 'pass', phase: 'active', residue: [], failure: { code: 'BUSY' } },
      { outcome: 'pass', phase: 'active', residue: [], supports: ['cleanup'] },
    ];
    for (const end of wrongEnds)
      await house.entity().signal('operation', { type: 'ended', requestId: 'r1', end });
    await house.entity().signal('operation', { type: 'held', requestId: 'r1', phase: 'active', failure: {} });
    await house
      .entity()
      .signal('operation', { type: 'progress', requestId: 'r1', phase: 'active', step: {} });
    await until(async () => (await house.state()).refused.every(({ verb }) => verb !== 're-image'));
    expect(await house.state()).toMatchObject({
      phase: 'inspecting',
      operation: { requestId: 'r1', held: false },
    });

    // The same kinds of wrong messages, to the operation that runs.
    const operation = house.operation('r1');
    for (const verb of ['resume', 'abort'] as const) {
      for (const [kind, message, field] of wrong(verb)) {
        const answer = await refused(operation.executeUpdate(verb, { args: [message] }));
        expect([kind, answer.type]).toEqual([kind, 'INVALID_MESSAGE']);
        expect(answer.message).toContain(field);
        await operation.signal(verb, message);
      }
    }
    for (const update of ['agentLookup', 'agentHeartbeat', 'firstBoot']) {
      for (const message of [null, 'x', [], MEGABYTE, { epoch: 'x' }, JSON.parse('{"__proto__": 1}')]) {
        const sent = operation.executeUpdate(update, { args: [message] });
        expect((await refused(sent)).type).toMatch(/INVALID_MESSAGE|TOKEN_EXPIRED/);
      }
    }
    await until(
      async () => (await house.progress('r1')).notes.at(-1)?.includes('abort was refused') === true,
    );
    expect((await house.progress('r1')).notes.length).toBeLessThanOrEqual(20);
    release();
    expect((await house.result('r1')).outcome).toBe('pass');
    delete house.driver.script['inspect'];
  });
});

/** In seconds: a busy machine may take minutes for thousands of signals. */
const PATIENCE = 400;

/** Waits until a signal that comes after all others is heard. */
async function heardToTheEnd(node: string): Promise<void> {
  await house.entity(node).signal('quarantine', { reason: 'after all others' });
  const heard = async () => (await house.state(node)).flags.quarantined === 'after all others';
  await until(() => heard().catch(() => false), { seconds: PATIENCE });
  await house.send('unquarantine', { reason: 'over' }, node);
}

describe('a flood', { timeout: 3 * PATIENCE * 1000 }, () => {
  it('of 2500 signals, wrong and right, is worked off, and nobody who gave a requestId is forgotten', async () => {
    const entity = house.entity();
    await until(async () => (await house.state()).operation === null);
    for (let at = 0; at < 2500; at += 100) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, i) =>
          at % 500 === 0 && i < 50
            ? entity.signal('reimage', { requestId: `flood-${at + i}`, image: 'a' })
            : entity.signal('maintenance', (at + i) % 2 === 0 ? null : { on: true, reason: `r${at + i}` }),
        ),
      );
    }
    await entity.signal('maintenance', { on: false, reason: 'over' });
    await heardToTheEnd('n1');
    expect((await house.state()).flags.maintenance).toBe(null);
    for (const id of ['flood-0', 'flood-49', 'flood-2000', 'flood-2049']) {
      expect((await house.result(id, 'n1', PATIENCE)).failure?.code).toBe('ILLEGAL_VERB');
    }
    expect((await house.run('inspect')).outcome).toBe('pass');
  });

  it('of 2500 signals of every kind, all in one workflow task, is worked off in order and in small parts', async () => {
    const entity = await house.open('n2');
    await house.stopWorkers('workflows');
    const { workflowId, runId } = await entity.describe();
    const kinds: ((at: number) => Promise<void>)[] = [
      () => entity.signal('maintenance', null),
      () => entity.signal('re-image', { image: 'a' }),
      () => entity.signal('operation', { type: 'ended' }),
      (at) =>
        at % 50 === 3
          ? entity.signal('reimage', { image: 'a', requestId: `burst-${at}` })
          : entity.signal('maintenance', 'on'),
      (at) => entity.signal('maintenance', { on: true, reason: `r${at}` }),
    ];
    for (let at = 0; at < 2500; at += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, i) => kinds[i % kinds.length]!(at + i)));
    }
    await entity.signal('maintenance', { on: true, reason: 'last' });
    await house.startWorkflows();
    await heardToTheEnd('n2');
    expect((await house.state('n2')).flags.maintenance).toBe('last');
    for (const id of ['burst-3', 'burst-1203', 'burst-2403']) {
      expect((await house.result(id, 'n2', PATIENCE)).failure?.code).toBe('ILLEGAL_VERB');
    }
    const { events } = await house.client.getHandle(workflowId, runId).fetchHistory();
    expect(events!.filter((e) => e.timerFiredEventAttributes).length).toBeGreaterThanOrEqual(25);
    await house.send('maintenance', { on: false, reason: 'over' }, 'n2');
    expect((await house.run('enroll', {}, 'n2')).outcome).toBe('pass');
  });
});
