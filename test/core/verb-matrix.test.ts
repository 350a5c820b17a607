import { describe, expect, it } from 'vitest';
import { decide, legalVerbs } from '../../core/decide.ts';
import { FAILED_TWIN, isWorking, PHASES, type Phase } from '../../core/phases.ts';
import { ALL_VERBS, isOperationVerb, operationVerb, type Verb } from '../../core/verbs.ts';
import { aNode, anOperation, aRequest } from './support.ts';

// Written by hand, after what is promised to the outside; never made from the code that it tests.
// > starts an operation · . the phase does not allow it · f sets a flag · - there is no operation
const COLUMNS =
  'enroll inspect clean deploy reimage release service rescue unrescue power maintenance quarantine unquarantine adopt decommission resume abort';
const MATRIX = `
                     enr ins cle dep rei rel ser res unr pow mai qua unq ado dec rsm abo
enrolled              >   .   .   .   .   .   .   .   .   >   f   f   f   >   .   -   -
manageable            .   >   >   .   .   .   >   .   .   >   f   f   f   >   >   -   -
available             .   >   .   >   .   .   >   .   .   >   f   f   f   .   >   -   -
active                .   >   .   .   >   >   >   >   .   >   f   f   f   .   .   -   -
rescued               .   .   .   .   .   >   .   .   >   >   f   f   f   .   .   -   -
decommissioned        .   .   .   .   .   .   .   .   .   >   f   f   f   .   .   -   -
verifying             .   .   .   .   .   .   .   .   .   .   f   f   f   .   .   -   -
inspecting            .   .   .   .   .   .   .   .   .   .   f   f   f   .   .   -   -
cleaning              .   .   .   .   .   .   .   .   .   .   f   f   f   .   .   -   -
deploying             .   .   .   .   .   .   .   .   .   .   f   f   f   .   .   -   -
releasing             .   .   .   .   .   .   .   .   .   .   f   f   f   .   .   -   -
servicing             .   .   .   .   .   .   .   .   .   .   f   f   f   .   .   -   -
rescuing              .   .   .   .   .   .   .   .   .   .   f   f   f   .   .   -   -
unrescuing            .   .   .   .   .   .   .   .   .   .   f   f   f   .   .   -   -
adopting              .   .   .   .   .   .   .   .   .   .   f   f   f   .   .   -   -
decommissioning       .   .   .   .   .   .   .   .   .   .   f   f   f   .   .   -   -
verify-failed         >   .   .   .   .   .   .   .   .   .   f   f   f   .   >   -   -
inspect-failed        .   >   .   .   .   .   .   .   .   .   f   f   f   .   >   -   -
clean-failed          .   .   >   .   .   .   .   .   .   .   f   f   f   .   >   -   -
deploy-failed         .   .   .   >   >   >   .   .   .   .   f   f   f   .   >   -   -
release-failed        .   .   .   .   .   >   .   .   .   .   f   f   f   .   >   -   -
service-failed        .   .   .   .   .   >   >   .   .   .   f   f   f   .   >   -   -
rescue-failed         .   .   .   .   .   >   .   >   .   .   f   f   f   .   >   -   -
unrescue-failed       .   .   .   .   .   >   .   .   >   .   f   f   f   .   >   -   -
adopt-failed          .   .   .   .   .   .   .   .   .   .   f   f   f   .   >   -   -
decommission-failed   .   .   .   .   .   .   .   .   .   .   f   f   f   .   >   -   -
`;

const verbs = COLUMNS.split(' ') as Verb[];
const rows = MATRIX.trim()
  .split('\n')
  .slice(1)
  .map((line) => line.trim().split(/ +/))
  .map(([phase, ...cells]) => ({ phase: phase as Phase, cells }));
const cells = rows.flatMap(({ phase, cells }) =>
  verbs.map((verb, at) => ({ phase, verb, cell: cells[at]! })),
);

/** Through which phases a verb goes, and where it ends. */
const WAYS: { readonly [verb: string]: readonly [through: readonly string[], to: string] } = {
  enroll: [['verifying', 'inspecting'], 'manageable'],
  inspect: [['inspecting'], 'return'],
  clean: [['cleaning'], 'available'],
  deploy: [['deploying'], 'active'],
  reimage: [['deploying'], 'active'],
  release: [['releasing', 'cleaning'], 'available'],
  service: [['servicing'], 'return'],
  rescue: [['rescuing'], 'rescued'],
  unrescue: [['unrescuing'], 'active'],
  power: [[], 'return'],
  adopt: [['adopting'], 'active'],
  decommission: [['decommissioning'], 'decommissioned'],
};

