import { createHash } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GateCheck } from '../../../activities/gates/check.ts';
import { GATE_CHECKS } from '../../../activities/gates/index.ts';
import { freePorts } from '../../../client/up/ports.ts';
import { Inventory } from '../../../contracts/inventory/inventory.ts';
import { newAuthority } from '../../../lab/certificates.ts';
import { labCloud, type LabCloud } from '../../../lab/openstack/start.ts';
import type { CloudService } from '../../../lab/openstack/switches.ts';
import { SITE } from '../../workflows/support.ts';

/** The checks of these names, as they are made. */
export const checksNamed = (...ids: string[]): GateCheck[] =>
  ids.map((id) => GATE_CHECKS.find(({ check }) => check.id === id)!);

export interface CloudBench {
  readonly cloud: LabCloud;
  /** A contract with the lab's cloud, its acceptance node and its image, and nothing else. */
  readonly inventory: Inventory;
  on(service: CloudService, fault: string): void;
  clear(): void;
  close(): Promise<void>;
}

const NODE = 'lab-gpu-001';
const IMAGE = Buffer.from('the acceptance image of the lab\n'.repeat(2000));

/** The lab's cloud in this process, over TLS on a port of its own. */
export async function aCloud(): Promise<CloudBench> {
  const dir = await mkdtemp(join(tmpdir(), 'rackwright-cloud-'));
  const image = join(dir, 'image.raw');
  await writeFile(image, IMAGE);
  const authority = await newAuthority('Lab CA');
  const machine = {
    name: NODE,
    uuid: '6b2c1d1e-7f3a-4c55-9d0e-0d9b8f1a2c3d',
    bmc: 'https://127.0.0.1:1',
    nics: [{ mac: '52:54:00:aa:00:01', address: '127.0.0.9' }],
    deployed: () => undefined,
    released: () => undefined,
    power: () => undefined,
  };
  const cloud = await labCloud({ dir, authority, host: '127.0.0.1', speed: 100, machine, image });
  const [port, consolePort] = await freePorts(2);
  const listening = await cloud.listen('127.0.0.1', port!, consolePort!);
  const ca = join(dir, 'ca.pem');
  await writeFile(ca, authority.cert);
  const { openstack } = cloud.contract() as { openstack: object };
  const inventory = Inventory.parse({
    site: SITE,
    openstack: { ...openstack, ca },
    images: [
      {
        name: 'acceptance',
        url: image,
        checksum: `sha256:${createHash('sha256').update(IMAGE).digest('hex')}`,
        format: 'raw',
        size: IMAGE.length,
        glance: 'acceptance-image',
      },
    ],
    acceptance: { node: NODE },
  });
  return {
    cloud,
    inventory,
    on: (service, fault) => {
      const refused = cloud.faults.get(service)!.set({ [fault]: true });
      if (refused !== undefined) throw new Error(String(refused));
    },
    clear: () => {
      for (const faults of cloud.faults.values()) faults.clear();
    },
    close: () => listening.close(),
  };
}
