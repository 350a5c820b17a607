import { mkdtempSync, readdirSync, readFileSync, writeFileSync, appendFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentUrl } from '../../../activities/agent/urls.ts';
import { dataDirPaths } from '../../../activities/datadir.ts';
import { siteKey } from '../../../activities/secrets/site-key.ts';
import { AUDIENCES, Tokens } from '../../../activities/tokens/tokens.ts';
import { connect, type Connected } from '../../../client/sdk/connect.ts';
import { Rackwright } from '../../../client/sdk/rackwright.ts';
import type { GatewayAccess, OperationRef, TokenWindow } from '../../../core/operations.ts';
import { labHardware } from '../../../lab/hardware.ts';
import { formsOf, type Canary } from './forms.ts';
import { dataDirPages, databaseCells, filesBelow, historyPages, type Page } from './places.ts';
import { GIVEN, NODES, Play, random } from './play.ts';
import { quotingAgent, type Quoting, type Sent } from './quoting-agent.ts';
import { windowsIn } from './windows.ts';
import { Scanner, type Leak } from './scanner.ts';

/** Distinct secrets go through the product, much of which fails and is quoted back at it; they stay nowhere. */
const play = new Play(mkdtempSync(join(tmpdir(), 'rackwright-secrets-')));
const AGENT_QUOTINGS = ['refuses the command', 'refuses the config drive', 'fails the command'] as const;
const agentSent: Sent[] = [];
let connected: Connected;
let tokens: Tokens;
let key: Buffer;
let canaries: Canary[];
let histories: Page[];
let cells: Page;

beforeAll(async () => {
  await play.start();
  connected = await connect({ address: play.product.urls.temporal, namespace: 'default' });
  key = await siteKey(dataDirPaths(play.product.dataDir).siteKey);
  tokens = new Tokens(key);
  await Promise.all([plainLife(), refusingMedia(), refusedLogins(), failingAgents(), ironicLives()]);
  await wrongUse();
  await knockAtGateway();
  await lookAtEverything();
  histories = await historyPages(connected.client);
  cells = await databaseCells(play.product.dataDir);
  canaries = allCanaries();
});
afterAll(async () => {
  await connected?.close();
  await play.stop();
  await rm(play.home, { recursive: true, force: true });
});

const userData = (name: string, secret: string): string =>
  play.file(name, `#cloud-config\npassword: ${secret}\n`);

async function plainLife(): Promise<void> {
  const node = NODES.plain;
  await play.verb(0, 'enroll', node);
  await play.verb(0, 'clean', node);
  const image = ['--image', 'ubuntu-24.04', '--owner', 'alice'];
  await play.verb(0, 'deploy', node, ...image, '--user-data', userData('user-data', GIVEN.userData));
}

/** The BMC quotes the media's URL, then everything that it is sent. */
async function refusingMedia(): Promise<void> {
  for (const name of ['media', 'page'] as const) {
    const proxy = play.proxies[name]!;
    await play.verb(0, 'enroll', NODES[name]);
    proxy.refuse = ({ method, url }) => method !== 'GET' && /VirtualMedia/.test(url);
    await play.verb(1, 'clean', NODES[name]);
    proxy.refuse = ({ method, url }) => method !== 'GET' && !/Sessions/.test(url);
    await play.verb(1, 'power', NODES[name], 'on');
    proxy.refuse = ({ url }) => url.endsWith('/Systems/1');
    await play.verb(1, 'inspect', NODES[name]);
  }
}

/** The BMC refuses credentials, and quotes them. */
async function refusedLogins(): Promise<void> {
  play.proxies.login!.refuse = ({ method, url }) => method === 'POST' && /Sessions/.test(url);
  play.proxies.basic!.refuse = ({ headers }) => headers.authorization !== undefined;
  for (const name of ['login', 'basic', 'wrong'] as const) await play.verb(1, 'enroll', NODES[name]);
}

