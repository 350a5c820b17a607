import type { Faults } from '../faults.ts';

/** What a command in a pod prints, and how it ends. */
export interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const PGS = 97;

/** `ceph status --format json` of a Ceph with three monitors, two managers and three OSDs. */
export function cephStatus(faults: Faults): Printed {
  if (faults.on('cephSilent')) {
    return {
      exitCode: 1,
      stdout: '',
      stderr:
        'monclient(hunting): authenticate timed out after 15\n[errno 110] RADOS timed out (error connecting to the cluster)\n',
    };
  }
  const checks: { [code: string]: unknown } = {};
  const check = (code: string, severity: string, message: string, count: number): void => {
    checks[code] = { severity, summary: { message, count }, muted: false };
  };
  const quorum = faults.on('cephMonitorDown') ? ['a', 'b'] : ['a', 'b', 'c'];
  if (quorum.length < 3) check('MON_DOWN', 'HEALTH_WARN', '1/3 mons down, quorum a,b', 1);
  const manager = !faults.on('cephNoManager');
  if (!manager) check('MGR_DOWN', 'HEALTH_WARN', 'no active mgr', 0);
  const osdDown = faults.on('cephOsdDown');
  if (osdDown) {
    check('OSD_DOWN', 'HEALTH_WARN', '1 osds down', 1);
    check('PG_DEGRADED', 'HEALTH_WARN', 'Degraded data redundancy: 41 pgs degraded', 41);
  }
  const inactive = faults.on('cephInactive');
  if (inactive) check('PG_AVAILABILITY', 'HEALTH_ERR', 'Reduced data availability: 12 pgs inactive', 12);
  if (faults.on('cephWarning'))
    check('POOL_NO_REDUNDANCY', 'HEALTH_WARN', '1 pool(s) have no replicas configured', 1);
  const severities = Object.values(checks).map((each) => (each as { severity: string }).severity);
  const health = ['HEALTH_ERR', 'HEALTH_WARN'].find((each) => severities.includes(each)) ?? 'HEALTH_OK';
  const states = [
    { state_name: 'active+clean', count: PGS - (osdDown ? 41 : 0) - (inactive ? 12 : 0) },
    ...(osdDown ? [{ state_name: 'active+undersized+degraded', count: 41 }] : []),
    ...(inactive ? [{ state_name: 'unknown', count: 12 }] : []),
  ];
  const status = {
    fsid: '6f1d7d6e-8b1c-4c5b-9d0e-3a2f5b7c9e10',
    health: { status: health, checks, mutes: [] },
    election_epoch: 14,
    quorum: quorum.map((_, i) => i),
    quorum_names: quorum,
    quorum_age: 86_400,
    monmap: { epoch: 3, min_mon_release_name: 'squid', num_mons: 3 },
    osdmap: { epoch: 61, num_osds: 3, num_up_osds: osdDown ? 2 : 3, num_in_osds: 3, num_remapped_pgs: 0 },
    pgmap: {
      pgs_by_state: states,
      num_pgs: PGS,
      num_pools: 4,
      num_objects: 2048,
      bytes_used: 12_884_901_888,
    },
    fsmap: { epoch: 1, by_rank: [], 'up:standby': 0 },
    mgrmap: {
      available: manager,
      num_standbys: manager ? 1 : 0,
      modules: ['iostat', 'restful'],
      services: {},
    },
    servicemap: { epoch: 7, services: {} },
    progress_events: {},
  };
  return { exitCode: 0, stdout: `${JSON.stringify(status)}\n`, stderr: '' };
}
