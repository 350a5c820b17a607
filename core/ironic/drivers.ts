import type { Driver, ServiceFinding } from './service.ts';

/** A hardware type, and the interfaces of each kind that have to be enabled. */
export interface WantedDriver {
  readonly name: string;
  readonly interfaces: { readonly [kind: string]: readonly string[] };
}

/** What the contract and its nodes want, each hardware type once. */
export function wantedDrivers(
  wanted: readonly {
    readonly name: string;
    readonly interfaces?: { readonly [kind: string]: string | readonly string[] | undefined } | undefined;
  }[],
): WantedDriver[] {
  const byName = new Map<string, Map<string, Set<string>>>();
  for (const { name, interfaces = {} } of wanted) {
    const kinds = byName.get(name) ?? new Map<string, Set<string>>();
    byName.set(name, kinds);
    for (const [kind, names] of Object.entries(interfaces)) {
      const all = kinds.get(kind) ?? new Set<string>();
      for (const each of typeof names === 'string' ? [names] : (names ?? [])) all.add(each);
      kinds.set(kind, all);
    }
  }
  return [...byName].map(([name, kinds]) => ({
    name,
    interfaces: Object.fromEntries([...kinds].map(([kind, names]) => [kind, [...names]])),
  }));
}

/** What of a hardware type is not enabled; and kinds of interfaces that the version of the API does not show. */
export function driverProblems(
  wanted: WantedDriver,
  drivers: readonly Driver[],
): { readonly wrong: readonly ServiceFinding[]; readonly untold: readonly string[] } {
  const driver = drivers.find((each) => each.name === wanted.name);
  if (driver === undefined || driver.hosts.length === 0) {
    const known = drivers.map(({ name }) => name).join(', ') || 'none';
    return {
      wrong: [
        {
          message: `No conductor has the hardware type ${wanted.name}; there are: ${known}.`,
          correction: `Add ${wanted.name} to \`enabled_hardware_types\` in ironic.conf of the conductors, and restart them.`,
        },
      ],
      untold: [],
    };
  }
  const wrong: ServiceFinding[] = [];
  const untold: string[] = [];
  for (const [kind, names] of Object.entries(wanted.interfaces)) {
    const enabled = driver.enabled[kind];
    if (enabled === undefined) {
      untold.push(kind);
      continue;
    }
    for (const name of names.filter((each) => !enabled.includes(each))) {
      wrong.push({
        message: `Hardware type ${wanted.name} has no ${kind} interface ${name}: ${enabled.join(', ') || 'none'} ${enabled.length === 1 ? 'is' : 'are'} enabled.`,
        correction: `Add ${name} to \`enabled_${kind}_interfaces\` in ironic.conf of ${driver.hosts.join(', ')}, and restart the conductors; or correct the contract.`,
      });
    }
  }
  return { wrong, untold };
}
