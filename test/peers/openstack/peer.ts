import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../../client/up/ports.ts';
import { Session, until, type Json, type Scope } from './api.ts';
import { makeCatalogue, MEMBER, READER } from './catalogue.ts';
import { writeGlance, writeIronic, writeKeystone } from './config-small.ts';
import { writeNeutron, writeNova, writePlacement } from './config-whole.ts';
import { enrollNode, IMAGE, IMAGE_BYTES, makeFlavors, makeNetwork, NODES, uploadImage } from './content.ts';
import * as infra from './infra.ts';
import { missingForOpenStack, openStackVenv } from './install.ts';
import { Programs } from '../programs.ts';
import { makeSchemas } from './schema.ts';
import * as services from './services.ts';
import type { Service } from './services.ts';
import * as s from './site.ts';
import type { Account, Api, Port, Site, Timing } from './site.ts';

/** How many seconds a part of the start took. */
export type Lap = readonly [part: string, seconds: number];

export interface OpenStackOptions extends Partial<Timing> {
  /** `small`: Keystone, Glance and Ironic on sqlite; `whole`: Placement, Neutron and Nova, too, on MariaDB and RabbitMQ. */
  readonly services: 'small' | 'whole';
}

const PORTS: readonly Port[] = [...s.APIS, 'ironic-rpc', 'amqp', 'amqp-nodes', 'epmd'];

/** The real OpenStack 2026.1 of PyPI on free ports of loopback, with one folder for all that it writes. */
export class OpenStackPeer {
  readonly authUrl: string;
  readonly region = s.REGION;
  readonly accounts: { readonly admin: Account; readonly reader: Account; readonly member: Account } = {
    admin: s.ADMIN,
    reader: READER,
    member: MEMBER,
  };
  /** The administrator of the project `admin`: what Glance, Neutron, Nova and Placement want. */
  readonly admin: Session;
  /** The administrator of the system: what Ironic wants, whose conductors and drivers no project may see. */
  readonly system: Session;
  readonly laps: Lap[] = [];
  readonly #programs = new Programs();
  #site: Site;

  private constructor(site: Site) {
    this.#site = site;
    this.authUrl = s.endpoint(site, 'keystone');
    this.admin = this.session(s.ADMIN);
    this.system = this.session(s.ADMIN, 'system');
  }

  /** Installs what is not installed yet, and starts everything; what it has when it is up stands in `content.ts`. */
  static async start(options: OpenStackOptions): Promise<OpenStackPeer> {
    const whole = options.services === 'whole';
    const missing = whole ? missingForOpenStack() : undefined;
    if (missing !== undefined) throw new Error(missing);
    const venv = await openStackVenv(options.services);
    const folder = await mkdtemp(join(tmpdir(), 'openstack-'));
    const free = await freePorts(PORTS.length);
    const ports = Object.fromEntries(PORTS.map((name, i) => [name, free[i]!])) as Site['ports'];
    const { tokenSeconds = 3600, downAfterSeconds = 15, deploySeconds = 0 } = options;
    const peer = new OpenStackPeer({
      folder,
      venv,
      whole,
      ports,
      timing: { tokenSeconds, downAfterSeconds, deploySeconds },
    });
    try {
      await peer.#up();
    } catch (error) {
      await peer.close();
      throw error;
    }
    return peer;
  }

