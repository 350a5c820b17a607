import { describe, expect, it } from 'vitest';
import { decide, legalVerbs, unknownStep } from '../../core/decide.ts';
import type { NodeRecord, Resident } from '../../core/node.ts';
import { PHASES, type Phase } from '../../core/phases.ts';
import { ALL_VERBS, isVerb, type Verb } from '../../core/verbs.ts';
import { aNode, anOperation, aRequest } from './support.ts';

const answer = (node: NodeRecord, verb: Verb, args: object = {}): string => {
  const decision = decide(node, aRequest(verb, args));
  return decision.kind === 'refuse' ? decision.failure.code : decision.kind;
};
const available = (over: Partial<NodeRecord> = {}): NodeRecord => aNode({ phase: 'available', ...over });
const owned = (owner: string | null): Resident => ({ kind: 'owner', owner });

describe('whose data is on the disks', () => {
  const rows: readonly [resident: Resident, owner: string | undefined, answer: string][] = [
    [{ kind: 'none' }, 'team-a', 'start'],
    [{ kind: 'none' }, undefined, 'start'],
    [{ kind: 'unknown' }, 'team-a', 'ERASE_REQUIRED'],
    [{ kind: 'unknown' }, undefined, 'ERASE_REQUIRED'],
    [owned('team-a'), 'team-a', 'start'],
    [owned('team-a'), 'team-b', 'ERASE_REQUIRED'],
    [owned('team-a'), undefined, 'ERASE_REQUIRED'],
    // Two owners without a name are not one owner.
    [owned(null), undefined, 'ERASE_REQUIRED'],
    [owned(null), 'team-a', 'ERASE_REQUIRED'],
  ];
  it.each(rows)('%j, deployed for %s: %s', (resident, owner, expected) => {
    expect(answer(available({ resident }), 'deploy', owner ? { owner } : {})).toBe(expected);
  });

  it('names no more than the owner whose data it is', () => {
    const decision = decide(
      available({ resident: owned('team-a') }),
      aRequest('deploy', { owner: 'team-b' }),
    );
    expect(decision).toMatchObject({ failure: { message: 'The disks of n1 may hold data of team-a.' } });
  });
});

describe('what a refusal tells to do', () => {
  const resident = { none: { kind: 'none' }, unknown: { kind: 'unknown' } } as const;
  const release = '`release` it, which erases it in full, and then deploy it';
  const decommission = '`decommission` it, which erases it in full and takes it out of service';
  const rows: readonly [phase: Phase, resident: Resident, correction: string][] = [
    ['available', resident.unknown, `${decommission}.`],
    ['available', owned(null), `${decommission}.`],
    ['available', owned('team-b'), `\`deploy\` it for team-b, or ${decommission}.`],
    ['deploy-failed', resident.unknown, `${release}, or ${decommission}.`],
    ['deploy-failed', owned('team-b'), `${release}, or ${decommission}.`],
  ];
  it.each(rows)('%s, data of %j: a full erase by a verb that is legal there', (phase, of, correction) => {
    const node = aNode({ phase, owner: 'team-a', resident: of });
    expect(decide(node, aRequest('deploy', { owner: 'team-a' }))).toMatchObject({
      failure: { code: 'ERASE_REQUIRED', correction },
    });
  });

  it('names another node where nothing can erase this one', () => {
    const node = available({ resident: resident.unknown, supports: ['deploy'] });
    expect(decide(node, aRequest('deploy'))).toMatchObject({ failure: { correction: 'Use another node.' } });
  });

  it.each(PHASES)('%s: only verbs that are legal there, whatever is refused', (phase) => {
    const flags = { maintenance: null, quarantined: null, drift: null };
    const nodes = [
      ...[resident.none, resident.unknown, owned(null), owned('team-b')].map((of) => ({ resident: of })),
      { flags: { ...flags, quarantined: 'q' } },
      { flags: { ...flags, maintenance: 'm' } },
      { retired: true },
      { residue: ['media' as const] },
      { supports: ['power' as const] },
      { operation: anOperation() },
      { operation: anOperation({ held: true }) },
      { operation: anOperation({ kind: 'cleanup', cleans: 'deploy' }) },
    ].map((over) => aNode({ phase, owner: 'team-a', ...over }));
    for (const node of nodes) {
      for (const verb of ALL_VERBS) {
        const decision = decide(node, aRequest(verb));
        if (decision.kind !== 'refuse') continue;
        const { code, correction } = decision.failure;
        const named = [...correction.matchAll(/`(\w+)`/g)].map(([, word]) => word).filter(isVerb);
        expect({ verb, code, illegal: named.filter((word) => !legalVerbs(node).includes(word)) }).toEqual({
          verb,
          code,
          illegal: [],
        });
      }
    }
  });
});

