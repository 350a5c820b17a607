import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { agentClient, bmcClient, call } from './clients.ts';
import { buildLab, runLab, type LabProcess } from './lab-process.ts';
import { patchedIso, stubGateway, TOKEN, until, type StubGateway } from './stub-gateway.ts';

const SYSTEM = '/redfish/v1/Systems/1';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;
const CD = `${SYSTEM}/VirtualMedia/Cd`;

let build: ReturnType<typeof buildLab>;
let dir: string;
let gateway: StubGateway;
let lab: LabProcess;

const args = () => ['--data-dir', dir, '--servers', '3', '--speed', '5', '--gateway-url', gateway.url];
beforeAll(async () => {
  build = buildLab();
  dir = mkdtempSync(join(tmpdir(), 'lab-restart-'));
  gateway = await stubGateway();
  lab = await runLab(build.main, args());
  gateway.media = patchedIso(readFileSync(join(dir, 'base.iso')), [`ipa-api-url=${gateway.url}/agent/t`]);
});
afterAll(async () => {
  await lab.end('SIGKILL');
  await gateway.close();
  build.remove();
  rmSync(dir, { recursive: true });
});

const node = (i: number) => bmcClient(dir, parse(readFileSync(lab.inventory, 'utf8')).nodes[i].bmc.address);
const control = async (path: string) => (await call('GET', `${lab.controlUrl}${path}`)).body;
const killAndStart = async () => {
  await lab.end('SIGKILL');
  lab = await runLab(build.main, args());
};

it('goes on after kill -9: addresses, credentials, writes, faults, and a change of power in the middle', async () => {
  const before = { controlUrl: lab.controlUrl, inventory: readFileSync(lab.inventory, 'utf8') };
  const bmc = node(0);
  const session = await bmc.post('/redfish/v1/SessionService/Sessions', {
    UserName: 'admin',
    Password: bmc.password,
  });
  await bmc.post(`${CD}/Actions/VirtualMedia.InsertMedia`, { Image: `${gateway.url}/media/t/a.iso` });
  await bmc.patch(SYSTEM, {
    Boot: { BootSourceOverrideEnabled: 'Continuous', BootSourceOverrideTarget: 'Hdd' },
  });
  await call('PUT', `${lab.controlUrl}/servers/node-002/faults`, { agentSilent: 2 });
  await bmc.post(RESET, { ResetType: 'On' });
  await killAndStart();

  expect(lab.controlUrl).toBe(before.controlUrl);
  expect(readFileSync(lab.inventory, 'utf8')).toBe(before.inventory);
  const headers = { 'x-auth-token': String(session.headers['x-auth-token']) };
  const again = node(0);
  expect((await again.get(CD, undefined, { headers })).body).toMatchObject({ Inserted: true });
  expect((await again.get(SYSTEM)).body.Boot.BootSourceOverrideEnabled).toBe('Continuous');
  expect((await control('/servers/node-002')).faults).toEqual({ agentSilent: 2 });
  const entries = await until('the old system', async () => {
    const all = (await control('/servers/node-001/log')).entries;
    return all.some((e: { event: string }) => e.event === 'system-started') && all;
  });
  expect(entries.filter((e: { event: string }) => e.event === 'request')).toHaveLength(4);
  expect(entries.map((e: { seq: number }) => e.seq)).toEqual(entries.map((_: unknown, i: number) => i + 1));
});

it('finds a running agent running again, with its token, its certificate and its half-done command', async () => {
  const bmc = node(2);
  await bmc.post(`${CD}/Actions/VirtualMedia.InsertMedia`, { Image: `${gateway.url}/media/t/a.iso` });
  await bmc.patch(SYSTEM, { Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Cd' } });
  await bmc.post(RESET, { ResetType: 'On' });
  const beat = await until('a heartbeat', () => gateway.heartbeats.at(-1));
  gateway.token = () => '******';
  const step = { step: 'erase_devices', priority: 10, interface: 'deploy' };
  const started = await agentClient(beat, TOKEN).command(
    'clean.execute_clean_step',
    { step, node: {}, ports: [] },
    false,
  );
  expect(started.body.command_status).toBe('RUNNING');
  gateway.heartbeats.length = 0;
  await killAndStart();

  const after = await until('a heartbeat after the restart', () => gateway.heartbeats.at(-1));
  expect(after).toMatchObject({
    callback_url: beat['callback_url'],
    agent_verify_ca: beat['agent_verify_ca'],
  });
  const ended = await until('the command', async () => {
    const { body } = await agentClient(after, TOKEN).get(
      `/v1/commands/${started.body.id}?wait=true&agent_token=${TOKEN}`,
    );
    return body.command_status !== 'RUNNING' && body;
  });
  expect(ended.command_status).toBe('SUCCEEDED');
  const { disks, power } = await control('/servers/node-003');
  expect(power).toBe('On');
  for (const disk of disks) expect(disk).toMatchObject({ image: null, canaries: [] });
});

it('ends on SIGTERM, and says what is wrong with its command line or its port', async () => {
  const { port } = new URL(lab.controlUrl);
  expect(await lab.end('SIGTERM')).toBe(0);
  const run = (...extra: string[]) => {
    try {
      execFileSync(process.execPath, [build.main, ...extra], { stdio: 'pipe', timeout: 60_000 });
      return { status: 0, stderr: '' };
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: Buffer };
      return { status, stderr: stderr.toString() };
    }
  };
  expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('--data-dir is missing') });
  expect(run('--data-dir', dir, '--servers', 'x').status).toBe(2);
  expect(run('--data-dir', dir, '--host', '0.0.0.0').status).toBe(2);
  const squatter = createServer().listen(Number(port), '127.0.0.1');
  await until('the squatter', () => squatter.listening);
  const taken = run(...args());
  squatter.close();
  expect(taken).toMatchObject({ status: 3, stderr: expect.stringContaining(`port ${port} is taken`) });
  lab = await runLab(build.main, args());
});
