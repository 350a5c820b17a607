import { z } from 'zod';
import { NAME_PATTERN } from '../../core/names.ts';
import { BIOS_ATTRIBUTE } from '../../core/service-work.ts';
import { Credentials } from './bmc.ts';
import { withoutUserinfo } from './primitives.ts';
import {
  Architecture,
  BootMode,
  Cidr,
  FilePath,
  HttpUrl,
  IpAddress,
  Name,
  Sha256,
  Text,
} from './primitives.ts';
import { Window } from './policy.ts';
import { RULES } from './rules.ts';

const GatewayUrl = HttpUrl.transform((url) => url.replace(/\/+$/, ''));

/** How deploy media and images reach the servers. */
export const Media = z.strictObject({
  /** Where deploy agents reach the gateway; BMCs and guests too, unless the contract says otherwise. */
  gatewayUrl: GatewayUrl,
  /** Where BMCs reach the gateway, where that is on a network of their own. */
  bmcGatewayUrl: GatewayUrl.optional(),
  /** Where deployed systems reach the gateway at their first boot, where that is on a network of their own. */
  guestGatewayUrl: GatewayUrl.optional(),
  /** What a BMC shows to whatever stands before the gateway. Left out: dummies, where a BMC insists on some. */
  credentials: Credentials.optional(),
  /** The base ISO of the deploy agent; one, or one per architecture. */
  iso: z.union([FilePath, z.partialRecord(Architecture, FilePath)], RULES.path.message),
  /** SHA-256 of the base ISO, in the form that `iso` has. Left out: what the record of its build says. */
  checksum: z.union([Sha256, z.partialRecord(Architecture, Sha256)], RULES.sha256.message).optional(),
});
export type Media = z.output<typeof Media>;

/** One network of the site. */
export const Network = z.strictObject({
  cidr: Cidr,
  kind: z.enum(['provisioning', 'tenant', 'management']).optional(),
  /** Whether servers on it are seen with another address than their own. */
  nat: z.boolean().optional(),
  vlan: z.int().min(1).max(4094).optional(),
  /** The default gateway of guests whose `address` stands in the contract. */
  gateway: IpAddress.optional(),
  /** The DNS servers of guests whose `address` stands in the contract. */
  dns: z.array(IpAddress).max(8).optional(),
});
export type Network = z.output<typeof Network>;

const isImageUrl = (text: string): boolean =>
  /^(https?|file):\/\/\S+$/i.test(text) || !/^[a-z][a-z0-9+.-]*:/i.test(text);

/** An image that can be deployed. */
export const Image = z.strictObject({
  name: Name,
  /** http, https or file URL, or a path relative to the inventory. */
  url: z
    .string()
    .min(1)
    .refine(isImageUrl, RULES.imageUrl.message)
    .refine(withoutUserinfo, RULES.userinfo.message),
  checksum: Sha256,
  format: z.enum(['raw', 'qcow2']),
  architecture: Architecture.optional(),
  bootMode: BootMode.optional(),
  /** The form in which the guest reads its config drive. Left out: `openstack`. */
  configDrive: z.enum(['openstack', 'nocloud']).optional(),
  /** Bytes of the file. */
  size: z.int().positive().optional(),
  /** Its name or id in Glance, where the cloud deploys it from there; or with what else has to be so of it. */
  glance: z
    .union([
      Text,
      z.strictObject({
        image: Text,
        visibility: z.enum(['public', 'community', 'shared', 'private']).optional(),
        protected: z.boolean().optional(),
      }),
    ])
    .optional(),
  description: Text.optional(),
});
export type Image = z.output<typeof Image>;

const MountPoint = z.string().regex(/^\/[^\0\r\n]{0,1023}$/, RULES.mount.message);
const Count = z.int().min(0).max(10_000);

