import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { AgentClient } from '../../activities/agent/client.ts';
import { nodeUuid } from '../../activities/agent/identity.ts';
import { mediaParameters } from '../../activities/agent/urls.ts';
import { run } from '../../activities/agent/work.ts';
import { redfishDriver } from '../../activities/drivers/redfish/driver.ts';
import { Tokens } from '../../activities/tokens/tokens.ts';
import { readHardware } from '../../core/agent/hardware.ts';
import { notYet } from '../../core/errors/failure.ts';
import type { GatewayAccess, StepInput } from '../../core/operations.ts';
import { createGateway, temporalOperations } from '../../workers/gateway/gateway.ts';
import { missingForRealAgent, startRealAgent, type RealAgent } from '../peers/ipa.ts';
import { createLocalEnvironment } from '../support/temporal.ts';
import { memoryLog } from '../workers/gateway/fixture.ts';
import { House, INVENTORY, SITE, until } from '../workflows/support.ts';

/** The real agent against the real gateway, in front of real operations; only the BMC is scripted. */
const tokens = new Tokens(new Uint8Array(32));
const { log, logged } = memoryLog();
const MACS = { n1: '52:54:00:00:00:01', n2: '52:54:00:00:00:02' } as const;
/** Chassis aa:bb:cc:00:01:02, port swp1, 120 seconds, system leaf-1, end. */
const FRAME = '020704aabbcc00010204050573777031060200780a066c6561662d310000';
let house: House;
let url: string;
let close: () => Promise<unknown>;
const agents: RealAgent[] = [];
/** What the operation of each node was started with, once its BMC was told to boot the agent. */
const booted = new Map<string, StepInput>();
let goOn = false;

