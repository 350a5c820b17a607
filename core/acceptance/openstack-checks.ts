import { check, type Check } from './check.ts';

/** Gate 3: the cloud's own services. */
export const OPENSTACK_CHECKS: readonly Check[] = [
  check({
    id: 'openstack-endpoints',
    gate: 3,
    title: 'Endpoints answer',
    shows:
      'Keystone gives a token for the credentials of the contract, its catalogue has an endpoint of each service in `openstack.services`, and each answers with the versions of its API; from the vantage point `acceptance.operator`, too, where the contract names one.',
    from: "the worker, and the operator's vantage point",
    faultDomain: 'openstack',
    requirements: ['CP03'],
    bounds: { attempt: 180, total: 400 },
  }),
  check({
    id: 'compute-services',
    gate: 3,
    title: 'Conductors, schedulers and computes are up',
    shows:
      'Nova has a conductor and a scheduler; the services of `openstack.compute.services` are there, up and enabled, with hypervisors of the type that it says; no other that is enabled is down.',
    from: 'worker',
    faultDomain: 'openstack',
  }),
  check({
    id: 'network-agents',
    gate: 3,
    title: 'Network agents are alive',
    shows:
      'The agents of `openstack.network.agents` are there, alive and in service; no other in service is dead; where the contract names a `backend`, its agent is on each host that runs virtual machines, and none of another.',
    from: 'worker',
    faultDomain: 'openstack',
  }),
  check({
    id: 'queue-clients',
    gate: 3,
    title: 'Clients of the message queue are stable',
    shows:
      'For the time of `openstack.watch`, services of Nova and agents of Neutron go on reporting, none goes down and up again, and none is started anew. What computes and agents report goes through the message queue.',
    from: 'worker',
    faultDomain: 'openstack',
    bounds: { attempt: 180, total: 400 },
  }),
  check({
    id: 'migrations',
    gate: 3,
    title: 'Migrations of databases are done',
    shows:
      'The commands of `openstack.commands` say of each service that its database is as its programs need it. No API tells that.',
    from: 'the vantage points and pods of `openstack.commands`',
    faultDomain: 'openstack',
  }),
  check({
    id: 'image-round-trip',
    gate: 3,
    title: 'An image goes in and comes back',
    shows:
      'Glance stores an image of random bytes, tells the size and digests of those bytes, and gives them back, byte for byte. It writes one private image with the tag `rackwright-acceptance`, and takes it back.',
    from: 'worker',
    faultDomain: 'openstack',
    requirements: ['BOOT03'],
    bounds: { attempt: 240, total: 500 },
  }),
  check({
    id: 'placement-inventory',
    gate: 3,
    title: 'Placement knows what computes have',
    shows:
      'Each hypervisor of a compute that is up, and so each node of Ironic that Nova can use, is a resource provider with an inventory.',
    from: 'worker',
    faultDomain: 'openstack',
    bounds: { attempt: 120, total: 300 },
  }),
];
