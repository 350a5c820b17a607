import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { expect } from 'vitest';
import { agentUrl } from '../../../activities/agent/urls.ts';
import { AUDIENCES, type Tokens } from '../../../activities/tokens/tokens.ts';
import { Rackwright } from '../../../client/sdk/rackwright.ts';
import type { GatewayAccess, OperationRef, TokenWindow } from '../../../core/operations.ts';
import { labHardware } from '../../../lab/hardware.ts';
import { historyPages } from './places.ts';
import { GIVEN, NODES, type Play } from './play.ts';
import { quotingAgent, type Quoting, type Sent } from './quoting-agent.ts';
import { windowsIn } from './windows.ts';

const AGENT_QUOTINGS = ['refuses the command', 'refuses the config drive', 'fails the command'] as const;

interface Stage {
  readonly play: Play;
  readonly client: Client;
  readonly tokens: Tokens;
}

/** Everything that is done with secrets, right and wrong. Answers what the quoting agents were sent. */
export async function allActs(stage: Stage): Promise<Sent[]> {
  const [sent] = await Promise.all([
    failingAgents(stage),
    plainLife(stage),
    refusingMedia(stage),
    refusedLogins(stage),
    ironicLives(stage),
  ]);
  await wrongUse(stage);
  await knockAtGateway(stage);
  await lookAtEverything(stage);
  return sent;
}

const userData = ({ play }: Stage, name: string, secret: string): string =>
  play.file(name, `#cloud-config\npassword: ${secret}\n`);

async function plainLife(stage: Stage): Promise<void> {
  const node = NODES.plain;
  await stage.play.verb(0, 'enroll', node);
  await stage.play.verb(0, 'clean', node);
  const image = ['--image', 'ubuntu-24.04', '--owner', 'alice'];
  await stage.play.verb(
    0,
    'deploy',
    node,
    ...image,
    '--user-data',
    userData(stage, 'user-data', GIVEN.userData),
  );
}

/** The BMC quotes the media's URL, then everything that it is sent. */
async function refusingMedia(stage: Stage): Promise<void> {
  for (const name of ['media', 'page'] as const) {
    const proxy = stage.play.proxies[name]!;
    await stage.play.verb(0, 'enroll', NODES[name]);
    proxy.refuse = ({ method, url }) => method !== 'GET' && /VirtualMedia/.test(url);
    await stage.play.verb(1, 'clean', NODES[name]);
    proxy.refuse = ({ method, url }) => method !== 'GET' && !/Sessions/.test(url);
    await stage.play.verb(1, 'power', NODES[name], 'on');
    proxy.refuse = ({ url }) => url.endsWith('/Systems/1');
    await stage.play.verb(1, 'inspect', NODES[name]);
  }
}

/** The BMC refuses credentials, and quotes them. */
async function refusedLogins(stage: Stage): Promise<void> {
  stage.play.proxies.login!.refuse = ({ method, url }) => method === 'POST' && /Sessions/.test(url);
  stage.play.proxies.basic!.refuse = ({ headers }) => headers.authorization !== undefined;
  for (const name of ['login', 'basic', 'wrong'] as const) await stage.play.verb(1, 'enroll', NODES[name]);
}

