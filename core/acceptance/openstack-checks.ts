import { check, type Check } from './check.ts';

/** Gate 3: the cloud's own services. */
export const OPENSTACK_CHECKS: readonly Check[] = [
  check({
    id: 'openstack-endpoints',
    gate: 3,
    title: 'Endpoints answer',
    shows:
      'Keystone gives a token for the credentials of the contract, its catalogue has an endpoint of each service in `openstack.services`, and each answers with the versions of its API.',
    from: 'worker',
    faultDomain: 'openstack',
  }),
];
