import type { Json, JsonObject } from '../json.ts';
import type { Found } from './shapes.ts';

/** What `ceph status` says, as far as it is judged. */
export interface CephStatus {
  readonly health: string;
  readonly checks: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly muted: boolean;
  }[];
  readonly monitors: number;
  readonly quorum: readonly string[];
  readonly manager: boolean;
  readonly osds: { readonly all: number; readonly up: number; readonly in: number };
  readonly placementGroups: readonly { readonly state: string; readonly count: number }[];
}

const object = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const count = (value: Json | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** Reads the JSON of `ceph status`, of Nautilus and later; undefined where something that is judged is missing. */
export function readCephStatus(answer: Json): CephStatus | undefined {
  const { health, monmap, quorum_names, mgrmap, osdmap, pgmap } = object(answer);
  // Before Octopus the map of OSDs lay one level deeper, and the monitors were listed.
  const osds = object(object(osdmap)['osdmap'] ?? osdmap);
  const monitors = count(object(monmap)['num_mons']) ?? list(object(monmap)['mons']).length;
  const [all, up, within] = ['num_osds', 'num_up_osds', 'num_in_osds'].map((key) => count(osds[key]));
  const status = text(object(health)['status']);
  const available = object(mgrmap)['available'];
  const known =
    status !== '' && monitors > 0 && Array.isArray(quorum_names) && typeof available === 'boolean';
  if (!known || all === undefined || up === undefined || within === undefined) return undefined;
  if (!Array.isArray(object(pgmap)['pgs_by_state'])) return undefined;
  return {
    health: status,
    checks: Object.entries(object(object(health)['checks'])).map(([code, value]) => ({
      code,
      severity: text(object(value)['severity']),
      message: text(object(object(value)['summary'])['message']),
      muted: object(value)['muted'] === true,
    })),
    monitors,
    quorum: quorum_names.map(text),
    manager: available,
    osds: { all, up, in: within },
    placementGroups: list(object(pgmap)['pgs_by_state']).map((state) => ({
      state: text(object(state)['state_name']),
      count: count(object(state)['count']) ?? 0,
    })),
  };
}

/**
 * What is wrong with a Ceph, the worst first. A warning that the contract allows, or that somebody has muted in Ceph,
 * is none, and neither is what it stands for; an error is one in any case.
 */
export function judgeCeph(status: CephStatus, allow: readonly string[] = []): Found[] {
  const { osds, monitors, quorum } = status;
  const allowed = new Set([...allow, ...status.checks.filter(({ muted }) => muted).map(({ code }) => code)]);
  const checks = status.checks.filter(
    ({ code, severity }) => severity !== 'HEALTH_WARN' || !allowed.has(code),
  );
  const found: Found[] = checks
    .toSorted((a, b) => rank(a.severity) - rank(b.severity))
    .map(({ code, severity, message }) => ({
      message: `Ceph: ${severity} ${code}, ${message}.`,
      correction: `ceph health detail names what is meant. If ${code} is meant to be so, mute it (ceph health mute ${code}) or put it under \`kubernetes.ceph.allow\`.`,
    }));
  if (status.checks.length === 0 && status.health !== 'HEALTH_OK') {
    found.push({
      message: `Ceph: ${status.health}, without a reason.`,
      correction: 'Ask ceph health detail.',
    });
  }
  if (quorum.length < monitors && !allowed.has('MON_DOWN')) {
    found.push({
      message: `Ceph: ${quorum.length} of ${monitors} monitors are in quorum: ${quorum.join(', ')}.`,
      correction:
        'ceph mon stat names the one that is missing; start it, and look whether its clock and disk are right.',
    });
  }
  if (!status.manager) {
    found.push({
      message: 'Ceph: no manager is active.',
      correction: 'Start a manager (rook-ceph-mgr); ceph mgr stat shows whether it became active.',
    });
  }
  return [...found, ...osdTroubles(osds, allowed), ...pgTroubles(status.placementGroups, allowed)];
}

const rank = (severity: string): number => (severity === 'HEALTH_ERR' ? 0 : 1);

function osdTroubles(osds: CephStatus['osds'], allowed: ReadonlySet<string>): Found[] {
  const found: Found[] = [];
  const tree = 'ceph osd tree names them';
  if (osds.all === 0) found.push({ message: 'Ceph: there is no OSD.', correction: 'Give it disks.' });
  if (osds.up < osds.all && !allowed.has('OSD_DOWN')) {
    found.push({
      message: `Ceph: ${osds.up} of ${osds.all} OSDs are up.`,
      correction: `${tree}; start them, or look at their disks.`,
    });
  }
  if (osds.in < osds.all && !allowed.has('OSD_DOWN')) {
    found.push({
      message: `Ceph: ${osds.in} of ${osds.all} OSDs are in: the others hold no data.`,
      correction: `${tree}; ceph osd in ID takes one back, ceph osd purge ID removes one that does not come back.`,
    });
  }
  return found;
}

function pgTroubles(groups: CephStatus['placementGroups'], allowed: ReadonlySet<string>): Found[] {
  const parts = ({ state }: { state: string }): string[] => state.split('+');
  const inactive = groups.filter((group) => !parts(group).includes('active'));
  const unclean = groups.filter(
    (group) => parts(group).includes('active') && !parts(group).includes('clean'),
  );
  const say = (some: typeof groups): string => some.map(({ state, count: n }) => `${n} ${state}`).join(', ');
  if (inactive.length > 0) {
    return [
      {
        message: `Ceph: placement groups are not active, their data cannot be read: ${say([...inactive, ...unclean])}.`,
        correction: 'ceph pg dump_stuck inactive names them and the OSDs that they wait for: start those.',
      },
    ];
  }
  if (unclean.length === 0 || allowed.has('PG_DEGRADED')) return [];
  return [
    {
      message: `Ceph: placement groups are not clean: ${say(unclean)}.`,
      correction:
        'Wait until the recovery is over (ceph -s); if it does not move, ceph pg dump_stuck unclean.',
    },
  ];
}
