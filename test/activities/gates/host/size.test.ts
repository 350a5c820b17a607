import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bmcAccess, bmcAccessBy } from '../../../../activities/gates/host/bmc-access.ts';
import { routes, routesBy } from '../../../../activities/gates/host/routes.ts';
import type { CheckContext, CheckFunction } from '../../../../activities/gates/check.ts';
import { Inventory } from '../../../../contracts/inventory/inventory.ts';
import { HOST_CHECKS } from '../../../../core/acceptance/host-checks.ts';
import { fail } from '../../../../core/errors/failure.ts';
import type { CheckResult } from '../../../../core/acceptance/report.ts';
import type { EvidenceRef } from '../../../../core/operations.ts';

/** How large a piece of evidence may be before it is cut. */
const WHOLE_BYTES = 256 * 1024;

/** A contract of three controllers and so many nodes. */
const sized = (nodes: number): Inventory =>
  Inventory.parse({
    site: 'test',
    networks: { provisioning: { cidr: '127.0.0.0/8' } },
    bmc: { credentials: { username: 'u', password: 'env:P' } },
    controllers: [1, 2, 3].map((i) => ({
      name: `c${i}`,
      address: `192.0.2.${i}`,
      ssh: { user: 'root', key: 'env:K' },
    })),
    machineTypes: [{ name: 'plain' }],
    nodes: Array.from({ length: nodes }, (_, i) => ({
      name: `n${i}`,
      type: 'plain',
      bmc: { address: `https://10.1.${i >> 8}.${i & 255}` },
    })),
  });

interface Played {
  readonly result: CheckResult;
  readonly seconds: number;
  readonly kept: readonly { readonly name: string; readonly bytes: number }[];
}

/** Makes a check at a clock of its own, which goes on as soon as nothing more can be done at its time. */
async function play(check: CheckFunction, inventory: Inventory): Promise<Played> {
  const kept: { name: string; bytes: number }[] = [];
  const context = {
    input: { site: 'test', runId: 'r', contractHash: 'c', gate: 1, check: 'x', run: 1 },
    inventory,
    signal: new AbortController().signal,
    secret: async () => 'secret',
    evidence: async (name: string, { answer }: { answer: unknown }) => {
      kept.push({ name, bytes: Buffer.byteLength(JSON.stringify(answer)) });
      return { id: name } as unknown as EvidenceRef;
    },
  } as unknown as CheckContext;
  const end: { result?: CheckResult; error?: unknown } = {};
  check.run(context).then(
    (result) => (end.result = result),
    (error: unknown) => (end.error = error),
  );
  for (let seconds = 0; ; seconds += 1) {
    if (end.result !== undefined) return { result: end.result, seconds, kept };
    if ('error' in end) throw end.error;
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(1000);
  }
}

const wait = (seconds: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, seconds * 1000));
const boundOf = (id: string, { bounds }: CheckFunction, inventory: Inventory): number =>
  bounds!(inventory, HOST_CHECKS.find((check) => check.id === id)!.bounds).attempt;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Nobody answers: each request takes the 30 s that it may, and is made three times. */
const silentBmcs = (most: { now: number; ever: number }) =>
  bmcAccessBy(async () => {
    most.now += 1;
    most.ever = Math.max(most.ever, most.now);
    await wait(30);
    most.now -= 1;
    throw fail('BMC_UNREACHABLE', 'It does not answer.', { details: { reason: 'ETIMEDOUT' } });
  });

describe('BMCs', () => {
  it.each([
    [10, 300],
    [1000, 1829],
    [10_000, 17_298],
  ])('%i are all told to be silent within the bound, of %i s', async (nodes, bound) => {
    const most = { now: 0, ever: 0 };
    const inventory = sized(nodes);
    expect(boundOf('bmc-access', bmcAccess, inventory)).toBe(bound);
    const { result, seconds } = await play(silentBmcs(most), inventory);
    expect(result).toMatchObject({ outcome: 'error', targets: nodes });
    expect(seconds).toBeLessThan(bound);
    expect(most).toEqual({ now: 0, ever: Math.min(nodes, 64) });
  });
});

describe('routes', () => {
  it.each([
    [10, 300],
    // 1,002 connections in 4 logins of 15 s, and 45 s for gateways: three times that with two pauses of 10 s is 335 s,
    // and three controllers of it, 8 at once.
    [1000, 461],
    // 40 logins: 1,955 s for a controller.
    [10_000, 2689],
  ])('of %i nodes, one silent in each login, are told within the bound, of %i s', async (nodes, bound) => {
    const inventory = sized(nodes);
    let logins = 0;
    const check = routesBy(async (_context, _controller, words) => {
      logins += 1;
      await wait(10 + 5);
      const ends: string[] = words.slice(5);
      const lines = Array.from({ length: ends.length / 2 }, (_, i) => {
        const [address, port] = ends.slice(2 * i);
        return `knock ${address} ${port} ${i === 0 && address!.startsWith('10.') ? '124' : '0'}`;
      });
      return { stdout: ['own 192.0.2.1', ...lines, 'end'].join('\n'), stderr: '', exitCode: 0 };
    });
    expect(boundOf('routes', routes, inventory)).toBe(bound);
    const { result, seconds, kept } = await play(check, inventory);
    expect(seconds).toBeLessThan(bound);
    // Three controllers, three times each where a BMC is silent, 256 connections a login.
    const batches = Math.ceil((nodes + 2) / 256);
    expect(logins).toBe(batches === 1 ? 3 : 9 * batches);
    expect(result.outcome).toBe(batches === 1 ? 'pass' : 'error');
    expect(Math.max(...kept.map(({ bytes }) => bytes))).toBeLessThan(WHOLE_BYTES);
  });
});