/** The deploy agent does not write the image, and quotes what it was sent. */
async function failingAgents(stage: Stage): Promise<Sent[]> {
  const node = NODES.agent;
  await stage.play.verb(0, 'enroll', node);
  await stage.play.verb(0, 'clean', node);
  const set = await fetch(`${stage.play.lab.controlUrl}/servers/${node}/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agentSilent: true }),
  });
  expect(set.status).toBe(200);
  const sent: Sent[] = [];
  for (const [index, quoting] of AGENT_QUOTINGS.entries())
    sent.push(await failingAgent(stage, `quoted-${index}`, quoting));
  return sent;
}

async function failingAgent(stage: Stage, requestId: string, quoting: Quoting): Promise<Sent> {
  const node = NODES.agent;
  const file = userData(stage, requestId, GIVEN.userData);
  const given = ['--image', 'rocky-9', '--owner', 'bob', '--user-data', file, '--request-id', requestId];
  const deployed = stage.play.verb(1, 'deploy', node, ...given);
  const { ref, window } = await Promise.race([
    awaitingAgent(stage, node, requestId),
    deployed.then(tooEarly),
  ]);
  const apiUrl = agentUrl({ tokens: stage.tokens, gatewayUrl: stage.play.product.urls.gateway }, ref, window);
  const agent = await quotingAgent(apiUrl, labHardware(Number(node.slice(-3))), quoting);
  try {
    await deployed;
    return await Promise.race([agent.sent, sleep(1000).then(tooEarly)]);
  } finally {
    await agent.close();
  }
}

const tooEarly = (): never => {
  throw new Error('the operation ended before its agent was asked to write');
};

/** Waits until an operation waits for its agent. */
async function awaitingAgent(
  stage: Stage,
  node: string,
  requestId: string,
): Promise<{ ref: OperationRef; window: TokenWindow }> {
  const site = new Rackwright(stage.client, stage.play.lab.contract.site);
  const id = site.operationId(node, requestId);
  for (let looks = 0; looks < 600; looks++) {
    const report = await site.report(id).catch(() => undefined);
    if (report?.steps.some((step) => step.id === 'await-agent' && step.state === 'waiting')) {
      const access = await stage.client.workflow.getHandle(id).query<GatewayAccess>('access');
      if (access.ref) return { ref: access.ref, window: access.window };
    }
    await sleep(300);
  }
  throw new Error(`${id} never waited for its agent`);
}

async function ironicLives(stage: Stage): Promise<void> {
  const proxy = stage.play.proxies.ironic!;
  const refused = NODES.quotingIronic;
  const deploy = ['--image', 'fake-one', '--owner', 'carol'];
  const data = ['--user-data', userData(stage, 'ironic', GIVEN.ironicUserData)];
  for (const node of [NODES.ironic, refused]) {
    await stage.play.verb(0, 'enroll', node);
    await stage.play.verb(0, 'clean', node);
  }
  await stage.play.verb(0, 'deploy', NODES.ironic, ...deploy, ...data);
  proxy.refuse = ({ method, body }) => method === 'PUT' && body.includes('configdrive');
  await stage.play.verb(1, 'deploy', refused, ...deploy, ...data);
  await stage.play.verb(0, 'release', refused);
  await stage.play.verb(0, 'decommission', refused);
}

/** What people do wrong with secrets. */
async function wrongUse(stage: Stage): Promise<void> {
  const deploy = ['node', 'deploy', NODES.login, '--image', 'rocky-9', '--owner', 'eve'];
  expect(await stage.play.say(...deploy, '--ssh-key', stage.play.file('id_ed25519', GIVEN.privateKey))).toBe(
    2,
  );
  expect(await stage.play.say('validate', stage.play.inlineInventory())).toBe(2);
  const site = new Rackwright(stage.client, stage.play.lab.contract.site);
  const plain = { image: 'rocky-9', owner: 'eve', userData: `#cloud-config\n${GIVEN.plainUserData}` };
  const refused = await site.request(NODES.login, 'deploy', plain).then(
    () => 'it was taken',
    (error: unknown) => (error as Error).message,
  );
  expect(refused).toContain('userData');
  stage.play.said.push({ place: 'the refusal of plain user data', bytes: Buffer.from(refused) });
}

/** Tokens at doors that are not theirs, or are closed. */
async function knockAtGateway(stage: Stage): Promise<void> {
  for (const { ref, window } of windowsIn(await historyPages(stage.client)).slice(0, 20)) {
    for (const audience of AUDIENCES) {
      const token = stage.tokens.mint(ref, audience, window);
      for (const door of [
        `agent/${token}/v1/lookup?addresses=x`,
        `media/${token}/x.iso`,
        `firstboot/${token}`,
      ]) {
        const answer = await fetch(`${stage.play.product.urls.gateway}/${door}`, {
          headers: { referer: `${stage.play.product.urls.gateway}/${door}` },
        });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        stage.play.said.push({
          place: `the gateway's answer to ${door.slice(0, 5)}`,
          bytes: Buffer.from(await answer.text()),
        });
      }
    }
  }
}

/** Every command that shows something, of everything. */
async function lookAtEverything(stage: Stage): Promise<void> {
  const site = new Rackwright(stage.client, stage.play.lab.contract.site);
  await stage.play.say('status');
  await stage.play.say('op', 'list', '--json');
  for (const node of Object.values(NODES)) await stage.play.say('node', 'show', node);
  for (const { outcome, operationId } of await site.operations({ limit: 100 }))
    if (outcome === 'fail') await stage.play.say('op', 'show', operationId, '--json');
}
