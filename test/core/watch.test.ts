import { describe, expect, it } from 'vitest';
import type { NodeRecord } from '../../core/node.ts';
import { isWatched, news, NO_MEMORY, type Look, type Memory } from '../../core/watch.ts';
import { aNode, anOperation } from './support.ts';

const AT = '2026-03-01T10:00:00.000Z';
const known = (over: Partial<NodeRecord> = {}): NodeRecord =>
  aNode({ generation: 7, phase: 'available', power: 'on', health: 'OK', ...over });

/** What is told over several looks at a node whose record stays as it is: the power, `silent`, or nothing. */
function told(record: NodeRecord, looks: readonly Look[]): (string | null)[] {
  let memory: Memory = NO_MEMORY;
  return looks.map((look, i) => {
    const at = `2026-03-01T10:0${i}:00Z`;
    const result = news(record, look, at, memory);
    memory = result.memory;
    const { tell } = result;
    if (tell === null) return null;
    return tell.reachable ? `${tell.power}, ${tell.health}` : `${tell.why} since ${tell.at}`;
  });
}

const same = { power: 'on', health: 'OK' } as const;
const off = { power: 'off', health: 'OK' } as const;
const dead = 'BMC_UNREACHABLE';
const gone = { since: AT, why: dead };

describe('what is told of a look', () => {
  it.each<[string, NodeRecord, Look[], (string | null)[]]>([
    ['nothing of what the node knows', known(), [same, same], [null, null]],
    [
      'a change, once for as long as the node has not answered',
      known(),
      [off, off, off],
      ['off, OK', null, null],
    ],
    ['a change, its return, and the change again', known(), [off, same, off], ['off, OK', null, 'off, OK']],
    [
      'a change after the change',
      known(),
      [off, { ...off, health: 'Critical' }],
      ['off, OK', 'off, Critical'],
    ],
    ['nothing where nothing was told', known(), [{}], [null]],
    ['no power of a held node', known({ operation: anOperation({ held: true }) }), [off], [null]],
    [
      'the health of a held node',
      known({ operation: anOperation({ held: true }) }),
      [{ health: 'Warning' }],
      ['undefined, Warning'],
    ],
    [
      'silence after the third failure in a row, once, since the first',
      known(),
      [dead, dead, dead, dead],
      [null, null, `${dead} since 2026-03-01T10:00:00Z`, null],
    ],
    [
      'no silence where an answer came between',
      known(),
      [dead, dead, same, dead, dead],
      [null, null, null, null, null],
    ],
    ['no silence that is known', known({ unreachable: gone }), [dead, dead, dead], [null, null, null]],
    [
      'another reason only where it stays, not in turns',
      known({ unreachable: gone }),
      ['BMC_BUSY', dead, 'BMC_BUSY', 'BMC_BUSY', 'BMC_BUSY', 'BMC_BUSY'],
      [null, null, null, null, 'BMC_BUSY since 2026-03-01T10:00:00Z', null],
    ],
    ['that it can be read again', known({ unreachable: gone }), [same, same], ['on, OK', null]],
  ])('%s', (_, record, looks, expected) => {
    expect(told(record, looks)).toEqual(expected);
  });

  it('names the generation that was read before the look, and a change is told anew of another', () => {
    const first = news(known(), off, AT, NO_MEMORY);
    expect(first.tell).toEqual({ generation: 7, at: AT, reachable: true, ...off });
    // The node ignored it, since its record was being written.
    const second = news(known({ generation: 8 }), off, AT, first.memory);
    expect(second.tell).toMatchObject({ generation: 8, power: 'off' });
  });
});

describe('who is looked at', () => {
  it.each<[string, NodeRecord | undefined, boolean]>([
    ['a node that nothing was asked of', undefined, false],
    ['an idle one', known(), true],
    ['one that is operated on', known({ operation: anOperation() }), false],
    ['one that is held', known({ operation: anOperation({ held: true }) }), true],
    ['one that was never reached', aNode({ phase: 'enrolled' }), false],
    ['one that was switched before it was enrolled', known({ phase: 'enrolled' }), true],
    ['one whose BMC refused the contract', known({ phase: 'verify-failed' }), false],
    ['one that is out of service', known({ phase: 'decommissioned' }), false],
    ['one in use', known({ phase: 'active' }), true],
  ])('%s: %s', (_, record, expected) => {
    expect(isWatched(record)).toBe(expected);
  });
});
