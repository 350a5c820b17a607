import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asQcow2, busyboxGuest, debianGuest } from '../../peers/qemu/images/index.ts';
import { missingForChain, startChain, type Chain } from './chain.ts';
import { compareSectors, countCanaries, plantCanaries, type Canaries } from './disk.ts';
import { readPartitions, volumeLabel } from './gpt.ts';
import { checksumOf, DISKS } from './site.ts';

/**
 * The whole life on what no one here wrote: UEFI firmware boots the media that we publish, ironic-python-agent erases
 * and writes disks, and what stands on them comes up and calls home. One machine, or as many at once as
 * RACKWRIGHT_E2E_MACHINES says.
 */
const MACHINES = Number(process.env['RACKWRIGHT_E2E_MACHINES'] ?? 1);
const CANARIES = 1_000;
const NO_FLAGS = { drift: null, maintenance: null, quarantined: null };
const missing = missingForChain();

describe.skipIf(missing !== undefined && process.env['CI'] === undefined)(
  `${MACHINES} machines with UEFI firmware${missing === undefined ? '' : ` (missing: ${missing})`}`,
  () => {
    let chains: Chain[] = [];
    let raw: Record<'first' | 'second' | 'debian', string>;

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      raw = {
        first: await busyboxGuest({ name: 'first' }),
        // Its firmware does not find the loader by itself: a boot entry has to name it.
        second: await busyboxGuest({ name: 'second', loader: 'vendor' }),
        debian: await debianGuest(),
      };
      const qcow2 = await asQcow2(raw.second);
      const images = [
        { name: 'first', url: raw.first, checksum: await checksumOf(raw.first), format: 'raw' },
        { name: 'second', url: qcow2, checksum: await checksumOf(qcow2), format: 'qcow2' },
        { name: 'debian', url: raw.debian, checksum: await checksumOf(raw.debian), format: 'raw' },
      ] as const;
      const names = Array.from({ length: MACHINES }, (_, i) => `machine-${i + 1}`);
      chains = await Promise.all(names.map((name) => startChain(name, { images })));
    });
    afterAll(async () => {
      for (const chain of chains) await chain.stop();
    });

    const each = async (work: (chain: Chain) => Promise<void>): Promise<void> => {
      const ended = await Promise.allSettled(chains.map(work));
      const failures = ended.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
      expect(failures).toEqual([]);
    };
    const tell = ({ machine }: Chain, text: string): void => console.log(`${machine.name}: ${text}`);
    const rootOf = ({ machine }: Chain): string => machine.disks[0]!.file;

    /** The boot entries that name a loader on a disk, in the order in which the firmware tries them. */
    async function loadersOf(chain: Chain): Promise<string[]> {
      const { entries, order } = await chain.machine.bootEntries();
      tell(chain, `boot order: ${order.join()}; ${entries.map((e) => `${e.id} ${e.label}`).join(', ')}`);
      const tried = order.map((id) => entries.find((entry) => entry.id === id)!);
      return [...tried, ...entries.filter(({ id }) => !order.includes(id))]
        .filter(({ loader }) => loader !== null)
        .map(({ label, loader }) => `${label}: ${loader}`);
    }

    /** Every sector of the image is on the root device, but what the second partition table and the new partition change. */
    async function compareWith(chain: Chain, image: string): Promise<void> {
      const { bytes, differing, accessed } = await compareSectors(image, rootOf(chain));
      const [wanted, found] = [await readPartitions(image), await readPartitions(rootOf(chain))];
      expect(found.slice(0, wanted.length)).toEqual(wanted);
      const [drive, ...more] = found.slice(wanted.length);
      expect(more).toEqual([]);
      expect(await volumeLabel(rootOf(chain), drive!.firstLba)).toBe('config-2');
      // The agent that looks for the boot loader reads the file that names it.
      expect(accessed.length).toBeLessThanOrEqual(1);
      // The protective MBR and the header tell the size of the disk; the entry of the config drive is in the table.
      const table = 2 + Math.floor(wanted.length / 4);
      expect(differing.filter((lba) => lba > 1 && lba !== table)).toEqual([]);
      tell(
        chain,
        `${bytes} bytes compared with the image, ${differing.length} sectors differ: ${differing.join(', ')}` +
          accessed.map((lba) => `; ${lba} by when a file was read`).join(''),
      );
    }

    it('are taken in and inspected', () =>
      each(async ({ pass, product, machine }) => {
        await pass('enroll');
        await pass('inspect');
        expect(await product.json('node', 'show', machine.name)).toMatchObject({
          phase: 'manageable',
          flags: NO_FLAGS,
        });
      }));

    it('are cleaned', () =>
      each(async (chain) => {
        const report = await chain.pass('clean', '--erase', 'full');
        tell(chain, report.steps.find(({ id }) => id === 'erase')!.summary!);
      }));

    it('get an image, sector by sector, and it calls home', () =>
      each(async (chain) => {
        const report = await chain.pass(
          'deploy',
          '--image',
          'first',
          '--owner',
          'alice',
          '--hostname',
          'trainer',
        );
        expect(report).toMatchObject({ phase: 'active', residue: [] });
        expect(await chain.machine.said()).toContain('GUEST first UP');
        const { summary } = report.steps.find(({ id }) => id === 'install-bootloader')!;
        expect(summary).toBe('Boot entry for the loader on /dev/vda written, first in the boot order');
        expect(await loadersOf(chain)).toEqual(['ironic1: \\EFI\\BOOT\\BOOTX64.EFI']);
        await compareWith(chain, raw.first);
      }));

    it('get another image, of another format', () =>
      each(async (chain) => {
        await chain.pass('reimage', '--image', 'second');
        expect(await chain.machine.said()).toContain('GUEST second UP');
        expect((await loadersOf(chain))[0]).toBe('Guest second: \\EFI\\guest\\grubx64.efi');
        await compareWith(chain, raw.second);
      }));

    it('are released, and nothing of what was on any disk is left', () =>
      each(async (chain) => {
        const planted: [string, Canaries][] = [];
        for (const { file } of chain.machine.disks) planted.push([file, await plantCanaries(file, CANARIES)]);
        for (const [file, canaries] of planted)
          expect(await countCanaries(file, canaries)).toEqual({ there: CANARIES, anywhere: CANARIES });
        const report = await chain.pass('release');
        expect(report).toMatchObject({ phase: 'available', residue: [] });
        for (const [file, canaries] of planted)
          expect(await countCanaries(file, canaries)).toEqual({ there: 0, anywhere: 0 });
        tell(chain, `${planted.length} disks with ${CANARIES} canaries each: none is left`);
        tell(chain, report.steps.find(({ id }) => id === 'erase')!.summary!);
        const { summary } = report.steps.find(({ id }) => id === 'clean-nvram')!;
        expect(summary).toBe('Boot entries that point into a disk are removed; others are as they were');
        expect(await loadersOf(chain)).toEqual([]);
        for (const { serial } of DISKS) expect(JSON.stringify(report)).toContain(serial);
        const state = await chain.product.json('node', 'show', chain.machine.name);
        expect(state).toMatchObject({ phase: 'available', owner: null, flags: NO_FLAGS, power: 'off' });
      }));

    it('get a Debian whose cloud-init reads its config drive', () =>
      each(async (chain) => {
        const report = await chain.pass(
          'deploy',
          '--image',
          'debian',
          '--owner',
          'bob',
          '--hostname',
          'trainer-2',
        );
        const { summary } = report.steps.find(({ id }) => id === 'await-first-boot')!;
        expect(summary).toContain('trainer-2');
        tell(chain, summary!);
      }));
  },
);
