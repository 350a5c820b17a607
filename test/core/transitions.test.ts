import { describe, expect, it } from 'vitest';
import { decide } from '../../core/decide.ts';
import { failure, type Failure } from '../../core/errors/failure.ts';
import { powerOf, type CurrentOperation, type NodeRecord, type Resident } from '../../core/node.ts';
import type { OperationEnd } from '../../core/operations.ts';
import type { Phase } from '../../core/phases.ts';
import { cleaningUp, ended, endOf, lost, notStarted, started } from '../../core/transitions.ts';
import type { OperationKind, Verb } from '../../core/verbs.ts';
import { aNode, anOperation, aRequest } from './support.ts';

function begin(node: NodeRecord, verb: Verb, args: object = {}): NodeRecord {
  const request = aRequest(verb, { requestId: 'r1', ...args });
  const decision = decide(node, request);
  if (decision.kind !== 'start') throw new Error(JSON.stringify(decision));
  return started(node, request, decision);
}
const end = (over: Partial<OperationEnd> = {}): OperationEnd => ({
  outcome: 'pass',
  phase: 'active',
  residue: [],
  ...over,
});
const owned = (owner: string | null): Resident => ({ kind: 'owner', owner });

describe('a request that was accepted', () => {
  const rows: readonly [verb: Verb, from: Phase, phase: Phase][] = [
    ['enroll', 'enrolled', 'verifying'],
    ['inspect', 'active', 'inspecting'],
    ['clean', 'manageable', 'cleaning'],
    ['deploy', 'available', 'deploying'],
    ['reimage', 'active', 'deploying'],
    ['release', 'active', 'releasing'],
    ['service', 'available', 'servicing'],
    ['rescue', 'active', 'rescuing'],
    ['unrescue', 'rescued', 'unrescuing'],
    ['power', 'rescued', 'rescued'],
    ['adopt', 'manageable', 'adopting'],
    ['decommission', 'clean-failed', 'decommissioning'],
  ];
  it.each(rows)('%s on %s: the node is %s and busy with it', (verb, from, phase) => {
    const node = begin(aNode({ phase: from, lastFailure: failure('ABORTED', 'before') }), verb);
    expect(node).toMatchObject({
      phase,
      lastFailure: null,
      operation: { requestId: 'r1', kind: verb, held: false, step: null, failure: null },
      recent: [{ requestId: 'r1', kind: verb, outcome: null }],
    });
  });

  it('to deploy claims the disks for the new owner before anything is written', () => {
    const node = begin(aNode({ phase: 'available' }), 'deploy', { owner: 'team-a' });
    expect(node).toMatchObject({ owner: 'team-a', resident: owned('team-a'), image: null });
  });

  it('to do anything else leaves owner and resident alone', () => {
    const before = aNode({ phase: 'active', owner: 'team-a', image: 'a', resident: owned('team-a') });
    for (const verb of ['reimage', 'release', 'inspect', 'power', 'service', 'rescue'] as const) {
      expect(begin(before, verb)).toMatchObject({
        owner: 'team-a',
        image: 'a',
        resident: owned('team-a'),
      });
    }
  });

  it('pushes the oldest of a hundred remembered requests out', () => {
    const recent = Array.from({ length: 100 }, (_, i) => ({
      requestId: `old-${i}`,
      kind: 'power' as const,
      fingerprint: '',
      outcome: 'pass' as const,
    }));
    const ids = begin(aNode({ phase: 'active', recent }), 'power').recent.map((r) => r.requestId);
    expect(ids).toHaveLength(100);
    expect([ids[0], ids.at(-1)]).toEqual(['old-1', 'r1']);
  });
});