/** The deploy agent does not write the image, and quotes what it was sent. */
async function failingAgents(): Promise<void> {
  const node = NODES.agent;
  await play.verb(0, 'enroll', node);
  await play.verb(0, 'clean', node);
  const set = await fetch(`${play.lab.controlUrl}/servers/${node}/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agentSilent: true }),
  });
  expect(set.status).toBe(200);
  for (const [index, quoting] of AGENT_QUOTINGS.entries()) await failingAgent(`quoted-${index}`, quoting);
}

async function failingAgent(requestId: string, quoting: Quoting): Promise<void> {
  const node = NODES.agent;
  const file = userData(requestId, GIVEN.userData);
  const given = ['--image', 'rocky-9', '--owner', 'bob', '--user-data', file, '--request-id', requestId];
  const deployed = play.verb(1, 'deploy', node, ...given);
  const { ref, window } = await Promise.race([awaitingAgent(node, requestId), deployed.then(tooEarly)]);
  const apiUrl = agentUrl({ tokens, gatewayUrl: play.product.urls.gateway }, ref, window);
  const agent = await quotingAgent(apiUrl, labHardware(Number(node.slice(-3))), quoting);
  try {
    await deployed;
    agentSent.push(await Promise.race([agent.sent, sleep(1000).then(tooEarly)]));
  } finally {
    await agent.close();
  }
}

const tooEarly = (): never => {
  throw new Error('the operation ended before its agent was asked to write');
};

/** Waits until an operation waits for its agent. */
async function awaitingAgent(
  node: string,
  requestId: string,
): Promise<{ ref: OperationRef; window: TokenWindow }> {
  const site = new Rackwright(connected.client, play.lab.contract.site);
  const id = site.operationId(node, requestId);
  for (let looks = 0; looks < 600; looks++) {
    const report = await site.report(id).catch(() => undefined);
    if (report?.steps.some((step) => step.id === 'await-agent' && step.state === 'waiting')) {
      const access = await connected.client.workflow.getHandle(id).query<GatewayAccess>('access');
      if (access.ref) return { ref: access.ref, window: access.window };
    }
    await sleep(300);
  }
  throw new Error(`${id} never waited for its agent`);
}

async function ironicLives(): Promise<void> {
  const proxy = play.proxies.ironic!;
  const refused = NODES.quotingIronic;
  const deploy = ['--image', 'fake-one', '--owner', 'carol'];
  const data = ['--user-data', userData('ironic', GIVEN.ironicUserData)];
  for (const node of [NODES.ironic, refused]) {
    await play.verb(0, 'enroll', node);
    await play.verb(0, 'clean', node);
  }
  await play.verb(0, 'deploy', NODES.ironic, ...deploy, ...data);
  proxy.refuse = ({ method, body }) => method === 'PUT' && body.includes('configdrive');
  await play.verb(1, 'deploy', refused, ...deploy, ...data);
  await play.verb(0, 'release', refused);
  await play.verb(0, 'decommission', refused);
}

/** What people do wrong with secrets. */
async function wrongUse(): Promise<void> {
  const deploy = ['node', 'deploy', NODES.login, '--image', 'rocky-9', '--owner', 'eve'];
  expect(await play.say(...deploy, '--ssh-key', play.file('id_ed25519', GIVEN.privateKey))).toBe(2);
  expect(await play.say('validate', play.inlineInventory())).toBe(2);
  const site = new Rackwright(connected.client, play.lab.contract.site);
  const plain = { image: 'rocky-9', owner: 'eve', userData: `#cloud-config\n${GIVEN.plainUserData}` };
  const refused = await site.request(NODES.login, 'deploy', plain).then(
    () => 'it was taken',
    (error: unknown) => (error as Error).message,
  );
  expect(refused).toContain('userData');
  play.said.push({ place: 'the refusal of plain user data', bytes: Buffer.from(refused) });
}

/** Tokens at doors that are not theirs, or are closed. */
async function knockAtGateway(): Promise<void> {
  for (const { ref, window } of windowsIn(await historyPages(connected.client)).slice(0, 20)) {
    for (const audience of AUDIENCES) {
      const token = tokens.mint(ref, audience, window);
      for (const door of [
        `agent/${token}/v1/lookup?addresses=x`,
        `media/${token}/x.iso`,
        `firstboot/${token}`,
      ]) {
        const answer = await fetch(`${play.product.urls.gateway}/${door}`, {
          headers: { referer: `${play.product.urls.gateway}/${door}` },
        });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        play.said.push({
          place: `the gateway's answer to ${door.slice(0, 5)}`,
          bytes: Buffer.from(await answer.text()),
        });
      }
    }
  }
}

/** Every command that shows something, of everything. */
async function lookAtEverything(): Promise<void> {
  const site = new Rackwright(connected.client, play.lab.contract.site);
  await play.say('status');
  await play.say('op', 'list', '--json');
  for (const node of Object.values(NODES)) await play.say('node', 'show', node);
  for (const { outcome, operationId } of await site.operations({ limit: 100 }))
    if (outcome === 'fail') await play.say('op', 'show', operationId, '--json');
}

function allCanaries(): Canary[] {
  const named = Object.entries(GIVEN).filter(([name]) => name !== 'privateKey');
  const body = GIVEN.privateKey.split('\n')[1]!;
  const windows = windowsIn(histories);
  const signature = (token: string): string => token.slice(token.indexOf('.') + 1);
  return [
    ...named.map(([name, value]) => ({ name, bytes: Buffer.from(value) })),
    { name: 'private key', bytes: Buffer.from(body) },
    { name: 'site key', bytes: key },
    { name: 'BMC password', bytes: Buffer.from(play.bmcPassword) },
    ...Object.values(play.proxies)
      .flatMap(({ sessionTokens }) => sessionTokens)
      .map((token) => ({ name: 'session token of a BMC', bytes: Buffer.from(token) })),
    ...agentSent.flatMap(({ drive }) => [
      { name: 'config drive', bytes: Buffer.from(drive.slice(64, 128)) },
      { name: 'config drive', bytes: Buffer.from(drive.slice(-128, -64)) },
    ]),
    ...windows.flatMap(({ ref, window }) => [
      ...AUDIENCES.map((audience) => ({
        name: `token for ${audience}`,
        bytes: Buffer.from(signature(tokens.mint(ref, audience, window))),
      })),
      { name: 'agent token', bytes: Buffer.from(tokens.agentToken(ref, window.epoch)) },
    ]),
  ];
}

/** Where secrets are looked for: all of it. */
const PLACES = {
  'the histories of workflows, decoded': () => histories,
  "the database of Temporal's server, cell by cell": () => [cells],
  'the data directory: database, logs, records, contracts, evidence, blobs': () =>
    dataDirPages(play.product.dataDir),
  'what `up` and the command line said': () => [...play.said, upLog()],
  'the folder for temporary files of the product': () =>
    filesBelow(dirname(play.product.dataDir), [play.product.dataDir]),
} as const;

const upLog = (): Page => {
  const path = join(dirname(play.product.dataDir), 'up.log');
  return { place: 'up.log', bytes: readFileSync(path) };
};

const leaksIn = (pages: readonly Page[], scanner: Scanner): Leak[] =>
  pages.flatMap(({ place, bytes }) => scanner.scan(place, bytes));

/** Leaks in few words: which secret, as what, where; without the secret. */
const told = (leaks: readonly Leak[]): string[] =>
  [...new Set(leaks.map(({ canary, form, place }) => `${canary} as ${form} in ${place}`))].slice(0, 200);

describe('the secrets', () => {
  test('were all in play', () => {
    const { media, login, basic, page, ironic } = play.proxies;
    const sent = (proxy: typeof media): string => JSON.stringify(proxy!.asked);
    expect(sent(media)).toContain('/media/');
    expect(sent(page)).toContain('/media/');
    expect(sent(login)).toContain(play.bmcPassword);
    const proof = Buffer.from(`admin:${play.bmcPassword}`).toString('base64');
    expect(sent(basic)).toContain(proof);
    expect(media!.sessionTokens.length).toBeGreaterThan(0);
    const given = Object.entries(GIVEN).map(([name, value]) => ({ name, bytes: Buffer.from(value) }));
    const inIronic = new Scanner(given).scan('Ironic', Buffer.from(sent(ironic)));
    for (const name of ['ironicPassword', 'driverPassword', 'ironicUserData'])
      expect(inIronic.map(({ canary }) => canary)).toContain(name);
    expect(agentSent.map(({ drive }) => drive.length > 256)).toEqual([true, true, true]);
    const scanner = new Scanner([
      ...canaries.filter(({ name }) => name === 'agent token'),
      { name: 'userData', bytes: Buffer.from(GIVEN.userData) },
    ]);
    const seen = agentSent.flatMap(({ token, drive }) =>
      scanner.scan('agent', Buffer.from(`${token} ${drive}`)),
    );
    expect(new Set(seen.map(({ canary }) => canary))).toEqual(new Set(['agent token', 'userData']));
    // The first node runs with it.
    const disks = filesBelow(join(play.labDir, 'servers', NODES.plain));
    expect(leaksIn(disks, scanner).map(({ canary }) => canary)).toContain('userData');
    expect(new Set(canaries.map(({ name }) => name)).size).toBeGreaterThanOrEqual(15);
  });

  test.each(Object.entries(PLACES))('stand nowhere in %s', (_, pages) => {
    const all = pages();
    expect(all.length).toBeGreaterThan(0);
    expect(told(leaksIn(all, new Scanner(canaries)))).toEqual([]);
  });

  test('user data is deleted when the operation is over', () => {
    expect(readdirSync(dataDirPaths(play.product.dataDir).blobs)).toEqual([]);
  });
});

describe('the same search finds a secret that was planted', () => {
  const decoy = { name: 'decoy', bytes: Buffer.from(random('decoy')) };
  const scanner = new Scanner([decoy]);
  const formsFound = (pages: readonly Page[]): Set<string> =>
    new Set(leaksIn(pages, scanner).map(({ form }) => form));
  const forms = formsOf(decoy.bytes);
  const packed = gzipSync(decoy.bytes);
  /** The forms within text; a payload is JSON, in which bytes are base64. */
  const texts = forms.filter(({ name }) => name !== 'UTF-16').map(({ bytes }) => bytes.toString());

  test('in a history, and in the database below it', async () => {
    const { client } = connected;
    const handle = await client.workflow.start('nobody', {
      taskQueue: 'nobody',
      workflowId: 'decoy',
      args: [
        { texts, packed: packed.toString('base64'), long: [decoy.bytes.toString(), 'x'.repeat(20_000)] },
      ],
      memo: { decoy: decoy.bytes.toString('hex') },
    });
    await handle.terminate();
    const pages = (await historyPages(client)).filter(({ place }) => place.includes('decoy'));
    expect([...formsFound(pages)]).toEqual(expect.arrayContaining(['hex', 'HEX', 'percent', 'base64 (0)']));
    expect(leaksIn(pages, scanner).map(({ place }) => place)).toContain('history of decoy > base64 > gzip');
    expect(formsFound([await databaseCells(play.product.dataDir)])).toContain('hex');
    const files = dataDirPages(play.product.dataDir).filter(({ place }) => place.startsWith('temporal.db'));
    expect(formsFound(files)).toContain('hex');
  });

  test.each(['logs', 'records', 'contracts', 'evidence', 'blobs', 'run'] as const)(
    'in %s, in every form',
    (folder) => {
      const path = join(dataDirPaths(play.product.dataDir)[folder], 'decoy');
      const plant = (bytes: Buffer): Leak[] => {
        writeFileSync(path, Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')]));
        const pages = dataDirPages(play.product.dataDir).filter(({ place }) => place === `${folder}/decoy`);
        return leaksIn(pages, scanner);
      };
      for (const { name, bytes } of forms) expect(plant(bytes), name).not.toEqual([]);
      expect(plant(packed)).not.toEqual([]);
      expect(plant(Buffer.from(packed.toString('base64')))).not.toEqual([]);
    },
  );

  test('in what the command line says, and in the log of `up`', async () => {
    await play.say('op', 'show', decoy.bytes.toString('hex'));
    expect(formsFound(play.said.slice(-1))).toEqual(new Set(['hex']));
    appendFileSync(join(dirname(play.product.dataDir), 'up.log'), decoy.bytes);
    expect(formsFound([upLog()])).toContain('plain');
    expect(formsFound(PLACES['the folder for temporary files of the product']())).toContain('plain');
  });
});
