import type { FaultDomain } from '../fault-domains.ts';
import { field, items, text } from '../openstack/read.ts';

/** What is wrong, and the smallest correction. */
export interface ServiceFinding {
  readonly message: string;
  readonly correction: string;
  /** Where it is not the check's own. */
  readonly faultDomain?: FaultDomain;
}

export interface Conductor {
  readonly hostname: string;
  readonly group: string;
  readonly alive: boolean;
}

/** A hardware type, and what of it is enabled. */
export interface Driver {
  readonly name: string;
  /** Conductors that have it. */
  readonly hosts: readonly string[];
  /** Interfaces by their kind, as far as the API shows that kind. */
  readonly enabled: { readonly [kind: string]: readonly string[] };
}

/** A node, as far as it depends on the services around it. */
export interface ServedNode {
  readonly uuid: string;
  readonly name: string;
  readonly driver: string;
  readonly provisionState: string;
  readonly conductor: string | undefined;
  readonly group: string;
  /** The conductor that has locked it. */
  readonly reservation: string | undefined;
  readonly driverInfo: { readonly [key: string]: unknown };
  /** Whether it is known what is to be deployed on it. */
  readonly hasInstance: boolean;
  readonly consoleInterface: string | undefined;
}

/** Whether its console could be shown to anybody. */
export const hasConsole = ({ consoleInterface }: Pick<ServedNode, 'consoleInterface'>): boolean =>
  consoleInterface !== undefined && consoleInterface !== 'no-console';

const words = (value: unknown): string | undefined => text(value) || undefined;

export const readConductor = (value: unknown): Conductor => ({
  hostname: text(field(value, 'hostname')),
  group: text(field(value, 'conductor_group')),
  alive: field(value, 'alive') === true,
});

export function readDriver(value: unknown): Driver {
  const enabled = Object.entries((value ?? {}) as { readonly [key: string]: unknown }).flatMap(
    ([key, listed]) => {
      const kind = /^enabled_(.+)_interfaces$/.exec(key)?.[1];
      return kind === undefined || !Array.isArray(listed) ? [] : [[kind, listed.map(text)] as const];
    },
  );
  return {
    name: text(field(value, 'name')),
    hosts: items(field(value, 'hosts')).map(text),
    enabled: Object.fromEntries(enabled),
  };
}

export function readServedNode(value: unknown): ServedNode {
  const driverInfo = field(value, 'driver_info');
  return {
    uuid: text(field(value, 'uuid')),
    name: text(field(value, 'name')) || text(field(value, 'uuid')),
    driver: text(field(value, 'driver')),
    provisionState: text(field(value, 'provision_state')),
    conductor: words(field(value, 'conductor')),
    group: text(field(value, 'conductor_group')),
    reservation: words(field(value, 'reservation')),
    driverInfo: (typeof driverInfo === 'object' && driverInfo !== null
      ? driverInfo
      : {}) as ServedNode['driverInfo'],
    hasInstance: text(field(field(value, 'instance_info'), 'image_source')) !== '',
    consoleInterface: words(field(value, 'console_interface')),
  };
}
