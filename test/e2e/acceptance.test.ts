import { mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AcceptanceReport as Contract } from '../../contracts/acceptance-report.ts';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import type { LabServer } from '../activities/drivers/redfish/bench.ts';
import { keys } from '../activities/evidence/runs.ts';
import { shownFailing } from '../support/shown.ts';
import { startOutsideLab, type OutsideLab } from './kill9/site.ts';
import { startProduct, type Product } from './support/product.ts';

// Acceptance runs with the product as its users have it, on a site without a cloud: each check fails once, alone, and
// passes after its correction.

const home = mkdtempSync(join(tmpdir(), 'rackwright-acceptance-'));
const NODE = 'node-002';
const CONSOLE = join(home, 'console.log');
const shown = shownFailing('the lab', [
  'bmc-access',
  'node-available',
  'agent-called-back',
  'image-written',
  'first-boot',
  'guest-reached',
  'server-active',
  'console',
  'server-released',
]);
let lab: OutsideLab;
let product: Product;

beforeAll(async () => {
  writeFileSync(CONSOLE, 'it boots\n');
  const { privatePem, publicPem } = keys('ed25519');
  writeFileSync(join(home, 'signing.pem'), privatePem);
  writeFileSync(join(home, 'public.pem'), publicPem);
  product = await startProduct({
    inventory: async ({ gatewayUrl }) => {
      lab = await startOutsideLab(join(home, 'lab'), { servers: 2, speed: 50, gatewayUrl });
      const { contract } = lab;
      return stringify({
        ...contract,
        erase: { proof: 'required' },
        timeouts: { agent: '15s', firstBoot: '15s' },
        nodes: contract.nodes.map((node) =>
          node.name === NODE ? { ...node, console: { file: CONSOLE } } : node,
        ),
        acceptance: {
          node: NODE,
          image: contract.images[0]!.name,
          gates: [1, 7],
          signingKey: `file:${join(home, 'signing.pem')}`,
        },
      });
    },
  });
  for (const verb of ['enroll', 'clean']) await product.json('node', verb, NODE);
});
afterAll(async () => {
  await product?.stop();
  await lab?.stop();
  await rm(home, { recursive: true, force: true });
});
beforeEach(async () => {
  consoleWritten(new Date(Date.now() + 3_600_000));
  await lab.ask(`${NODE}/faults`, { method: 'DELETE', headers: {} });
});

/** As if somebody had written to the console then. */
function consoleWritten(at: Date): void {
  utimesSync(CONSOLE, at, at);
}

async function acceptance(
  ...args: string[]
): Promise<{ code: number; report: AcceptanceReport; said: string }> {
  const { code, document, stderr } = await product.answer<AcceptanceReport>('acceptance', ...args);
  return { code, report: document, said: stderr };
}

const checksOf = ({ gates }: AcceptanceReport) => gates.flatMap(({ checks }) => checks);
const failed = (report: AcceptanceReport): string[] =>
  checksOf(report).flatMap(({ id, outcome }) => (outcome === 'fail' ? [id] : []));
const runsOf = ({ gates }: AcceptanceReport) => gates.map(({ gate, runs }) => [gate, runs]);

/** The node is as free as it was, whatever became of the run. */
async function free(): Promise<void> {
  expect(await product.json('node', 'show', NODE)).toMatchObject({
    phase: 'available',
    owner: null,
    residue: [],
  });
  const { power, media } = await lab.ask<LabServer>(NODE);
  expect(power).toBe('Off');
  expect(Object.values(media).some(({ inserted }) => inserted)).toBe(false);
}

/** What the run saw, and what its deployment left, is verified by whoever has the public key. */
async function proven(report: AcceptanceReport): Promise<void> {
  expect(Contract.parse(report)).toEqual(report);
  const proof = join(home, 'proof');
  await product.cli('evidence', 'export', report.runId, '--out', proof);
  const verified = await product.cli(
    'evidence',
    'verify',
    proof,
    '--key',
    join(home, 'public.pem'),
    '--json',
  );
  expect(JSON.parse(verified.stdout)).toMatchObject({ verified: true, outcome: 'pass', runId: report.runId });
  expect(readdirSync(join(proof, 'referenced'))).toEqual([NODE]);
  const { stdout: page } = await product.cli('acceptance', 'report', report.runId);
  expect(page).toContain('Gates 1, 7 are green');
}

