import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimSite } from '../../../activities/standing/claim.ts';
import { keepGate, keepVerdict } from '../../../activities/standing/keep.ts';
import { controlPlaneFirst } from '../../../activities/standing/red.ts';
import { requireGates } from '../../../activities/standing/requires.ts';
import { fileStandingStore, type StandingStore } from '../../../activities/standing/standing-store.ts';
import { tellVerdict } from '../../../activities/webhook/tell-verdict.ts';
import type { GateNumber } from '../../../core/acceptance/gates.ts';
import { withGate, withRun } from '../../../core/acceptance/standing.ts';
import { verdictMessage } from '../../../core/acceptance/verdict-message.ts';
import { fail } from '../../../core/errors/failure.ts';
import { INVENTORY } from '../../workflows/support.ts';

let folder: string;
let standing: StandingStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standing-'));
  standing = fileStandingStore(folder);
});
afterEach(() => rm(folder, { recursive: true }));

const NOW = Date.parse('2026-03-02T00:00:00Z');
const gate = (
  number: GateNumber,
  outcome: 'pass' | 'fail',
  endedAt: string,
  message = 'The disk is full.',
) => ({
  gate: number,
  outcome,
  runId: `run-${number}`,
  endedAt,
  contractHash: 'c',
  fingerprint: 'f',
  ...(outcome === 'fail'
    ? { failure: { code: 'CHECK_FAILED', faultDomain: 'storage', message } as const }
    : {}),
});

describe('the store', () => {
  it('knows nothing of a site at first, and loses no change of many at once', async () => {
    expect(await standing.read('s')).toMatchObject({ gates: [], running: null, verdict: null });
    const other = fileStandingStore(folder);
    const gates = [1, 2, 3, 4, 5, 6, 7] as const;
    await Promise.all(
      gates.map((number) =>
        (number % 2 ? standing : other).change('s', (now) =>
          withGate(now, gate(number, 'pass', '2026-03-01T00:00:00Z')),
        ),
      ),
    );
    const stored = await standing.read('s');
    expect(stored.gates.map((each) => each.gate)).toEqual([...gates]);
    expect(stored.generation).toBe(7);
    await standing.change('s', (now) => now);
    expect((await standing.read('s')).generation).toBe(7);
  });

  it('gives a site to one of many that want it at the same moment', async () => {
    const takers = Array.from({ length: 8 }, (_, i) => `run-${i}`);
    const got = await Promise.all(
      takers.map(async (runId) => {
        const { running } = await fileStandingStore(folder).change('s', (now) =>
          now.running === null ? withRun(now, runId, 'now') : now,
        );
        return running?.runId === runId;
      }),
    );
    expect(got.filter(Boolean)).toHaveLength(1);
  });
});

/** A Temporal in which these runs have these states. */
const temporal = (states: { [runId: string]: string }, flags: string[] = [], gateName = '3') =>
  ({
    workflow: {
      getHandle: (id: string) => ({
        describe: async () => {
          const name = states[id.split('/')[2]!];
          if (name === undefined) throw new WorkflowNotFoundError('no', id, undefined);
          const values: { [key: string]: unknown } = { RackwrightFlags: flags, RackwrightGate: gateName };
          return {
            status: { name },
            typedSearchAttributes: { get: (key: { name: string }) => values[key.name] },
          };
        },
      }),
    },
  }) as never;