describe('a failed deployment', () => {
  const rows: readonly [owner: string | null, asks: string | undefined, answer: string][] = [
    ['team-a', 'team-a', 'start'],
    ['team-a', 'team-b', 'OWNER_MISMATCH'],
    ['team-a', undefined, 'OWNER_MISMATCH'],
    [null, undefined, 'start'],
    [null, 'team-a', 'OWNER_MISMATCH'],
  ];
  it.each(rows)('of %s, asked for by %s: %s', (owner, asks, expected) => {
    const node = aNode({ phase: 'deploy-failed', owner, resident: owned(owner) });
    expect(answer(node, 'deploy', asks ? { owner: asks } : {})).toBe(expected);
  });
});

describe('a node that is given to no one', () => {
  const flags = { maintenance: null, quarantined: null, drift: null };
  const rows: readonly [what: string, over: Partial<NodeRecord>, code: string][] = [
    ['quarantined', { flags: { ...flags, quarantined: 'flapping link' } }, 'QUARANTINED'],
    ['in maintenance', { flags: { ...flags, maintenance: 'new fans' } }, 'IN_MAINTENANCE'],
    ['retired', { retired: true }, 'RETIRED'],
  ];
  it.each(rows)('%s: neither deployed nor adopted', (_, over, code) => {
    expect(answer(available(over), 'deploy')).toBe(code);
    expect(answer(aNode({ phase: 'manageable', ...over }), 'adopt')).toBe(code);
  });

  it.each(rows)('%s: still inspected, serviced, switched, decommissioned', (_, over) => {
    for (const verb of ['inspect', 'service', 'power', 'decommission'] as const) {
      expect(answer(available(over), verb)).toBe('start');
    }
  });

  it.each(rows)('%s: its owner can give it back or write an image again', (_, over) => {
    const node = aNode({ phase: 'active', owner: 'team-a', ...over });
    expect(answer(node, 'release')).toBe('start');
    expect(answer(node, 'reimage')).toBe('start');
  });

  it('has something of ours left on it: not deployed', () => {
    expect(answer(available({ residue: ['media', 'override'] }), 'deploy')).toBe('RESIDUE');
    expect(answer(available({ residue: ['media'] }), 'inspect')).toBe('start');
  });

  it('drifted: that alone refuses nothing', () => {
    expect(answer(available({ flags: { ...flags, drift: 'a NIC is gone' } }), 'deploy')).toBe('start');
  });
});

describe('a driver that cannot do a verb', () => {
  it('is said only where the phase allows the verb', () => {
    const node = (phase: Phase) => aNode({ phase, supports: ['power'] });
    expect(answer(node('active'), 'rescue')).toBe('NOT_SUPPORTED');
    expect(answer(node('available'), 'rescue')).toBe('ILLEGAL_VERB');
    expect(answer(node('active'), 'power')).toBe('start');
  });
});

describe('a node that the contract does not name', () => {
  it('is told from one whose driver cannot do a verb', () => {
    expect(answer(aNode({ phase: 'active', supports: [] }), 'power')).toBe('NODE_UNKNOWN');
  });
});

