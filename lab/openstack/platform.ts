import { COMPUTES, CONTROLLERS, IRONIC_COMPUTE } from './cloud.ts';

/** Longer than two reports of an agent, which come each thirty seconds at speed 1, told in whole seconds. */
const WATCH_SECONDS = 62;
const LEAST_SECONDS = 3;

/** What the contract says of the services that the cloud stands on. */
export const platformOf = (speed: number): { readonly [field: string]: unknown } => ({
  compute: {
    services: [
      ...CONTROLLERS.flatMap((host) =>
        ['nova-conductor', 'nova-scheduler'].map((binary) => ({ binary, host })),
      ),
      ...COMPUTES.map((host) => ({ binary: 'nova-compute', host, hypervisor: 'QEMU' })),
      { binary: 'nova-compute', host: IRONIC_COMPUTE, hypervisor: 'ironic' },
    ],
  },
  network: {
    agents: COMPUTES.map((host) => ({ binary: 'neutron-openvswitch-agent', host })),
    backend: 'openvswitch',
  },
  watch: Math.max(LEAST_SECONDS, Math.ceil(WATCH_SECONDS / speed)),
});

/** How the state of a database is asked for, in a pod of the lab's cluster. */
export const COMMANDS = [{ service: 'image', from: { namespace: 'openstack', labels: 'app=glance-api' } }];