describe('an operation that passed', () => {
  interface Row {
    readonly kind: OperationKind;
    readonly args?: CurrentOperation['args'];
    readonly owner: string | null;
    readonly image: string | null;
    readonly resident: Resident;
  }
  // Before each of them: owner team-a, image old, whose data is on the disks.
  const rows: readonly Row[] = [
    { kind: 'deploy', args: { image: 'new' }, owner: 'team-a', image: 'new', resident: owned('team-a') },
    { kind: 'reimage', args: { image: 'new' }, owner: 'team-a', image: 'new', resident: owned('team-a') },
    { kind: 'clean', args: {}, owner: null, image: null, resident: { kind: 'none' } },
    { kind: 'clean', args: { erase: 'full' }, owner: null, image: null, resident: { kind: 'none' } },
    { kind: 'clean', args: { erase: 'metadata' }, owner: null, image: null, resident: owned('team-a') },
    { kind: 'release', owner: null, image: null, resident: { kind: 'none' } },
    { kind: 'decommission', owner: null, image: null, resident: { kind: 'none' } },
    { kind: 'adopt', args: { owner: 'b', image: 'x' }, owner: 'b', image: 'x', resident: owned('b') },
    { kind: 'adopt', args: { owner: 'b' }, owner: 'b', image: null, resident: owned('b') },
    ...(['enroll', 'inspect', 'service', 'rescue', 'unrescue', 'power', 'cleanup'] as const).map(
      (kind): Row => ({ kind, owner: 'team-a', image: 'old', resident: owned('team-a') }),
    ),
  ];
  const busy = (kind: OperationKind, args: CurrentOperation['args'] = {}): NodeRecord =>
    aNode({
      phase: 'deploying',
      owner: 'team-a',
      image: 'old',
      resident: owned('team-a'),
      operation: anOperation({ requestId: 'r1', kind, args }),
      recent: [{ requestId: 'r1', kind, fingerprint: 'f', outcome: null }],
    });

  it.each(rows)('$kind $args: owner $owner, image $image, resident $resident', (row) => {
    const { owner, image, resident } = row;
    const node = ended(busy(row.kind, row.args), end());
    expect(node).toMatchObject({ phase: 'active', operation: null, owner, image, resident });
    expect(node.recent).toMatchObject([{ requestId: 'r1', outcome: 'pass' }]);
  });

  const outcomes = rows.flatMap(({ kind, args }) =>
    (['fail', 'error', 'aborted'] as const).map((outcome) => ({ kind, args: args ?? {}, outcome })),
  );
  it.each(outcomes)('did not ($kind $args: $outcome): owner, image and resident stay', (row) => {
    const why = failure('ABORTED', 'scripted');
    const over = { outcome: row.outcome, phase: 'deploy-failed' as const, failure: why };
    const node = ended(busy(row.kind, row.args), end({ ...over, residue: ['media'] }));
    expect(node).toMatchObject({
      phase: 'deploy-failed',
      operation: null,
      owner: 'team-a',
      image: 'old',
      resident: owned('team-a'),
      residue: ['media'],
      lastFailure: why,
      recent: [{ requestId: 'r1', outcome: row.outcome }],
    });
  });

  it('tells power, health, what the driver can do, and whether the node is retired', () => {
    const node = ended(
      busy('inspect'),
      end({ power: 'on', health: 'OK', supports: ['power'], retired: true }),
    );
    expect(node).toMatchObject({ power: 'on', health: 'OK', supports: ['power'], retired: true });
    expect(ended({ ...node, operation: anOperation() }, end())).toMatchObject({
      power: 'on',
      health: 'OK',
      supports: ['power'],
      retired: true,
    });
  });

  it('raises and clears the drift flag only where it looked', () => {
    const drifted = ended(busy('inspect'), end({ drift: true }));
    expect(drifted.flags.drift).toContain('differs from the contract');
    const named = ended(
      busy('inspect'),
      end({ drift: true, drifted: 'NIC gone: was a, is none (hardware)' }),
    );
    expect(named.flags.drift).toBe('NIC gone: was a, is none (hardware)');
    expect(ended({ ...drifted, operation: anOperation() }, end()).flags.drift).toBe(drifted.flags.drift);
    expect(ended({ ...drifted, operation: anOperation() }, end({ drift: false })).flags.drift).toBe(null);
  });
});

