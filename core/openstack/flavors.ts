import type { CloudFinding } from './finding.ts';
import { field, text } from './read.ts';

/** Ironic's resource class as Placement and flavors write it: `lab-gpu-8` → `CUSTOM_LAB_GPU_8`. */
export const customClass = (resourceClass: string): string =>
  `CUSTOM_${resourceClass.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_')}`;

export interface Flavor {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly ram: number;
  readonly specs: { readonly [key: string]: string };
}

/** Reads a flavor of `flavors/detail`. */
export function readFlavor(value: unknown): Flavor | undefined {
  const id = text(field(value, 'id'));
  const name = text(field(value, 'name')) || text(field(value, 'original_name'));
  if (id === '' || name === '') return undefined;
  const specs = field(value, 'extra_specs');
  return {
    id,
    name,
    vcpus: Number(field(value, 'vcpus')) || 0,
    ram: Number(field(value, 'ram')) || 0,
    specs: Object.fromEntries(
      Object.entries(typeof specs === 'object' && specs !== null ? specs : {}).map(([key, of]) => [
        key,
        String(of),
      ]),
    ),
  };
}

/** What else a server would take that a node of bare metal does not offer: a flavor has to say that it takes none. */
const STANDARD = ['VCPU', 'MEMORY_MB', 'DISK_GB'];

/** Whether a flavor asks for one of the class, and for nothing else. */
export function judgeFlavor({ name, specs }: Flavor, resourceClass: string): CloudFinding[] {
  const wanted = customClass(resourceClass);
  const asked = Object.entries(specs).filter(([key]) => key.startsWith('resources'));
  const classes = asked.filter(([key]) => key.startsWith('resources:CUSTOM_'));
  const isExact = classes.length === 1 && classes[0]![0] === `resources:${wanted}` && classes[0]![1] === '1';
  const missing = STANDARD.filter((each) => specs[`resources:${each}`] !== '0');
  if (isExact && missing.length === 0) return [];
  const said = classes.map(([key, of]) => `${key}=${of}`).join(', ') || 'no resource class';
  const set = [`resources:${wanted}=1`, ...STANDARD.map((each) => `resources:${each}=0`)];
  return [
    {
      message: isExact
        ? `Flavor ${name} does not say that it takes no ${missing.join(', ')}, which a node does not offer.`
        : `Flavor ${name} asks for ${said}; the node of acceptance is resources:${wanted}=1.`,
      correction: `openstack flavor set ${name} ${set.map((each) => `--property ${each}`).join(' ')}`,
      faultDomain: 'openstack',
    },
  ];
}

/** What Placement is asked to find out where a server of the flavor could go. */
export function candidatesQuery({ specs }: Flavor): string {
  const of = (prefix: string): [string, string][] =>
    Object.entries(specs).flatMap(([key, value]) =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [],
    );
  const resources = of('resources:').filter(([, amount]) => amount !== '0');
  const traits = of('trait:').map(([trait, value]) => (value === 'forbidden' ? `!${trait}` : trait));
  const query = new URLSearchParams({
    resources: resources.map(([name, amount]) => `${name}:${amount}`).join(','),
    ...(traits.length === 0 ? {} : { required: traits.join(',') }),
  });
  return `/allocation_candidates?${query.toString()}`;
}

/** The providers that Placement would give. */
export const readCandidates = (answer: unknown): readonly string[] =>
  Object.keys((field(answer, 'provider_summaries') as object | undefined) ?? {});

/** Whether the flavor, which fits the node, fits no other. */
export function judgeOthers(
  { name }: Flavor,
  node: { readonly uuid: string; readonly name: string },
  candidates: readonly string[],
): CloudFinding[] {
  const others = candidates.filter((each) => each !== node.uuid);
  if (others.length === 0) return [];
  return [
    {
      message: `Flavor ${name} fits ${others.length} more: ${others.slice(0, 5).join(', ')}. Which one a server goes to is not told.`,
      correction: `Give ${node.name} a resource class that no other node has, and let the flavor ask for it.`,
      faultDomain: 'contract',
    },
  ];
}

/** Placement does not offer the node. */
export const notOffered = (flavor: string, { uuid, name }: { uuid: string; name: string }): CloudFinding => ({
  message: `Placement does not offer node ${name} (${uuid}) for flavor ${flavor}: it has no such provider, or what it has is reserved or taken.`,
  correction: `Look which it is: openstack resource provider inventory list ${uuid}; openstack resource provider show --allocations ${uuid}. nova-compute with the Ironic driver makes the provider, and frees it while the node is available.`,
  faultDomain: 'openstack',
});

/** Whether one more server of the flavor is within the quota of the project, going by `GET /limits`. */
export function judgeQuota(answer: unknown, { vcpus, ram }: Flavor, project: string): CloudFinding[] {
  const absolute = field(field(answer, 'limits'), 'absolute');
  const rows: readonly [what: string, max: string, used: string, more: number, option: string][] = [
    ['instances', 'maxTotalInstances', 'totalInstancesUsed', 1, '--instances'],
    ['cores', 'maxTotalCores', 'totalCoresUsed', vcpus, '--cores'],
    ['MiB of memory', 'maxTotalRAMSize', 'totalRAMUsed', ram, '--ram'],
  ];
  return rows.flatMap(([what, maxName, usedName, more, option]) => {
    const [max, used] = [field(absolute, maxName), field(absolute, usedName)];
    if (typeof max !== 'number' || typeof used !== 'number' || max < 0 || used + more <= max) return [];
    return [
      {
        message: `The quota of project ${project} is used up: ${used} of ${max} ${what}, and the server takes ${more}.`,
        correction: `openstack quota set ${option} ${used + more} ${project}, or delete what is not needed there.`,
        faultDomain: 'openstack' as const,
      },
    ];
  });
}
