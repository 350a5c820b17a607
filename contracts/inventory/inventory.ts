import { z } from 'zod';
import { BmcDefaults } from './bmc.ts';
import { Node } from './node.ts';
import { OpenStack } from './openstack.ts';
import { Controller, Kubernetes, VantagePoint } from './platform.ts';
import { Acceptance, Erase, Maintenance, Nightly, Requires, failurePolicy } from './policy.ts';
import { Name } from './primitives.ts';
import { Firmware, Image, MachineType, Media, Network } from './supply.ts';

/** The inventory of one site: the contract that everything else is held to. */
export const Inventory = z.strictObject({
  site: Name,
  maintenance: Maintenance.optional(),
  requires: Requires.optional(),
  bmc: BmcDefaults.default({}),
  media: Media.optional(),
  networks: z.record(Name, Network).default({}),
  controllers: z.array(Controller).default([]),
  kubernetes: Kubernetes.optional(),
  openstack: OpenStack.optional(),
  vantagePoints: z.array(VantagePoint).default([]),
  images: z.array(Image).default([]),
  machineTypes: z.array(MachineType).default([]),
  firmware: Firmware.optional(),
  erase: Erase.optional(),
  nodes: z.array(Node).default([]),
  acceptance: Acceptance.optional(),
  nightly: Nightly.optional(),
  ...failurePolicy,
});
/** A normalised inventory: defaults filled in, durations in seconds, references to secrets unresolved. */
export type Inventory = z.output<typeof Inventory>;
