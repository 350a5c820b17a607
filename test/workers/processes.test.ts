import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../../client/up/ports.ts';
import { issue, newAuthority } from '../../lab/certificates.ts';
import { temporaryFolder } from '../support/cli.ts';
import { startDevServer, type DevServer } from '../support/temporal.ts';
import { until } from '../workflows/support.ts';

const DIST = join(import.meta.dirname, '..', '..', 'dist');
const folder = temporaryFolder();
const inventory = join(folder.path, 'site.yaml');
writeFileSync(inventory, 'site: berlin\n');
const dataDir = join(folder.path, 'data');

let server: DevServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; stderr: string }>;
  /** What it tells over the channel once it does its work. */
  readonly ready: Promise<Record<string, string>>;
}

function start(script: string, args: readonly string[]): Started {
  const kept = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL|RACKWRIGHT)_/.test(name));
  const child = spawn(process.execPath, [join(DIST, script), ...args], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    env: Object.fromEntries(kept),
  });
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, stderr }));
  const ready = once(child, 'message').then(([message]) => message as Record<string, string>);
  return { child, ended, ready };
}

const site = (): string[] => ['--address', server.address, '--data-dir', dataDir, '--inventory', inventory];

test.each(['workers/worker.js', 'workers/gateway.js'])(
  '%s: wrong settings end it with exit 2',
  async (script) => {
    const { code, stderr } = await start(script, ['--log-level', 'loud']).ended;
    expect(stderr).toContain('CONFIGURATION_INVALID');
    expect(stderr).toContain('--inventory (RACKWRIGHT_INVENTORY) is missing; --log-level');
    expect(code).toBe(2);
  },
);

test('an inventory with errors ends the worker with exit 2, file and line', async () => {
  const wrong = join(folder.path, 'wrong.yaml');
  writeFileSync(wrong, 'site: Berlin!\n');
  const { code, stderr } = await start('workers/worker.js', [...site().slice(0, 4), '--inventory', wrong])
    .ended;
  expect(stderr).toMatch(/CONTRACT_INVALID .*wrong\.yaml:1:\d+: site /);
  expect(code).toBe(2);
});

test('the worker ends in order on SIGTERM, and when its parent is gone; the watch of the site moves on', async () => {
  const connection = await Connection.connect({ address: server.address });
  const { workflow } = new Client({ connection });
  /** The run of the watch, and the process that watches. */
  const watching = async (): Promise<{ run: string; by: string } | undefined> => {
    const { runId: run, raw } = await workflow.getHandle('watch/berlin').describe();
    const by = raw.pendingActivities?.[0]?.lastWorkerIdentity;
    return by ? { run, by } : undefined;
  };
  const watched = async (): Promise<string | undefined> => (await watching())?.run;
  const first = start('workers/worker.js', site());
  expect(await first.ready).toEqual({ ready: true, site: 'berlin' });
  await until(async () => (await watched()) !== undefined, { what: 'the watch' });
  const run = await watched();
  first.child.kill('SIGTERM');
  expect((await first.ended).code).toBe(0);

  const second = start('workers/worker.js', site());
  await second.ready;
  // It was ended, not lost: the next one begins a run of its own.
  await until(async () => ![run, undefined].includes(await watched()), { what: 'the watch of the second' });
  second.child.disconnect();
  const { code, stderr } = await second.ended;
  expect(stderr).toContain('the parent is gone');
  expect(code).toBe(0);

  // One that is lost says nothing: its heartbeats end, and the same run goes on elsewhere.
  const third = start('workers/worker.js', site());
  await third.ready;
  const by = `${third.child.pid}@`;
  await until(async () => (await watching())?.by.startsWith(by) ?? false, { what: 'the watch of the third' });
  const last = await watched();
  third.child.kill('SIGKILL');
  await third.ended;
  const fourth = start('workers/worker.js', site());
  await fourth.ready;
  const heir = `${fourth.child.pid}@`;
  await until(async () => (await watching())?.by.startsWith(heir) ?? false, {
    seconds: 120,
    what: 'the heir',
  });
  expect(await watched()).toBe(last);
  await connection.close();
  fourth.child.kill('SIGTERM');
  expect((await fourth.ended).code).toBe(0);
});

