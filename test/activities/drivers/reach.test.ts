import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import net, { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tryGuest } from '../../../activities/drivers/reach.ts';
import { freePorts } from '../../../client/up/ports.ts';
import { contextFor, inventoryFor } from './ironic/context.ts';

// The way to a vantage point is a program of this test that runs the command here; with the real one: test/e2e.

const home = mkdtempSync(join(tmpdir(), 'rackwright-reach-'));
let guest: Server;
let port: number;
let refusing: number;

beforeEach(async () => {
  [port, refusing] = (await freePorts(2)) as [number, number];
  guest = createServer((socket) => socket.end());
  await new Promise<void>((listening) => guest.listen(port, '127.65.0.7', listening));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await new Promise((closed) => guest.close(closed));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Puts a program before the path that is called `ssh`: its log's file is in `$log`, the command in `$line`. */
function sshThat(does: string): void {
  const find = 'for line; do test "$before" = -E && log=$line; before=$line; done';
  writeFileSync(join(home, 'ssh'), `#!/bin/sh\n${find}\n${does}\n`);
  chmodSync(join(home, 'ssh'), 0o755);
  vi.stubEnv('PATH', `${home}:${process.env['PATH']}`);
}
const RUNS =
  'echo "Authenticated to h" >"$log"; setsid -w sh -c "$line"; echo "debug1: Exit status $?" >>"$log"; exit 0';

/** A vantage point that says this of a connection. */
const jumpSays = (said: string, own = ''): void =>
  sshThat(`echo "Authenticated to h" >"$log"; echo "own ${own}"
echo "knock 127.65.0.7 ${port} ${said}"; echo "debug1: Exit status 0" >>"$log"`);

const tried = (ports: number[], ...addresses: string[]) => triedFrom('jump', ports, ...addresses);
const triedFrom = (from: string, ports: number[], ...addresses: string[]) => {
  const inventory = inventoryFor(
    'http://127.0.0.1:1',
    [{ name: 'gpu-01', type: 'hgx', driver: 'ironic', ironic: { driver: 'redfish' }, ports: [PORT] }],
    {
      networks: { tenant: { cidr: '127.65.0.0/16' } },
      vantagePoints: [{ name: 'jump', ssh: { host: 'jump.example', user: 'u', key: 'env:KEY' } }],
      machineTypes: [{ name: 'hgx', handOver: { from, ports } }],
    },
  );
  const context = contextFor({ inventory, node: 'gpu-01', kind: 'deploy', step: 'hand-over' });
  const guestSays = { addresses: addresses.map((address) => ({ interface: 'eth0', address })) };
  return tryGuest({ ...context, secret: async () => 'key' }, guestSays);
};
const PORT = { mac: '52:54:00:00:00:01', network: 'tenant' };

it('a guest is reached from a vantage point, which is said', async () => {
  sshThat(RUNS);
  expect(await tried([port], '127.65.0.7', '127.65.0.8')).toMatchObject({
    summary: `reached on 127.65.0.7:${port} from vantage point jump`,
  });
});

it('what refuses there, and what is not reached at all, is told apart', async () => {
  sshThat(RUNS);
  await expect(tried([port, refusing], '127.65.0.7')).rejects.toMatchObject({
    failure: {
      code: 'HAND_OVER_INCOMPLETE',
      faultDomain: 'first-boot',
      retryable: true,
      message: `The guest is not reached from vantage point jump: 127.65.0.7:${refusing} refused.`,
      details: { from: 'jump', tried: [`127.65.0.7:${refusing}`] },
    },
  });
  jumpSays('124');
  await expect(tried([port], '127.65.0.7')).rejects.toMatchObject({
    failure: { faultDomain: 'tenant-network', message: expect.stringContaining('silent') },
  });
});

it("a vantage point's own address is no guest's", async () => {
  jumpSays('0', '127.65.0.7');
  await expect(tried([port], '127.65.0.7')).rejects.toMatchObject({
    failure: {
      code: 'HAND_OVER_INCOMPLETE',
      message: expect.stringContaining('no address that it could be tried at from vantage point jump'),
    },
  });
});

it('a vantage point that cannot try, or cannot be reached, is the failure, by its name', async () => {
  sshThat('echo "Authenticated to h" >"$log"; echo "debug1: Exit status 127" >>"$log"');
  await expect(tried([port], '127.65.0.7')).rejects.toMatchObject({
    failure: {
      code: 'VANTAGE_UNUSABLE',
      faultDomain: 'control-host',
      message: 'No guest can be tried from vantage point jump: it has no bash.',
    },
  });
  sshThat('echo "ssh: connect to host jump.example port 22: No route to host" >"$log"; exit 255');
  await expect(tried([port], '127.65.0.7')).rejects.toMatchObject({
    failure: {
      code: 'SSH_UNREACHABLE',
      faultDomain: 'management-network',
      retryable: true,
      message: 'SSH to vantage point jump (u at jump.example, port 22): there is no route to it.',
    },
  });
});

it('a connection that never leaves where it is tried from says nothing of the guest', async () => {
  jumpSays('1 bash: connect: Network is unreachable');
  await expect(tried([port], '127.65.0.7')).rejects.toMatchObject({
    failure: {
      code: 'VANTAGE_UNUSABLE',
      faultDomain: 'control-host',
      retryable: true,
      message: `No guest can be tried from vantage point jump: it has no route to that network (127.65.0.7:${port} ENETUNREACH).`,
      correction: expect.not.stringContaining('worker'),
    },
    retryAfterMs: 5000,
  });
  jumpSays('1 bash: connect: No route to host');
  await expect(tried([port], '127.65.0.7')).rejects.toMatchObject({
    failure: {
      code: 'HAND_OVER_INCOMPLETE',
      faultDomain: 'tenant-network',
      correction: expect.not.stringContaining('worker'),
    },
  });
});

it('so it is with the worker', async () => {
  const full = vi.spyOn(net.Socket.prototype, 'connect').mockImplementation(function (this: net.Socket) {
    return this.destroy(Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' }));
  });
  await expect(triedFrom('worker', [port], '127.65.0.7')).rejects.toMatchObject({
    failure: {
      code: 'VANTAGE_UNUSABLE',
      faultDomain: 'orchestrator',
      retryable: true,
      message: `No guest can be tried from the worker: it has no file descriptor left (127.65.0.7:${port} EMFILE).`,
      correction: expect.stringContaining('the machine that the worker of the site runs on'),
    },
  });
  full.mockRestore();
});

it('a vantage point may have thousands of addresses of its own', async () => {
  jumpSays('0', Array.from({ length: 5000 }, (_, at) => `10.96.${at >> 8}.${at & 255}`).join(' '));
  expect(await tried([port], '127.65.0.7')).toMatchObject({ summary: expect.stringContaining('reached on') });
});
