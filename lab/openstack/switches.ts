import type { FaultSwitch } from '../fault-switches.ts';

/** The services of the lab's cloud, as `PUT /services/<service>/faults` names them. */
export const CLOUD_SERVICES = ['keystone', 'nova', 'neutron', 'glance', 'placement', 'ironic'] as const;
export type CloudService = (typeof CLOUD_SERVICES)[number];

const flag = (name: string, description: string): FaultSwitch => ({ name, value: 'flag', description });
const count = (name: string, description: string): FaultSwitch => ({ name, value: 'count', description });

/** What can be wrong with the API of each of them. */
const API: readonly FaultSwitch[] = [
  flag('apiDown', 'its API drops every connection'),
  count('apiUnavailable', 'any request is answered with 503, by the load balancer in front of it'),
  { name: 'apiSlow', value: 'milliseconds', description: 'its API takes this much longer for every answer' },
  flag('apiUnauthorized', 'every request is answered with 401: no token and no password is right'),
  flag('apiForbidden', 'every request with a token is answered with 403: its roles are not enough'),
];

/** Every switch of each service. */
export const CLOUD_SWITCHES: { readonly [service in CloudService]: readonly FaultSwitch[] } = {
  keystone: [
    ...API,
    flag('endpointMissing', 'the catalogue has no endpoint of the compute service'),
    flag('endpointWrong', 'the endpoint of the image service is where nothing listens'),
    flag('ironicEndpointWrong', 'the endpoint of the bare-metal service is where nothing listens'),
    count(
      'tokenExpired',
      'a token that was good until now has expired when it is used, at whichever service',
    ),
  ],
  nova: [
    ...API,
    flag('computeDown', 'nova-compute of compute-1 has not reported for ten minutes: it is down'),
    flag('computeDisabled', 'nova-compute of compute-1 is disabled'),
    flag('conductorDown', 'nova-conductor of the last controller is down'),
    flag('schedulerDown', 'nova-scheduler of the last controller is down'),
    flag('ironicComputeDown', 'nova-compute for Ironic has not reported for ten minutes: it is down'),
    flag('ironicComputeMissing', 'there is no nova-compute for Ironic: it never registered'),
    flag('serviceFlapping', 'nova-compute of compute-1 is up, and reports no more: its time stands still'),
    flag('serverError', 'a new server ends in ERROR: no valid host was found'),
    flag('serverStuck', 'a new server stays in BUILD'),
    flag('serverOnOtherHost', 'a new server comes up on compute-2, whatever was asked for'),
    flag('quotaFull', 'the quota of the project is used up: a new server is refused'),
    flag('serverDeleteStuck', 'a deleted server stays, with the task deleting'),
    flag('consoleMissing', 'there is no console of a server: neither its output nor a connection'),
    flag('consoleProxyDown', 'the proxy for consoles does not listen'),
  ],
  neutron: [
    ...API,
    flag('agentDown', 'the L2 agent of compute-1 is not alive'),
    flag('agentMissing', 'there is no L2 agent on compute-1'),
    flag('agentOther', 'the L2 agents are those of another backend: OVN, not Open vSwitch'),
    flag('portBindingFailed', 'a port that is bound to a host ends as binding_failed'),
    flag('networkDown', 'network provisioning is DOWN'),
    flag(
      'networkDhcp',
      'the subnet of network provisioning gives addresses by DHCP, which another server does',
    ),
    flag('portLeft', 'the port of a deleted server is left'),
  ],
  glance: [
    ...API,
    flag('imageDeleted', 'images are not there: they were deleted'),
    flag('deployImageDeleted', 'the deploy ramdisk was deleted'),
    flag('imageCorrupt', 'the bytes of an image that are given out are others'),
    flag('imageNotActive', 'images are queued: nothing was ever uploaded'),
    flag('imageChecksumOther', 'the digests that an image is shown with are those of other bytes'),
    flag('storeFull', 'an upload is answered with 413: the store has no room'),
  ],
  placement: [
    ...API,
    flag('providerMissing', 'the bare-metal node is no resource provider'),
    flag('inventoryReserved', 'all of what the bare-metal node has is reserved'),
  ],
  ironic: [
    ...API,
    flag('apiOld', 'its API is that of years ago: it has no version after 1.56'),
    flag('conductorDown', 'the last conductor is not alive'),
    flag('conductorMissing', 'the last conductor is not there'),
    flag('driverMissing', 'no conductor has the driver redfish'),
    flag('interfaceMissing', 'the driver redfish has no boot interface redfish-virtual-media'),
    flag('nodeMaintenance', 'the node is in maintenance'),
    flag('nodeNotAvailable', 'the node is manageable, and not available'),
    flag('nodeInUse', 'the node is active: it has the instance of somebody else'),
    flag('validateFails', 'the interfaces deploy and power of the node do not validate'),
    flag('deployFails', 'a deployment ends in deploy failed'),
    flag(
      'deployImageFails',
      'a deployment ends in deploy failed: the image is other bytes than it should be',
    ),
    flag('deployPowerFails', 'a deployment ends in deploy failed: the BMC does not turn the machine on'),
    flag('cleanFails', 'cleaning ends in clean failed'),
    flag('bootImageMissing', 'the node names no deploy kernel and no ramdisk'),
    flag('consoleOff', 'the console of the node is off, and cannot be had'),
    flag('consoleOpen', 'whoever has a token is shown the console of a node'),
    flag('lockLeft', 'a conductor that is gone has left its lock on the node'),
    flag('bootImageUnpublished', 'there is nothing to boot where conductors publish it'),
    flag('nodePowerOn', 'the node is on where it has to be off'),
  ],
};
