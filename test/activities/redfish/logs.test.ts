import { describe, expect, it } from 'vitest';
import { newLogEntries } from '../../../activities/redfish/logs.ts';
import { findSystem } from '../../../activities/redfish/service.ts';
import type { LogPositions } from '../../../core/redfish/kept.ts';
import { opened } from './fixtures.ts';
import { SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

const at = (uri: string): { '@odata.id': string } => ({ '@odata.id': uri });
const SERVICES = '/redfish/v1/Managers/1/LogServices';
const LOG = `${SERVICES}/Sel`;
const ENTRIES = `${LOG}/Entries`;
const DEADLINE = { deadlineMs: 10_000 };

const entry = (i: number): Record<string, unknown> => ({
  ...at(`${ENTRIES}/${i}`),
  Id: String(i),
  Created: new Date(Date.UTC(2030, 0, 1) + i * 1000).toISOString(),
  Severity: 'OK',
  Message: `m${i}`,
});
const range = (from: number, to: number): number[] => {
  const step = from < to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => from + i * step);
};

/** A BMC with one log of its manager, in pages that are told by `$skip`. */
function keepsLog(server: ScriptedBmc, order: readonly number[], size = 50): void {
  server.patch('/redfish/v1/Managers/1', { LogServices: at(SERVICES) });
  server.collect(SERVICES, [LOG, `${SERVICES}/AuditLog`, `${SERVICES}/Journal`]);
  server.put(LOG, { Id: 'Sel', ServiceEnabled: true, Entries: at(ENTRIES) });
  for (let skip = 0; skip === 0 || skip < order.length; skip += 1) {
    const path = skip === 0 ? ENTRIES : `${ENTRIES}?$skip=${skip}`;
    const next = skip + size;
    server.put(path, {
      Members: order.slice(skip, next).map(entry),
      'Members@odata.count': order.length,
      ...(next < order.length ? { 'Members@odata.nextLink': `${ENTRIES}?$skip=${next}` } : {}),
    });
  }
}

async function look(
  server: ScriptedBmc,
  bmc: Awaited<ReturnType<typeof opened>>['bmc'],
  last: LogPositions = {},
) {
  const before = server.asked('GET').length;
  const { logs, unread } = await newLogEntries(bmc, await findSystem(bmc), last, DEADLINE);
  const [log] = logs;
  return {
    unread,
    kind: log?.kind,
    ids: log?.entries.map(({ id }) => Number(id)),
    positions: Object.fromEntries(logs.map(({ uri, position }) => [uri, position])),
    requests: server.asked('GET').length - before,
  };
}

describe('the logs of a BMC', () => {
  it.each<[string, readonly number[]]>([
    ['newest first', range(120, 1)],
    ['oldest first', range(1, 120)],
  ])('%s: what came since the last look', async (_name, order) => {
    const { server, bmc } = await opened();
    keepsLog(server, order);
    const first = await look(server, bmc);
    expect(first).toMatchObject({ kind: 'first', ids: range(120, 1), unread: [] });
    expect(await look(server, bmc, first.positions)).toMatchObject({ kind: 'since', ids: [] });
    keepsLog(server, order[0] === 1 ? range(1, 123) : range(123, 1));
    expect(await look(server, bmc, first.positions)).toMatchObject({ kind: 'since', ids: [123, 122, 121] });
  });

  it('of many entries the newest are read, from whichever end', async () => {
    const { server, bmc } = await opened();
    keepsLog(server, range(1, 3_000));
    const found = await look(server, bmc);
    expect(found.ids).toEqual(range(3_000, 2_801));
    expect(found.requests).toBeLessThan(20);
    keepsLog(server, range(3_000, 1));
    expect((await look(server, bmc)).ids).toEqual(range(3_000, 2_801));
  });

  it('of small pages only the last ones are read: no entry from before a gap is among them', async () => {
    const { server, bmc } = await opened();
    keepsLog(server, range(1, 300), 10);
    const found = await look(server, bmc, { [LOG]: ['5 1893456005000'] });
    expect(found).toMatchObject({ kind: 'lost', ids: range(300, 261), unread: [] });
  });

  it('whose end is out of reach tells nothing, and says so', async () => {
    const { server, bmc } = await opened();
    keepsLog(server, [1]);
    server.on('GET', ENTRIES, () => ({
      status: 200,
      body: { Members: range(1, 9).map(entry), 'Members@odata.nextLink': `${ENTRIES}?page=2` },
    }));
    server.on('GET', `${ENTRIES}?page=2`, () => ({
      status: 200,
      body: { Members: range(10, 19).map(entry), 'Members@odata.nextLink': `${ENTRIES}?page=2` },
    }));
    const found = await look(server, bmc, { [LOG]: ['1 0'] });
    expect(found).toMatchObject({ ids: undefined, positions: {} });
    expect(found.unread).toMatchObject([{ part: 'log entries', why: expect.stringContaining('no end') }]);
    expect(found.requests).toBeLessThan(20);
  });

  it('which cannot be read keep their place', async () => {
    const { server, bmc } = await opened();
    keepsLog(server, range(3, 1));
    server.on('GET', ENTRIES, () => ({ status: 500, body: {} }));
    const found = await look(server, bmc, { [LOG]: ['3 1893456003000'] });
    expect(found).toMatchObject({ ids: undefined, positions: {}, unread: [{ part: 'log entries' }] });
  });

  it.each([true, false])(
    'that list links are read from their newer end (oldest first: %s)',
    async (oldestFirst) => {
      const { server, bmc } = await opened();
      keepsLog(server, [1]);
      const list = (to: number): void => {
        for (const i of range(1, to)) server.put(`${ENTRIES}/${i}`, entry(i));
        const order = oldestFirst ? range(1, to) : range(to, 1);
        server.collect(
          ENTRIES,
          order.map((i) => `${ENTRIES}/${i}`),
        );
      };
      list(300);
      const first = await look(server, bmc);
      expect(first.ids).toEqual(range(300, 261));
      list(302);
      const second = await look(server, bmc, first.positions);
      expect(second).toMatchObject({ kind: 'since', ids: [302, 301] });
      expect(second.requests).toBeLessThan(20);
    },
  );

  it('are those of system, managers and chassis, less those that are about something else', async () => {
    const { server, bmc } = await opened();
    keepsLog(server, [2, 1]);
    const own = `${SYSTEM}/LogServices`;
    server.patch(SYSTEM, {
      LogServices: at(own),
      Links: { ManagedBy: [at('/redfish/v1/Managers/1')], Chassis: [at('/redfish/v1/Chassis/1')] },
    });
    server.put('/redfish/v1/Chassis/1', { LogServices: at(SERVICES) });
    server.collect(own, [`${own}/Event`, `${own}/PostCodes`]);
    server.put(`${own}/Event`, { Entries: at(`${own}/Event/Entries`) });
    server.put(`${own}/Event/Entries`, { Members: [{ Id: '1', Severity: 'Critical', Message: 'x' }] });
    const { logs, unread } = await newLogEntries(bmc, await findSystem(bmc), {}, DEADLINE);
    expect(logs.map(({ name }) => name)).toEqual(['system log Event', 'BMC log Sel']);
    expect(unread).toEqual([]);
    expect(server.asked('GET', /Audit|Journal|PostCodes/)).toEqual([]);
  });

  it('a BMC without any has none', async () => {
    const { bmc } = await opened();
    expect(await newLogEntries(bmc, await findSystem(bmc), {}, DEADLINE)).toEqual({ logs: [], unread: [] });
  });
});
