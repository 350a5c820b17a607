import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { parseFirstBoot } from '../../../core/gateway-messages.ts';
import { codeOf, startGateway, type Gateway } from './fixture.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.operations.start('gpu-01');
  gateway.operations.reports.length = 0;
});

/** By the gateway's clock. */
const RECENT = expect.stringMatching(/^20\d\d-\d\d-\d\dT.*Z$/);

const report = (body: string, headers: Record<string, string> = {}, epoch = 1): Promise<Response> => {
  const token = gateway.token('gpu-01', 'first-boot', { epoch, expires: 4_000_000_000 });
  return fetch(`${gateway.url}/firstboot/${token}`, { method: 'POST', body, headers });
};

it('takes a report of the guest in any content type, and the same one again without more ado', async () => {
  const body = JSON.stringify({
    hostname: 'gpu-01',
    addresses: [{ interface: 'eth0', address: '10.0.0.7' }],
  });
  for (const headers of [
    { 'content-type': 'application/json' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    {},
  ]) {
    expect((await report(body, headers)).status).toBe(202);
  }
  expect(gateway.operations.reports).toEqual([{ ...JSON.parse(body), receivedAt: RECENT }]);
});

it('says when it took the report, whatever the guest says of that, and takes one that just fits', async () => {
  const before = Date.now();
  const frame = JSON.stringify({ receivedAt: '1999-01-01T00:00:00.000Z', text: '' });
  const body = frame.replace('""', `"${'x'.repeat(16 * 1024 - frame.length)}"`);
  expect((await report(body)).status).toBe(202);
  const [told] = gateway.operations.reports;
  expect(Date.parse(String(told!['receivedAt']))).toBeGreaterThanOrEqual(before);
  expect(parseFirstBoot(told)).toMatchObject({ ok: true });
});

it('passes the same report on again once the operation waits for another first boot', async () => {
  expect((await report('{"again":1}')).status).toBe(202);
  gateway.operations.change('gpu-01', { firstBootHeard: false });
  expect((await report('{"again":1}')).status).toBe(202);
  expect(gateway.operations.reports).toEqual([
    { again: 1, receivedAt: RECENT },
    { again: 1, receivedAt: RECENT },
  ]);
});

it('takes the report of a guest that was written in an earlier boot of the agent, never of a later one', async () => {
  gateway.operations.change('gpu-01', { window: { epoch: 3, expires: 4_000_000_000 } });
  expect((await report('{"a":1}', {}, 2)).status).toBe(202);
  expect((await report('{"a":2}', {}, 4)).status).toBe(410);
});

it.each([
  ['', 400],
  ['nonsense', 400],
  ['[]', 400],
  ['null', 400],
  ['{"__proto__": {"a": 1}}', 400],
  [JSON.stringify({ text: 'x'.repeat(17_000) }), 413],
])('refuses what is no small JSON object: %.20s', async (body, status) => {
  const answer = await report(body, { 'content-type': 'application/json' });
  expect(answer.status).toBe(status);
  expect(await codeOf(answer)).toBe(status === 413 ? 'REQUEST_TOO_LARGE' : 'REQUEST_INVALID');
  expect(gateway.operations.reports).toEqual([]);
});

it('is gone once the operation is over, for a repetition too', async () => {
  expect((await report('{"b":1}')).status).toBe(202);
  gateway.operations.end('gpu-01');
  const answer = await report('{"b":1}');
  expect([answer.status, await codeOf(answer)]).toEqual([410, 'OPERATION_OVER']);
});

it('answers health and unknown paths', async () => {
  expect(await (await fetch(`${gateway.url}/healthz`)).json()).toEqual({ status: 'ok', site: 'lab' });
  const answer = await fetch(`${gateway.url}/nowhere`);
  expect([answer.status, await codeOf(answer)]).toEqual([404, 'ROUTE_UNKNOWN']);
});