describe('a site without a cloud', () => {
  it('passes, and the node is given back', async () => {
    const { code, report } = await acceptance('run');
    expect([code, report.outcome, report.failure]).toEqual([0, 'pass', undefined]);
    expect(checksOf(report).map(({ id, outcome }) => `${id} ${outcome}`)).not.toContainEqual(
      expect.stringMatching(/fail|error|undefined/),
    );
    await free();
    const { stdout } = await product.cli('acceptance', 'show', report.runId);
    expect(stdout).toContain(`${NODE} is available again`);
    const { runs } = await product.json<{ runs: { runId: string; outcome: string }[] }>('acceptance', 'list');
    expect(runs).toContainEqual(expect.objectContaining({ runId: report.runId, outcome: 'pass' }));
    await proven(report);
  });

  interface Case {
    readonly check: string;
    readonly gate: 1 | 7;
    readonly code: string;
    readonly faultDomain: string;
    readonly spoil: () => Promise<unknown>;
    readonly mend: () => Promise<unknown>;
    /** What else cannot be told then. */
    readonly open?: readonly string[];
  }
  const faults = (switches: object) => () => lab.faults(NODE, switches);
  const unset = (...names: string[]) => faults(Object.fromEntries(names.map((name) => [name, false])));

  const AFTER_AGENT = ['image-written', 'first-boot', 'guest-reached'];
  it.each<Case>([
    {
      check: 'bmc-access',
      gate: 1,
      code: 'BMC_PASSWORD_CHANGE_REQUIRED',
      faultDomain: 'bmc',
      spoil: faults({ passwordChangeRequired: true }),
      mend: unset('passwordChangeRequired'),
    },
    {
      check: 'node-available',
      gate: 7,
      code: 'CHECK_FAILED',
      faultDomain: 'contract',
      spoil: () => product.json('node', 'quarantine', NODE, '--reason', 'a test'),
      mend: () => product.json('node', 'unquarantine', NODE, '--reason', 'a test is over'),
      open: ['server-requested', 'agent-called-back', ...AFTER_AGENT, 'server-active', 'console'],
    },
    {
      check: 'agent-called-back',
      gate: 7,
      code: 'AGENT_SILENT',
      faultDomain: 'deploy-agent',
      // It is booted twice before it is given up; the boot that takes the server back is heard of.
      spoil: faults({ agentSilent: 2 }),
      mend: unset('agentSilent'),
      open: [...AFTER_AGENT, 'server-active', 'console'],
    },
    {
      check: 'image-written',
      gate: 7,
      code: 'IMAGE_CHECKSUM_MISMATCH',
      faultDomain: 'image-supply',
      spoil: faults({ wrongImageBytes: 1 }),
      mend: unset('wrongImageBytes'),
      open: ['first-boot', 'guest-reached', 'server-active', 'console'],
    },
    {
      check: 'first-boot',
      gate: 7,
      code: 'FIRST_BOOT_SILENT',
      faultDomain: 'first-boot',
      spoil: faults({ firstBootSilent: true }),
      mend: unset('firstBootSilent'),
      open: ['guest-reached', 'server-active', 'console'],
    },
    {
      check: 'guest-reached',
      gate: 7,
      code: 'HAND_OVER_INCOMPLETE',
      faultDomain: 'first-boot',
      spoil: faults({ mountMissing: true }),
      mend: unset('mountMissing'),
      open: ['server-active', 'console'],
    },
    {
      check: 'server-active',
      gate: 7,
      code: 'CABLING_MISMATCH',
      faultDomain: 'provisioning-network',
      spoil: faults({ cableInWrongPort: true }),
      mend: unset('cableInWrongPort'),
      open: ['agent-called-back', ...AFTER_AGENT, 'console'],
    },
    {
      check: 'console',
      gate: 7,
      code: 'CHECK_FAILED',
      faultDomain: 'console',
      spoil: async () => consoleWritten(new Date('2026-01-01T00:00:00Z')),
      mend: async () => consoleWritten(new Date(Date.now() + 3_600_000)),
    },
    {
      check: 'server-released',
      gate: 7,
      code: 'ERASE_FAILED',
      faultDomain: 'hardware',
      spoil: faults({ eraseLeavesData: 1 }),
      mend: () => product.json('node', 'clean', NODE),
    },
  ])(
    'stops at $check alone, names its domain, and passes after the correction, nothing else run again',
    async ({ check, gate, code, faultDomain, spoil, mend, open = [] }) => {
      await spoil();
      const before = await acceptance('run');
      expect(before.report).toMatchObject({ held: true, stoppedAt: gate, failure: { code, faultDomain } });
      expect(before.code, before.said).toBe(4);
      expect(failed(before.report)).toEqual([check]);
      const errors = checksOf(before.report).filter(({ outcome }) => outcome === 'error');
      expect(errors.map(({ id }) => id).sort()).toEqual([...open].sort());
      expect(errors.map(({ findings }) => findings![0]!.failure.code)).toEqual(
        open.map(() => 'CHECK_NOT_MADE'),
      );
      await mend();
      const after = await acceptance('resume', before.report.runId);
      expect([after.code, after.report.outcome, after.report.failure]).toEqual([0, 'pass', undefined]);
      expect(runsOf(after.report)).toEqual(
        gate === 1
          ? [
              [1, 2],
              [7, 1],
            ]
          : [
              [1, 1],
              [7, 2],
            ],
      );
      await free();
      shown(check);
    },
  );

  it.each([{ bmcDown: true }, { bmcBusy: true }])(
    '%j is an error: neither a pass nor a fail',
    async (fault) => {
      await lab.faults(NODE, fault);
      const { code, report } = await acceptance('run', '--gates', '1', '--on-failure', 'fail');
      await lab.faults(NODE, Object.fromEntries(Object.keys(fault).map((name) => [name, false])));
      expect([code, report.outcome]).toEqual([3, 'error']);
      expect(failed(report)).toEqual([]);
    },
  );

  it('does not touch a node that is in use', async () => {
    await product.json('node', 'deploy', NODE, '--image', lab.contract.images[0]!.name, '--owner', 'team-a');
    const { report } = await acceptance('run', '--on-failure', 'fail');
    expect(failed(report)).toEqual(['node-available']);
    expect(report.failure!.message).toContain('team-a');
    expect(await product.json('node', 'show', NODE)).toMatchObject({ phase: 'active', owner: 'team-a' });
    await product.json('node', 'release', NODE);
  });

  it('gives the node back when the run is aborted in the middle', async () => {
    const { runId } = await product.json<{ runId: string }>('acceptance', 'run', '--no-wait');
    await until(runId, ({ gates }) =>
      gates.at(-1)!.checks.some(({ id, state }) => id === 'agent-called-back' && state === 'running'),
    );
    const { code, report } = await acceptance('abort', runId, '--reason', 'enough');
    expect([code, report.outcome]).toEqual([0, 'aborted']);
    await free();
  });

  it('ends with the same verdict when everything is killed in the middle', async () => {
    const { runId } = await product.json<{ runId: string }>('acceptance', 'run', '--no-wait');
    await until(runId, ({ gates }) =>
      gates.at(-1)!.checks.some(({ id, outcome }) => id === 'agent-called-back' && outcome === 'pass'),
    );
    await product.kill9();
    await product.restart();
    const { code, report } = await acceptance('watch', runId);
    expect([code, report.outcome, failed(report)]).toEqual([0, 'pass', []]);
    await free();
  });
});

/** Waits until a run is as wanted. */
async function until(runId: string, wanted: (report: AcceptanceReport) => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; ;) {
    const { report } = await acceptance('show', runId);
    if (report.gates?.length > 0 && wanted(report)) return;
    if (Date.now() > end || report.outcome !== undefined)
      throw new Error(
        `run ${runId} is not as wanted: ${JSON.stringify(report.failure ?? checksOf(report).map(({ id, state }) => [id, state]))}`,
      );
    await sleep(200);
  }
}
