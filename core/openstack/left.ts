import { field, text } from './read.ts';

/** The ports that a server had of its own: what others have made may have its id, and another owner. */
export const portsOf = (ports: readonly unknown[], id: string): readonly unknown[] =>
  ports.filter(
    (port) =>
      text(field(port, 'device_id')) === id && text(field(port, 'device_owner')).startsWith('compute:'),
  );

const KEPT = [
  'id',
  'name',
  'status',
  'network_id',
  'mac_address',
  'fixed_ips',
  'device_id',
  'device_owner',
  'binding:host_id',
  'binding:vif_type',
  'binding:vnic_type',
  'security_groups',
];

/** What is kept of a port as evidence. */
export const shownPort = (port: unknown): { [name: string]: unknown } =>
  Object.fromEntries(KEPT.map((name) => [name, field(port, name)]).filter(([, of]) => of !== undefined));

/** The providers that a consumer still has something of. */
export const allocationsLeft = (answer: unknown): readonly string[] =>
  Object.keys((field(answer, 'allocations') as object | undefined) ?? {});
