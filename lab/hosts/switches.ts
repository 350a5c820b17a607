import type { FaultSwitch } from '../fault-switches.ts';

const flag = (name: string, description: string): FaultSwitch => ({ name, value: 'flag', description });

/** Every switch that `PUT /services/hosts/faults` takes. */
export const HOST_SWITCHES: readonly FaultSwitch[] = [
  flag('sshDown', 'the SSH server of the last controller does not listen'),
  flag('sshKeyRefused', 'the last controller refuses the key of the contract'),
  flag('sudoPassword', '`sudo` of the last controller asks for a password'),
  flag('hostnameOther', 'the last controller calls itself otherwise than in the contract'),
  flag('machineCopied', 'the last controller has the machine-id of the first: one was copied from the other'),
  flag('timeUnsynced', 'chronyd of the last controller has no source'),
  flag('nameMissing', 'the last controller does not find the name of the first'),
  flag('nameResolvesElsewhere', 'the last controller finds the name of the first at another address'),
  flag('interfaceRenamed', 'the first interface of the last controller is called eth0'),
  flag('linkDown', 'the second interface of the last controller has no carrier'),
  flag('diskMissing', 'the disk for Ceph of the last controller is not there'),
  flag('diskForeign', 'the disk for Ceph of the last controller holds a file system of somebody else'),
  flag('routeBlocked', 'the last controller has no route to the first'),
];

/** Every switch that `PUT /services/access/faults` takes. */
export const ACCESS_SWITCHES: readonly FaultSwitch[] = [
  flag('operatorCutOff', "the operator's host has no route to the APIs of Kubernetes and of the cloud"),
  flag('userCutOff', "the user's host has no route to the API of the cloud"),
  flag('guestCutOff', 'the guest has no route to the API of the cloud'),
  flag('guestClosed', 'nothing listens at the port of SSH of the guest, where its users come to'),
  flag('workloadDown', 'nothing listens at the port of what runs on the guest'),
];
