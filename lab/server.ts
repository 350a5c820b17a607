import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ramdiskFile } from './agent/ramdisk.ts';
import { parseParameters, startAgent } from './agent.ts';
import { applyPendingBios, seal } from './bios.ts';
import { bootDisk } from './boot-disk.ts';
import { serialConsole, type SerialConsole } from './console.ts';
import { recordFault, recordPower } from './event-log.ts';
import { fileDiskStore, type DiskStore } from './disks.ts';
import { faults, type Faults } from './faults.ts';
import { applyStagedFirmware, nicsAfterUpdate, resumeUpdates } from './firmware.ts';
import { type Hardware, type Nic } from './hardware.ts';
import { probeImage, readBootMedia, MediaError } from './media.ts';
import { disksOfAgent, partsOf } from './parts.ts';
import { redactUrl } from './redact.ts';
import { newState, noMedium, SLOTS, type Override, type ServerState, type Slot } from './state.ts';
import { eventLog, saved, type EventLog, type Saved } from './store.ts';
import { TIMING, pauseAt, type Pause } from './timing.ts';

export type ResetType =
  'On' | 'ForceOn' | 'ForceOff' | 'GracefulShutdown' | 'GracefulRestart' | 'ForceRestart' | 'PowerCycle';

/** One pretend server: power, firmware, disks, and whatever runs on it. Its BMC is elsewhere. */
export class Server {
  readonly hardware: Hardware;
  readonly disks: DiskStore;
  readonly log: EventLog;
  readonly console: SerialConsole;
  readonly faults: Faults;
  readonly speed: number;
  readonly #state: Saved<ServerState>;
  readonly #dir: string;
  readonly pause: Pause;
  readonly #closing = new AbortController();
  #restartBmc: () => void = () => {};
  #life = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #stopRunning: () => Promise<void> | void = () => {};

  constructor(
    dir: string,
    hardware: Hardware,
    account: { username: string; password: string },
    speed: number,
  ) {
    this.#dir = dir;
    this.hardware = hardware;
    this.speed = speed;
    this.pause = pauseAt(speed);
    this.#state = saved(join(dir, 'state.json'), () => newState(account));
    // A lab of an earlier version knows less.
    const fresh = newState(account);
    const { value } = this.#state;
    this.#state.value = { ...fresh, ...value, bios: { ...fresh.bios, ...value.bios } };
    this.log = eventLog(join(dir, 'log.jsonl'));
    this.console = serialConsole(dir);
    this.disks = fileDiskStore(
      dir,
      hardware.name,
      hardware.disks.map((d) => d.serial),
    );
    this.faults = faults(
      { read: () => this.state.faults, write: (values) => this.change({ faults: values }) },
      (name) => {
        this.log.append('fault-fired', { fault: name });
        recordFault(this, name);
      },
    );
  }

  get state(): Readonly<ServerState> {
    return this.#state.value;
  }

  /** What of the hardware can be seen: all of it, unless a fault hides some. */
  get parts(): Hardware {
    return partsOf({ ...this.hardware, nics: nicsAfterUpdate(this, this.hardware.nics) }, this.faults);
  }

