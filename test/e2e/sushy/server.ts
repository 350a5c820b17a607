import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAgent } from '../../../lab/agent.ts';
import { fileDiskStore, type DiskStore } from '../../../lab/disks.ts';
import type { Hardware } from '../../../lab/hardware.ts';
import { pauseAt } from '../../../lab/timing.ts';
import type { SushySystem } from '../../peers/sushy.ts';
import type { IsoPeer } from './iso-peer.ts';
import { bootParameters } from './media.ts';
import type { MediaDocument, Redfish, SystemDocument } from './redfish.ts';

/** How many times faster than real hardware the servers are. */
const SPEED = 10;
const FIRST_BOOT_TRIES = 20;
const LINES = 40;

export type ServerEvent = 'media' | 'first-boot' | 'silent-boot' | 'no-system' | 'trouble';

export interface ServerParts {
  readonly system: SushySystem;
  readonly hardware: Hardware;
  readonly folder: string;
  readonly bmc: Redfish;
  readonly iso: IsoPeer;
}

/**
 * What stands behind one system of the emulator: it gets power and loses it, and boots what its BMC says
 * over Redfish. It knows nothing else of whoever drives it.
 */
export class PlayedServer {
  readonly disks: DiskStore;
  readonly hardware: Hardware;
  readonly events: { readonly event: ServerEvent; readonly detail: string }[] = [];
  /** What happened last, for whoever asks why a test failed. */
  readonly said: string[] = [];
  readonly #parts: ServerParts;
  readonly #pause = pauseAt(SPEED);
  #power = 'Off';
  #life = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.hardware = parts.hardware;
    const { name, disks } = parts.hardware;
    this.disks = fileDiskStore(
      parts.folder,
      name,
      disks.map((disk) => disk.serial),
    );
  }

  count(event: ServerEvent): number {
    return this.events.filter((each) => each.event === event).length;
  }

  /** The emulator tells of a change; only those of power matter to a server. */
  powerIs(state: string): void {
    if (state === this.#power) return;
    this.#power = state;
    this.#say(`power ${state}`);
    this.#life.abort();
    if (state !== 'On') return;
    this.#life = new AbortController();
    const { signal } = this.#life;
    this.#running = this.#run(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#note('trouble', String(error));
    });
  }

  async stop(): Promise<void> {
    this.#life.abort();
    await this.#running;
  }

  #note(event: ServerEvent, detail: string): void {
    this.events.push({ event, detail });
    this.#say(`${event}: ${detail}`);
  }

  #say(line: string): void {
    this.said.push(`${new Date().toISOString().slice(11, 23)} ${line}`);
    if (this.said.length > LINES) this.said.shift();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { bmc, system, folder, iso } = this.#parts;
    await this.#pause(3000, signal);
    const { Boot, PowerState } = await bmc.get<SystemDocument>(system.uri);
    const drive = await bmc.get<MediaDocument>(`${system.uri}/VirtualMedia/Cd`);
    signal.throwIfAborted();
    if (PowerState !== 'On') throw new Error(`told to be on, and the BMC says ${PowerState}`);
    if (Boot.BootSourceOverrideTarget !== 'Cd' || !drive.Inserted) return this.#bootDisk(signal);
    const parameters = await bootParameters(drive.Image, folder, iso);
    signal.throwIfAborted();
    const apiUrl = parameters['ipa-api-url'];
    if (apiUrl === undefined) throw new Error('there is no ipa-api-url on the media');
    this.#note('media', system.name);
    await this.#runAgent(apiUrl, parameters['ipa-collect-lldp'] === '1', signal);
  }

  /** The agent as a service of its ramdisk: one that gave up is started again, until the power is gone. */
  async #runAgent(apiUrl: string, collectLldp: boolean, signal: AbortSignal): Promise<void> {
    const { bmc, system } = this.#parts;
    const reset = (type: 'ForceOff' | 'ForceRestart') => (): void =>
      void bmc.reset(system.uri, type).catch((error: unknown) => this.#note('trouble', String(error)));
    while (!signal.aborted) {
      const agent = await startAgent({
        apiUrl,
        collectLldp,
        hardware: this.hardware,
        disks: this.disks,
        pause: this.#pause,
        log: (event, details) => this.#say(`${event} ${JSON.stringify(details ?? {})}`),
        onPowerOff: reset('ForceOff'),
        onReboot: reset('ForceRestart'),
      });
      const off = new Promise<'off'>((resolve) => {
        if (signal.aborted) resolve('off');
        else signal.addEventListener('abort', () => resolve('off'), { once: true });
      });
      const end = await Promise.race([agent.ended, off]);
      await agent.stop();
      if (end === 'locked-down') throw new Error('the agent locked itself down');
      if (end === 'gave-up') await this.#pause(30_000, signal);
    }
  }

  /** The installed system: it leaves its traces, and calls once if its config drive says where. */
  async #bootDisk(signal: AbortSignal): Promise<void> {
    const disk = this.hardware.disks.find(({ serial }) => this.disks.get(serial).image !== null);
    if (disk === undefined) return this.#note('no-system', this.hardware.name);
    const drive = this.disks.configDrive(disk.serial);
    if (drive === undefined) return this.#note('silent-boot', this.disks.get(disk.serial).image!.id);
    const file = join(this.#parts.folder, 'config-drive.iso');
    writeFileSync(file, drive);
    const { label, bytes } = await this.#parts.iso.read(file, '/openstack/latest/meta_data.json');
    const { uuid, hostname, meta } = JSON.parse(bytes.toString()) as {
      uuid: string;
      hostname: string;
      meta: Record<string, string>;
    };
    for (const { serial } of this.hardware.disks) {
      const { canaries } = this.disks.get(serial);
      this.disks.update(serial, { canaries: [...canaries, `data of ${uuid}`] });
    }
    if (label !== 'config-2' || this.disks.get(disk.serial).firstBoot === uuid) return;
    await this.#callHome(meta['rackwright_callback']!, hostname, signal);
    this.disks.update(disk.serial, { firstBoot: uuid });
    this.#note('first-boot', hostname);
  }

  async #callHome(url: string, hostname: string, signal: AbortSignal): Promise<void> {
    const { nics, disks, gpus } = this.hardware;
    const body = JSON.stringify({
      hostname,
      addresses: nics.map((nic) => ({ interface: nic.name, address: nic.address })),
      routes: [],
      dns: [],
      time: new Date().toISOString(),
      disks: disks.map((disk) => ({ name: disk.device, sizeBytes: disk.sizeBytes })),
      gpus: gpus.map(({ model }) => ({ model })),
      links: nics.map(({ mac }) => ({ mac, up: true })),
      mounts: ['/'],
    });
    let last = 'nothing';
    for (let tries = 0; tries < FIRST_BOOT_TRIES; tries += 1) {
      signal.throwIfAborted();
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', headers, body, signal }).catch(String);
      if (typeof answer !== 'string' && answer.ok) return;
      last = typeof answer === 'string' ? answer : `${answer.status}: ${(await answer.text()).slice(0, 300)}`;
      await sleep(1000, undefined, { signal });
    }
    throw new Error(`the first boot was not taken: ${last}`);
  }
}
