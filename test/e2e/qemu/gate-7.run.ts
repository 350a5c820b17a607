import { copyFileSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AcceptanceReport } from '../../../core/acceptance/report.ts';
import { busyboxGuest } from '../../peers/qemu/images/index.ts';
import { shownFailing } from '../../support/shown.ts';
import { missingForChain, startChain, type Chain } from './chain.ts';
import { ImageServer } from './image-server.ts';
import { checksumOf } from './site.ts';

/**
 * Gate 7 of a site without a cloud, on a machine with UEFI firmware, a real agent and a real guest. One run meets one
 * fault after the other: `resume` finds the one before corrected, and the next one made.
 */
const NODE = 'machine-g';
const HOUR = 60 * 60_000;
const missing = missingForChain();
const shown = shownFailing('a machine of QEMU', [
  'agent-called-back',
  'image-written',
  'first-boot',
  'console',
  'server-released',
]);

describe.skipIf(missing !== undefined && process.env['CI'] === undefined)(
  `gate 7 on the chain${missing === undefined ? '' : ` (missing: ${missing})`}`,
  () => {
    let folder: string;
    let good: string;
    let server: ImageServer;
    let chain: Chain;
    let runId: string;
    /** How often the gate has run. */
    let runs = 0;

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      folder = mkdtempSync(join(tmpdir(), 'rackwright-gate-7-'));
      good = await busyboxGuest({ name: 'first' });
      server = new ImageServer({ 'good.raw': good });
      await server.listen();
      chain = await startChain(NODE, {
        images: [
          {
            name: 'good',
            url: server.urlOf('good.raw'),
            checksum: await checksumOf(good),
            format: 'raw',
          },
        ],
        timeouts: { agent: '8m', firstBoot: '5m' },
        acceptance: { image: 'good', gates: [7] },
      });
      await chain.pass('enroll');
      await chain.pass('clean', '--erase', 'full');
    });
    afterAll(async () => {
      await chain?.stop();
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const show = async (): Promise<AcceptanceReport> =>
      (await chain.product.answer<AcceptanceReport>('acceptance', 'show', runId)).document;
    const checksOf = ({ gates }: AcceptanceReport) => gates[0]!.checks;

    /** Runs the gate, the first time in a new run, and plays the fault meanwhile. */
    async function gate(fault: () => Promise<void> = async () => undefined): Promise<AcceptanceReport> {
      runs += 1;
      const words = runs === 1 ? ['run'] : ['resume', runId];
      const asked = await chain.product.json<{ runId: string }>('acceptance', ...words, '--no-wait');
      runId = asked.runId;
      await fault();
      const { document } = await chain.product.answer<AcceptanceReport>('acceptance', 'watch', runId);
      console.log(checksOf(document).map(({ id, outcome, summary }) => `${id}: ${outcome}: ${summary}`));
      return document;
    }

    /** Waits until a check has come to that in this run of the gate. */
    async function until(check: string, outcome: 'pass' | 'fail'): Promise<void> {
      for (const end = Date.now() + HOUR; ; await sleep(1000)) {
        const report = await show();
        const own = checksOf(report).find(({ id }) => id === check);
        const now = report.gates[0]!.runs === runs ? own?.outcome : undefined;
        if (now === outcome) return;
        if (now !== undefined || report.held || Date.now() > end)
          throw new Error(`${check} has come to ${now}, and not to ${outcome}`);
      }
    }

    /** The node is as free as it was, whatever became of the run. */
    async function free(): Promise<void> {
      expect(await chain.product.json('node', 'show', NODE)).toMatchObject({
        phase: 'available',
        owner: null,
        residue: [],
      });
      expect(await chain.standing()).toEqual({ power: 'Off', inserted: false });
    }

    interface Case {
      readonly what: string;
      readonly check: string;
      readonly code: string;
      readonly faultDomain: string;
      /** Makes it, and mends what the clean-up needs. */
      readonly fault: () => Promise<void>;
      /** What else cannot be told then. */
      readonly open: readonly string[];
      /** What has to be done beside before the node is free. */
      readonly correction?: () => Promise<unknown>;
    }
    const AFTER_AGENT = ['image-written', 'first-boot', 'guest-reached'];
    it.each<Case>([
      {
        what: 'its agent has no way to the gateway',
        check: 'agent-called-back',
        code: 'AGENT_SILENT',
        faultDomain: 'deploy-agent',
        async fault() {
          await chain.toGateway.listen(false);
          await until('agent-called-back', 'fail');
          await chain.toGateway.listen(true);
        },
        open: [...AFTER_AGENT, 'server-active', 'console'],
      },
      {
        what: 'the server of images has other bytes',
        check: 'image-written',
        code: 'IMAGE_CHECKSUM_MISMATCH',
        faultDomain: 'image-supply',
        async fault() {
          const other = join(folder, 'other.raw');
          copyFileSync(good, other);
          const file = await open(other, 'r+');
          await file.write(Buffer.alloc(512, 'x'), 0, 512, (await file.stat()).size / 2);
          await file.close();
          server.serve('good.raw', other);
          await until('image-written', 'fail');
          server.serve('good.raw', good);
        },
        open: ['first-boot', 'guest-reached', 'server-active', 'console'],
      },
      {
        what: 'its guest has no way to the gateway',
        check: 'first-boot',
        code: 'FIRST_BOOT_SILENT',
        faultDomain: 'first-boot',
        async fault() {
          await until('image-written', 'pass');
          await chain.toGateway.listen(false);
          await until('first-boot', 'fail');
          await chain.toGateway.listen(true);
        },
        open: ['guest-reached', 'server-active', 'console'],
      },
      {
        what: 'the file of its console is moved away from under it',
        check: 'console',
        code: 'CHECK_FAILED',
        faultDomain: 'console',
        async fault() {
          const starts = (text: string): number => text.split('GUEST first UP').length;
          const before = starts(await chain.machine.said());
          for (const end = Date.now() + HOUR; starts(await chain.machine.said()) === before; await sleep(50))
            if (Date.now() > end) throw new Error('the guest has not come up');
          renameSync(chain.machine.console, `${chain.machine.console}.1`);
          writeFileSync(chain.machine.console, '');
        },
        open: [],
      },
      {
        what: 'its BMC goes down before it is taken back',
        check: 'server-released',
        code: 'BMC_UNREACHABLE',
        faultDomain: 'management-network',
        async fault() {
          await until('server-active', 'pass');
          await chain.rack.emulator.down();
          await until('server-released', 'fail');
          await chain.rack.emulator.up();
        },
        open: [],
        // By when the BMC went down, the release had come to cleaning or not.
        correction: async () => {
          const { phase } = await chain.product.json<{ phase: string }>('node', 'show', NODE);
          await (phase === 'release-failed' ? chain.pass('release') : chain.pass('clean', '--erase', 'full'));
        },
      },
    ])(
      'stops at $check alone where $what',
      async ({ check, code, faultDomain, fault, open: cannotTell, correction }) => {
        const report = await gate(fault);
        expect(report).toMatchObject({ held: true, stoppedAt: 7, failure: { code, faultDomain } });
        const ended = (as: string): string[] =>
          checksOf(report).flatMap(({ id, outcome }) => (outcome === as ? [id] : []));
        expect(ended('fail')).toEqual([check]);
        expect(ended('error').sort()).toEqual([...cannotTell].sort());
        await correction?.();
        await free();
        shown(check);
      },
      HOUR,
    );

    it('passes when all of it is corrected', async () => {
      const report = await gate();
      expect([report.outcome, report.failure]).toEqual(['pass', undefined]);
      expect(report.gates[0]!.runs).toBe(6);
      await free();
    });
  },
);