const outcome = (phase: Phase, verb: Verb): string => {
  const decision = decide(aNode({ phase }), aRequest(verb));
  if (decision.kind === 'refuse') {
    return { ILLEGAL_VERB: '.', NOT_HELD: '-' }[decision.failure.code as string] ?? decision.failure.code;
  }
  return { start: '>', flag: 'f', control: 'c', duplicate: 'd' }[decision.kind];
};

describe('every phase and every verb', () => {
  it('are in the matrix, 26 by 17', () => {
    expect(rows.map((row) => row.phase)).toEqual(PHASES);
    expect(verbs).toEqual(ALL_VERBS);
    expect(cells).toHaveLength(26 * 17);
  });

  it.each(cells)('$phase, $verb: $cell', ({ phase, verb, cell }) => {
    expect(outcome(phase, verb)).toBe(cell);
  });

  it.each(rows)('$phase tells which verbs are legal', ({ phase, cells }) => {
    const legal = verbs.filter((_, at) => cells[at] === '>' || cells[at] === 'f');
    expect(legalVerbs(aNode({ phase }))).toEqual(legal);
  });

  it.each(rows)(
    '$phase with an operation: the others are busy, flags and control get through',
    ({ phase }) => {
      const node = aNode({ phase, operation: anOperation() });
      for (const verb of verbs) {
        const decision = decide(node, aRequest(verb));
        const got = decision.kind === 'refuse' ? decision.failure.code : decision.kind;
        const control = verb === 'resume' || verb === 'abort';
        const flag = ['maintenance', 'quarantine', 'unquarantine'].includes(verb);
        expect([verb, got]).toEqual([verb, control ? 'control' : flag ? 'flag' : 'BUSY']);
      }
      expect(legalVerbs(node)).toEqual(['maintenance', 'quarantine', 'unquarantine', 'resume', 'abort']);
    },
  );
});

describe('the way of a verb', () => {
  it.each(verbs.filter(isOperationVerb))('%s', (verb) => {
    const { through, to } = operationVerb(verb);
    expect([through, to]).toEqual(WAYS[verb]);
  });

  it.each(cells.filter(({ cell }) => cell === '>'))('$verb from $phase begins its first phase', (c) => {
    const decision = decide(aNode({ phase: c.phase }), aRequest(c.verb));
    const first = WAYS[c.verb]![0][0] ?? c.phase;
    expect(decision).toMatchObject({ kind: 'start', phase: first });
    expect(c.verb === 'power' || isWorking(first as Phase)).toBe(true);
  });

  it('has a failed twin for each working phase', () => {
    expect(FAILED_TWIN).toEqual({
      verifying: 'verify-failed',
      inspecting: 'inspect-failed',
      cleaning: 'clean-failed',
      deploying: 'deploy-failed',
      releasing: 'release-failed',
      servicing: 'service-failed',
      rescuing: 'rescue-failed',
      unrescuing: 'unrescue-failed',
      adopting: 'adopt-failed',
      decommissioning: 'decommission-failed',
    });
  });

  const returns: readonly [verb: Verb, from: Phase, returnTo: string | null, expected: string | null][] = [
    ['inspect', 'manageable', null, 'manageable'],
    ['inspect', 'available', 'manageable', 'available'],
    ['inspect', 'active', null, 'active'],
    ['inspect', 'inspect-failed', 'active', 'active'],
    ['inspect', 'inspect-failed', null, 'manageable'],
    ['service', 'service-failed', 'available', 'available'],
    ['service', 'active', 'available', 'active'],
    ['power', 'enrolled', null, 'enrolled'],
    ['power', 'rescued', null, 'rescued'],
    ['enroll', 'verify-failed', 'enrolled', null],
    ['deploy', 'available', 'available', null],
  ];
  it.each(returns)('%s from %s (remembering %s) returns to %s', (verb, phase, returnTo, expected) => {
    const node = aNode({ phase, returnTo: returnTo as never });
    expect(decide(node, aRequest(verb))).toMatchObject({ kind: 'start', returnTo: expected });
  });
});
