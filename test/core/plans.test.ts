import { describe, expect, it } from 'vitest';
import { isErrorCode } from '../../core/errors/catalogue.ts';
import { FAULT_DOMAINS } from '../../core/fault-domains.ts';
import { DRIVER_PLANS, mayBeLeftBy, supportedVerbs, type DriverName } from '../../core/plans/index.ts';
import { mayLeave, stepsToResume, type Step } from '../../core/steps.ts';
import { operationVerb, type OperationVerbName } from '../../core/verbs.ts';

const DRIVERS = Object.keys(DRIVER_PLANS) as DriverName[];
const plans = DRIVERS.flatMap((driver) =>
  supportedVerbs(driver).map((verb) => ({
    driver,
    verb,
    steps: DRIVER_PLANS[driver].plan(verb, {})!,
    observed: DRIVER_PLANS[driver].observed as readonly string[],
  })),
);
const plan = (driver: DriverName, verb: OperationVerbName): readonly Step[] =>
  DRIVER_PLANS[driver].plan(verb, {})!;
const idsOf = (steps: readonly Step[]): string => steps.map((step) => step.id).join(' ');

describe('what the drivers can do', () => {
  it('is written down here, so that a verb cannot be lost', () => {
    expect(supportedVerbs('redfish').join(' ')).toBe(
      'enroll inspect clean deploy reimage release service power adopt decommission',
    );
    expect(supportedVerbs('ironic').join(' ')).toBe(
      'enroll inspect clean deploy reimage release power decommission',
    );
  });
});

describe.each(plans)('$driver: $verb', ({ verb, steps, observed }) => {
  it('has ids that are unique and safe in a name', () => {
    expect(new Set(steps.map((step) => step.id)).size).toBe(steps.length);
    for (const { id } of steps) expect(id).toMatch(/^[a-z][a-z0-9-]{0,62}$/);
  });

  it('makes every fact before it is needed, or can ask the world for it', () => {
    const made = new Set<string>();
    for (const step of steps) {
      for (const fact of step.needs) expect([...made, ...observed]).toContain(fact);
      for (const fact of step.breaks) made.delete(fact);
      for (const fact of step.makes) made.add(fact);
    }
  });

  it('clears whatever it leaves', () => {
    const left = new Set<string>();
    for (const step of steps) {
      for (const residue of step.leaves) left.add(residue);
      for (const residue of step.clears) left.delete(residue);
    }
    expect([...left]).toEqual([]);
  });

  it('passes the phases of the verb in their order', () => {
    const passed = steps.map((step) => step.phase).filter((phase, i, all) => phase !== all[i - 1]);
    const through: readonly (string | null)[] = operationVerb(verb).through;
    expect(passed).toEqual(through.length === 0 ? [null] : through);
  });

  it('nests its bounds: no attempt is longer than a minute, nor than the step', () => {
    for (const { bounds } of steps) {
      expect(bounds.attempt).toBeGreaterThan(0);
      expect(bounds.attempt).toBeLessThanOrEqual(60);
      expect(bounds.total).toBeGreaterThanOrEqual(bounds.attempt);
      expect(bounds.retryFirst).toBeGreaterThan(0);
      expect(bounds.retryMax).toBeGreaterThanOrEqual(bounds.retryFirst);
      expect(bounds.retryMax).toBeLessThan(bounds.total);
    }
  });

  it('says of each step whose failures are, and what its silence means', () => {
    for (const step of steps) {
      expect(isErrorCode(step.silence)).toBe(true);
      expect(FAULT_DOMAINS).toContain(step.faultDomain);
      expect(step.owner).not.toBe('');
      expect(step.title).toMatch(/^[A-Z][^.]+$/);
    }
  });

  it('opens the window of tokens before it waits for an agent', () => {
    const awaits = steps.findIndex((step) => step.awaits === 'agent');
    const opens = steps.findIndex((step) => step.opensWindow);
    expect(awaits < 0 ? opens === -1 : opens >= 0 && opens < awaits).toBe(true);
  });

  it('can be resumed wherever it failed and whatever the world has become meanwhile', () => {
    const facts = [...new Set(steps.flatMap((s) => [...s.needs, ...s.makes]))];
    const asked = observed.filter((fact) => facts.includes(fact));
    for (let failedAt = 0; failedAt < steps.length; failedAt++) {
      const remembered = new Set<string>();
      for (const step of steps.slice(0, failedAt)) {
        for (const fact of step.breaks) remembered.delete(fact);
        for (const fact of step.makes) remembered.add(fact);
      }
      for (const fact of steps[failedAt]!.breaks) remembered.delete(fact);
      for (let mask = 0; mask < 2 ** asked.length; mask++) {
        const seen = new Set(asked.filter((_, i) => mask & (1 << i)));
        const holds = (fact: string) => (observed.includes(fact) ? seen.has(fact) : remembered.has(fact));
        const why = unmet(steps, stepsToResume(steps, failedAt, holds), holds, observed);
        if (why) expect.fail(`${steps[failedAt]!.id} failed, ${[...seen].join()} seen: ${why}`);
      }
    }
  });
});