const BiosSettings = z
  .record(
    z.string().regex(BIOS_ATTRIBUTE, RULES.biosAttribute.message),
    z.union(
      [z.string().regex(/^[^\0\r\n]{0,1000}$/, RULES.biosValue.message), z.int(), z.boolean()],
      RULES.biosValue.message,
    ),
  )
  .refine((settings) => {
    const { length } = Object.keys(settings);
    return length > 0 && length <= 500;
  }, RULES.biosSettings.message);

/** A kind of server, and what each of its kind must have. */
export const MachineType = z.strictObject({
  name: Name,
  resourceClass: z.string().min(1).max(80).optional(),
  description: Text.optional(),
  expect: z
    .strictObject({
      cpus: Count.optional(),
      memoryMiB: z.int().positive().optional(),
      gpus: z.strictObject({ count: Count, model: Text.optional() }).optional(),
      nics: Count.optional(),
      disks: z.array(z.strictObject({ minBytes: z.int().positive(), count: Count })).optional(),
      /** Where something has to be mounted in the guest when it is handed over. */
      mounts: z.array(MountPoint).max(64).optional(),
      /** Whether UEFI Secure Boot is enabled. Compared at a change of owner, as the boot options are. */
      secureBoot: z.boolean().optional(),
      /** Display names of the boot options that may stand in the boot order; `*` stands for any text. */
      bootOptions: z.array(Text).max(64).optional(),
    })
    .default({}),
  /** BIOS settings that servers of this kind have, by the name of the attribute; verb `service` brings them there. */
  bios: BiosSettings.optional(),
  /** What is tried of the guest before it is handed over: connections to these TCP ports. Left out: nothing. */
  handOver: z
    .strictObject({
      /** `worker`: the machine that the site's worker runs on; or a vantage point that is reached by SSH. */
      from: z.string(RULES.handOverFrom.message).regex(NAME_PATTERN, RULES.handOverFrom.message),
      ports: z.array(z.int().min(1).max(65_535)).min(1).max(8),
    })
    .optional(),
  /** What becomes of a TPM at a change of owner. */
  tpm: z.enum(['clear', 'keep']).default('clear'),
});
export type MachineType = z.output<typeof MachineType>;

/** One component of a baseline. */
export const FirmwareComponent = z.strictObject({
  /** Name or Id of the component as the BMC's firmware inventory has it; `*` stands for any text, for several. */
  component: Text,
  /** What it is: it decides what the update waits for. Recognised by its name where left out. */
  kind: z.enum(['bmc', 'bios', 'nic', 'other']).optional(),
  /** Exactly as the BMC's firmware inventory shows it. */
  version: Text,
  /** Where the BMC fetches the file from. */
  url: HttpUrl.optional(),
  /** A file beside the inventory, which the gateway serves to the BMC. */
  file: FilePath.optional(),
  /** Of the file; needed with `url` and with `file`. */
  checksum: Sha256.optional(),
  /** Components are updated one after the other, the lowest first; those without come last, as they stand. */
  order: z.int().min(0).max(10_000).optional(),
});
export type FirmwareComponent = z.output<typeof FirmwareComponent>;

const FirmwareOwner = z.enum(['rackwright', 'vendor', 'external']);

/** The firmware that servers of some types must have. */
export const FirmwareBaseline = z.strictObject({
  name: Name,
  types: z.array(Name).min(1),
  /** Who brings it there, where that is not who does it for the site. */
  owner: FirmwareOwner.optional(),
  /** When it may be brought there; in the time zone of `maintenance`. Left out: in the windows of `maintenance`. */
  windows: z.array(Window).optional(),
  components: z.array(FirmwareComponent).min(1),
});
export type FirmwareBaseline = z.output<typeof FirmwareBaseline>;

/** Firmware that the servers of some types must have, and who brings it there. */
export const Firmware = z.strictObject({
  owner: FirmwareOwner.optional(),
  baselines: z.array(FirmwareBaseline).default([]),
});
export type Firmware = z.output<typeof Firmware>;
