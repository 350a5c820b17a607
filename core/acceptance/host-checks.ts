import { check, type Check } from './check.ts';

const BMC_BOUNDS = { attempt: 300, total: 600 };
/** Each host is tried three times where it does not answer, and takes its time where it does. */
const HOST_BOUNDS = { attempt: 300, total: 600 };

const hostCheck = (
  id: string,
  title: string,
  shows: string,
  over: Partial<Pick<Check, 'from' | 'faultDomain'>> = {},
): Check =>
  check({
    id,
    gate: 1,
    title,
    shows,
    from: 'worker',
    faultDomain: 'control-host',
    bounds: HOST_BOUNDS,
    ...over,
  });

/** Gate 1: what the hosts of the control plane are, and what they and the worker reach before anything is built. */
export const HOST_CHECKS: readonly Check[] = [
  hostCheck(
    'hardware-inventory',
    'What hosts are made of is on record',
    'CPUs, memory, disks, network interfaces and PCI devices of each controller are kept as evidence, before anything is changed.',
  ),
  hostCheck(
    'management-access',
    'Hosts are logged in to, and need no password for root',
    'Each controller shows the host key of the contract, takes the key, and lets its user become root without a password.',
  ),
  hostCheck(
    'host-identity',
    'Hosts are those that are meant',
    "Each controller's static host name is that of the contract and the one in use; it has a machine-id; and no two share boot id, system UUID, machine-id or SSH host key.",
  ),
  hostCheck(
    'name-resolution',
    'Hosts find each other by name',
    'Each controller finds its own name and those of the others at the addresses of the contract, and at no others.',
    { from: 'controllers' },
  ),
  hostCheck(
    'time-in-sync',
    'Time is in sync',
    "chrony, the kernel or ntpd of each controller says that its time is synchronised, and its clock agrees with the others' and the worker's.",
  ),
  hostCheck(
    'interfaces',
    'Network interfaces are as the contract says',
    'Each interface of the contract is there with its MAC address and its address, is up and has a carrier, and will have its name after the next boot.',
  ),
  hostCheck(
    'disks',
    'Disks are there, and their owners are clear',
    "Each disk of the contract is a whole disk, one for each path; what is on it is its owner's, and the operating system is where its owner says.",
    { faultDomain: 'storage' },
  ),
  hostCheck(
    'routes',
    'Hosts reach each other, their networks and the BMCs',
    'From each controller the others, the gateways of its networks, what it has to reach by the contract, and the port of each BMC answer.',
    { from: 'controllers', faultDomain: 'management-network' },
  ),
  check({
    id: 'bmc-access',
    gate: 1,
    title: 'BMCs answer, as the contract describes them',
    shows:
      'The BMC of each controller and node is reached under the certificate policy of the contract, takes its credentials, and shows the one system that is meant.',
    from: 'worker',
    faultDomain: 'management-network',
    bounds: BMC_BOUNDS,
  }),
];