test('a worker brings the nightly schedule about, and leaves it paused; what it starts comes to a verdict', async () => {
  const nightly = join(folder.path, 'nightly.yaml');
  writeFileSync(
    nightly,
    'site: oslo\nacceptance: { gates: [1] }\nnightly: { schedule: "0 0 29 2 *", timeZone: Europe/Oslo }\n',
  );
  const args = ['--address', server.address, '--data-dir', join(folder.path, 'oslo'), '--inventory', nightly];
  const connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection });
  const handle = client.schedule.getHandle('nightly/oslo');
  const first = start('workers/worker.js', args);
  await first.ready;
  expect(await handle.describe()).toMatchObject({
    spec: { timezone: 'Europe/Oslo' },
    state: { paused: false },
  });
  await handle.pause('holidays');
  first.child.kill('SIGTERM');
  await first.ended;

  const second = start('workers/worker.js', args);
  await second.ready;
  expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'holidays' });
  await handle.trigger('SKIP');
  await until(async () => (await handle.describe()).info.recentActions.length === 1, { what: 'the run' });
  const [started] = (await handle.describe()).info.recentActions;
  expect(await client.workflow.getHandle(started!.action.workflow.workflowId).result()).toMatchObject({
    site: 'oslo',
    runId: expect.stringMatching(/^nightly-/),
    outcome: expect.stringMatching(/^(pass|fail|error)$/),
  });
  await connection.close();
  second.child.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);
});

test('the gateway listens with a certificate, also while Temporal is away', async () => {
  const authority = await newAuthority('Test CA');
  const { cert, key } = await issue(authority, 'gateway', '127.0.0.1');
  const [certFile, keyFile] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const [dead] = await freePorts(1);
  const away = ['--address', `127.0.0.1:${dead}`, '--data-dir', dataDir, '--inventory', inventory];
  const tls = ['--listen', '127.0.0.1:0', '--tls-cert', certFile, '--tls-key', keyFile];
  const gateway = start('workers/gateway.js', [...away, ...tls]);
  const { url } = await gateway.ready;
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const [response] = await once(get(`${url}/healthz`, { ca: authority.cert }), 'response');
  expect((response as { statusCode: number }).statusCode).toBe(200);
  (response as { resume(): void }).resume();
  gateway.child.kill('SIGINT');
  expect((await gateway.ended).code).toBe(0);
});

test('a port that is taken ends the gateway with exit 3, and its name', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await start('workers/gateway.js', [...site(), '--listen', `127.0.0.1:${port}`])
    .ended;
  expect(stderr).toContain(`PORT_TAKEN (control-host): Port ${port} of 127.0.0.1 is taken`);
  expect(code).toBe(3);
  other.close();
});

test('an address that this machine does not have ends the gateway with exit 2, and its name', async () => {
  const { code, stderr } = await start('workers/gateway.js', [...site(), '--listen', '192.0.2.1:8300']).ended;
  expect(stderr).toContain('CONFIGURATION_INVALID (control-host)');
  expect(stderr).toContain('Nothing can listen on 192.0.2.1:8300 (EADDRNOTAVAIL)');
  expect(code).toBe(2);
});

test('secrets that were resolved are masked in logs: in fields, messages and errors', async () => {
  const module = (path: string): string => JSON.stringify(pathToFileURL(join(DIST, path)));
  const script = `
    const { createLogger } = await import(${module('workers/log.js')});
    const { SecretSet } = await import(${module('activities/secrets/redact.js')});
    const log = createLogger('test', 'info', new SecretSet(['correct-horse']));
    log.info({ a: { b: 'x correct-horse y' } }, 'with correct-horse');
    log.error({ err: new Error('no correct-horse') }, 'failed');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await once(child, 'close');
  expect(stdout).toBe('');
  expect(stderr).not.toContain('correct-horse');
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; err?: object });
  expect(lines).toMatchObject([
    { a: { b: 'x [redacted] y' }, msg: 'with [redacted]' },
    { msg: 'failed', err: { message: 'no [redacted]' } },
  ]);
});