describe('two runs of a site', () => {
  const claim = (runId: string, client: never, whenBusy: 'refuse' | 'wait' = 'refuse', waited = 0) =>
    claimSite({ name: 's', standing, client }, { runId, whenBusy }, waited);

  it('never overlap: the second is refused, or waits', async () => {
    await claim('a', temporal({}));
    const running = temporal({ a: 'RUNNING' });
    await claim('a', running);
    await expect(claim('b', running)).rejects.toMatchObject({
      failure: { code: 'RUN_IN_PROGRESS', retryable: false, message: expect.stringContaining('Run a of s') },
    });
    await expect(claim('b', running, 'wait')).rejects.toMatchObject({
      failure: { code: 'RUN_IN_PROGRESS', retryable: true },
      retryAfterMs: 15_000,
    });
    await expect(claim('b', running, 'wait', 6 * 3_600_000)).rejects.toMatchObject({
      failure: { retryable: false },
    });
    expect((await standing.read('s')).running?.runId).toBe('a');
  });

  it('one that is held is not waited for: it may be so for days', async () => {
    await claim('a', temporal({}));
    await expect(claim('b', temporal({ a: 'RUNNING' }, ['held']), 'wait')).rejects.toMatchObject({
      failure: {
        retryable: false,
        message: expect.stringContaining('held at gate 3'),
        correction: expect.stringContaining('acceptance resume a'),
      },
    });
  });

  it.each(['COMPLETED', 'TERMINATED', 'FAILED', undefined])(
    'one that is %s has no hold on it',
    async (state) => {
      await claim('a', temporal({}));
      await claim('b', temporal(state === undefined ? {} : { a: state }));
      expect((await standing.read('s')).running?.runId).toBe('b');
    },
  );

  it('the end of one frees the site', async () => {
    await claim('a', temporal({}));
    const site = {
      name: 's',
      standing,
      contracts: { store: async () => '', load: async () => INVENTORY },
      inventory: async () => INVENTORY,
    };
    await keepGate(site, { site: 's', gate: gate(1, 'pass', '2026-03-01T00:00:00Z') });
    const end = { runId: 'a', at: '2026-03-01T01:00:00Z', outcome: 'pass' } as const;
    const kept = await keepVerdict(site, { site: 's', end, contractHash: 'c' });
    expect(kept).toMatchObject({ changed: { outcome: 'pass', previous: null }, untold: null });
    expect(await keepVerdict(site, { site: 's', end, contractHash: 'c' })).toEqual(kept);
    expect((await standing.read('s')).running).toBeNull();
    const next = { ...end, runId: 'b' };
    expect(await keepVerdict(site, { site: 's', end: next, contractHash: 'c' })).toEqual({
      changed: null,
      untold: null,
    });
  });
});