beforeAll(async () => {
  const missing = await missingForRealAgent();
  if (missing.length > 0) throw new Error(`the real agent needs: ${missing.join(', ')}`);
  house = await House.build(await createLocalEnvironment());
  const app = createGateway({
    site: SITE,
    tokens,
    operations: temporalOperations(house.environment.client),
    contract: async () => INVENTORY,
    log,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  close = () => app.close();
  const { script } = house.driver;
  script['boot-agent'] = async (input) => {
    booted.set(input.ref.node, input);
    return undefined;
  };
  script['await-agent'] = async (_input, context) => redfishDriver.steps['await-agent']!(context);
  script['check-hardware'] = async (_input, context) => redfishDriver.steps['check-hardware']!(context);
  script['sync'] = async (_input, context) => redfishDriver.steps['sync']!(context);
  script['erase'] = async () => {
    if (!goOn) throw notYet('AGENT_COMMAND_RUNNING', 'the test holds it here', 200);
    return undefined;
  };
});

afterEach(async () => {
  goOn = true;
  await Promise.all(agents.splice(0).map((agent) => agent.stop()));
});

afterAll(async () => {
  await close();
  await house.close();
  await house.environment.teardown();
});

/** Brings an operation to where it waits for its agent; returns the agent's token. */
async function waiting(node: 'n1' | 'n2', requestId: string): Promise<string> {
  goOn = false;
  booted.delete(node);
  await house.open(node);
  if ((await house.state(node)).phase === 'enrolled') await house.run('enroll', {}, node);
  await house.send('clean', { requestId, onFailure: 'fail' }, node);
  await until(() => booted.has(node));
  const { ref, window } = booted.get(node)!;
  return tokens.mint(ref, 'agent', window);
}

async function startAgent(token: string, mac: string): Promise<RealAgent> {
  const agent = await startRealAgent({
    parameters: mediaParameters(`${url}/agent/${token}`, true),
    mac,
    lldp: FRAME,
  });
  agents.push(agent);
  return agent;
}

const access = (requestId: string, node: string): Promise<GatewayAccess> =>
  house.operation(requestId, node).query<GatewayAccess>('access');

const heartbeat = (token: string, body: object): Promise<Response> =>
  fetch(`${url}/agent/${token}/v1/heartbeat/${nodeUuid(SITE, 'n1')}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });

it('looks its node up, is heard, and is called over its own certificate', async () => {
  const token = await waiting('n1', 'clean-real');
  const { ref, window } = booted.get('n1')!;
  const agent = await startAgent(token, MACS.n1);
  await until(async () => (await access('clean-real', 'n1')).agentHeard, { what: 'a heartbeat' }).catch(
    (error: unknown) => {
      throw new Error(`${String(error)}\n${agent.output().slice(-3000)}\n${logged().slice(-2000)}`);
    },
  );
  const { callbackUrl, certificate, mediaOpen } = await access('clean-real', 'n1');
  expect(callbackUrl).toBe(`https://127.0.0.1:${agent.port}`);
  expect(mediaOpen).toBe(false);

  const agentToken = tokens.agentToken(ref, window.epoch);
  const contact = { callbackUrl: callbackUrl!, certificate: certificate!, version: '13.0.0' };
  const client = new AgentClient({ contact, token: agentToken });
  expect((await client.status()).version).toBe('13.0.0');
  const info = await run(client, 'poll.get_hardware_info');
  const hardware = readHardware(info);
  expect(hardware.interfaces.map((nic) => nic.mac)).toContain(MACS.n1);
  expect(hardware.cpus).toBeGreaterThan(0);
  // It listens for LLDP, since its media say so.
  expect(info).toMatchObject({
    interfaces: [
      {
        has_carrier: true,
        lldp: [
          [1, '04aabbcc000102'],
          [2, '0573777031'],
          [3, '0078'],
          [5, '6c6561662d31'],
          [0, ''],
        ],
      },
    ],
  });
  expect(hardware.interfaces[0]).toMatchObject({
    carrier: true,
    neighbour: {
      chassisId: 'aa:bb:cc:00:01:02',
      portId: 'swp1',
      systemName: 'leaf-1',
      portDescription: null,
    },
  });
  const node = { uuid: nodeUuid(SITE, 'n1'), properties: {}, instance_info: {}, driver_internal_info: {} };
  const steps = await run(client, 'clean.get_clean_steps', { node, ports: [] });
  expect(JSON.stringify(steps)).toContain('erase_devices_metadata');
  expect((await client.commands()).map(({ name, status }) => [name, status])).toContainEqual([
    'get_hardware_info',
    'succeeded',
  ]);
  const wrong = new AgentClient({ contact, token: 'x'.repeat(43) });
  await expect(wrong.commands()).rejects.toMatchObject({ failure: { code: 'AGENT_REFUSED_TOKEN' } });
  await expect(client.start('nope.nope', {})).rejects.toMatchObject({ failure: { code: 'AGENT_REFUSED' } });

  const lookup = await fetch(`${url}/agent/${token}/v1/lookup?addresses=${MACS.n1}`);
  expect(await lookup.json()).toMatchObject({ config: { agent_token: '******' } });
  const beat = { callback_url: callbackUrl, agent_token: agentToken, agent_verify_ca: certificate };
  expect((await heartbeat(token, beat)).status).toBe(202);
  expect((await heartbeat(token, { ...beat, callback_url: 'https://192.0.2.9:9999' })).status).toBe(403);
  expect((await heartbeat(token, { ...beat, callback_url: 'https://127.0.0.1:1' })).status).toBe(403);
  expect((await heartbeat(token, { ...beat, agent_token: '******' })).status).toBe(401);
  expect((await heartbeat(tokens.mint(ref, 'media', window), beat)).status).toBe(403);

  goOn = true;
  const report = await house.result('clean-real', 'n1');
  expect(report.failure).toBeUndefined();
  expect(report.outcome).toBe('pass');
  expect(report.steps.find((step) => step.id === 'await-agent')!.summary).toContain('13.0.0');
  expect((await heartbeat(token, beat)).status).toBe(410);
  expect(logged()).not.toContain(agentToken);
  expect(logged()).not.toContain(token.split('.')[1]);
});

it('never crosses with another agent, nor gets in with a forged token', async () => {
  await until(async () => (await house.state('n1')).operation === null);
  await until(async () => (await house.state('n1')).phase === 'available');
  const second = await waiting('n2', 'clean-cross-2');
  // The first node's operation is over: its token is forged from the second's, and from another key.
  const forged = new Tokens(new Uint8Array(32).fill(1)).mint(booted.get('n2')!.ref, 'agent', {
    epoch: 1,
    expires: 4_000_000_000,
  });
  await startAgent(second, MACS.n1);
  await startAgent(forged, MACS.n2);
  await until(() => /AGENT_WRONG_NODE/.test(logged()) && /TOKEN_INVALID/.test(logged()), { seconds: 120 });
  expect(await access('clean-cross-2', 'n2')).toMatchObject({ mediaOpen: true, agentHeard: false });
  // The right one still gets through.
  const right = await startAgent(second, MACS.n2);
  await until(async () => (await access('clean-cross-2', 'n2')).agentHeard, { seconds: 120 });
  const { callbackUrl } = await access('clean-cross-2', 'n2');
  expect(callbackUrl).toBe(`https://127.0.0.1:${right.port}`);
  goOn = true;
  expect((await house.result('clean-cross-2', 'n2')).outcome).toBe('pass');
});
