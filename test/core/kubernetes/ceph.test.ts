import { describe, expect, it } from 'vitest';
import { judgeCeph, readCephStatus } from '../../../core/kubernetes/ceph.ts';
import { judgeReadyz, readReadyz } from '../../../core/kubernetes/readyz.ts';
import type { JsonObject } from '../../../core/json.ts';

const HEALTHY = {
  health: { status: 'HEALTH_OK', checks: {}, mutes: [] },
  quorum_names: ['a', 'b', 'c'],
  monmap: { num_mons: 3 },
  osdmap: { num_osds: 6, num_up_osds: 6, num_in_osds: 6 },
  pgmap: {
    pgs_by_state: [
      { state_name: 'active+clean', count: 90 },
      { state_name: 'active+clean+scrubbing+deep', count: 7 },
    ],
  },
  mgrmap: { available: true },
};
const check = (severity: string, message: string, muted = false) => ({
  severity,
  summary: { message },
  muted,
});
const warned = (code: string, muted = false): JsonObject => ({
  ...HEALTHY,
  health: {
    status: muted ? 'HEALTH_OK' : 'HEALTH_WARN',
    checks: { [code]: check('HEALTH_WARN', 'something', muted) },
  },
});
const messages = (status: JsonObject, allow?: string[]) =>
  judgeCeph(readCephStatus(status)!, allow).map(({ message }) => message);

describe('the status of Ceph', () => {
  it('is read, as it is since Octopus and as it was before', () => {
    expect(readCephStatus(HEALTHY)).toEqual({
      health: 'HEALTH_OK',
      checks: [],
      monitors: 3,
      quorum: ['a', 'b', 'c'],
      manager: true,
      osds: { all: 6, up: 6, in: 6 },
      placementGroups: [
        { state: 'active+clean', count: 90 },
        { state: 'active+clean+scrubbing+deep', count: 7 },
      ],
    });
    const nautilus = {
      ...HEALTHY,
      monmap: { mons: [{ name: 'a' }, { name: 'b' }] },
      osdmap: { osdmap: { num_osds: 1, num_up_osds: 1, num_in_osds: 1 } },
    };
    expect(readCephStatus(nautilus)).toMatchObject({ monitors: 2, osds: { all: 1 } });
  });

  it.each([
    null,
    7,
    [],
    {},
    { ...HEALTHY, osdmap: {} },
    { ...HEALTHY, mgrmap: {} },
    { ...HEALTHY, pgmap: {} },
  ])('that lacks what is judged is none: %j', (answer) => {
    expect(readCephStatus(answer)).toBeUndefined();
  });

  it.each<[string, JsonObject, string[] | undefined, string[]]>([
    ['healthy', HEALTHY, undefined, []],
    [
      'warned of',
      warned('POOL_NO_REDUNDANCY'),
      undefined,
      ['Ceph: HEALTH_WARN POOL_NO_REDUNDANCY, something.'],
    ],
    ['warned of, as the contract allows', warned('POOL_NO_REDUNDANCY'), ['POOL_NO_REDUNDANCY'], []],
    ['warned of, and muted', warned('POOL_NO_REDUNDANCY', true), undefined, []],
    [
      'in error, whatever is allowed',
      {
        ...HEALTHY,
        health: { status: 'HEALTH_ERR', checks: { OSD_FULL: check('HEALTH_ERR', '1 full osd(s)', true) } },
      },
      ['OSD_FULL'],
      ['Ceph: HEALTH_ERR OSD_FULL, 1 full osd(s).'],
    ],
    [
      'bad without a reason',
      { ...HEALTHY, health: { status: 'HEALTH_WARN', checks: {} } },
      undefined,
      ['Ceph: HEALTH_WARN, without a reason.'],
    ],
    [
      'short of a monitor',
      { ...HEALTHY, quorum_names: ['a', 'c'] },
      undefined,
      ['Ceph: 2 of 3 monitors are in quorum: a, c.'],
    ],
    [
      'without a manager',
      { ...HEALTHY, mgrmap: { available: false } },
      undefined,
      ['Ceph: no manager is active.'],
    ],
    [
      'short of OSDs',
      { ...HEALTHY, osdmap: { num_osds: 6, num_up_osds: 5, num_in_osds: 4 } },
      undefined,
      ['Ceph: 5 of 6 OSDs are up.', 'Ceph: 4 of 6 OSDs are in: the others hold no data.'],
    ],
    [
      'without OSDs',
      { ...HEALTHY, osdmap: { num_osds: 0, num_up_osds: 0, num_in_osds: 0 } },
      undefined,
      ['Ceph: there is no OSD.'],
    ],
    [
      'degraded',
      { ...HEALTHY, pgmap: { pgs_by_state: [{ state_name: 'active+undersized+degraded', count: 8 }] } },
      undefined,
      ['Ceph: placement groups are not clean: 8 active+undersized+degraded.'],
    ],
    [
      'degraded, as the contract allows',
      { ...HEALTHY, pgmap: { pgs_by_state: [{ state_name: 'active+undersized+degraded', count: 8 }] } },
      ['PG_DEGRADED'],
      [],
    ],
    [
      'not to be read from',
      { ...HEALTHY, pgmap: { pgs_by_state: [{ state_name: 'undersized+peered', count: 2 }] } },
      ['PG_DEGRADED', 'PG_AVAILABILITY'],
      ['Ceph: placement groups are not active, their data cannot be read: 2 undersized+peered.'],
    ],
  ])('that is %s', (_what, status, allow, expected) => {
    expect(messages(status, allow)).toEqual(expected);
  });

  it('tells errors before warnings', () => {
    const checks = { A: check('HEALTH_WARN', 'w'), B: check('HEALTH_ERR', 'e') };
    expect(messages({ ...HEALTHY, health: { status: 'HEALTH_ERR', checks } })).toEqual([
      'Ceph: HEALTH_ERR B, e.',
      'Ceph: HEALTH_WARN A, w.',
    ]);
  });
});

describe('what /readyz answers', () => {
  it.each([
    [200, '[+]ping ok\n[+]etcd ok\nreadyz check passed\n', { passed: 2 }],
    [500, '[+]ping ok\n[-]etcd failed: reason withheld\nreadyz check failed\n', { failed: ['etcd'] }],
    [500, 'internal error', undefined],
    [200, '<html>welcome</html>', undefined],
    [200, '[+]ping ok\n[-]etcd failed\nreadyz check passed', undefined],
    [503, '', undefined],
  ] as const)('%i %j', (status, body, expected) => {
    expect(readReadyz(status, body)).toEqual(expected);
  });

  it('leads to etcd where that is what fails', () => {
    expect(judgeReadyz(['etcd', 'etcd-readiness']).correction).toContain('etcdctl endpoint health');
    expect(judgeReadyz(['informer-sync']).correction).toContain('kube-apiserver');
  });
});
