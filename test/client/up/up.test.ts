import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataDirPaths } from '../../../activities/datadir.ts';
import { livingPid } from '../../../client/up/pid-files.ts';
import { gone } from '../../../client/up/process-table.ts';
import { readRunning, type Running } from '../../../client/up/running.ts';
import type { NodeRecord } from '../../../core/node.ts';
import type { OperationReport } from '../../../core/operations.ts';
import { cli, startCli, temporaryFolder, type CliResult } from '../../support/cli.ts';

// One system with a lab for all tests of this file, in their order.
const folder = temporaryFolder();
const dir = dataDirPaths(join(folder.path, 'data'));
const UP = ['up', '--lab', '--servers', '2', '--lab-speed', '20', '--data-dir', dir.root, '--port-base', '0'];
let system: ChildProcess;

const rackwright = (...args: string[]): Promise<CliResult> => cli([...args, '--data-dir', dir.root]);
async function json<T>(...args: string[]): Promise<T> {
  const { stdout } = await rackwright(...args, '--json');
  return JSON.parse(stdout) as T;
}

let stderr = '';

/** Starts the system and waits for its line. Of a flag that is given twice, the last one counts. */
async function start(...flags: string[]): Promise<string> {
  system = startCli([...UP, ...flags]);
  let stdout = '';
  stderr = '';
  system.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    system.stdout!.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.includes('\n')) resolve(stdout);
    });
    system.once('exit', (code) => reject(new Error(`up ended with ${code}: ${stderr}`)));
  });
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', resolve));

