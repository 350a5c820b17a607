import { afterAll, beforeAll, expect, it } from 'vitest';
import { newNode } from '../../core/node.ts';
import { PHASES, type Phase } from '../../core/phases.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { House, INVENTORY, SITE, until } from './support.ts';

/** A node for each phase, whose record is in it before its entity begins. */
const nodeOf = (phase: Phase): string => `in-${phase}`;

let house: House;

beforeAll(async () => {
  house = await House.build(await createLocalEnvironment());
  const [example] = INVENTORY.nodes;
  house.inventory = { ...INVENTORY, nodes: PHASES.map((phase) => ({ ...example!, name: nodeOf(phase) })) };
});

afterAll(async () => {
  await house.close();
  await house.environment.teardown();
});

it.each(PHASES)(
  '%s: each flag is set and cleared, sticks, and leaves the phase where it is',
  async (phase) => {
    const node = nodeOf(phase);
    const before = { ...newNode(SITE, node), generation: 1, phase, owner: 'team-a', image: 'a' };
    expect(await house.records.write(before, 0)).toBe('written');
    await house.open(node);
    const { legal } = await house.state(node);

    await house.send('maintenance', { on: true, reason: 'new fans' }, node);
    await house.entity(node).signal('quarantine', { reason: 'flapping link' });
    const up = { maintenance: 'new fans', quarantined: 'flapping link', drift: null };
    const same = { phase, owner: 'team-a', image: 'a', operation: null };
    await until(async () => (await house.state(node)).flags.quarantined !== null);
    expect(await house.state(node)).toMatchObject({ ...same, flags: up, legal });
    await until(async () => (await house.records.read(SITE, node))?.flags.quarantined !== null);
    expect(await house.records.read(SITE, node)).toMatchObject({ ...same, flags: up });
    await until(async () => {
      const { searchAttributes } = await house.entity(node).describe();
      return String(searchAttributes['RackwrightFlags']) === 'maintenance,quarantined';
    });

    // The next entity has them from the record.
    await house.entity(node).terminate('by a test');
    await house.open(node);
    expect(await house.state(node)).toMatchObject({ ...same, flags: up, legal });

    await house.send('unquarantine', { reason: 'cable replaced' }, node);
    expect((await house.state(node)).flags).toEqual({ ...up, quarantined: null });
    await house.send('maintenance', { on: false, reason: 'over' }, node);
    const down = { maintenance: null, quarantined: null, drift: null };
    expect(await house.state(node)).toMatchObject({ ...same, flags: down, legal, refused: [] });
  },
);
