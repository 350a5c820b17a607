import { createHash } from 'node:crypto';
import type { Server } from '../server.ts';
import type { Machine } from './cloud.ts';

/** A server of the lab as the cloud acts on it: what a deployment does is done to it, too. */
export function machineOf(server: Server): Machine {
  const { hardware, disks, console } = server;
  const root = hardware.disks[0]!;
  return {
    name: hardware.name,
    uuid: hardware.uuid,
    bmc: `https://${hardware.name}.bmc.lab`,
    nics: hardware.nics.map(({ mac, address }) => ({ mac, address })),
    deployed(name) {
      disks.putConfigDrive(root.serial, undefined);
      disks.update(root.serial, {
        image: {
          id: name,
          digest: `sha256:${createHash('sha256').update(name).digest('hex')}`,
          sizeBytes: root.sizeBytes,
          writtenAt: new Date().toISOString(),
        },
        erasedAt: null,
        firstBoot: null,
      });
      server.setOverride({ enabled: 'Disabled', target: 'None' });
      server.reset('ForceRestart');
      console.print(`${name} login: `);
    },
    released() {
      disks.update(root.serial, { image: null, erasedAt: new Date().toISOString() });
      server.reset('ForceOff');
    },
    power: (on) => server.reset(on ? 'ForceOn' : 'ForceOff'),
  };
}
