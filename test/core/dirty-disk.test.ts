import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { legalVerbs } from '../../core/decide.ts';
import { newNode, type NodeRecord } from '../../core/node.ts';
import { DRIVER_PLANS } from '../../core/plans/index.ts';
import { stepsToResume, type Step } from '../../core/steps.ts';
import { isOperationVerb, type OperationVerbName } from '../../core/verbs.ts';

/**
 * A raw image is written while it is read: that its bytes were wrong is known when they stand on the disk. What
 * stands there must not be started before it was written again, or wiped.
 */
const BOOTS = ['boot-disk', 'set-power'];
const CLEANS = ['write-image', 'erase'];

const plan = (verb: OperationVerbName): readonly Step[] => DRIVER_PLANS.redfish.plan(verb, {})!;
const idsOf = (steps: readonly Step[]): string[] => steps.map(({ id }) => id);
const firstOf = (ids: readonly string[], these: readonly string[]): number =>
  ids.findIndex((id) => these.includes(id));

/** A node with wrong bytes on its disk, whose operation is over. */
const dirty: NodeRecord = {
  ...newNode('berlin', 'n1'),
  phase: 'deploy-failed',
  owner: 'ada',
  resident: { kind: 'owner', owner: 'ada' },
  supports: ['enroll', 'inspect', 'clean', 'deploy', 'reimage', 'release', 'power', 'decommission'],
};

describe('a disk with wrong bytes', () => {
  it('leaves few verbs', () => {
    expect(legalVerbs(dirty).filter(isOperationVerb)).toEqual([
      'deploy',
      'reimage',
      'release',
      'decommission',
    ]);
  });

  it.each(legalVerbs(dirty).filter(isOperationVerb))(
    'is written or wiped by `%s` before it boots',
    (verb) => {
      const ids = idsOf(plan(verb));
      const [clean, boot] = [firstOf(ids, CLEANS), firstOf(ids, BOOTS)];
      expect(clean).toBeGreaterThanOrEqual(0);
      if (boot >= 0) expect(clean).toBeLessThan(boot);
    },
  );

  it('holds up every other verb that starts it, in every phase that such an operation ends in', () => {
    for (const phase of ['deploy-failed', 'release-failed', 'clean-failed', 'decommission-failed'] as const) {
      for (const verb of legalVerbs({ ...dirty, phase }).filter(isOperationVerb)) {
        const ids = idsOf(plan(verb));
        const boot = firstOf(ids, BOOTS);
        if (boot >= 0)
          expect([phase, verb, firstOf(ids.slice(0, boot), CLEANS) >= 0]).toEqual([phase, verb, true]);
      }
    }
  });

  it.each(['deploy', 'reimage'] as const)(
    'is written again by a resumed %s, wherever someone asks it to begin, and whatever is remembered',
    (verb) => {
      const steps = plan(verb);
      const ids = idsOf(steps);
      const wrote = ids.indexOf('write-image');
      const facts = [...new Set(steps.flatMap(({ makes }) => makes))];
      // It failed at the write, or at a step before it on the way there again.
      const at = fc.integer({ min: 0, max: wrote });
      const from = fc.option(fc.integer({ min: 0, max: steps.length - 1 }), { nil: undefined });
      fc.assert(
        fc.property(at, fc.subarray(facts), from, (failedAt, known, wish) => {
          const run = stepsToResume(steps, failedAt, (fact) => known.includes(fact), wish).map(
            (index) => ids[index]!,
          );
          const order = ['write-image', 'verify-image', 'install-bootloader', 'boot-disk'].map((id) =>
            run.indexOf(id),
          );
          expect(order[0]).toBeGreaterThanOrEqual(0);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }),
        { seed: 1 },
      );
    },
  );
});