describe('the power of a node', () => {
  const on = aNode({ phase: 'active', power: 'on' });
  const during = (kind: OperationKind, held = false): string =>
    powerOf({ ...on, operation: anOperation({ kind, held }) });

  it('is what was told last, while nothing changes it', () => {
    expect(powerOf(on)).toBe('on');
    expect(powerOf({ ...on, residue: ['media'] })).toBe('on');
    expect(powerOf({ ...on, residue: ['media', 'power'] })).toBe('unknown');
  });

  it.each(['enroll', 'inspect', 'adopt'] as const)('stays known during %s', (kind) => {
    expect([during(kind), during(kind, true)]).toEqual(['on', 'on']);
  });

  it.each([
    'clean',
    'deploy',
    'reimage',
    'release',
    'service',
    'rescue',
    'unrescue',
    'power',
    'decommission',
    'cleanup',
  ] as const)('is not known during %s, nor while that is held', (kind) => {
    expect([during(kind), during(kind, true)]).toEqual(['unknown', 'unknown']);
  });

  const ends: readonly [kind: OperationKind, over: Partial<OperationEnd>, power: string][] = [
    ['reimage', { power: 'off', outcome: 'fail' }, 'off'],
    ['reimage', { outcome: 'fail' }, 'on'],
    ['reimage', { outcome: 'fail', residue: ['power'] }, 'unknown'],
    ['cleanup', { power: 'off' }, 'off'],
    ['power', { power: 'off' }, 'off'],
    ['power', { outcome: 'fail' }, 'unknown'],
  ];
  it.each(ends)('after %s that ended with %j: %s', (kind, over, power) => {
    expect(powerOf(ended({ ...on, operation: anOperation({ kind }) }, end(over)))).toBe(power);
  });
});

describe('an operation that was lost', () => {
  const node = aNode({
    phase: 'deploying',
    generation: 6,
    operation: anOperation({ requestId: 'r1' }),
    recent: [{ requestId: 'r1', kind: 'deploy', fingerprint: 'f', outcome: null }],
  });

  it('ends as error, and a clean-up of its kind takes its place', () => {
    expect(lost(node)).toMatchObject({
      phase: 'deploying',
      operation: { requestId: 'cleanup-7', kind: 'cleanup', cleans: 'deploy', held: false },
      recent: [
        { requestId: 'r1', outcome: 'error' },
        { requestId: 'cleanup-7', kind: 'cleanup', outcome: null },
      ],
      lastFailure: { code: 'OPERATION_LOST', message: expect.stringContaining('r1 (deploy)') },
    });
  });

  it('was itself a clean-up: the next one still cleans what the first one was for', () => {
    const again = lost({ ...lost(node), generation: 9 });
    expect(again.operation).toMatchObject({ requestId: 'cleanup-10', kind: 'cleanup', cleans: 'deploy' });
    expect(again.recent.map((r) => r.outcome)).toEqual(['error', 'error', null]);
  });

  const begun = 'Operation r1 (deploy) ended without a verdict; cleanup-7';
  const rows: readonly [over: Partial<OperationEnd>, code: string, message: string, correction: string][] = [
    [{}, 'OPERATION_LOST', 'has cleaned up: nothing left behind.', 'Ask again.'],
    [{ power: 'off' }, 'OPERATION_LOST', 'has cleaned up: nothing left behind, power off.', 'Ask again.'],
    // Who has to mend what is what the clean-up failed with.
    [
      { outcome: 'fail', residue: ['media'], failure: failure('RESIDUE', 'Left behind: media.') },
      'RESIDUE',
      'could not clean up: Left behind: media.',
      'looked at again by itself',
    ],
    [
      { outcome: 'fail', failure: failure('NODE_UNKNOWN', 'The contract has no node n1.') },
      'NODE_UNKNOWN',
      'could not clean up: The contract has no node n1.',
      'Add the node to the inventory',
    ],
  ];
  it.each(rows)(
    'is told with what the clean-up did, which ended with %j',
    (over, code, message, correction) => {
      expect(lost(node).lastFailure?.message).toBe(`${begun} cleans up.`);
      const cleaned = ended(lost(node), end({ phase: 'deploy-failed', ...over }));
      expect(cleaned).toMatchObject({
        operation: null,
        lastFailure: {
          code,
          message: `${begun} ${message}`,
          correction: expect.stringContaining(correction),
        },
      });
    },
  );

  it('is told with what the last one of several clean-ups did', () => {
    const left = { residue: ['media'] as const, failure: failure('RESIDUE', 'Left behind: media.') };
    const tried = ended(lost(node), end({ outcome: 'fail', ...left }));
    const again = ended(cleaningUp({ ...tried, generation: 9 }, 'deploy'), end());
    expect(again.lastFailure?.message).toBe(
      `${begun} could not clean up: Left behind: media. cleanup-10 has removed it since.`,
    );
  });
});

