import type { CheckFunction } from '../check.ts';
import { computeServices } from './compute-services.ts';
import { openstackEndpoints } from './endpoints.ts';
import { imageRoundTrip } from './image-round-trip.ts';
import { migrations } from './migrations.ts';
import { networkAgents } from './network-agents.ts';
import { placementInventory } from './placement-inventory.ts';
import { queueClients } from './queue-clients.ts';

/** How the checks of gate 3 are made, by id. */
export const OPENSTACK_FUNCTIONS: { readonly [id: string]: CheckFunction } = {
  'compute-services': computeServices,
  'image-round-trip': imageRoundTrip,
  migrations,
  'network-agents': networkAgents,
  'openstack-endpoints': openstackEndpoints,
  'placement-inventory': placementInventory,
  'queue-clients': queueClients,
};
