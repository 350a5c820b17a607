import { describe, expect, it } from 'vitest';
import { notFree, notTakenBack } from '../../core/acceptance/node-standing.ts';
import { PHASES, type Phase } from '../../core/phases.ts';
import { VERBS } from '../../core/verbs.ts';
import type { NodeRecord } from '../../core/node.ts';
import { aNode, anOperation } from './support.ts';

const available = (over: Partial<NodeRecord> = {}): NodeRecord =>
  aNode({ phase: 'available', owner: null, power: 'off', ...over });
const said = (found: readonly { message: string }[]): string[] => found.map(({ message }) => message);
const operation = (held: boolean) => anOperation({ requestId: 'r1', kind: 'service', held });

describe('a node that is to be given away', () => {
  it('is free when it is available, in service and clean', () => {
    expect(notFree('n1', available())).toEqual([]);
  });

  it.each<[string, NodeRecord | undefined, RegExp[]]>([
    ['never enrolled', undefined, [/never enrolled/]],
    ['somebody has it', available({ phase: 'active', owner: 'team-a' }), [/active, and belongs to team-a/]],
    ['not cleaned', available({ phase: 'manageable' }), [/n1 is manageable; it is not touched/]],
    ['an operation runs', available({ operation: operation(false) }), [/service r1 is running/]],
    ['an operation is held', available({ phase: 'service-failed', operation: operation(true) }), [/is held/]],
    [
      'quarantined',
      available({ flags: { maintenance: null, quarantined: 'flaps', drift: null } }),
      [/not in service: quarantined/],
    ],
    ['something left', available({ residue: ['media'] }), [/left of an earlier operation: media/]],
  ])('%s', (_what, record, expected) => {
    const found = notFree('n1', record);
    expect(said(found)).toEqual(expected.map((each) => expect.stringMatching(each)));
    for (const { correction } of found) expect(correction).toMatch(/\S{3}/);
  });
});

it.each(PHASES)('what takes back a node that a run has left %s is legal then', (phase) => {
  const [{ correction = '' } = {}] = notFree('n1', available({ phase, owner: 'acceptance' }));
  const verb = /^rackwright node (\w+) n1$/.exec(correction)?.[1];
  if (verb === undefined) expect(correction).toContain('which verbs are legal');
  else expect((VERBS[verb as 'release'].from as readonly string[]).includes(phase)).toBe(true);
});
it('it is released, or where that is not legal, cleaned', () => {
  const by = (phase: Phase) => notFree('n1', available({ phase, owner: 'acceptance' }))[0]!.correction;
  expect(by('release-failed')).toBe('rackwright node release n1');
  expect(by('clean-failed')).toBe('rackwright node clean n1');
});

describe('a node that was taken back', () => {
  it.each<[string, NodeRecord, RegExp[]]>([
    ['free and off', available(), []],
    ['power not known', available({ power: 'unknown' }), []],
    ['on', available({ power: 'on' }), [/powered on/]],
    ['still owned', available({ owner: 'acceptance' }), [/as a run of acceptance has left it/]],
    ['not released', available({ phase: 'clean-failed' }), [/clean-failed/]],
  ])('%s', (_what, record, expected) => {
    expect(said(notTakenBack('n1', record))).toEqual(expected.map((each) => expect.stringMatching(each)));
  });
});
