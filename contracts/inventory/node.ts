import { z } from 'zod';
import { NodeBmc } from './bmc.ts';
import { Console } from './console.ts';
import {
  Architecture,
  BootMode,
  IpAddress,
  Label,
  Mac,
  Name,
  SECRET_REF_PATTERN,
  Text,
} from './primitives.ts';
import { RULES } from './rules.ts';

/** One network port of a server, and the switch port at the other end. */
export const Port = z.strictObject({
  mac: Mac,
  switch: Label.optional(),
  switchPort: Label.optional(),
  network: Name.optional(),
  /** What the guest has on it, within the `cidr` of its network. Left out: it asks by DHCP. */
  address: IpAddress.optional(),
});
export type Port = z.output<typeof Port>;

/** Which disk carries the operating system. All hints given must match. */
export const RootDevice = z
  .strictObject({
    name: Text.optional(),
    byPath: Text.optional(),
    model: Text.optional(),
    vendor: Text.optional(),
    serial: Text.optional(),
    wwn: Text.optional(),
    hctl: Text.optional(),
    /** Exact size in GiB, rounded down. */
    sizeGiB: z.int().positive().optional(),
    minSizeGiB: z.int().positive().optional(),
    rotational: z.boolean().optional(),
  })
  .refine((hints) => Object.keys(hints).length > 0, RULES.noHints.message);
export type RootDevice = z.output<typeof RootDevice>;

const SECRET_KEY = /pass(word|wd)?$|secret|token|private_key|community/i;

/** What Ironic's driver needs. Values whose key speaks of a secret must be references. */
const DriverInfo = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.union([z.string(), z.number(), z.boolean()]))
  .superRefine((info, context) => {
    for (const [key, value] of Object.entries(info)) {
      if (!SECRET_KEY.test(key) || typeof value === 'boolean') continue;
      if (typeof value === 'string' && SECRET_REF_PATTERN.test(value)) continue;
      context.addIssue({ code: 'custom', path: [key], message: RULES.secret.message });
    }
  });

/** The kinds of interfaces that Ironic's drivers have. */
export const InterfaceKind = z.enum([
  'bios',
  'boot',
  'console',
  'deploy',
  'firmware',
  'inspect',
  'management',
  'network',
  'power',
  'raid',
  'rescue',
  'storage',
  'vendor',
]);
/** What an interface, or a driver, is called. */
export const InterfaceName = z.string().regex(/^[a-z0-9][a-z0-9_-]*$/);

const Interfaces = z.partialRecord(InterfaceKind, InterfaceName);

/** How Ironic carries a node. */
export const IronicNode = z.strictObject({
  driver: z.string().regex(/^[a-z0-9][a-z0-9_-]*$/),
  driverInfo: DriverInfo.default({}),
  interfaces: Interfaces.optional(),
});
export type IronicNode = z.output<typeof IronicNode>;

/** One physical server. */
export const Node = z.strictObject({
  name: Name,
  /** A machine type of this inventory. */
  type: Name,
  driver: z.enum(['redfish', 'ironic']).default('redfish'),
  bmc: NodeBmc.optional(),
  ironic: IronicNode.optional(),
  ports: z.array(Port).default([]),
  console: Console.optional(),
  rootDevice: RootDevice.optional(),
  architecture: Architecture.optional(),
  bootMode: BootMode.optional(),
  resourceClass: z.string().min(1).max(80).optional(),
  location: z
    .strictObject({
      room: Label.optional(),
      row: Label.optional(),
      rack: Label.optional(),
      unit: z.int().min(1).max(100).optional(),
    })
    .optional(),
  /** Such a node stops at manageable. */
  retired: z.boolean().default(false),
});
export type Node = z.output<typeof Node>;
