import type { FieldPath, Finding } from './findings.ts';
import { items, text, tree, type Tree } from './raw.ts';
import { RULES } from './rules.ts';
import { VANTAGE_WORKER } from './vantage.ts';

/** What guests are tried from has to be there, and a way to it; `worker` is the worker itself. */
export function vantageFindings(raw: Tree): Finding[] {
  const points = items(raw['vantagePoints']).map(tree);
  const controllers = items(raw['controllers']).map(tree);
  const named = (list: readonly Tree[], name: unknown): Tree | undefined =>
    list.find((each) => each['name'] === name);
  const findings: Finding[] = points.flatMap((point, index) =>
    point['name'] === VANTAGE_WORKER
      ? [{ path: ['vantagePoints', index, 'name'], ...RULES.vantageNamedWorker }]
      : [],
  );
  for (const { path, from, worker, pods } of uses(raw)) {
    if (worker && from === VANTAGE_WORKER) continue;
    const point = named(points, from);
    if (point === undefined) {
      const known = [
        ...(worker ? [VANTAGE_WORKER] : []),
        ...points.flatMap((each) => text(each['name']) ?? []),
      ];
      const some = known.slice(0, 10).join(', ');
      const correction = `Name one of: ${some}${known.length > 10 ? ', …' : ''}; or add the vantage point.`;
      findings.push({ path, message: 'names no vantage point of this inventory', correction });
    } else if (point['worker'] === true) {
      findings.push({ path, ...RULES.handOverFromWorker });
    } else if (point['pod'] !== undefined) {
      if (!pods) findings.push({ path, ...RULES.podForHost });
      else if (raw['kubernetes'] === undefined) findings.push({ path, ...RULES.podWithoutKubernetes });
    } else if (point['controller'] !== undefined) {
      const controller = named(controllers, point['controller']);
      if (controller !== undefined && controller['ssh'] === undefined) {
        findings.push({ path, ...RULES.vantageWithoutSsh });
      }
    }
  }
  return findings;
}

interface Use {
  readonly path: FieldPath;
  readonly from: string;
  /** Whether the worker itself may be named. */
  readonly worker: boolean;
  /** Whether it may be in pods. */
  readonly pods: boolean;
}

/** Where names of vantage points stand. */
function uses(raw: Tree): Use[] {
  const use = (path: FieldPath, value: unknown, worker: boolean, pods = false): Use[] => {
    const from = text(value);
    return from === undefined ? [] : [{ path, from, worker, pods }];
  };
  const reachability = tree(tree(raw['acceptance'])['reachability']);
  const at = ['acceptance', 'reachability'];
  return [
    ...items(reachability['conductors']).flatMap((name, index) =>
      use([...at, 'conductors', index], name, true, true),
    ),
    ...['operator', 'user', 'guest'].flatMap((who) =>
      use([...at, who, 'from'], tree(reachability[who])['from'], true, true),
    ),
    ...items(raw['machineTypes']).flatMap((type, index) =>
      use(['machineTypes', index, 'handOver', 'from'], tree(tree(type)['handOver'])['from'], true, true),
    ),
    ...use(['acceptance', 'cloud', 'from'], tree(tree(raw['acceptance'])['cloud'])['from'], true, true),
    ...use(
      ['openstack', 'bareMetal', 'publishersFrom'],
      tree(tree(raw['openstack'])['bareMetal'])['publishersFrom'],
      true,
    ),
    ...use(['kubernetes', 'ceph', 'from'], tree(tree(raw['kubernetes'])['ceph'])['from'], false, true),
    ...use(['acceptance', 'operator'], tree(raw['acceptance'])['operator'], true),
    ...items(tree(raw['openstack'])['commands']).flatMap((command, index) =>
      use(['openstack', 'commands', index, 'from'], tree(command)['from'], false),
    ),
  ];
}
