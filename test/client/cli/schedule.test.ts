import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileStandingStore } from '../../../activities/standing/standing-store.ts';
import { freePorts } from '../../../client/up/ports.ts';
import { withGate } from '../../../core/acceptance/standing.ts';
import { acceptanceWorkflowId } from '../../../core/names.ts';
import { cli, temporaryFolder } from '../../support/cli.ts';
import { startDevServer, type DevServer } from '../../support/temporal.ts';

const folder = temporaryFolder();
let server: DevServer;
beforeAll(async () => {
  server = await startDevServer();
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const IMAGE = Buffer.alloc(4096, 'image');
IMAGE.set([0x55, 0xaa], 510);

/** The options of commands on a site of its own, whose contract ends with these lines. */
function site(name: string, contract: string): string[] {
  const dir = join(folder.path, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'agent.iso'), '');
  writeFileSync(join(dir, 'ubuntu.raw'), IMAGE);
  const checksum = createHash('sha256').update(IMAGE).digest('hex');
  writeFileSync(
    join(dir, 'site.yaml'),
    `site: ${name}
networks: { provisioning: { cidr: 127.0.0.0/8, kind: provisioning } }
media: { gatewayUrl: http://127.0.0.1:8300, iso: agent.iso }
images: [{ name: ubuntu, url: ubuntu.raw, checksum: "sha256:${checksum}", format: raw }]
${contract}`,
  );
  return ['--data-dir', join(dir, 'data'), '--inventory', join(dir, 'site.yaml')];
}
const there = (): string[] => ['--address', server.address];

describe('schedule', () => {
  const NIGHTLY = 'nightly: { schedule: "0 0 29 2 *", timeZone: Europe/Berlin }\n';
  const run = async (where: string[], ...args: string[]) =>
    JSON.parse((await cli(['schedule', ...args, '--json', ...where, ...there()])).stdout) as Record<
      string,
      unknown
    >;

  test('apply, list, pause, resume and trigger do what they say', async () => {
    const where = site('berlin', NIGHTLY);
    expect(await run(where, 'list')).toEqual({ schedules: [] });
    expect(await run(where, 'apply')).toMatchObject({
      applied: 'created',
      schedule: { schedule: 'nightly/berlin', paused: false, timeZone: 'Europe/Berlin' },
    });
    expect(await run(where, 'pause', '--reason', 'holidays')).toMatchObject({
      schedule: { paused: true, note: 'holidays', next: [] },
    });
    expect(await run(where, 'apply')).toMatchObject({ applied: 'updated', schedule: { paused: true } });
    const shown = await cli(['schedule', 'list', ...where, ...there()]);
    expect([shown.code, shown.stdout.split('\n')[0]]).toEqual([
      0,
      'nightly/berlin: paused (holidays), Europe/Berlin',
    ]);
    expect(await run(where, 'resume')).toMatchObject({ schedule: { paused: false } });
    expect(await run(where, 'trigger')).toMatchObject({ done: 'triggered' });
    site('berlin', '');
    expect(await run(where, 'apply')).toMatchObject({ applied: 'deleted', schedule: null });
  });

  test('what is not there is told, with an exit code', async () => {
    const where = site('paris', '');
    const { code, stderr } = await cli(['schedule', 'pause', ...where, ...there()]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('SCHEDULE_UNKNOWN')]);
    site('paris', 'nightly: { schedule: "61 * * * *" }\n');
    const refused = await cli(['schedule', 'apply', ...where, ...there()]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not a schedule')]);
  });

  test.each([
    '5/15 0-23/2 * jan-mar MON,Wed',
    '0 3 * January-Sept monday,TUES',
    '0 3 * * mo-fr',
    '0 3 * * 5-7',
    '0 3 29 2 *',
    '0,30 3 1-15 */2 7',
  ])('what a contract may say, Temporal takes: %s', async (cron) => {
    const where = site('vienna', `nightly: { schedule: "${cron}" }\n`);
    const { code, stderr } = await cli(['schedule', 'apply', ...where, ...there()]);
    expect([code, stderr]).toEqual([0, '']);
  });
});

describe('an image that was promoted', () => {
  const CONTRACT = 'acceptance: { gates: [1, 5], runOn: [image-promoted] }\n';

  test('starts the acceptance run that the contract wants', async () => {
    const where = site('oslo', CONTRACT);
    const { stdout } = await cli(['image', 'promote', 'ubuntu', '--json', ...where, ...there()]);
    const { run } = JSON.parse(stdout) as { run: string };
    expect(run).toMatch(/^image-promoted-ubuntu-[0-9a-f]{14}$/);
    const connection = await Connection.connect({ address: server.address });
    const handle = new Client({ connection }).workflow.getHandle(acceptanceWorkflowId('oslo', run));
    const { events } = await handle.fetchHistory();
    await connection.close();
    const input = events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads![0]!.data!;
    expect(JSON.parse(Buffer.from(input).toString())).toMatchObject({
      site: 'oslo',
      runId: run,
      gates: [5],
      onFailure: 'fail',
      whenBusy: 'wait',
    });
    const again = await cli(['image', 'promote', 'ubuntu', '--json', ...where, ...there()]);
    expect(JSON.parse(again.stdout)).toMatchObject({ changed: false, run: null });
  });

  test('is promoted also where no run can be started, and the command says which one to start', async () => {
    const where = site('rome', CONTRACT);
    const [port] = await freePorts(1);
    const nowhere = ['--address', `127.0.0.1:${port}`];
    const { code, stdout, stderr } = await cli(['image', 'promote', 'ubuntu', ...where, ...nowhere]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('ubuntu is now at version 1')]);
    expect(stderr).toMatch(/No acceptance run was started: .*rackwright acceptance run --gates 5/);
  });
});

describe('status', () => {
  test('shows how the gates stand', async () => {
    const where = site('bern', '');
    const data = where[where.indexOf('--data-dir') + 1]!;
    const gate = { runId: 'r1', endedAt: '2026-03-01T10:00:00.000Z', contractHash: 'c', fingerprint: 'f' };
    await fileStandingStore(join(data, 'standing')).change('bern', (standing) =>
      withGate(withGate(standing, { ...gate, gate: 1, outcome: 'pass' }), {
        ...gate,
        gate: 2,
        outcome: 'fail',
        failure: { code: 'CHECK_FAILED', faultDomain: 'kubernetes', message: 'etcd has no quorum.' },
      }),
    );
    const { stdout } = await cli(['status', ...where, ...there()]);
    expect(stdout).toContain('gates: 1 pass, 2 fail\n');
    expect(stdout).toContain(
      'gate 2 is not green since 2026-03-01T10:00:00.000Z (kubernetes, run r1): etcd has no quorum.',
    );
    const json = JSON.parse((await cli(['status', '--json', ...where, ...there()])).stdout) as object;
    expect(json).toMatchObject({ gates: [{ gate: 1 }, { gate: 2, outcome: 'fail' }], acceptanceRun: null });
  });
});
