import { describe, expect, it } from 'vitest';
import { writeMatching } from '../../../activities/redfish/patch.ts';
import { opened } from './fixtures.ts';
import { SYSTEM, type ScriptedBmc } from './scripted-bmc.ts';

/** The system shows this ETag, and is written to with this one, or with any. */
function insists(server: ScriptedBmc, refusal: number, tags: readonly string[] = ['W/"1"']): void {
  let reads = 0;
  server.on('GET', SYSTEM, () => {
    const etag = tags[Math.min(reads, tags.length - 1)]!;
    reads += 1;
    return { status: 200, body: {}, headers: etag === '' ? {} : { ETag: etag } };
  });
  server.on('PATCH', SYSTEM, ({ headers }) => {
    const right = tags.at(-1) || '*';
    return { status: headers['if-match'] === right ? 200 : refusal };
  });
}
const sent = (server: ScriptedBmc): unknown[] =>
  server.asked('PATCH').map(({ headers }) => headers['if-match']);
const body = { Boot: {} };

describe('boot-19: a BMC that wants If-Match', () => {
  it.each([428, 412])(
    'and says so by %i gets its ETag as it gives it, and from then on at once',
    async (status) => {
      const { server, bmc } = await opened();
      insists(server, status);
      expect((await writeMatching(bmc, 'PATCH', SYSTEM, { body })).status).toBe(200);
      expect(sent(server)).toEqual([undefined, 'W/"1"']);
      expect((await writeMatching(bmc, 'PATCH', SYSTEM, { body })).status).toBe(200);
      expect(sent(server).slice(2)).toEqual(['W/"1"']);
    },
  );

  it('is given the next ETag where the first one was old, and is not asked for ever', async () => {
    const { server, bmc } = await opened();
    insists(server, 412, ['"1"', '"2"']);
    expect((await writeMatching(bmc, 'PATCH', SYSTEM, { body })).status).toBe(200);
    expect(sent(server)).toEqual([undefined, '"1"', '"2"']);
    server.on('PATCH', SYSTEM, () => ({ status: 412 }));
    expect((await writeMatching(bmc, 'PATCH', SYSTEM, { body })).status).toBe(412);
    expect(server.asked('PATCH')).toHaveLength(6);
  });

  it('and names no ETag gets any', async () => {
    const { server, bmc } = await opened();
    insists(server, 428, ['']);
    expect((await writeMatching(bmc, 'PATCH', SYSTEM, { body })).status).toBe(200);
    expect(sent(server)).toEqual([undefined, '*']);
  });

  it('for an action gets the ETag of the resource that the action is of', async () => {
    const { server, bmc } = await opened();
    const target = `${SYSTEM}/Actions/ComputerSystem.Reset`;
    insists(server, 428);
    server.on('POST', target, ({ headers }) => ({ status: headers['if-match'] === 'W/"1"' ? 204 : 428 }));
    expect((await writeMatching(bmc, 'POST', SYSTEM, { target, body: {} })).status).toBe(204);
    expect(server.asked('POST', target)).toHaveLength(2);
  });
});

it('sends no If-Match unasked', async () => {
  const { server, bmc } = await opened();
  server.on('PATCH', SYSTEM, () => ({ status: 400 }));
  expect((await writeMatching(bmc, 'PATCH', SYSTEM, { body })).status).toBe(400);
  expect(sent(server)).toEqual([undefined]);
});