  /** Changes what is remembered; it is on file when this returns. */
  change(part: Partial<ServerState>): void {
    Object.assign(this.#state.value, part);
    this.#state.save();
  }

  /** Aborted when the pretence ends. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** How the BMC is restarted: known to whoever listens for it. */
  onBmcRestart(restart: () => void): void {
    this.#restartBmc = restart;
  }

  restartBmc(): void {
    this.#restartBmc();
  }

  /** Goes on where the hardware was when the lab ended. */
  resume(): void {
    resumeUpdates(this);
    if (this.state.changeDueAt !== null) this.#awaitChange();
    else if (this.state.power === 'On') this.#boot();
  }

  /** Ends the pretence, not the power: state stays as it is. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort();
    this.#life.abort();
    await this.#stopRunning();
  }

  /** Carries a power action out, as far as it makes sense in the present state. */
  reset(type: ResetType): void {
    const { power } = this.state;
    const up = power === 'On' || power === 'PoweringOn';
    if (type === 'On' || type === 'ForceOn') {
      if (power === 'PoweringOff') this.change({ backOn: true });
      else if (!up) this.#startChange('PoweringOn', TIMING.powerOn);
    } else if (type === 'ForceOff' || type === 'GracefulShutdown') {
      if (up) this.#goDown(false, type === 'ForceOff' ? TIMING.powerOff : TIMING.gracefulOff);
      else this.change({ backOn: false });
    } else if (up) this.#goDown(true, TIMING.powerOff);
    else if (type === 'PowerCycle' || type === 'ForceRestart')
      this.#startChange('PoweringOn', TIMING.powerOn);
  }

  setOverride(part: Partial<Override>): void {
    const override = { ...this.state.override, ...part };
    if (override.enabled === 'Disabled') override.target = 'None';
    this.change({ override });
    this.log.append('override', { ...override });
  }

  /** Inserts an image after asking its server for it; throws a {@link MediaError} when that fails. */
  async insert(slot: Slot, image: string, transferMethod: 'Stream' | 'Upload'): Promise<void> {
    if (this.faults.take('mediaUnreachable')) throw new MediaError('the image server could not be reached');
    const size = this.faults.on('mediaNeverFetched')
      ? null
      : await probeImage(image, AbortSignal.timeout(15_000));
    const medium = { image, inserted: true, writeProtected: true, transferMethod };
    this.change({ media: { ...this.state.media, [slot]: medium } });
    this.log.append('insert', { slot, image: redactUrl(image), size });
  }

  eject(slot: Slot): void {
    const ejected = { ...this.state.ejected, [slot]: this.state.media[slot]?.image ?? null };
    this.change({ media: { ...this.state.media, [slot]: noMedium() }, ejected });
    this.log.append('eject', { slot });
  }

  #startChange(power: 'PoweringOn' | 'PoweringOff', ms: number): void {
    this.change({ power, changeDueAt: Date.now() + ms / this.speed });
    this.#awaitChange();
  }

