import type { Server } from '../server.ts';
import { collection, link, OK, resource, type Tree } from './services.ts';

/** How the host reaches its BMC: not at all, unless a fault lets it. */
export function hostInterfaceTree({ faults }: Server, manager: string, system: string): Tree {
  const path = `${manager}/HostInterfaces`;
  return {
    [path]: () => collection(path, 'HostInterface', ['1']),
    [`${path}/1`]: () => {
      const enabled = faults.on('hostInterfaceEnabled');
      return resource(`${path}/1`, 'HostInterface.v1_3_0.HostInterface', 'Host Interface', {
        HostInterfaceType: 'NetworkHostInterface',
        InterfaceEnabled: enabled,
        ExternallyAccessible: false,
        AuthenticationModes: ['BasicAuth', 'RedfishSessionAuth'],
        Status: enabled ? OK : { State: 'Disabled' },
        Links: { ComputerSystems: [link(system)] },
      });
    },
  };
}