/** A need that nobody meets when these steps run; facts that no step makes are the world's own affair. */
function unmet(
  steps: readonly Step[],
  run: readonly number[],
  holds: (fact: string) => boolean,
  observed: readonly string[],
): string | undefined {
  const makable = new Set(steps.flatMap((step) => step.makes));
  const true_ = new Set([...makable, ...observed].filter(holds));
  for (const at of run) {
    const step = steps[at]!;
    const missing = step.needs.find((fact) => makable.has(fact) && !true_.has(fact));
    if (missing !== undefined)
      return `${step.id} needs ${missing} of ${run.map((i) => steps[i]!.id).join(' ')}`;
    for (const fact of step.breaks) true_.delete(fact);
    for (const fact of step.makes) true_.add(fact);
  }
  return undefined;
}

describe('a deployment by Redfish', () => {
  it('runs in the order that keeps media, override and power safe', () => {
    expect(idsOf(plan('redfish', 'deploy'))).toBe(
      'connect preflight attach-network insert-media set-boot boot-agent await-agent check-hardware ' +
        'check-network ' +
        'write-image verify-image install-bootloader sync power-off eject-media clear-boot boot-disk await-first-boot hand-over',
    );
  });

  it('again: stops the running system only once image, media and disk were found good', () => {
    const steps = plan('redfish', 'reimage').map((step) => step.id);
    expect(steps.filter((id) => id !== 'stop')).toEqual(plan('redfish', 'deploy').map((step) => step.id));
    expect(steps.indexOf('stop')).toBe(steps.indexOf('preflight') + 1);
  });

  it('to a new owner: BMC first, the TPM before the reset that it waits for, boot entries when all is gone', () => {
    const changesOwner =
      'compare-bmc clear-tpm insert-media set-boot boot-agent await-agent check-hardware verify-tpm erase ' +
      'clean-nvram sync power-off eject-media clear-boot compare-boot';
    expect(idsOf(plan('redfish', 'release'))).toBe(`connect stop ${changesOwner}`);
    // A release that failed while it cleaned is ended by a clean: nothing of it may be left out there.
    expect(idsOf(plan('redfish', 'clean'))).toBe(`connect ${changesOwner}`);
    const metadata = DRIVER_PLANS.redfish.plan('clean', { erase: 'metadata' })!;
    expect(idsOf(metadata)).not.toMatch(/tpm|compare|nvram/);
  });

  it('writes once: what changes a disk or firmware is not repeatable', () => {
    for (const { steps } of plans) {
      for (const step of steps) {
        const changes = ['write-image', 'erase', 'deploy', 'rebuild', 'update-firmware'].includes(step.id);
        expect([step.id, step.repeatable]).toEqual([step.id, !changes]);
      }
    }
  });
});

describe('what can be left behind', () => {
  it.each([
    ['redfish', 'deploy', ['media', 'override', 'power']],
    ['redfish', 'release', ['media', 'override', 'power']],
    ['redfish', 'inspect', []],
    ['redfish', 'adopt', []],
    ['ironic', 'deploy', ['allocation']],
    ['ironic', 'reimage', []],
    ['ironic', 'enroll', []],
  ] as const)('%s %s: %j', (driver, verb, residue) => {
    expect(mayLeave(plan(driver, verb))).toEqual(residue);
  });

  it('is told by the kind alone where the plan is not at hand', () => {
    for (const verb of ['enroll', 'inspect', 'adopt', 'power'] as const)
      expect(mayBeLeftBy(verb)).toEqual([]);
    expect(mayBeLeftBy('deploy')).toEqual(['media', 'override', 'power', 'allocation']);
    expect(mayBeLeftBy('clean')).toEqual(expect.arrayContaining(['media', 'override', 'power']));
    expect(mayBeLeftBy('cleanup')).toEqual(['media', 'override', 'power', 'allocation']);
  });

  it('is nothing for a running server that is adopted or inspected: no step touches power, boot or media', () => {
    for (const verb of ['adopt', 'inspect'] as const) {
      expect(idsOf(plan('redfish', verb))).toBe('connect inspect compare');
    }
  });
});
