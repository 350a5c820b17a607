import type { CheckFunction } from '../check.ts';
import { openstackEndpoints } from './endpoints.ts';

/** How the checks of gate 3 are made, by id. */
export const OPENSTACK_FUNCTIONS: { readonly [id: string]: CheckFunction } = {
  'openstack-endpoints': openstackEndpoints,
};
