import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { newAuthority, type Identity } from '../../lab/certificates.ts';
import type { Machine } from '../../lab/openstack/cloud.ts';
import { labCloud, type LabCloud } from '../../lab/openstack/start.ts';
import type { CloudService } from '../../lab/openstack/switches.ts';
import { pretendImage } from '../../lab/supplies.ts';
import { writeAtomic } from '../../lab/store.ts';
import { freePorts } from '../../client/up/ports.ts';
import { call, type Reply } from './clients.ts';

/** A cloud of the lab in this process, and an administrator who asks it. */
export interface Bench {
  readonly cloud: LabCloud;
  readonly port: number;
  /** What was done to the machine. */
  readonly done: string[];
  readonly imagePath: string;
  url(path: string): string;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  bytes(path: string): Promise<Buffer>;
  /** A token of this account, with what Keystone answered. */
  login(user?: string, password?: string, scope?: object): Promise<Reply>;
  as(user: string): Promise<void>;
  faults(service: CloudService, switches: object): void;
  /** Asks until it is as wanted. */
  until(path: string, wanted: (body: Reply['body'], status: number) => boolean): Promise<Reply['body']>;
  /** Waits until this has happened to a server or a node. */
  happened(what: string, id: string): Promise<void>;
  /** As the lab is started again, at this speed. */
  restart(speed?: number): Promise<void>;
  /** The part of the contract that is about it, as one who has its CA needs it. */
  contract(inPods?: boolean): { readonly [field: string]: unknown };
  stop(): Promise<void>;
}

const PROJECT = { project: { name: 'acceptance', domain: { name: 'Default' } } };
const NODE = '1ab00000-0000-4000-8000-000000000009';

export async function startBench(first = 50): Promise<Bench> {
  const dir = mkdtempSync(join(tmpdir(), 'lab-openstack-'));
  const [port, consolePort] = (await freePorts(2)) as [number, number];
  const authority: Identity = await newAuthority('Lab CA');
  writeAtomic(join(dir, 'ca.pem'), authority.cert);
  const imagePath = join(dir, 'image.raw');
  writeAtomic(imagePath, pretendImage('acceptance', 1024 * 1024));
  const done: string[] = [];
  const machine: Machine = {
    name: 'node-009',
    uuid: NODE,
    bmc: 'https://node-009.bmc.lab',
    nics: [
      { mac: '52:54:01:00:09:00', address: '127.64.0.9' },
      { mac: '52:54:01:00:09:01', address: '127.65.0.9' },
    ],
    deployed: (name) => done.push(`deployed ${name}`),
    released: () => done.push('released'),
    power: (on) => done.push(on ? 'on' : 'off'),
  };
  const dispatcher = new Agent({ connect: { ca: authority.cert } });
  const open = async (speed: number): Promise<{ cloud: LabCloud; close: () => Promise<void> }> => {
    const cloud = await labCloud({ dir, authority, host: '127.0.0.1', speed, machine, image: imagePath });
    const { close } = await cloud.listen('127.0.0.1', port, consolePort);
    return { cloud, close };
  };
  let running = await open(first);
  let token = '';
  const url = (path: string): string => `https://127.0.0.1:${port}${path}`;
  const passwordOf = (user: string): string =>
    readFileSync(
      join(dir, 'secrets', user === 'reader' ? 'openstack-reader-password' : 'openstack-password'),
      'utf8',
    );
  const bench: Bench = {
    get cloud() {
      return running.cloud;
    },
    port,
    done,
    imagePath,
    url,
    ask: (method, path, body, headers = {}) =>
      call(method, url(path), body, { dispatcher, headers: { 'x-auth-token': token, ...headers } }),
    async bytes(path) {
      const answer = await request(url(path), { dispatcher, headers: { 'x-auth-token': token } });
      return Buffer.from(await answer.body.arrayBuffer());
    },
    login: (user = 'rackwright', password = passwordOf(user), scope = PROJECT) =>
      call(
        'POST',
        url('/identity/v3/auth/tokens'),
        {
          auth: {
            identity: {
              methods: ['password'],
              password: { user: { name: user, domain: { name: 'Default' }, password } },
            },
            scope,
          },
        },
        { dispatcher },
      ),
    async as(user) {
      token = String((await bench.login(user)).headers['x-subject-token']);
    },
    faults(service, switches) {
      const wrong = running.cloud.faults.get(service)!.set(switches);
      if (wrong !== undefined) throw new Error(wrong);
    },
    async until(path, wanted) {
      for (const end = Date.now() + 20_000; ; await sleep(10)) {
        const { body, status } = await bench.ask('GET', path);
        if (wanted(body, status)) return body;
        if (Date.now() > end) throw new Error(`${path} is not as wanted: ${JSON.stringify(body)}`);
      }
    },
    async happened(what, id) {
      const log = (): string => readFileSync(join(dir, 'openstack', 'log.jsonl'), 'utf8');
      for (const end = Date.now() + 20_000; !log().includes(`"what":"${what}","id":"${id}"`); await sleep(10))
        if (Date.now() > end) throw new Error(`${what} did not happen`);
    },
    async restart(speed = first) {
      await running.close();
      running = await open(speed);
    },
    contract(inPods) {
      const { openstack } = running.cloud.contract(inPods) as { openstack: object };
      return { openstack: { ...openstack, ca: join(dir, 'ca.pem') } };
    },
    async stop() {
      await running.close();
      await dispatcher.close();
      rmSync(dir, { recursive: true });
    },
  };
  await bench.as('rackwright');
  return bench;
}

/** What a new server is asked for with. */
export async function serverRequest(bench: Bench, flavor: string, more: object = {}): Promise<object> {
  const named = async (path: string, list: string, name: string): Promise<string> =>
    (await bench.ask('GET', path)).body[list].find((each: { name: string }) => each.name === name)
      .id as string;
  return {
    server: {
      name: 'one',
      flavorRef: await named('/compute/v2.1/flavors', 'flavors', flavor),
      imageRef: await named('/image/v2/images', 'images', 'acceptance-image'),
      networks: [{ uuid: await named('/networking/v2.0/networks', 'networks', 'tenant') }],
      ...more,
    },
  };
}

/** Asks for a server and waits until it is built, or cannot be. */
export async function built(bench: Bench, flavor: string, more: object = {}): Promise<Reply['body']> {
  const { body, status } = await bench.ask(
    'POST',
    '/compute/v2.1/servers',
    await serverRequest(bench, flavor, more),
  );
  if (status !== 202) throw new Error(JSON.stringify(body));
  const path = `/compute/v2.1/servers/${body.server.id}`;
  return (await bench.until(path, ({ server }) => server.status !== 'BUILD')).server;
}

/** Takes a server back and waits until it is gone. */
export async function taken(bench: Bench, id: string): Promise<void> {
  await bench.ask('DELETE', `/compute/v2.1/servers/${id}`);
  await bench.until(`/compute/v2.1/servers/${id}`, (_, status) => status === 404);
}
