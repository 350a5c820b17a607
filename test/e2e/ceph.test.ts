import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import { contractWith, makeCheck } from '../activities/gates/kubernetes/support.ts';
import { aSite } from '../activities/support.ts';
import { missingForCeph, startCeph, type CephPeer } from '../peers/ceph.ts';
import { startSshd, type SshdPeer } from '../peers/sshd.ts';
import { shownFailing } from '../support/shown.ts';
import { GateBench } from '../workflows/gate-bench.ts';

// What gate 2 says of a Ceph that no one here wrote: its own command line is asked, on a host that is logged in to.

const HOST = 'storage-host';
const missing = missingForCeph();
const shown = shownFailing('Ceph 16.2', ['ceph-status']);

describe.skipIf(missing !== undefined && process.env['CI'] === undefined)(
  `a Ceph${missing === undefined ? '' : ` (missing: ${missing})`}`,
  () => {
    let ceph: CephPeer;
    let sshd: SshdPeer;
    let bench: GateBench;

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      ceph = await startCeph();
      // As docs/how-to/check-kubernetes.md has it: a user who may only read.
      await ceph.allow('client.rackwright', 'mon', 'allow r');
      sshd = await startSshd([`SetEnv CEPH_CONF=${ceph.conf}`]);
      bench = await GateBench.build(
        2,
        GATE_CHECKS.filter(({ check: { id } }) => id === 'ceph-status'),
      );
    });
    afterAll(async () => {
      await bench?.close();
      await sshd?.stop();
      await ceph?.stop();
    });

    const contract = (over: object = {}): Inventory => {
      const { port, user, keyFile, hostKey } = sshd;
      const ssh = { host: '127.0.0.1', port, user, key: `file:${keyFile}`, hostKey };
      return contractWith({
        vantagePoints: [{ name: HOST, ssh }],
        kubernetes: { kubeconfig: 'env:NONE', ceph: { from: HOST, user: 'rackwright', ...over } },
      });
    };
    /** Ends them, and waits until Ceph itself says so. */
    const killed =
      (code: string, ...daemons: Parameters<CephPeer['kill']>[0][]) =>
      async (): Promise<void> => {
        for (const daemon of daemons) await ceph.kill(daemon);
        await ceph.says(code);
      };
    const make = async (over: object = {}) =>
      makeCheck('ceph-status', { site: await aSite(), inventory: contract(over) });

    it('passes', async () => {
      expect(await make()).toMatchObject({
        outcome: 'pass',
        summary: expect.stringContaining('3 monitors in quorum, a manager, 3 OSDs up and in'),
      });
    });

    afterEach(() => ceph.mend());

    it.each([
      {
        what: 'an OSD is down',
        fault: killed('OSD_DOWN', 'osd.2'),
        message: /HEALTH_WARN OSD_DOWN, 1 osds down/,
      },
      {
        what: 'a monitor is down',
        fault: killed('MON_DOWN', 'mon.c'),
        message: /HEALTH_WARN MON_DOWN, 1\/3 mons down/,
      },
      {
        what: 'no manager is active',
        fault: killed('MGR_DOWN', 'mgr.x'),
        message: /MGR_DOWN, no active mgr/,
      },
      {
        what: 'data cannot be read',
        fault: killed('PG_AVAILABILITY', 'osd.1', 'osd.2'),
        message: /OSD_DOWN|PG_AVAILABILITY/,
      },
    ])('fails where $what, and passes after the correction', async ({ fault, message }) => {
      await bench.failing(contract(), {
        fault,
        mend: () => ceph.mend(),
        id: 'ceph-status',
        expected: { domain: 'storage', message },
      });
      shown('ceph-status');
    });

    it('fails on a warning that the contract does not allow, and passes where it does', async () => {
      const set = (flag: 'set' | 'unset') => ceph.ceph('osd', flag, 'noout');
      await set('set');
      await ceph.says('OSDMAP_FLAGS');
      expect(await make()).toMatchObject({ outcome: 'fail' });
      expect(await make({ allow: ['OSDMAP_FLAGS'] })).toMatchObject({ outcome: 'pass' });
      await set('unset');
    });

    it.each([
      ['is not known there', 'nobody', 'CEPH_COMMAND_FAILED'],
      ['may not ask', 'blind', 'CEPH_COMMAND_FAILED'],
    ])('is an error where the user %s', async (_what, user, code) => {
      await ceph.allow('client.blind', 'mgr', 'allow r');
      const { outcome, findings } = await make({ user });
      expect([outcome, findings[0]!.failure.code]).toEqual(['error', code]);
      expect(findings[0]!.failure.message).toContain(`asked from vantage point ${HOST}`);
    });

    it('is an error without quorum: it gives up before it is cut off', async () => {
      for (const monitor of ['mon.b', 'mon.c'] as const) await ceph.kill(monitor);
      await ceph.silent();
      const { outcome, findings } = await make();
      expect([outcome, findings[0]!.failure.code]).toEqual(['error', 'CEPH_COMMAND_FAILED']);
      await ceph.mend();
      expect(await make()).toMatchObject({ outcome: 'pass' });
    });
  },
);