  #goDown(backOn: boolean, ms: number): void {
    this.#endRunning();
    this.change({ backOn, running: null });
    this.#startChange('PoweringOff', ms);
  }

  #endRunning(): void {
    this.#life.abort();
    void this.#stopRunning();
    this.#stopRunning = () => {};
    rmSync(this.#ramdisk, { force: true });
  }

  #awaitChange(): void {
    clearTimeout(this.#timer);
    const wait = Math.max(0, (this.state.changeDueAt ?? 0) - Date.now());
    this.#timer = setTimeout(() => this.#finishChange(), wait);
  }

  #finishChange(): void {
    if (this.state.power === 'PoweringOn') {
      applyPendingBios(this);
      applyStagedFirmware(this);
      this.change({ power: 'On', changeDueAt: null, bootEntriesAtPost: this.state.bootEntries });
      this.log.append('power', { state: 'On' });
      this.console.clear(`${this.hardware.manufacturer} ${this.hardware.model}, UEFI`);
      recordPower(this, 'On');
      this.#boot();
      return;
    }
    const { backOn } = this.state;
    this.change({ power: 'Off', changeDueAt: null, backOn: false, running: null });
    this.log.append('power', { state: 'Off' });
    recordPower(this, 'Off');
    if (backOn) this.#startChange('PoweringOn', TIMING.powerOn);
  }

  #boot(): void {
    this.#life = new AbortController();
    const { signal } = this.#life;
    this.#run(signal).catch((error: unknown) => {
      if (!signal.aborted) this.log.append('boot-crashed', { reason: String(error) });
    });
  }

  async #run(signal: AbortSignal): Promise<void> {
    if (this.state.running === null) this.change({ running: { from: this.#chooseBoot(), parameters: null } });
    if (this.state.running?.from === 'media') {
      const parameters = this.state.running.parameters ?? (await this.#bootMedia(signal));
      signal.throwIfAborted();
      if (parameters !== undefined) return this.#runAgent(parameters, signal);
      this.change({ running: { from: 'disk', parameters: null } });
    }
    const { parts: hardware, disks, faults } = this;
    const system = bootDisk({
      hardware,
      disks,
      faults,
      pause: this.pause,
      log: this.#append,
      seal: (what) => seal(this, what),
      print: (text) => this.console.print(text),
    });
    this.#stopRunning = () => system.stop();
  }

  /** What the firmware boots. An override for one boot is used up by this. */
  #chooseBoot(): 'media' | 'disk' {
    const { override, media } = this.state;
    if (override.enabled === 'Disabled' || override.target === 'None') return 'disk';
    this.log.append('override-used', { ...override });
    if (override.enabled === 'Once' && !this.faults.take('overrideStays'))
      this.change({ override: { ...override, enabled: 'Disabled', target: 'None' } });
    if (this.faults.take('bootsDiskInstead')) return 'disk';
    if (override.target === 'Hdd') return 'disk';
    const drives = Object.entries(SLOTS).filter(([, { target }]) => target === override.target);
    if (drives.some(([slot]) => media[slot]?.inserted)) return 'media';
    this.log.append('boot-target-failed', { target: override.target });
    return 'disk';
  }

  async #bootMedia(signal: AbortSignal): Promise<string | undefined> {
    const image = Object.values(this.state.media).find((medium) => medium.inserted)?.image;
    await this.pause(TIMING.bootToAgent, signal);
    try {
      if (image === undefined || image === null) throw new MediaError('there is no medium any more');
      if (this.faults.take('mediaUnreachable')) throw new MediaError('the image server could not be reached');
      const { label, parameters, bytesRead } = await readBootMedia(image, signal);
      signal.throwIfAborted();
      this.log.append('boot-media', { label, image: redactUrl(image), bytesRead });
      this.change({ running: { from: 'media', parameters } });
      return parameters;
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      this.log.append('boot-media-failed', { reason: redactUrl(error.message) });
      this.console.print(`BdsDxe: failed to start the medium: ${error.message}`);
      return undefined;
    }
  }

  async #runAgent(parametersText: string, signal: AbortSignal): Promise<void> {
    const parameters = parseParameters(parametersText);
    const apiUrl = parameters['ipa-api-url'];
    if (apiUrl === undefined) {
      this.log.append('agent-ended', { end: 'gave-up', reason: 'no ipa-api-url in /parameters.txt' });
      return;
    }
    // As a kernel shows its command line.
    this.console.print(`[    0.000000] Command line: ipa-api-url=${apiUrl}`);
    this.console.print('\u001b[0;32m  OK  \u001b[0m Started ironic-python-agent.');
    const agentToken = parameters['ipa-agent-token'];
    const apiVersion = parameters['ipa-ironic-api-version'];
    const collectLldp = /^(1|true|yes|on)$/i.test(parameters['ipa-collect-lldp'] ?? '');
    const { disks, faults } = this;
    const foreign = (nic: Nic): Nic => ({ ...nic, mac: nic.mac.replace(/^52/, '56') });
    const look = (): Hardware => {
      const parts = { ...this.parts, disks: disksOfAgent(this.parts.disks, faults) };
      return faults.on('agentForeignMacs') ? { ...parts, nics: parts.nics.map(foreign) } : parts;
    };
    const agent = await startAgent({
      apiUrl,
      ...(agentToken === undefined ? {} : { agentToken }),
      ...(apiVersion === undefined ? {} : { apiVersion }),
      collectLldp,
      hardware: look(),
      look,
      disks,
      bootEntries: {
        read: () => this.state.bootEntries,
        write: (bootEntries) => this.change({ bootEntries }),
      },
      faults,
      pause: this.pause,
      log: this.#append,
      ramdisk: ramdiskFile(this.#ramdisk, () => !signal.aborted),
      onPowerOff: () => this.reset('ForceOff'),
      onReboot: () => this.reset('ForceRestart'),
    });
    this.#stopRunning = () => agent.stop();
    if (signal.aborted) await agent.stop();
  }

  get #ramdisk(): string {
    return join(this.#dir, 'ramdisk.json');
  }

  readonly #append = (event: string, details?: Record<string, unknown>): void =>
    this.log.append(event, details);
}
