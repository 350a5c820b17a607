import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Hardware } from '../../../lab/hardware.ts';
import { startSushy, type Sushy, type SushySystem } from '../../peers/sushy.ts';
import { startIsoPeer, type IsoPeer } from './iso-peer.ts';
import { redfish, type Redfish } from './redfish.ts';
import { PlayedServer } from './server.ts';

const GB = 1_000_000_000;
export const GPU = 'NVIDIA H100 80GB HBM3';
export const CPUS = 64;
export const MEMORY_MIB = 262_144;

/** The emulator, and the servers behind it. */
export interface Rack {
  readonly sushy: Sushy;
  readonly bmc: Redfish;
  readonly iso: IsoPeer;
  readonly servers: ReadonlyMap<string, PlayedServer>;
  stop(): Promise<void>;
}

/** Starts an emulator with so many systems, and a server behind each that follows what happens there. */
export async function startRack(count: number, folder: string): Promise<Rack> {
  const byUuid = new Map<string, PlayedServer>();
  // Answered at once: the emulator holds its own answer back until then.
  const told = createServer((request, response) => {
    void json(request).then((body) => {
      response.writeHead(204).end();
      const { uuid, power_state: power } = body as { uuid: string; power_state: string };
      byUuid.get(uuid)?.powerIs(power);
    });
  });
  await new Promise<void>((listens) => told.listen(0, '127.0.0.1', listens));
  const notifyUrl = `http://127.0.0.1:${(told.address() as AddressInfo).port}/`;
  const iso = await startIsoPeer();
  const sushy = await startSushy({ systems: count, notifyUrl });
  const bmc = redfish(sushy);
  const servers = new Map<string, PlayedServer>();
  for (const [i, system] of sushy.systems.entries()) {
    const own = join(folder, system.name);
    mkdirSync(own, { recursive: true });
    const server = new PlayedServer({ system, hardware: hardwareOf(i, system), folder: own, bmc, iso });
    byUuid.set(system.uuid, server);
    servers.set(system.name, server);
  }
  return {
    sushy,
    bmc,
    iso,
    servers,
    async stop() {
      await Promise.all([...servers.values()].map((server) => server.stop()));
      await sushy.stop();
      await iso.stop();
      told.closeAllConnections();
      await new Promise((closed) => told.close(closed));
    },
  };
}

function hardwareOf(i: number, { name, uuid, mac }: SushySystem): Hardware {
  const disk = (device: string, part: string, sizeBytes: number) => ({
    device,
    serial: `${name}-${part}`,
    wwn: `0x5000c500${part}${name}`,
    byPath: `/dev/disk/by-path/${part}`,
    model: 'C123',
    sizeBytes,
  });
  return {
    name,
    uuid,
    serial: name,
    manufacturer: 'Played',
    model: 'Server',
    sockets: 2,
    threads: CPUS,
    cpuModel: 'Played',
    memoryMiB: MEMORY_MIB,
    nics: [
      {
        name: 'eth0',
        mac,
        address: `198.18.${i >> 8}.${i & 255}`,
        cable: { switch: 'leaf-1', chassisMac: '52:54:02:00:00:01', switchPort: `swp-${name}`, speaks: true },
      },
    ],
    disks: [disk('/dev/sda', 'root', 960 * GB), disk('/dev/sdb', 'data', 3840 * GB)],
    gpus: [{ model: GPU, serial: `${name}-gpu`, memoryMiB: 81_920 }],
  };
}
