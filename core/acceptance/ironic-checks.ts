import { check, type Check } from './check.ts';

/** Deploy ramdisks have a few hundred megabytes, and several nodes may name several. */
const WHOLE_RAMDISKS = { attempt: 900, total: 1800 };
/** A contract may name a thousand nodes, which are asked about one by one. */
const EACH_NODE = { attempt: 300, total: 600 };

/** Gate 4: Ironic, and what nodes need of it and beside it. */
export const IRONIC_CHECKS: readonly Check[] = [
  check({
    id: 'ironic-api',
    gate: 4,
    title: 'Ironic answers',
    shows:
      'Its API offers the version that it is asked in, and gives the user of the contract an answer out of its database.',
    from: 'worker',
    faultDomain: 'ironic',
  }),
  check({
    id: 'ironic-conductors',
    gate: 4,
    title: 'Conductors are alive',
    shows:
      'The conductors of `openstack.bareMetal.conductors` are alive by their heartbeats; where it names none, each that Ironic knows.',
    from: 'worker',
    faultDomain: 'ironic',
  }),
  check({
    id: 'ironic-compute',
    gate: 4,
    title: 'Nova carries the nodes of Ironic',
    shows:
      "nova-compute with Ironic's driver is up and enabled on the hosts of `openstack.bareMetal.computes`, else wherever there are nodes; and each node that is available or active is a hypervisor, and no other.",
    from: 'worker',
    faultDomain: 'openstack',
  }),
  check({
    id: 'ironic-drivers',
    gate: 4,
    title: 'Drivers have the interfaces that the hardware needs',
    shows:
      'Each hardware type of `openstack.bareMetal.drivers` and of the nodes of the contract is there, with the interfaces that they name enabled.',
    from: 'worker',
    faultDomain: 'ironic',
  }),
  check({
    id: 'provisioning-network',
    gate: 4,
    title: 'The provisioning network is there',
    shows:
      'Neutron has `openstack.bareMetal.provisioningNetwork`, once, up and ACTIVE, with the subnet, the VLAN and the DHCP of the contract; and the networks that nodes name.',
    from: 'worker',
    faultDomain: 'provisioning-network',
    bounds: EACH_NODE,
  }),
  check({
    id: 'deploy-images',
    gate: 4,
    title: 'Deploy kernel and ramdisk are there',
    shows:
      'Those of the nodes and of `openstack.bareMetal.deployImages` are active in Glance or found at their address, with the checksum where the contract has one.',
    from: 'worker',
    faultDomain: 'image-supply',
    bounds: WHOLE_RAMDISKS,
  }),
  check({
    id: 'boot-images-published',
    gate: 4,
    title: 'Boot images are published',
    shows:
      'The addresses of `openstack.bareMetal.publishers` answer, asked from `publishersFrom`. Asked from the worker, which is where it names none, the summary says that this does not show what BMCs reach.',
    from: 'the vantage point `publishersFrom`, else the worker',
    faultDomain: 'media-publisher',
  }),
  check({
    id: 'node-validate',
    gate: 4,
    title: 'Ironic finds the nodes fit',
    shows:
      "Ironic's own validation finds the interfaces boot, deploy, management, network, power and storage of each node fit, and console where consoles are on.",
    from: "the node's conductor",
    faultDomain: 'ironic',
    bounds: EACH_NODE,
  }),
  check({
    id: 'node-conductor',
    gate: 4,
    title: 'The conductor of each node is alive',
    shows: 'A conductor that is alive is responsible for each node, and no dead one has it locked.',
    from: 'worker',
    faultDomain: 'ironic',
    bounds: EACH_NODE,
  }),
  check({
    id: 'console-proxy',
    gate: 4,
    title: 'Consoles are shown to whom they are to be',
    shows:
      'Where consoles are on (`openstack.bareMetal.consoles`): the proxies answer, nodes have a console interface, the user of the contract may ask for the console of a node, and `plainUser` may not.',
    from: 'worker',
    faultDomain: 'console',
    bounds: EACH_NODE,
  }),
];
