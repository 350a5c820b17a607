import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, truncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asQcow2, busyboxGuest } from '../../peers/qemu/images/index.ts';
import { missingForChain, startChain, type Chain } from './chain.ts';
import { ImageServer } from './image-server.ts';
import { checksumOf, DISKS } from './site.ts';

/**
 * What goes wrong on the way to a running system, on a machine with UEFI firmware and a real agent. Each fault ends with
 * a verdict that names the right culprit, and the machine is off; what is asked for next works.
 */
const run = promisify(execFile);
const missing = missingForChain();
const WRONG = `sha256:${'0'.repeat(64)}`;

describe.skipIf(missing !== undefined && process.env['CI'] === undefined)(
  `faults on the chain${missing === undefined ? '' : ` (missing: ${missing})`}`,
  () => {
    let folder: string;
    let server: ImageServer;
    let chain: Chain;

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      folder = mkdtempSync(join(tmpdir(), 'rackwright-faults-'));
      const good = await busyboxGuest({ name: 'first' });
      const silent = await busyboxGuest({ name: 'quiet', silent: true });
      const bare = await busyboxGuest({ name: 'bare', loader: 'none' });
      const qcow2 = await asQcow2(good);
      const big = join(folder, 'big.raw');
      copyFileSync(good, big);
      truncateSync(big, DISKS[0]!.bytes + 512);
      const plain = join(folder, 'plain.raw');
      copyFileSync(good, plain);
      await run('sgdisk', ['--typecode=1:8300', plain]);
      server = new ImageServer({
        'good.raw': good,
        'good.qcow2': qcow2,
        'big.raw': big,
        'silent.raw': silent,
        'bare.raw': bare,
        'plain.raw': plain,
      });
      await server.listen();
      const checksum = await checksumOf(good);
      const image = (name: string, file: string, sum: string, format: 'raw' | 'qcow2' = 'raw') => ({
        name,
        url: server.urlOf(file),
        checksum: sum,
        format,
      });
      chain = await startChain('machine-f', {
        images: [
          image('good', 'good.raw', checksum),
          image('wrong', 'good.raw', WRONG),
          image('wrong-qcow2', 'good.qcow2', WRONG, 'qcow2'),
          image('big', 'big.raw', await checksumOf(big)),
          image('silent', 'silent.raw', await checksumOf(silent)),
          image('bare', 'bare.raw', await checksumOf(bare)),
          image('plain', 'plain.raw', await checksumOf(plain)),
        ],
        timeouts: { firstBoot: '2m' },
      });
      await chain.pass('enroll');
      await chain.pass('clean', '--erase', 'full');
    });
    afterAll(async () => {
      await chain?.stop();
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const deploy = ['--owner', 'alice', '--on-failure', 'fail'] as const;

    /** A verb that has to fail, and leaves a machine that is off and has no media. */
    async function failing(verb: string, image: string, code: string, faultDomain: string): Promise<string> {
      const { report } = await chain.ask(
        verb,
        '--image',
        image,
        ...(verb === 'deploy' ? deploy : deploy.slice(2)),
      );
      expect(report).toMatchObject({ outcome: 'fail', residue: [], failure: { code, faultDomain } });
      expect(report.failure!.correction).not.toBe('');
      expect(await chain.standing()).toEqual({ power: 'Off', inserted: false });
      console.log(`${image}: ${code}: ${report.failure!.message}`);
      return JSON.stringify(report);
    }

    it('the power fails in the middle of writing', async () => {
      const asked = failing('deploy', 'good', 'POWER_LOST', 'hardware');
      await server.heldInTheMiddle(() => chain.machine.pullThePlug());
      await asked;
    });

    it.each([
      ['plain', 'There is no EFI system partition on /dev/vda.'],
      ['bare', 'The EFI system partition on /dev/vda has no boot loader.'],
    ])('the image has nothing that firmware could start: it is not tried (%s)', async (image, why) => {
      const before = (await chain.machine.said()).length;
      expect(await failing('deploy', image, 'IMAGE_NOT_BOOTABLE', 'image-supply')).toContain(why);
      // The agent is the last thing that it ran.
      const said = (await chain.machine.said()).slice(before);
      expect(said.match(/BdsDxe: starting/g)).toHaveLength(1);
    });

    it('gateway and worker are killed in the middle of writing: the operation goes on', async () => {
      const asked = chain.pass('deploy', '--image', 'good', '--owner', 'alice');
      await server.heldInTheMiddle(() => chain.product.kill9('gateway', 'worker'));
      expect(await asked).toMatchObject({ outcome: 'pass', phase: 'active' });
    });

    it('somebody ejects the media under the feet of the agent: it lives in memory', async () => {
      const asked = chain.pass('reimage', '--image', 'good');
      await server.heldInTheMiddle(async () => {
        await chain.bmc('/VirtualMedia/Cd/Actions/VirtualMedia.EjectMedia', { method: 'POST', body: '{}' });
      });
      expect(await asked).toMatchObject({ outcome: 'pass', phase: 'active' });
    });

    it('the server of the image answers 500 at first', async () => {
      server.failNext(2);
      expect(await chain.pass('reimage', '--image', 'good')).toMatchObject({ phase: 'active' });
      expect(server.failed).toBe(2);
    });

    it('the bytes of a raw image are others than the contract means: it is written, and never booted', async () => {
      const before = (await chain.machine.said()).split('GUEST first UP').length;
      await failing('reimage', 'wrong', 'IMAGE_CHECKSUM_MISMATCH', 'image-supply');
      const { code } = await chain.product.cli('node', 'power', chain.machine.name, '--state', 'on');
      expect(code).toBe(1);
      expect(await chain.standing()).toEqual({ power: 'Off', inserted: false });
      expect((await chain.machine.said()).split('GUEST first UP').length).toBe(before);
    });

    it('those of a qcow2 image are: the disk is not touched', async () => {
      const root = chain.machine.disks[0]!.file;
      const before = await checksumOf(root);
      await failing('reimage', 'wrong-qcow2', 'IMAGE_CHECKSUM_MISMATCH', 'image-supply');
      expect(await checksumOf(root)).toBe(before);
    });

    it('the disk is too small: nothing is written', async () => {
      await failing('reimage', 'big', 'ROOT_DEVICE_TOO_SMALL', 'hardware');
    });

    it('the guest never calls home: the last lines of its console are kept', async () => {
      const report = await failing('reimage', 'silent', 'FIRST_BOOT_SILENT', 'first-boot');
      expect(report).toContain('GUEST quiet SILENT');
    });

    it('and after all of it the machine gets its image', async () => {
      expect(await chain.pass('reimage', '--image', 'good')).toMatchObject({ phase: 'active', residue: [] });
      expect(await chain.standing()).toEqual({ power: 'On', inserted: false });
    });
  },
);
