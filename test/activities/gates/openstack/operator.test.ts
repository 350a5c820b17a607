import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Place } from '../../../../activities/vantage/places.ts';
import type { Probed } from '../../../../core/reachability/probe.ts';
import { aSite } from '../../support.ts';
import { makeCheck } from '../kubernetes/support.ts';
import { aSmallCloud, type SmallCloud } from './support.ts';

// Endpoints as operators ask them: from where they are, and judged as whatever else is asked from there.

let went: Omit<Probed, 'probe'>;
let asked: { urls: number; ca: boolean }[];
vi.mock('../../../../activities/vantage/places.ts', async (original) => ({
  ...(await original<object>()),
  placesAt: (from: string): Promise<Place[]> =>
    Promise.resolve([
      {
        label: `vantage point ${from}`,
        probe: (probes, ca) => {
          asked.push({ urls: probes.length, ca: ca?.includes('BEGIN CERTIFICATE') === true });
          return Promise.resolve(probes.map((probe) => ({ probe, ...went })));
        },
      },
    ]),
}));

let cloud: SmallCloud;
beforeEach(async () => {
  [cloud, asked] = [await aSmallCloud(), []];
});
afterEach(() => cloud.close());

it.each<[Omit<Probed, 'probe'>, string, string | undefined]>([
  [{ outcome: 'answered', status: 300 }, 'pass', undefined],
  [{ outcome: 'refused' }, 'fail', 'openstack'],
  [{ outcome: 'no TLS' }, 'fail', 'openstack'],
  [{ outcome: 'untrusted' }, 'fail', 'openstack'],
  [{ outcome: 'ENOTFOUND' }, 'fail', 'user-access'],
  [{ outcome: 'ENETUNREACH' }, 'fail', 'user-access'],
  [{ outcome: 'EAI_AGAIN' }, 'error', 'openstack'],
  [{ outcome: 'answered', status: 503 }, 'error', 'openstack'],
  [{ outcome: 'silent' }, 'error', 'openstack'],
])('an endpoint that is %j from there is a %s', async (how, outcome, faultDomain) => {
  went = how;
  const inventory = cloud.inventory({ services: ['identity'] }, { acceptance: { operator: 'jump' } });
  const result = await makeCheck('openstack-endpoints', { site: await aSite(), inventory });
  expect([result.outcome, result.findings[0]?.failure.faultDomain]).toEqual([outcome, faultDomain]);
  expect(asked[0]).toEqual({ urls: 1, ca: true });
  expect(asked.length).toBe(outcome === 'error' ? 3 : 1);
  if (outcome === 'pass') expect(result.summary).toBe('it answers, from vantage point jump too');
});
