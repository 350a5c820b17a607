import { describe, expect, it } from 'vitest';
import { redfishPlan } from '../../core/plans/redfish.ts';
import { serviceWork } from '../../core/service-work.ts';

const ids = (steps: unknown): string =>
  redfishPlan('service', steps === undefined ? {} : { steps: steps as never })!
    .map(({ id }) => id)
    .join(' ');

describe('what service is asked to do', () => {
  it('is what each entry says, whichever way it is written', () => {
    expect(serviceWork({ steps: ['firmware'] })).toEqual({ firmware: { baseline: null } });
    expect(serviceWork({ steps: [{ step: 'firmware', baseline: 'b-1' }, 'bios'] })).toEqual({
      firmware: { baseline: 'b-1' },
      bios: { settings: null },
    });
    expect(serviceWork({ steps: [{ step: 'bios', settings: { A: 'x', B: 2 } }] })).toEqual({
      bios: { settings: { A: 'x', B: 2 } },
    });
  });

  it('is nothing where it is no list of steps, and never more than was meant', () => {
    expect(serviceWork({ steps: [{ step: 'bios', settings: { AdminPassword: 'x' } }] })).toEqual({});
    expect(serviceWork({ steps: null })).toEqual({});
  });

  it('makes a plan that checks everything before it writes anything, and firmware before settings', () => {
    expect(ids(['firmware'])).toBe(
      'connect survey check-firmware update-firmware compare-survey restore-power',
    );
    expect(ids(['bios'])).toBe(
      'connect survey check-bios set-bios restart verify-bios compare-survey restore-power',
    );
    const both =
      'connect survey check-firmware check-bios update-firmware set-bios restart verify-bios compare-survey restore-power';
    expect(ids(['bios', 'firmware'])).toBe(both);
    expect(ids(undefined)).toBe(both);
  });
});
