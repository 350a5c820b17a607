import type { Check } from './check.ts';
import { HOST_CHECKS } from './host-checks.ts';
import { IMAGE_CHECKS } from './image-checks.ts';
import { IRONIC_CHECKS } from './ironic-checks.ts';
import { KUBERNETES_CHECKS } from './kubernetes-checks.ts';
import { OPENSTACK_CHECKS } from './openstack-checks.ts';
import { PHYSICAL_CHECKS } from './physical-checks.ts';
import { REACHABILITY_CHECKS } from './reachability-checks.ts';

/** Every check, in the order that its gate shows them. A gate without any cannot be run yet. */
export const CHECKS: readonly Check[] = [
  ...HOST_CHECKS,
  ...KUBERNETES_CHECKS,
  ...OPENSTACK_CHECKS,
  ...IRONIC_CHECKS,
  ...IMAGE_CHECKS,
  ...REACHABILITY_CHECKS,
  ...PHYSICAL_CHECKS,
];