describe('a contract that cannot be read', () => {
  const webhook = { url: 'http://127.0.0.1:1/rackwright' };
  const end = {
    runId: 'a',
    at: '2026-03-01T01:00:00Z',
    outcome: 'fail',
    failure: { code: 'CONTRACT_INVALID', faultDomain: 'contract' },
  } as const;
  /** A site whose contract is broken, and was this one under hash `c`. */
  const site = (known: object | null) => ({
    name: 's',
    standing,
    secret: async () => 'secret',
    contracts: {
      store: async () => '',
      load: async (hash: string) => {
        if (hash !== 'c' || known === null) throw fail('CONTRACT_NOT_STORED', 'gone');
        return { ...INVENTORY, acceptance: known };
      },
    },
    inventory: async () => Promise.reject(fail('CONTRACT_INVALID', 'broken')),
  });
  const red = { outcome: 'fail', faultDomain: 'contract', runId: 'a' };

  it('is the verdict of a run that could not begin', async () => {
    const kept = await keepVerdict(site(null), { site: 's', end });
    expect(kept).toMatchObject({ changed: red, untold: null });
    expect(await keepVerdict(site(null), { site: 's', end })).toEqual(kept);
  });

  it('is told to the webhook of the last contract that is known', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => asked.push(text));
      request.on('end', () => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const broken = site({ webhook: { url } });
      await keepGate(broken, {
        site: 's',
        gate: { ...gate(1, 'pass', '2026-02-01T00:00:00Z'), contractHash: 'old' },
      });
      await keepGate(broken, { site: 's', gate: gate(2, 'pass', '2026-03-01T00:00:00Z') });
      const { untold } = await keepVerdict(broken, { site: 's', end });
      expect(untold).toMatchObject(red);
      const report = {
        site: 's',
        runId: 'a',
        startedAt: end.at,
        held: false,
        gates: [],
        notes: [],
        evidence: [],
      };
      await tellVerdict(broken, { message: verdictMessage(untold!, report) });
      expect(JSON.parse(asked.join(''))).toMatchObject({ ...red, type: 'acceptance.verdict' });
      expect((await standing.read('s')).verdict).toMatchObject({ ...red, told: true });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('is told with the next run that knows a webhook, where none is known', async () => {
    await keepGate(site(null), { site: 's', gate: gate(1, 'pass', '2026-03-01T00:00:00Z') });
    await keepVerdict(site(null), { site: 's', end });
    expect((await standing.read('s')).verdict?.told).toBe(false);
    const again = { ...end, runId: 'b' };
    expect(await keepVerdict(site({ webhook }), { site: 's', end: again, contractHash: 'c' })).toMatchObject({
      changed: null,
      untold: red,
    });
    const mended = { runId: 'c', at: '2026-03-01T03:00:00Z', outcome: 'pass' } as const;
    expect(await keepVerdict(site({ webhook }), { site: 's', end: mended, contractHash: 'c' })).toMatchObject(
      {
        untold: { outcome: 'pass', runId: 'c', previous: red },
      },
    );
  });

  it('is told to nobody where the next run knows that there is nobody', async () => {
    await keepVerdict(site(null), { site: 's', end });
    const again = { ...end, runId: 'b' };
    expect(await keepVerdict(site({}), { site: 's', end: again, contractHash: 'c' })).toEqual({
      changed: null,
      untold: null,
    });
    expect((await standing.read('s')).verdict).toMatchObject({ ...red, told: true });
  });
});

describe('gates that the contract requires', () => {
  const site = () => ({ name: 's', standing });
  const contract = { requires: { gates: [1, 2], maxAge: 86_400 } };
  const put = (...gates: ReturnType<typeof gate>[]) =>
    standing.change('s', (now) => gates.reduce(withGate, now));

  it('let nodes be enrolled and deployed while they are green and fresh', async () => {
    await put(gate(1, 'pass', '2026-03-01T10:00:00Z'), gate(2, 'pass', '2026-03-01T10:00:00Z'));
    for (const kind of ['enroll', 'deploy'] as const) {
      await requireGates(site(), contract, { kind, node: 'n1' }, NOW);
    }
  });

  it('name what is missing, what is red and what is old, and the run that it takes', async () => {
    const { gates } = { gates: [1, 2, 3] };
    await put(gate(1, 'pass', '2026-02-28T18:00:00Z'), gate(2, 'fail', '2026-03-01T10:00:00Z'));
    const wanted = { requires: { gates, maxAge: 86_400 } };
    await expect(requireGates(site(), wanted, { kind: 'deploy', node: 'n1' }, NOW)).rejects.toMatchObject({
      failure: {
        code: 'GATES_NOT_GREEN',
        faultDomain: 'storage',
        message:
          'The contract requires green gates before deploy: gate 1 (Host baseline) was green 1 d 6 h ago, and may be 1 d old; gate 2 (Kubernetes and storage) is fail since 2026-03-01T10:00:00Z, last in run run-2: CHECK_FAILED, The disk is full.; gate 3 (Base OpenStack) never ran.',
        correction: 'rackwright acceptance run --gates 1,2,3, and ask again when it has passed.',
      },
    });
  });

  it('do not keep anything else from being done, nor the node that acceptance runs on', async () => {
    for (const kind of ['release', 'reimage', 'inspect', 'clean', 'cleanup'] as const) {
      await requireGates(site(), contract, { kind, node: 'n1' }, NOW);
    }
    await requireGates(
      site(),
      { ...contract, acceptance: { node: 'n1' } },
      { kind: 'deploy', node: 'n1' },
      NOW,
    );
    await expect(
      requireGates(site(), { ...contract, acceptance: { node: 'n2' } }, { kind: 'deploy', node: 'n1' }, NOW),
    ).rejects.toThrow();
    await requireGates(site(), {}, { kind: 'deploy', node: 'n1' }, NOW);
  });

  it('that are red are told beside what fails on a node', async () => {
    const log = pino({ level: 'silent' });
    expect(await controlPlaneFirst({ ...site(), log })).toBeUndefined();
    await put(gate(2, 'fail', '2026-03-01T10:00:00Z'), gate(5, 'fail', '2026-03-01T10:00:00Z'));
    expect(await controlPlaneFirst({ ...site(), log })).toBe(
      'Control plane first: gate 2, Kubernetes and storage (platform operators), is red since 2026-03-01T10:00:00Z, run run-2: CHECK_FAILED (storage), The disk is full. Red too: gate 5. Look there first.',
    );
    await put(gate(7, 'fail', '2026-03-01T10:00:00Z'));
    await put(gate(2, 'pass', '2026-03-01T11:00:00Z'), gate(5, 'pass', '2026-03-01T11:00:00Z'));
    expect(await controlPlaneFirst({ ...site(), log })).toBeUndefined();
  });
});
