import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import { stringify } from 'yaml';
import { issue, newAuthority } from '../../lab/certificates.ts';
import { builtOnce, missingPrograms, peersFolder } from './once.ts';
import { endProcess, freePort } from './peer.ts';

const run = promisify(execFile);

/** Of the API server; its staging modules are published with the same numbers behind `v0`. */
export const VERSION = '1.36.3';
const BUILD_MS = 60 * 60_000;
const READY_MS = 120_000;

const MAIN = `package main

import (
	"os"
	_ "time/tzdata"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
`;

/** Why the API server cannot be built or run here; undefined where it can. */
export function missingForKubernetes(): string | undefined {
  const absent = missingPrograms(['go', 'apt-get', 'dpkg']);
  return absent.length === 0 ? undefined : absent.join(', ');
}

/** Builds kube-apiserver from its Go module, once: some six minutes of two processors, and 2 GB of memory. */
const apiserver = (): Promise<string> =>
  builtOnce(join(peersFolder(), `kube-apiserver-${VERSION}`), async (aside) => {
    const source = await mkdtemp(join(tmpdir(), 'kube-apiserver-'));
    const go = async (...args: string[]): Promise<string> => {
      const env = { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
      const options = { cwd: source, env, timeout: BUILD_MS, maxBuffer: 16 * 1024 * 1024 };
      return (await run('nice', ['-n', '19', 'go', ...args], options)).stdout.trim();
    };
    const module = `k8s.io/kubernetes@v${VERSION}`;
    const { Dir } = JSON.parse(await go('mod', 'download', '-json', module)) as { Dir: string };
    const theirs = await readFile(join(Dir, 'go.mod'), 'utf8');
    const staged = [...theirs.matchAll(/(\S+) => \.\/staging\S*/g)].map(
      ([, name]) => `\t${name} => ${name} v0.${VERSION.slice(2)}`,
    );
    const kept = theirs.split('\n').filter((line) => /^(go|godebug) /.test(line));
    const needs = `require k8s.io/kubernetes v${VERSION}`;
    await writeFile(
      join(source, 'go.mod'),
      ['module local/kube', ...kept, needs, 'replace (', ...staged, ')', ''].join('\n'),
    );
    await writeFile(join(source, 'main.go'), MAIN);
    await go('mod', 'tidy');
    const set = { gitVersion: `v${VERSION}`, gitMajor: '1', gitMinor: VERSION.split('.')[1]! };
    const flags = Object.entries(set).map(
      ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
    );
    await go('build', '-trimpath', '-ldflags', `-s -w ${flags.join(' ')}`, '-o', aside, '.');
    await rm(source, { recursive: true, force: true });
  });

/** Debian's etcd, unpacked and not installed. */
const etcd = (): Promise<string> =>
  builtOnce(join(peersFolder(), 'etcd'), async (aside) => {
    const fetched = `${aside}.deb`;
    await mkdir(fetched, { recursive: true });
    await run('apt-get', ['download', 'etcd-server'], { cwd: fetched, timeout: BUILD_MS });
    const deb = (await readdir(fetched)).find((file) => file.endsWith('.deb'))!;
    await run('dpkg', ['-x', join(fetched, deb), join(fetched, 'tree')]);
    await copyFile(join(fetched, 'tree', 'usr', 'bin', 'etcd'), join(fetched, 'etcd'));
    await rename(join(fetched, 'etcd'), aside);
    await rm(fetched, { recursive: true, force: true });
  });

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A kube-apiserver with an etcd, and nothing else: nodes and pods are what is written into it. */
export class KubeApiServer {
  readonly folder: string;
  readonly url: string;
  readonly #port: number;
  readonly #ports: { readonly client: number; readonly peer: number };
  readonly #agent: Agent;
  #etcd: ChildProcess | undefined;
  #api: ChildProcess | undefined;

  private constructor(
    folder: string,
    ca: string,
    ports: { readonly api: number; readonly client: number; readonly peer: number },
  ) {
    this.folder = folder;
    this.#port = ports.api;
    this.#ports = ports;
    this.url = `https://127.0.0.1:${ports.api}`;
    this.#agent = new Agent({ connect: { ca } });
  }

  static async start(): Promise<KubeApiServer> {
    await Promise.all([apiserver(), etcd()]);
    const folder = await mkdtemp(join(tmpdir(), 'kubernetes-'));
    const authority = await newAuthority('peer');
    const { key, cert } = await issue(authority, 'kube-apiserver', '127.0.0.1');
    const accounts = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const files = {
      'ca.crt': authority.cert,
      'api.key': key,
      'api.crt': cert,
      'sa.key': accounts.privateKey.export({ type: 'pkcs1', format: 'pem' }),
      'sa.pub': accounts.publicKey.export({ type: 'spki', format: 'pem' }),
      'tokens.csv': 'admin-token,admin,admin,"system:masters"\nreader-token,reader,reader,"readers"\n',
    };
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text, { mode: 0o600 });
    const ports = { api: await freePort(), client: await freePort(), peer: await freePort() };
    const server = new KubeApiServer(folder, authority.cert, ports);
    try {
      await server.startEtcd();
      await server.startApi();
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  /** Writes a kubeconfig with a token: `reader-token` is that of an account that may what it was given. */
  async kubeconfig(token: string): Promise<string> {
    const path = join(this.folder, 'kubeconfig');
    const cluster = { server: this.url, 'certificate-authority': join(this.folder, 'ca.crt') };
    await writeFile(
      path,
      stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'peer', cluster }],
        users: [{ name: 'user', user: { token } }],
        contexts: [{ name: 'peer', context: { cluster: 'peer', user: 'user' } }],
        'current-context': 'peer',
      }),
    );
    return path;
  }

  /** Asks the API as the administrator. What is not a success is thrown. */
  async ask(method: Method, path: string, body?: object): Promise<{ [field: string]: unknown }> {
    const patch = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await request(`${this.url}${path}`, {
      dispatcher: this.#agent,
      method,
      headers: { authorization: 'Bearer admin-token', 'content-type': patch },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text) as { [field: string]: unknown };
  }

  /** The status that an account is answered with. */
  async statusFor(token: string, path: string): Promise<number> {
    const response = await request(`${this.url}${path}`, {
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${token}` },
    });
    await response.body.dump();
    return response.statusCode;
  }

  /** Makes an object, with its status, which the API keeps apart. */
  async make(collection: string, object: { metadata: { name: string }; status?: object }): Promise<void> {
    await this.ask('POST', collection, object);
    if (object.status !== undefined)
      await this.ask('PATCH', `${collection}/${object.metadata.name}/status`, { status: object.status });
  }

  async startEtcd(): Promise<void> {
    const { client, peer } = this.#ports;
    const [own, other] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    this.#etcd = this.#run(await etcd(), 'etcd', [
      `--data-dir=${join(this.folder, 'etcd')}`,
      `--listen-client-urls=${own}`,
      `--advertise-client-urls=${own}`,
      `--listen-peer-urls=${other}`,
      `--initial-advertise-peer-urls=${other}`,
      `--initial-cluster=default=${other}`,
    ]);
  }

  async stopEtcd(): Promise<void> {
    if (this.#etcd) await endProcess(this.#etcd);
  }

  /** Starts the API server, and waits until it is ready. */
  async startApi(): Promise<void> {
    const file = (name: string): string => join(this.folder, name);
    this.#api = this.#run(await apiserver(), 'apiserver', [
      `--etcd-servers=http://127.0.0.1:${this.#ports.client}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${this.#port}`,
      '--endpoint-reconciler-type=none',
      `--tls-cert-file=${file('api.crt')}`,
      `--tls-private-key-file=${file('api.key')}`,
      `--token-auth-file=${file('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-signing-key-file=${file('sa.key')}`,
      `--service-account-key-file=${file('sa.pub')}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--disable-admission-plugins=ServiceAccount',
    ]);
    await this.ready();
  }

  async stopApi(): Promise<void> {
    if (this.#api) await endProcess(this.#api);
  }

  /** Waits until the API server says that it is ready. */
  async ready(): Promise<void> {
    const ends = Date.now() + READY_MS;
    for (;;) {
      const status = await request(`${this.url}/readyz`, { dispatcher: this.#agent }).then(
        async ({ statusCode, body }) => {
          await body.dump();
          return statusCode;
        },
        () => 0,
      );
      if (status === 200) return;
      const ended = this.#api?.exitCode;
      if (Date.now() > ends || typeof ended === 'number') {
        const log = await readFile(join(this.folder, 'apiserver.log'), 'utf8');
        throw new Error(`kube-apiserver is not ready (${status}, ${ended}): ${log.slice(-2000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async close(): Promise<void> {
    await this.stopApi();
    await this.stopEtcd();
    await this.#agent.destroy();
    await rm(this.folder, { recursive: true, force: true });
  }

  #run(program: string, name: string, args: readonly string[]): ChildProcess {
    const line = `exec "$0" "$@" >>"${join(this.folder, name)}.log" 2>&1`;
    const child = spawn('sh', ['-c', line, program, ...args], { stdio: 'ignore' });
    // A test that ends before its clean-up leaves nothing running.
    process.once('exit', () => child.kill('SIGKILL'));
    return child;
  }
}
