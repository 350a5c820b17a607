import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { openDataDir } from '../../../activities/datadir.ts';
import { startLab, stopLab } from '../../../client/up/lab.ts';
import { livingPid } from '../../../client/up/pid-files.ts';

/** A lab that is no part of the product: no power cut of ours touches it. */
export interface OutsideLab {
  readonly controlUrl: string;
  /** The contract of its site, with absolute paths. */
  readonly contract: Contract;
  /** Asks its control API of a server: `node-001`, `node-001/log`. */
  ask<T>(path: string, init?: RequestInit): Promise<T>;
  /** Sets fault switches of a server. */
  faults(node: string, switches: object): Promise<unknown>;
  /** Sets fault switches of a service of its control plane; none: all are off. */
  service(name: string, switches?: object): Promise<unknown>;
  stop(): Promise<void>;
}

export interface Contract {
  readonly site: string;
  readonly bmc: { readonly credentials: object; readonly tls: { readonly ca: string } };
  readonly media: { readonly gatewayUrl: string; readonly iso: string };
  readonly images: readonly { readonly name: string; readonly url: string }[];
  readonly machineTypes: readonly object[];
  readonly firmware: {
    readonly baselines: readonly { readonly components: readonly { readonly file: string }[] }[];
  };
  readonly openstack?: { readonly ca: string };
  readonly acceptance?: object;
  readonly nodes: readonly { readonly name: string; readonly bmc?: { readonly address: string } }[];
}

/** Starts the built lab with its state in this folder. */
export async function startOutsideLab(
  folder: string,
  options: { servers: number; speed: number; gatewayUrl: string; openstack?: boolean },
): Promise<OutsideLab> {
  const dir = openDataDir(folder);
  const { servers, speed, gatewayUrl, openstack } = options;
  const { controlUrl } = await startLab(dir, {
    servers: String(servers),
    speed: String(speed),
    gatewayUrl,
    ...(openstack === true ? { openstack } : {}),
  });
  process.once('exit', () => {
    const left = livingPid(dir, 'lab');
    if (left) process.kill(left.pid, 'SIGKILL');
  });
  const from = (path: string): string => resolve(dir.lab, path);
  const written = parse(readFileSync(join(dir.lab, 'inventory.yaml'), 'utf8')) as Contract;
  const ask = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${controlUrl}/servers/${path}`, { headers, ...init });
    if (!answer.ok) throw new Error(`the lab answers ${answer.status} to ${path}`);
    return (await answer.json()) as T;
  };
  return {
    controlUrl,
    ask,
    service: async (name, switches) => {
      const method = switches === undefined ? 'DELETE' : 'PUT';
      const answer = await fetch(`${controlUrl}/services/${name}/faults`, {
        method,
        ...(switches === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(switches) }),
      });
      if (!answer.ok) throw new Error(`the lab answers ${answer.status} for ${name}`);
    },
    faults: (node, switches) => ask(`${node}/faults`, { method: 'PUT', body: JSON.stringify(switches) }),
    contract: {
      ...written,
      bmc: { ...written.bmc, tls: { ca: from(written.bmc.tls.ca) } },
      media: { ...written.media, iso: from(written.media.iso) },
      ...(written.openstack ? { openstack: { ...written.openstack, ca: from(written.openstack.ca) } } : {}),
      images: written.images.map((image) => ({ ...image, url: from(image.url) })),
      firmware: {
        ...written.firmware,
        baselines: written.firmware.baselines.map((baseline) => ({
          ...baseline,
          components: baseline.components.map((each) => ({ ...each, file: from(each.file) })),
        })),
      },
    },
    stop: () => stopLab(dir),
  };
}

/** The images that nodes of Ironic are given: fake hardware downloads nothing. */
export const IRONIC_IMAGES = { 'fake-one': 'a', 'fake-two': 'b' } as const;

/** The names of `count` nodes that Ironic's fake hardware plays. */
export const ironicNames = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `fake-${String(index + 1).padStart(2, '0')}`);

/** The lab's contract with nodes of a standalone Ironic beside the lab's own. */
export function withIronic(
  contract: Contract,
  ironicUrl: string,
  names: readonly string[],
  { auth = 'none', driverInfo = {} }: { auth?: 'none' | object; driverInfo?: object } = {},
): string {
  return stringify(
    {
      ...contract,
      openstack: { ironic: { url: ironicUrl, auth } },
      images: [
        ...contract.images,
        ...Object.entries(IRONIC_IMAGES).map(([name, digit]) => ({
          name,
          url: `${contract.media.gatewayUrl}/${name}.raw`,
          checksum: `sha256:${digit.repeat(64)}`,
          format: 'raw',
        })),
      ],
      machineTypes: [...contract.machineTypes, { name: 'any', resourceClass: 'baremetal' }],
      nodes: [
        ...contract.nodes,
        ...names.map((name, index) => ({
          name,
          type: 'any',
          driver: 'ironic',
          ironic: { driver: 'fake-hardware', driverInfo, interfaces: { deploy: 'fake', inspect: 'fake' } },
          ports: [{ mac: `52:54:00:f0:00:${String(index + 1).padStart(2, '0')}` }],
        })),
      ],
    },
    { aliasDuplicateObjects: false },
  );
}
