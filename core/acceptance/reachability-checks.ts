import { check, type Check } from './check.ts';

const PLACES =
  'Connections are opened from the place that `acceptance.reachability` names, and from nowhere else.';

/** Gate 6: whether components reach what they open connections to, each from where it is. */
export const REACHABILITY_CHECKS: readonly Check[] = [
  check({
    id: 'conductor-to-bmc',
    gate: 6,
    title: 'Conductors reach BMCs',
    shows:
      'The worker, which is the conductor of nodes with driver redfish, and each place of an Ironic conductor get an answer of the Redfish service of each BMC that is theirs.',
    from: "worker; Ironic's conductors",
    faultDomain: 'management-network',
  }),
  check({
    id: 'bmc-to-publisher',
    gate: 6,
    title: 'The BMC reaches the publisher of media',
    shows:
      'The BMC of the dedicated node, while that is available and free, is given a small image by virtual media, and asks the gateway for it from its own address. The image is ejected again.',
    from: 'BMC of the dedicated node',
    faultDomain: 'management-network',
    bounds: { attempt: 900, total: 1800 },
  }),
  check({
    id: 'agent-to-call-backs',
    gate: 6,
    title: 'The deploy agent reaches its call-backs',
    shows:
      'In the newest operation of the dedicated node that booted a deploy agent, the agent reached the gateway; and how long ago that was.',
    from: 'deploy agent, in an operation before',
    faultDomain: 'provisioning-network',
  }),
  check({
    id: 'agent-to-image-source',
    gate: 6,
    title: 'The deploy agent reaches the image source',
    shows:
      'In the newest operation of the dedicated node that wrote an image, the agent fetched it whole; and how long ago that was.',
    from: 'deploy agent, in an operation before',
    faultDomain: 'image-supply',
  }),
  check({
    id: 'guest-to-network',
    gate: 6,
    title: 'Guests reach their networks',
    shows: `A guest opens connections to all that the contract has it reach. ${PLACES}`,
    from: 'guest',
    faultDomain: 'tenant-network',
  }),
  check({
    id: 'operator-to-api',
    gate: 6,
    title: 'Operators reach the APIs',
    shows: `The Kubernetes API, Keystone, the endpoints of the catalogue and what else the contract names answer the operator. ${PLACES}`,
    from: 'operator',
    faultDomain: 'user-access',
  }),
  check({
    id: 'operator-to-console',
    gate: 6,
    title: 'Operators reach the consoles',
    shows: `The consoles that the contract names answer the operator. ${PLACES}`,
    from: 'operator',
    faultDomain: 'user-access',
  }),
  check({
    id: 'user-to-api',
    gate: 6,
    title: 'Users reach the APIs',
    shows: `Keystone, the public endpoints of compute, network and image, and what else the contract names answer the user. ${PLACES}`,
    from: 'user',
    faultDomain: 'user-access',
  }),
  check({
    id: 'user-to-guest',
    gate: 6,
    title: 'Users reach guests',
    shows: `The ports of guests that the contract names take connections of the user. ${PLACES}`,
    from: 'user',
    faultDomain: 'tenant-network',
  }),
  check({
    id: 'user-to-workload',
    gate: 6,
    title: 'Users reach workloads',
    shows: `The ports and URLs of workloads that the contract names answer the user. ${PLACES}`,
    from: 'user',
    faultDomain: 'tenant-network',
  }),
  check({
    id: 'probe-media-ejected',
    gate: 6,
    title: 'No probe image is left in the BMC',
    shows:
      'Whatever became of the gate, no drive of the BMC of the dedicated node holds a probe image, and the gateway gives it to nobody any more.',
    from: 'worker',
    faultDomain: 'bmc',
    stage: 'cleanup',
    bounds: { attempt: 300, total: 900 },
  }),
];
