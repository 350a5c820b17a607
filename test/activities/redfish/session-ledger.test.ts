import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionLedger } from '../../../activities/redfish/session-ledger.ts';
import { keepLedger } from '../../../activities/redfish/session.ts';
import { closeAllBmcs, openBmc, withBmc } from '../../../activities/redfish/transport.ts';
import { scripted } from './fixtures.ts';
import { SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rackwright-ledger-'));
});
afterEach(async () => {
  keepLedger(undefined);
  await rm(folder, { recursive: true, force: true });
});

const path = (id: string): string => `/redfish/v1/SessionService/Sessions/${id}`;
const own = (): string => join(folder, `${process.pid}.json`);
const kept = async (): Promise<unknown> => JSON.parse(await readFile(own(), 'utf8'));

/** The id of a process that has ended. */
const endedPid = (): number =>
  Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));

/** A BMC with sessions that somebody left open, each of some user. */
async function withSessions(users: { [id: string]: string }): Promise<ScriptedBmc> {
  const server = await scripted();
  for (const [id, UserName] of Object.entries(users)) {
    server.on('GET', path(id), () => ({ status: 200, body: { UserName } }));
  }
  return server;
}

const leave = (name: string, content: unknown): Promise<void> =>
  writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));

const closed = (server: ScriptedBmc): string[] => server.asked('DELETE').map((call) => call.path);

describe('sessions of a process that was killed', () => {
  it('are closed at the next login, if they are still ours', async () => {
    const server = await withSessions({ '7': 'root', '8': 'somebody', '9': 'root' });
    await leave(`${endedPid()}.json`, {
      open: { [server.url]: [path('7'), path('8'), path('gone')] },
      abandoned: { [server.url]: [path('9')], 'https://127.0.0.9': [path('1')] },
    });
    keepLedger(await SessionLedger.open(folder));
    expect(await readdir(folder)).toEqual([`${process.pid}.json`]);
    const bmc = openBmc(server.endpoint());
    await bmc.get(SYSTEM);
    expect(closed(server)).toEqual([path('7'), path('9')]);
    const [session] = server.sessions;
    expect(await kept()).toEqual({
      open: { [server.url]: [path(session!)] },
      abandoned: { 'https://127.0.0.9': [path('1')] },
    });
    bmc.close();
    await closeAllBmcs();
    expect(await kept()).toEqual({ open: {}, abandoned: { 'https://127.0.0.9': [path('1')] } });
  });

  it('are still known to the one after it, if it was killed before it logged in', async () => {
    const server = await withSessions({ '7': 'root' });
    await leave(`${endedPid()}.json`, { open: { [server.url]: [path('7')] } });
    await SessionLedger.open(folder);
    keepLedger(await SessionLedger.open(folder));
    await withBmc(server.endpoint(), (bmc) => bmc.get(SYSTEM));
    expect(closed(server)).toContain(path('7'));
  });

  it('are looked at again where the BMC did not answer; the work goes on', async () => {
    const server = await withSessions({});
    let answers = false;
    server.on('GET', path('7'), (_call, res) => {
      if (answers) return { status: 200, body: { UserName: 'root' } };
      return void res.destroy();
    });
    await leave(`${endedPid()}.json`, { open: { [server.url]: [path('7')] } });
    keepLedger(await SessionLedger.open(folder));
    await withBmc(server.endpoint(), (bmc) => bmc.get(SYSTEM));
    expect(closed(server)).not.toContain(path('7'));
    await closeAllBmcs();
    answers = true;
    await withBmc(server.endpoint(), (bmc) => bmc.get(SYSTEM));
    expect(closed(server)).toContain(path('7'));
  });
});

it('leaves alone what a process that runs has open, and what is no ledger', async () => {
  await leave(`${process.ppid}.json`, { open: { 'https://127.0.0.9': [path('1')] } });
  await leave('0.json', '{"open": [');
  await leave(`${endedPid()}.json`, { open: 1, abandoned: { 'https://127.0.0.9': 'x' } });
  const ledger = await SessionLedger.open(folder);
  expect(ledger.abandoned('https://127.0.0.9')).toEqual([]);
  expect((await readdir(folder)).toSorted()).toEqual(
    [`${process.pid}.json`, `${process.ppid}.json`].toSorted(),
  );
});

it('forgets a session that the BMC ended, and one whose name is given anew', async () => {
  const server = await withSessions({ '7': 'root' });
  keepLedger(await SessionLedger.open(folder));
  const bmc = openBmc(server.endpoint());
  await bmc.get(SYSTEM);
  server.sessions.clear();
  await bmc.get(SYSTEM);
  const [session] = server.sessions;
  expect(await kept()).toEqual({ open: { [server.url]: [path(session!)] }, abandoned: {} });
  bmc.close();
});
