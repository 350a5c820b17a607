import { z } from 'zod';
import { InterfaceKind, InterfaceName } from './node.ts';
import { HttpUrl, Label, Name, PlainUrl, SecretRef, Sha256, Text } from './primitives.ts';
import { RULES } from './rules.ts';

/** A deploy kernel, ramdisk or ISO: in Glance by its name or id, or at an address. */
const DeployImage = z
  .strictObject({ glance: Text.optional(), url: HttpUrl.optional(), checksum: Sha256.optional() })
  .refine(({ glance, url }) => (glance === undefined) !== (url === undefined), RULES.deployImage.message);

/** What Ironic of the site has to be for its nodes. */
export const BareMetal = z.strictObject({
  /** Nodes by their name or UUID in Ironic, beside the nodes of this contract that Ironic carries. */
  nodes: z.array(Text).max(1000).optional(),
  /** The conductors that have to be alive, by host name. */
  conductors: z.array(Label).min(1).optional(),
  /** Hosts of nova-compute with the driver of Ironic. */
  computes: z.array(Label).min(1).optional(),
  /** Hardware types, and the interfaces that they must have enabled: `boot: [redfish-virtual-media]`. */
  drivers: z
    .array(
      z.strictObject({
        name: InterfaceName,
        interfaces: z
          .partialRecord(InterfaceKind, z.union([InterfaceName, z.array(InterfaceName).min(1)]))
          .optional(),
      }),
    )
    .optional(),
  /** The network that nodes are deployed and cleaned in, as Neutron has it. */
  provisioningNetwork: z
    .strictObject({
      /** Its name or id in Neutron. */
      name: Text,
      /** The network of this contract that it is: one of its subnets has its `cidr`. */
      network: Name.optional(),
      /** Whether Neutron gives addresses by DHCP in that subnet. */
      dhcp: z.boolean().optional(),
    })
    .optional(),
  /** Deploy kernel, ramdisk or ISO of the conductors' configuration; those of nodes are found at the nodes. */
  deployImages: z.array(DeployImage).optional(),
  /** Where BMCs fetch boot images: addresses that have to answer. */
  publishers: z.array(PlainUrl).optional(),
  /** The vantage point that stands for the network of the BMCs. */
  publishersFrom: Name.optional(),
  /** Consoles are on. */
  consoles: z
    .strictObject({
      /** Addresses of console proxies that have to answer. */
      proxies: z.array(PlainUrl).optional(),
      /** A user who may not see a console of Ironic. Project and domain are those of `credentials`. */
      plainUser: z.strictObject({ username: Text, password: SecretRef, project: Text.optional() }).optional(),
    })
    .optional(),
});
