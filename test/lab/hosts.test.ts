import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadInventory } from '../../activities/inventory/load.ts';
import { resolveSecret } from '../../activities/secrets/resolve.ts';
import { sshOf } from '../../activities/gates/host/controllers.ts';
import { runOn } from '../../activities/ssh/run.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { newKey, shownKey } from '../../lab/hosts/host.ts';
import { call } from './clients.ts';
import { buildLab, runLab, type LabProcess } from './lab-process.ts';

let build: ReturnType<typeof buildLab>;
let dir: string;
let lab: LabProcess;
const args = (): string[] => ['--data-dir', dir, '--servers', '1', '--control-plane'];

beforeAll(async () => {
  build = buildLab();
  dir = mkdtempSync(join(tmpdir(), 'lab-hosts-'));
  lab = await runLab(build.main, args());
});
afterAll(async () => {
  await lab.end('SIGKILL');
  build.remove();
  rmSync(dir, { recursive: true });
});

async function contract(): Promise<Inventory> {
  const loaded = await loadInventory(lab.inventory);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.inventory;
}
/** Runs a command on a controller as the checks do. */
async function on(host: number, words: readonly string[], change: object = {}) {
  const { controllers } = await contract();
  return runOn({ ...sshOf(controllers[host]!), ...change }, words, {
    secret: resolveSecret,
    signal: new AbortController().signal,
  });
}
const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
const faults = (): string => `${lab.controlUrl}/services/hosts/faults`;

it('lets OpenSSH in with the key of the contract, and is each controller by itself', async () => {
  expect(await on(1, ['hostname'])).toEqual({ stdout: 'controller-2\n', stderr: '', exitCode: 0 });
  expect((await on(2, ['cat', '/etc/hostname'])).stdout).toBe('controller-3\n');
  expect((await on(0, ['sh', '-c', 'echo no >&2; exit 7'])).exitCode).toBe(7);
  const ids = await Promise.all(
    [0, 1, 2].map(async (host) => (await on(host, ['cat', '/etc/machine-id'])).stdout),
  );
  expect(new Set(ids).size).toBe(3);
});

it('lets nobody else in, and shows the key that the contract pins', async () => {
  await expect(on(0, ['true'], { user: 'root' })).rejects.toMatchObject({
    failure: { code: 'SSH_AUTH_FAILED' },
  });
  // Another key of the lab, which is nobody's to log in with.
  const other = join(dir, 'secrets', 'host-controller-1');
  await expect(on(0, ['true'], { key: `file:${other}` })).rejects.toMatchObject({
    failure: { code: 'SSH_AUTH_FAILED' },
  });
  const { controllers } = await contract();
  await expect(on(0, ['true'], { hostKey: controllers[1]!.ssh!.hostKey })).rejects.toMatchObject({
    failure: { code: 'SSH_HOST_KEY_MISMATCH' },
  });
});

it('passes on what is large and what is read', async () => {
  const { controllers } = await contract();
  const input = 'x'.repeat(300_000);
  const ran = await runOn(sshOf(controllers[0]!), ['cat'], {
    secret: resolveSecret,
    signal: new AbortController().signal,
    input,
    maxBytes: 1_000_000,
  });
  expect(ran.stdout).toBe(input);
});

it('ends what it runs when it is killed, and is the same hosts with the same faults afterwards', async () => {
  await call('PUT', faults(), { hostnameOther: true });
  const before = await contract();
  const id = (await on(1, ['cat', '/etc/machine-id'])).stdout;
  const { controllers } = before;
  // It says its process id where it can be read from here, and would go on for long.
  const file = join(dir, 'running');
  const running = runOn(
    sshOf(controllers[0]!),
    ['sh', '-c', `echo $$ >${file}.next; mv ${file}.next ${file}; exec sleep 600`],
    {
      secret: resolveSecret,
      signal: new AbortController().signal,
    },
  ).then(
    () => 'ended',
    () => 'cut off',
  );
  await expect.poll(() => textOf(file), { timeout: 20_000 }).toMatch(/^\d+\n$/);
  const pid = Number(textOf(file));
  await lab.end('SIGKILL');
  expect(await running).toBe('cut off');
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);

  lab = await runLab(build.main, args());
  expect(await contract()).toEqual(before);
  expect((await on(1, ['cat', '/etc/machine-id'])).stdout).toBe(id);
  expect((await on(2, ['hostname'])).stdout).toBe('localhost.localdomain\n');
  await call('DELETE', faults());
  expect((await on(2, ['hostname'])).stdout).toBe('controller-3\n');
});

it('makes no key that it cannot read', () => {
  for (let made = 0; made < 2000; made++) expect(shownKey(newKey())).toMatch(/^ecdsa-sha2-nistp256 /);
});
