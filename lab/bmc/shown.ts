import type { Server } from '../server.ts';
import type { Resource } from './services.ts';

/** A resource as the BMC shows it: the truth, unless a fault bends it. */
export function shownResource(server: Server, path: string, truth: Resource): Resource {
  const { faults, hardware, state } = server;
  const slot = /\/VirtualMedia\/(\w+)$/.exec(path)?.[1];
  if (slot !== undefined) {
    const old = state.ejected[slot];
    if (truth['Inserted'] === true && faults.take('insertShowsLate'))
      return { ...truth, Inserted: false, Image: null, ImageName: null, ConnectedVia: 'NotConnected' };
    if (truth['Inserted'] === false && old && faults.take('mediaStaysAfterEject'))
      return { ...truth, Inserted: true, Image: old, ConnectedVia: 'URI' };
  }
  if (
    path.endsWith('/Systems/1') &&
    state.override.enabled === 'Once' &&
    faults.take('onceShowsContinuous')
  ) {
    const boot = truth['Boot'] as Resource;
    return { ...truth, Boot: { ...boot, BootSourceOverrideEnabled: 'Continuous' } };
  }
  if (path.endsWith(`/EthernetInterfaces/${hardware.nics[0]?.name}`) && faults.take('nicWithoutMac'))
    return { ...truth, MACAddress: '', PermanentMACAddress: null };
  return truth;
}
