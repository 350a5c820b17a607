import { mkdtempSync, readdirSync, readFileSync, writeFileSync, appendFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataDirPaths } from '../../../activities/datadir.ts';
import { siteKey } from '../../../activities/secrets/site-key.ts';
import { AUDIENCES, Tokens } from '../../../activities/tokens/tokens.ts';
import { connect, type Connected } from '../../../client/sdk/connect.ts';
import { allActs } from './acts.ts';
import { privatePart } from '../../peers/sshd.ts';
import { formsOf, type Canary } from './forms.ts';
import { dataDirPages, databaseCells, filesBelow, historyPages, type Page } from './places.ts';
import { GIVEN, NODES, Play, random } from './play.ts';
import type { Sent } from './quoting-agent.ts';
import { windowsIn } from './windows.ts';
import { Scanner, type Leak } from './scanner.ts';

/** Distinct secrets go through the product, much of which fails and is quoted back at it; they stay nowhere. */
const play = new Play(mkdtempSync(join(tmpdir(), 'rackwright-secrets-')));
let agentSent: Sent[];
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
  agentSent = await allActs({ play, client: connected.client, tokens });
  histories = await historyPages(connected.client);
  cells = await databaseCells(play.product.dataDir);
  canaries = allCanaries();
});
afterAll(async () => {
  await connected?.close();
  await play.stop();
  await rm(play.home, { recursive: true, force: true });
});

function allCanaries(): Canary[] {
  const named = Object.entries(GIVEN).filter(([name]) => name !== 'privateKey');
  const body = GIVEN.privateKey.split('\n')[1]!;
  const windows = windowsIn(histories);
  const signature = (token: string): string => token.slice(token.indexOf('.') + 1);
  return [
    ...named.map(([name, value]) => ({ name, bytes: Buffer.from(value) })),
    { name: 'private key', bytes: Buffer.from(body) },
    { name: 'SSH key', bytes: Buffer.from(privatePart(play.sshd.keyFile)) },
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
    expect(play.sshd.log()).toContain('Accepted publickey');
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
    expect(new Set(canaries.map(({ name }) => name)).size).toBeGreaterThanOrEqual(16);
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
