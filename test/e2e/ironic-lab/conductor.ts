import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { startIronic, type IronicPeer } from '../../peers/ironic.ts';
import { serveFiles, type StaticFiles } from '../../peers/static-files.ts';

/** What Ironic says of a node; more than is named here. */
export interface ConductorNode {
  readonly uuid: string;
  readonly provision_state: string;
  readonly target_provision_state: string | null;
  readonly reservation: string | null;
  readonly power_state: string | null;
  readonly last_error: string | null;
  readonly properties: { readonly [name: string]: unknown };
  readonly [field: string]: unknown;
}

/** What an inspection found. */
export interface Inspected {
  readonly inventory: { readonly [part: string]: unknown };
  readonly plugin_data: {
    readonly parsed_lldp: { readonly [port: string]: { readonly switch_system_name: string } };
  };
}

export interface LabImage {
  readonly name: string;
  /** Path in the lab's folder. */
  readonly url: string;
  /** `sha256:…` */
  readonly checksum: string;
}

interface LabNode {
  readonly name: string;
  readonly bmc: { readonly address: string; readonly system: string };
  readonly rootDevice: { readonly serial: string };
}

const BOUND_MS = 300_000;
const KIB = 1024;
const FAILED = /failed$|^error$/;

/**
 * A standalone Ironic for the servers of a lab, the web server beside it, and its operator. The agent's kernel,
 * ramdisk and boot loader are filling: Ironic makes an ISO of whatever it is given, and a server of the lab reads
 * the command line that Ironic wrote into it.
 */
export class Conductor {
  readonly #ironic: IronicPeer;
  readonly #files: StaticFiles;
  readonly #dir: string;
  readonly #labDir: string;
  readonly images: readonly LabImage[];
  readonly #nodes: readonly LabNode[];

  private constructor(ironic: IronicPeer, files: StaticFiles, dir: string, inventory: string) {
    this.#ironic = ironic;
    this.#files = files;
    this.#dir = dir;
    this.#labDir = dirname(inventory);
    const site = parse(readFileSync(inventory, 'utf8')) as { images: LabImage[]; nodes: LabNode[] };
    this.images = site.images;
    this.#nodes = site.nodes;
    for (const image of this.images)
      copyFileSync(join(this.#labDir, image.url), join(dir, 'http', `${image.name}.raw`));
    for (const [name, size] of [
      ['kernel', 256 * KIB],
      ['ramdisk', 512 * KIB],
      ['esp.img', 64 * KIB],
    ] as const)
      writeFileSync(join(dir, 'http', name), randomBytes(size));
  }

  /** @param inventory the path of the lab's inventory */
  static async start(inventory: string): Promise<Conductor> {
    // Ironic masters its ISOs with it.
    await promisify(execFile)('mkisofs', ['--version']).catch(() => {
      throw new Error('Ironic needs mkisofs (apt: genisoimage)');
    });
    const dir = await mkdtemp(join(tmpdir(), 'rackwright-ironic-lab-'));
    mkdirSync(join(dir, 'http'));
    const files = await serveFiles(join(dir, 'http'));
    try {
      const redfish = { httpUrl: files.url, heartbeatTimeout: 5 };
      return new Conductor(await startIronic({ dir, redfish }), files, dir, inventory);
    } catch (cause) {
      await files.close();
      rmSync(dir, { recursive: true, force: true });
      throw cause;
    }
  }

  /** What Ironic has published for nodes and not withdrawn. */
  get published(): string {
    return join(this.#dir, 'http', 'redfish');
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${this.#ironic.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.95' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  node(uuid: string): Promise<ConductorNode> {
    return this.#call('GET', `/v1/nodes/${uuid}`) as Promise<ConductorNode>;
  }

  inventory(uuid: string): Promise<Inspected> {
    return this.#call('GET', `/v1/nodes/${uuid}/inventory`) as Promise<Inspected>;
  }

  /** The MAC addresses of its ports, sorted. */
  async macs(uuid: string): Promise<string[]> {
    const answer = await this.#call('GET', `/v1/ports?node=${uuid}`);
    return (answer as { ports: { address: string }[] }).ports.map(({ address }) => address).sort();
  }

  /** Enrols a server of the lab, with other interfaces if given. */
  async enroll(name: string, more: object = {}): Promise<string> {
    const { bmc, rootDevice } = this.#nodes.find((node) => node.name === name)!;
    const file = (path: string): string => `file://${join(this.#dir, 'http', path)}`;
    const { uuid } = (await this.#call('POST', '/v1/nodes', {
      name,
      driver: 'redfish',
      boot_interface: 'redfish-virtual-media',
      deploy_interface: 'direct',
      inspect_interface: 'redfish',
      driver_info: {
        redfish_address: bmc.address,
        redfish_system_id: bmc.system,
        redfish_username: 'admin',
        redfish_password: readFileSync(join(this.#labDir, 'secrets', 'bmc-password'), 'utf8').trim(),
        redfish_verify_ca: join(this.#labDir, 'ca.pem'),
        deploy_kernel: file('kernel'),
        deploy_ramdisk: file('ramdisk'),
        bootloader: file('esp.img'),
      },
      properties: { root_device: { serial: rootDevice.serial } },
      ...more,
    })) as { uuid: string };
    return uuid;
  }

  /** Names the image that the next deploy writes: whole disk, raw. */
  async give(uuid: string, { name, checksum }: LabImage): Promise<void> {
    const info = {
      image_source: `${this.#files.url}/${name}.raw`,
      image_os_hash_algo: 'sha256',
      image_os_hash_value: checksum.replace('sha256:', ''),
      image_disk_format: 'raw',
      image_type: 'whole-disk',
    };
    const patch = Object.entries(info).map(([key, value]) => ({
      op: 'add',
      path: `/instance_info/${key}`,
      value,
    }));
    await this.#call('PATCH', `/v1/nodes/${uuid}`, patch);
  }

  /** Asks for a change of the provision state, and waits until it is there; answers the states on the way. */
  async provision(uuid: string, target: string, wanted: string, more: object = {}): Promise<string[]> {
    await this.#call('PUT', `/v1/nodes/${uuid}/states/provision`, { target, ...more });
    const seen: string[] = [];
    for (const ends = Date.now() + BOUND_MS; Date.now() < ends; await sleep(250)) {
      const node = await this.node(uuid);
      const { provision_state: state } = node;
      if (seen.at(-1) !== state) seen.push(state);
      const idle = node.target_provision_state === null && node.reservation === null;
      if (state === wanted && idle) return seen;
      if (FAILED.test(state) || (idle && node.last_error !== null))
        throw new Error(`${target}: ${seen.join(', ')}: ${node.last_error}`);
    }
    throw new Error(`${target}: waited in vain for ${wanted}; it was ${seen.join(', ')}`);
  }

  async stop(): Promise<void> {
    await this.#ironic.stop();
    await this.#files.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