describe('a requestId', () => {
  const first = aRequest('deploy', { requestId: 'r1', owner: 'team-a' });
  const recent = [
    { requestId: 'r1', kind: 'deploy' as const, fingerprint: first.fingerprint, outcome: null },
  ];

  it('sent again with the same request is the same operation, also while it runs or after it ended', () => {
    const running = aNode({ phase: 'deploying', operation: anOperation({ requestId: 'r1' }), recent });
    expect(decide(running, first)).toEqual({ kind: 'duplicate' });
    expect(decide(aNode({ phase: 'active', recent }), first)).toEqual({ kind: 'duplicate' });
  });

  it('sent again with another reason, deadline or holding is still the same request', () => {
    const again = { requestId: 'r1', owner: 'team-a', reason: 'again', deadline: '1h', onFailure: 'fail' };
    expect(answer(available({ recent }), 'deploy', again)).toBe('duplicate');
  });

  it.each([
    ['deploy', { owner: 'team-b' }],
    ['deploy', { owner: 'team-a', image: 'b' }],
    ['power', {}],
  ] as const)('used for another request (%s %j) is refused', (verb, args) => {
    expect(answer(available({ recent }), verb, { ...args, requestId: 'r1' })).toBe('REQUEST_ID_REUSED');
  });
});

describe('what a refusal says', () => {
  it('BUSY names phase, operation and the verbs legal now', () => {
    const node = aNode({ phase: 'deploying', operation: anOperation({ requestId: 'r9', held: true }) });
    expect(decide(node, aRequest('power'))).toMatchObject({
      failure: {
        message: expect.stringMatching(/deploying.*r9 \(deploy\) is held.*Legal now: .*resume, abort/),
        details: { phase: 'deploying', operationId: 'r9', legal: expect.arrayContaining(['abort']) },
      },
    });
  });

  it('ILLEGAL_VERB names phase and the verbs legal now', () => {
    expect(decide(aNode({ phase: 'active' }), aRequest('deploy'))).toMatchObject({
      failure: {
        message: expect.stringMatching(/active, which does not allow deploy\. Legal now: .*release/),
        details: { phase: 'active', operationId: null, legal: expect.arrayContaining(['reimage']) },
      },
    });
  });
});

describe('a resume from a step', () => {
  const held = (over: Partial<NodeRecord>) => aNode({ phase: 'deploying', ...over });
  const deploying = held({ operation: anOperation({ requestId: 'r9', held: true }) });
  const rows: readonly [what: string, node: NodeRecord, args: object, code: string | undefined][] = [
    ['that the plan of a driver has', deploying, { from: 'write-image' }, undefined],
    ['that the plan of another driver has', deploying, { from: 'deploy' }, undefined],
    ['that only other verbs have', deploying, { from: 'erase' }, 'UNKNOWN_STEP'],
    ['that no plan has', deploying, { from: 'no-such-step' }, 'UNKNOWN_STEP'],
    ['that is not named', deploying, {}, undefined],
    ['of no operation', held({ operation: null }), { from: 'no-such-step' }, undefined],
  ];
  it.each(rows)('%s', (_, node, args, code) => {
    expect(unknownStep(node, aRequest('resume', args))?.code).toBe(code);
  });

  it('that no plan has: the answer names those that there are, by driver', () => {
    expect(unknownStep(deploying, aRequest('resume', { from: 'x' }))?.message).toMatch(
      /^Operation r9 \(deploy\) has no step x; by its driver it has connect, .*write-image.* \(redfish\); .* \(ironic\)\.$/,
    );
  });
});

describe('a clean-up', () => {
  it('can be aborted and not resumed; flags get through', () => {
    const node = aNode({ phase: 'deploying', operation: anOperation({ kind: 'cleanup' }) });
    expect(answer(node, 'resume')).toBe('BUSY');
    expect(answer(node, 'abort')).toBe('control');
    expect(answer(node, 'quarantine')).toBe('flag');
  });
});