  get services(): readonly Service[] {
    return services.servicesOf(this.#site);
  }

  get folder(): string {
    return this.#site.folder;
  }

  endpoint(api: Api): string {
    return s.endpoint(this.#site, api);
  }

  /** A program of the services, with the path: `keystone-manage`, `nova-status`. */
  program(name: string): string {
    return s.bin(this.#site, name);
  }

  /** The configuration of a service, as its programs are told it: `--config-file PATH…`. */
  configArguments(service: Service): string[] {
    return services.configArguments(this.#site, service);
  }

  /** Where Glance keeps the bytes of an image. */
  imageFile(id: string): string {
    return s.state(this.#site, 'glance', 'images', id);
  }

  get tokenSeconds(): number {
    return this.#site.timing.tokenSeconds;
  }

  logFile(service: Service): string {
    return s.log(this.#site, service);
  }

  /** Somebody who logs in when asked for the first time. */
  session(who: Account, scope?: Scope): Session {
    return new Session(this.authUrl, who, (api) => this.endpoint(api), scope);
  }

  isRunning(service: Service): boolean {
    return this.#programs.isRunning(service);
  }

  pid(service: Service): number | undefined {
    return this.#programs.pid(service);
  }

  /** Starts a service; one with an API answers when this is done. */
  start(service: Service): Promise<void> {
    return this.#programs.start(services.program(this.#site, service));
  }

  /** In order: what a service says when it leaves is said. */
  stop(service: Service): Promise<void> {
    return this.#programs.stop(service);
  }

  /** At once, with `kill -9`: nobody is told. */
  kill(service: Service): Promise<void> {
    return this.#programs.kill(service);
  }

  /** Keystone, started again, gives tokens that last that long. */
  async tokensLast(seconds: number): Promise<void> {
    this.#site = { ...this.#site, timing: { ...this.#site.timing, tokenSeconds: seconds } };
    await this.stop('keystone');
    writeKeystone(this.#site);
    await this.start('keystone');
  }

  /** The conductor of Ironic, started again, has fake hardware take that long for each step of a deployment. */
  async deploymentsTake(seconds: number): Promise<void> {
    this.#site = { ...this.#site, timing: { ...this.#site.timing, deploySeconds: seconds } };
    await this.stop('ironic-conductor');
    writeIronic(this.#site);
    await this.start('ironic-conductor');
    await this.#conductor();
  }

  /** Ends everything, and removes the folder. */
  async close(): Promise<void> {
    await Promise.all([...this.services].map((service) => this.kill(service)));
    await Promise.all(['rabbitmq', 'mariadb', 'epmd'].map((name) => this.#programs.kill(name)));
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #up(): Promise<void> {
    const site = this.#site;
    for (const name of ['log', 'state']) mkdirSync(join(site.folder, name));
    for (const write of [writeKeystone, writeGlance, writeIronic]) write(site);
    if (site.whole) {
      for (const write of [writePlacement, writeNeutron, writeNova]) write(site);
      await this.#lap('database and queue', () => this.#infrastructure());
    }
    await this.#lap('schemas', () => makeSchemas(site));
    await this.#lap('keystone', () => this.start('keystone'));
    await this.#lap('catalogue', () => makeCatalogue(this.admin, site));
    const first = this.services.filter((name) => name !== 'nova-compute-ironic');
    await this.#lap('services', () => Promise.all(first.map((service) => this.start(service))));
    await this.#lap('image and nodes', () => this.#content());
    if (site.whole) await this.#lap('computes', () => this.#computes());
  }

  async #infrastructure(): Promise<void> {
    const site = this.#site;
    const queue = async (): Promise<void> => {
      await this.#programs.start(infra.epmd(site));
      await this.#programs.start(infra.rabbitmq(site));
    };
    const data = async (): Promise<void> => {
      await infra.installDatabase(site);
      await this.#programs.start(infra.mariadb(site));
      await infra.createSchemas(site);
    };
    await Promise.all([queue(), data()]);
  }

  async #content(): Promise<void> {
    await uploadImage(this.admin, IMAGE, IMAGE_BYTES);
    await this.#conductor();
    for (const name of NODES) await enrollNode(this.system, name);
    if (!this.#site.whole) return;
    await makeFlavors(this.admin);
    await makeNetwork(this.admin);
  }

  async #conductor(): Promise<void> {
    await until('a conductor of Ironic', async () => {
      const { drivers } = (await this.system.call('GET', 'ironic', '/v1/drivers')) as Json;
      return drivers.length > 0;
    });
  }

  /** Nova sees a compute when it has been looked for; one for Ironic finds its nodes when it starts. */
  async #computes(): Promise<void> {
    await this.start('nova-compute-ironic');
    await infra.mapComputes(this.#site, this.configArguments('nova-api'));
    await until('the providers of both computes', async () => {
      const { resource_providers: seen } = (await this.admin.call(
        'GET',
        'placement',
        '/resource_providers',
      )) as Json;
      return seen.length >= 1 + NODES.length;
    });
    await until('the agents', async () => {
      const { agents } = (await this.admin.call('GET', 'neutron', '/v2.0/agents')) as Json;
      return agents.length === 2 && agents.every(({ alive }: Json) => alive);
    });
  }

  async #lap(part: string, work: () => Promise<unknown>): Promise<void> {
    const began = Date.now();
    await work();
    this.laps.push([part, (Date.now() - began) / 1000]);
  }
}