async function fault(node: string, faults: Record<string, number | true>): Promise<void> {
  const { controlUrl } = JSON.parse(readFileSync(join(dir.run, 'lab.json'), 'utf8')) as {
    controlUrl: string;
  };
  const response = await fetch(`${controlUrl}/servers/${node}/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(faults),
  });
  expect(response.status).toBe(200);
}

let line = '';
beforeAll(async () => {
  line = await start();
});
afterAll(async () => {
  if (system.exitCode === null && system.signalCode === null) {
    const exited = exitOf(system);
    system.kill('SIGINT');
    await exited;
  }
  folder[Symbol.dispose]();
});

describe('up', () => {
  test('prints one line that starts with ready and has the URLs, and they answer', async () => {
    const match = /^ready site=lab nodes=2 ui=(\S+) temporal=(\S+) gateway=(\S+) lab=(\S+)\n$/.exec(line);
    expect(match).not.toBeNull();
    const [, ui, , gateway] = match!;
    expect((await fetch(ui!)).status).toBe(200);
    expect(await (await fetch(`${gateway}/healthz`)).json()).toMatchObject({ site: 'lab' });
    const status = await rackwright('status');
    expect(status.stdout).toContain('nodes: 2 enrolled\n');
    expect(status.code).toBe(0);
  });

  test('a node of which nothing was asked yet is enrolled, in every command, and enroll is for it', async () => {
    expect(await json('status')).toMatchObject({ phases: { enrolled: 2 } });
    expect(await json('node', 'list')).toMatchObject({
      nodes: [
        { node: 'node-001', phase: 'enrolled', running: false, stopped: false },
        { node: 'node-002', phase: 'enrolled' },
      ],
    });
    expect((await rackwright('node', 'list')).stdout).toMatch(/^node-001 +enrolled +- /m);
    expect(await json('node', 'show', 'node-001')).toMatchObject({ node: 'node-001', phase: 'enrolled' });
    const { stdout } = await rackwright('node', 'show', 'node-001');
    expect(stdout).toMatch(/^node-001: enrolled\n {2}nothing was asked of it yet; begin with enroll\n/);
    expect(stdout).toContain('legal now: enroll, ');
    expect((await rackwright('plan', 'enroll', 'node-001')).stdout).toContain(
      'The node is enrolled and would',
    );
  });

  test('a second one with the same data directory is refused, and harms nothing', async () => {
    const { code, stderr } = await cli(UP);
    expect(stderr).toContain(`ALREADY_RUNNING (control-host): Process ${system.pid}`);
    expect(code).toBe(1);
    expect(await json('status')).toMatchObject({ worker: true, gateway: { answers: true } });
  });

  test('names every port that is taken, and the flag that chooses another', async () => {
    const { temporalAddress, gatewayUrl } = readRunning(dir) as Running;
    const [temporal, gateway] = [temporalAddress, gatewayUrl].map((at) => at.split(':').at(-1)!);
    const other = ['up', '--lab', '--data-dir', join(folder.path, 'other')];
    const ports = ['--temporal-port', temporal!, '--ui-port', '0', '--gateway-port', gateway!];
    const { code, stderr } = await cli([...other, ...ports]);
    expect(stderr).toContain(`port ${temporal} for Temporal is taken (--temporal-port chooses another)`);
    expect(stderr).toContain(`port ${gateway} for the gateway is taken (--gateway-port chooses another)`);
    expect(code).toBe(3);
  });

  test('an address that this machine does not have is not a port that is taken', async () => {
    const other = ['up', '--lab', '--data-dir', join(folder.path, 'other'), '--port-base', '0'];
    const { code, stderr } = await cli([...other, '--gateway-host', '192.0.2.1']);
    expect(stderr).toMatch(
      /CONFIGURATION_INVALID .*: Nothing can listen on 192\.0\.2\.1:\d+ for the gateway/,
    );
    expect(stderr).toContain('(EADDRNOTAVAIL): correct --gateway-port or --gateway-host.');
    expect(code).toBe(2);
  });
});

describe('verbs', () => {
  test('a node that no one knows: exit 2', async () => {
    const { code, stderr } = await rackwright('node', 'enroll', 'node-999');
    expect(stderr).toContain('NODE_UNKNOWN');
    expect(code).toBe(2);
  });

  test('wait, show each step once, and end with the verdict: exit 0', async () => {
    const { code, stdout } = await rackwright('node', 'enroll', 'node-001', '--request-id', 'first');
    expect(stdout).toMatch(/^✓ Reach the BMC and find the system/m);
    expect(stdout).toContain('enroll of node-001 (first): pass; the node is manageable');
    expect(stdout.split('\n').filter((each) => each.startsWith('✓ Reach the BMC'))).toHaveLength(1);
    expect(code).toBe(0);
  });

  test('repeated with its id it is the same operation, over already', async () => {
    const report = await json<OperationReport>('node', 'enroll', 'node-001', '--request-id', 'first');
    expect(report).toMatchObject({ operationId: 'first', outcome: 'pass' });
    const { operations } = await json<{ operations: unknown[] }>('node', 'history', 'node-001');
    expect(operations).toHaveLength(1);
  });

  test('what the phase does not allow: ILLEGAL_VERB with the legal verbs, exit 1', async () => {
    const { code, stderr } = await rackwright('node', 'deploy', 'node-001', '--image', 'ubuntu-24.04');
    expect(stderr).toMatch(/ILLEGAL_VERB .*Legal now: inspect, clean, /);
    expect(code).toBe(1);
    const plan = await rackwright('plan', 'deploy', 'node-001');
    expect(plan.stdout).toContain('The node would refuse it now');
    expect(plan.code).toBe(1);
  });

  test('--no-wait returns the ticket; op watch follows it', async () => {
    const ticket = await json<{ operationId: string; workflowId: string }>(
      'node',
      'clean',
      'node-001',
      '--no-wait',
    );
    expect(ticket.workflowId).toBe(`op/lab/node-001/${ticket.operationId}`);
    const { code, stdout } = await rackwright('op', 'watch', ticket.operationId);
    expect(stdout).toContain('pass; the node is available');
    expect(code).toBe(0);
  });

  test('user data is sealed, and travels as a reference', async () => {
    const userData = join(folder.path, 'user-data');
    writeFileSync(userData, '#cloud-config\npassword: correct-horse\n');
    const deploy = ['node', 'deploy', 'node-001', '--image', 'ubuntu-24.04', '--owner', 'team-a'];
    const sealed = [...deploy, '--request-id', 'sealed', '--user-data'];
    await fault('node-001', { wrongImageBytes: 1 });
    expect((await rackwright(...sealed, userData)).code).toBe(4);
    const blobs = readdirSync(dir.blobs);
    expect(blobs).toHaveLength(1);
    // A repetition is the same request; another one under its id is refused, and takes nothing away from it.
    expect(await json(...sealed, userData, '--no-wait')).toMatchObject({ operationId: 'sealed' });
    const other = join(folder.path, 'other-user-data');
    writeFileSync(other, '#cloud-config\n');
    expect((await rackwright(...sealed, other)).stderr).toContain('REQUEST_ID_REUSED');
    const unlike = await rackwright(...sealed, userData, '--image', 'rocky-9');
    expect(unlike.stderr).toContain('REQUEST_ID_REUSED');
    expect(readdirSync(dir.blobs)).toEqual(blobs);
    expect(readFileSync(join(dir.blobs, blobs[0]!)).includes('correct-horse')).toBe(false);
    const { code } = await rackwright('op', 'resume', 'sealed', '--node', 'node-001');
    expect(code).toBe(0);
    expect(readdirSync(dir.blobs)).toEqual([]);
    expect((await rackwright(...sealed, userData)).code).toBe(0);
    expect(readdirSync(dir.blobs)).toEqual([]);
    const node = await json<NodeRecord>('node', 'show', 'node-001');
    expect(node).toMatchObject({ phase: 'active', owner: 'team-a' });
  });

  test('user data of a request that is refused is not kept', async () => {
    const deploy = ['node', 'deploy', 'node-001', '--image', 'ubuntu-24.04'];
    const { code } = await rackwright(...deploy, '--user-data', join(folder.path, 'user-data'));
    expect(code).toBe(1);
    expect(readdirSync(dir.blobs)).toEqual([]);
  });

  test('a node that was deployed for nobody says so', async () => {
    expect((await rackwright('node', 'release', 'node-001')).code).toBe(0);
    expect((await rackwright('node', 'deploy', 'node-001', '--image', 'ubuntu-24.04')).code).toBe(0);
    expect((await rackwright('node', 'show', 'node-001')).stdout).toContain(
      '  no owner   image: ubuntu-24.04',
    );
    expect((await rackwright('node', 'list')).stdout).toMatch(
      /node-001 +active +on +no owner +ubuntu-24\.04/,
    );
    expect(await json('node', 'show', 'node-001')).toMatchObject({ owner: null });
  });

  test('held: exit 4, with correction and evidence; resumed: exit 0', async () => {
    expect((await rackwright('node', 'enroll', 'node-002')).code).toBe(0);
    await fault('node-002', { eraseFails: 1 });
    const held = await rackwright('node', 'clean', 'node-002', '--request-id', 'held');
    expect(held.stdout).toMatch(/clean of node-002 \(held\): held; the node is clean-failed/);
    expect(held.stdout).toContain('correction: ');
    expect(held.code).toBe(4);

    const report = await json<OperationReport>('op', 'show', 'held');
    expect(report).toMatchObject({ held: true, kind: 'clean' });
    const evidence = await json<{ sha256: string }>('evidence', 'show', report.evidence[0]!.id);
    expect(evidence.sha256).toBe(report.evidence[0]!.sha256);
    expect(await json('node', 'list')).toMatchObject({
      nodes: [{ node: 'node-001' }, { node: 'node-002', operation: 'held', flags: ['held'] }],
    });

    const resumed = await rackwright('op', 'resume', 'held', '--node', 'node-002');
    expect(resumed.stdout).toContain('clean of node-002 (held): pass; the node is available');
    expect(resumed.code).toBe(0);
  });

  test('flags answer at once', async () => {
    const { code, stdout } = await rackwright(
      'node',
      'maintenance',
      'node-002',
      'on',
      '--reason',
      'new fans',
    );
    expect(stdout).toBe('maintenance of node-002: done\n');
    expect(code).toBe(0);
    const shown = await rackwright('node', 'show', 'node-002');
    expect(shown.stdout).toContain('maintenance: new fans');
  });

  test('an operation that is not there: OPERATION_UNKNOWN, exit 1', async () => {
    const { code, stdout } = await rackwright('op', 'show', 'nowhere', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'OPERATION_UNKNOWN' } });
    expect(code).toBe(1);
  });
});

describe('crashes', () => {
  test('a process that is killed is started again', async () => {
    const worker = livingPid(dir, 'worker')!;
    process.kill(worker.pid, 'SIGKILL');
    expect(await gone(worker, 5000)).toBe(true);
    const { code } = await rackwright('node', 'inspect', 'node-001');
    expect(code).toBe(0);
    expect(livingPid(dir, 'worker')?.pid).not.toBe(worker.pid);
  });

  test('kill -9 of everything in the middle of an operation: the next up goes on with it', async () => {
    const lab = livingPid(dir, 'lab')!;
    const release = ['node', 'release', 'node-001', '--request-id', 'cut', '--no-wait'];
    expect((await rackwright(...release)).code).toBe(0);
    const exited = exitOf(system);
    for (const name of ['up', 'worker', 'gateway', 'temporal']) {
      process.kill(livingPid(dir, name)!.pid, 'SIGKILL');
    }
    await exited;
    await start();
    expect(stderr).not.toContain('warning');
    expect(livingPid(dir, 'lab')?.pid).toBe(lab.pid);
    const { code, stdout } = await rackwright('op', 'watch', 'cut', '--node', 'node-001');
    expect(stdout).toContain('pass; the node is available');
    expect(code).toBe(0);
  });

  test('kill -9 of up alone: its children end, and what stays is ended by the next up', async () => {
    const [worker, temporal] = [livingPid(dir, 'worker')!, livingPid(dir, 'temporal')!];
    const exited = exitOf(system);
    system.kill('SIGKILL');
    await exited;
    expect(await gone(worker, 40_000)).toBe(true);
    expect(livingPid(dir, 'temporal')?.pid).toBe(temporal.pid);
    // The lab has outlived it, too, and keeps what it has.
    expect(await start('--servers', '3', '--lab-speed', '7')).toContain('nodes=2');
    expect(stderr).toContain('joined as it is: it has 2 servers, not 3, and has speed 20, not 7.');
    expect(await gone(temporal, 0)).toBe(true);
    expect(await json('node', 'show', 'node-002')).toMatchObject({ flags: { maintenance: 'new fans' } });
  });

  test('Ctrl-C ends everything in order, the lab included: exit 0', async () => {
    const pids = ['worker', 'gateway', 'temporal', 'lab'].map((name) => livingPid(dir, name)!);
    const exited = exitOf(system);
    system.kill('SIGINT');
    expect(await exited).toBe(0);
    for (const seen of pids) expect(await gone(seen, 0)).toBe(true);
    expect(readdirSync(dir.run)).toEqual(['ports.json']);
    expect(existsSync(dir.temporalDb)).toBe(true);
    expect((await rackwright('status')).code).toBe(3);
  });
});