describe('a clean-up of what is left', () => {
  const cleaned = (why: Failure, over: Partial<OperationEnd>) =>
    ended(cleaningUp(aNode({ generation: 3, lastFailure: why }), 'deploy'), end(over)).lastFailure;

  it('tells that what the last failure speaks of is gone, and leaves any other failure as it is', () => {
    const left = failure('RESIDUE', 'Left behind: media.');
    expect(cleaned(left, {})).toMatchObject({
      code: 'RESIDUE',
      message: 'Left behind: media. cleanup-4 has removed it since.',
      correction: 'Ask again.',
    });
    expect(cleaned(left, { outcome: 'fail', failure: failure('RESIDUE', 'Still.') })?.message).toBe('Still.');
    const other = failure('IMAGE_UNKNOWN', 'none');
    expect(cleaned(other, {})).toEqual(other);
  });

  it('leaves the phase alone', () => {
    const node = cleaningUp(aNode({ phase: 'deploy-failed', generation: 3, residue: ['media'] }), 'deploy');
    expect(node).toMatchObject({
      phase: 'deploy-failed',
      residue: ['media'],
      operation: { requestId: 'cleanup-4', kind: 'cleanup', cleans: 'deploy' },
    });
  });
});

describe('a request whose id was used long ago', () => {
  it('leaves the node as it was, under the generation that it has now', () => {
    const before = aNode({ phase: 'available', generation: 3, lastFailure: failure('ABORTED', 'before') });
    const after = begin(before, 'deploy', { owner: 'team-a' });
    const flags = { ...after.flags, quarantined: 'meanwhile' };
    expect(notStarted({ ...after, generation: 4, flags }, before)).toEqual({
      ...before,
      generation: 4,
      flags,
    });
  });
});

describe('a hundred clean-ups', () => {
  it('push out no request that somebody made', () => {
    let node = begin(aNode({ phase: 'active' }), 'power');
    for (let i = 0; i < 150; i++) node = cleaningUp({ ...node, generation: i }, 'deploy');
    expect(node.recent).toHaveLength(100);
    expect(node.recent[0]).toMatchObject({ requestId: 'r1', kind: 'power' });
  });
});

describe('the result of an operation', () => {
  const report = {
    site: 'test',
    node: 'n1',
    requestId: 'r1',
    kind: 'deploy' as const,
    phase: 'active' as const,
    startedAt: '',
    held: false,
    steps: [],
    notes: [],
    residue: [],
    evidence: [],
  };

  it('changes power, health and drift where the steps found them, and nothing else', () => {
    const data = { power: 'on', health: 'x'.repeat(400), drift: false, disk: '/dev/sda' };
    expect(endOf({ ...report, outcome: 'pass', data })).toEqual({
      outcome: 'pass',
      phase: 'active',
      residue: [],
      power: 'on',
      health: 'x'.repeat(300),
      drift: false,
    });
  });

  it('does not tell the power of a host that a service was restarting when it was stopped', () => {
    const service = {
      ...report,
      kind: 'service' as const,
      outcome: 'aborted' as const,
      data: { power: 'on' },
    };
    const restart = { id: 'restart', title: '', state: 'skipped' as const };
    expect(endOf({ ...service, steps: [restart] }).power).toBe('on');
    expect(endOf({ ...service, steps: [{ ...restart, startedAt: 'now' }] }).power).toBe('unknown');
  });

  it('without an outcome is one that could not be told', () => {
    expect(endOf({ ...report, data: { power: 'unknown' } })).toEqual({
      outcome: 'error',
      phase: 'active',
      residue: [],
    });
  });
});
