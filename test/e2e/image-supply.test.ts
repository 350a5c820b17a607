import { execFile } from 'node:child_process';
import { readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GATE_CHECKS } from '../../activities/gates/index.ts';
import type { Inventory } from '../../contracts/inventory/inventory.ts';
import type { AcceptanceReport } from '../../core/acceptance/report.ts';
import { digest } from '../activities/gates/images/support.ts';
import { contractWith } from '../activities/gates/kubernetes/support.ts';
import { fileServer, type FileServer } from '../peers/file-server.ts';
import { missingPrograms } from '../peers/once.ts';
import { shownFailing } from '../support/shown.ts';
import { GateBench } from '../workflows/gate-bench.ts';

// Gate 5 in whole runs, on what others made: images of sgdisk and qemu-img behind web servers that are not ours, and an
// ISO of one's own, by grub-mkrescue.

const run = promisify(execFile);
const MIB = 1024 * 1024;
const TOOLS = ['sgdisk', 'qemu-img', 'python3', 'busybox', 'grub-mkrescue', 'xorriso', 'mformat'];
const missing = missingPrograms(TOOLS);
if (missing.length > 0) console.warn(`skipped: this host lacks ${missing.join(', ')}`);
const ofImages = shownFailing('images of sgdisk and qemu-img', ['image-format', 'image-digests']);
const ofMedia = shownFailing('media of xorriso and GRUB', ['deploy-media']);

describe.skipIf(missing.length > 0)('what would be deployed', () => {
  let folder: string;
  let python: FileServer;
  let busybox: FileServer;
  let bench: GateBench;
  let raw: string;
  let qcow2: string;
  let iso: string;
  let inventory: Inventory;
  const checksums = new Map<string, string>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rackwright-image-supply-'));
    const www = join(folder, 'www');
    await mkdir(www);
    raw = join(www, 'system.raw');
    writeFileSync(raw, '');
    truncateSync(raw, 64 * MIB);
    await run('sgdisk', ['-o', '-n', '1:0:+8M', '-t', '1:ef00', '-n', '2:0:+8M', '-t', '2:8304', raw]);
    qcow2 = join(www, 'system.qcow2');
    await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, qcow2]);
    iso = join(folder, 'base.iso');
    await masterIso(join(folder, 'root'), iso);
    for (const path of [raw, qcow2, iso]) checksums.set(path, digest(readFileSync(path)));
    [python, busybox, bench] = await Promise.all([
      fileServer('python', www),
      fileServer('busybox', www),
      GateBench.build(
        5,
        GATE_CHECKS.filter(({ check: { gate } }) => gate === 5),
      ),
    ]);
    inventory = contract();
  });
  afterAll(async () => {
    await bench?.close();
    await Promise.all([python?.stop(), busybox?.stop()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const contract = (claims: object = {}): Inventory =>
    contractWith({
      networks: { provisioning: { cidr: '127.0.0.0/8' } },
      media: { gatewayUrl: 'http://127.0.0.1:1', iso, checksum: checksums.get(iso)! },
      images: [
        {
          name: 'plain',
          url: `${python.url}/system.raw`,
          checksum: checksums.get(raw),
          format: 'raw',
          size: 64 * MIB,
          architecture: 'x86_64',
          bootMode: 'uefi',
          ...claims,
        },
        {
          name: 'packed',
          url: `${busybox.url}/system.qcow2`,
          checksum: checksums.get(qcow2),
          format: 'qcow2',
        },
      ],
    });
  const outcomes = (report: AcceptanceReport): string[] =>
    bench
      .checksOf(report)
      .flatMap(({ id, outcome }) => (/pass|skipped/.test(outcome!) ? [] : [`${id} ${outcome}`]));
  const messages = (report: AcceptanceReport): (string | undefined)[] =>
    bench.checksOf(report).flatMap(({ findings = [] }) => findings.map(({ failure }) => failure.message));

  it.each<[string, string, () => string, number, string, RegExp]>([
    [
      'image-digests',
      'the image',
      () => raw,
      32 * MIB,
      'image-supply',
      /^Image plain has sha256:.* is in the/,
    ],
    [
      'image-digests',
      'the qcow2 image',
      () => qcow2,
      -1,
      'image-supply',
      /^Image packed has sha256:.* is in the/,
    ],
    [
      'deploy-media',
      'the ISO',
      () => iso,
      -1,
      'media-publisher',
      /base\.iso has sha256:.*, and the contract/,
    ],
  ])('%s fails alone while one byte of %s is another', async (id, _what, file, at, domain, message) => {
    const flip = (): void => {
      const bytes = readFileSync(file());
      bytes[(at + bytes.length) % bytes.length]! ^= 1;
      writeFileSync(file(), bytes);
    };
    await bench.failing(inventory, { fault: flip, mend: flip, id, expected: { domain, message } });
    (id === 'deploy-media' ? ofMedia : ofImages)(id);
  });

  it('deploy-media fails alone while the ISO is gone', async () => {
    await bench.failing(inventory, {
      fault: () => renameSync(iso, `${iso}.away`),
      mend: () => renameSync(`${iso}.away`, iso),
      id: 'deploy-media',
      expected: { domain: 'media-publisher', message: /base\.iso is not there/, code: 'MEDIA_BASE_INVALID' },
    });
  });

  it('image-format fails alone for an image that is not what the contract says of it', async () => {
    const held = await bench.run(contract({ architecture: 'aarch64' }));
    expect(outcomes(held)).toEqual(['image-format fail']);
    expect(held).toMatchObject({
      held: true,
      stoppedAt: 5,
      failure: { faultDomain: 'image-supply', message: expect.stringMatching(/partitions of x86_64/) },
    });
    expect(bench.counts).toEqual({ before: 1, after: 0 });
    // A run is held to the contract that it began with: the corrected one is another run's.
    await bench.abort(held);
    expect(await bench.run(inventory)).toMatchObject({ outcome: 'pass' });
    ofImages('image-format');
  });

  it('an image that is gone, or another, fails by each check that reads it; a server that is down, by none', async () => {
    renameSync(raw, `${raw}.away`);
    const gone = await bench.run(inventory);
    expect(gone).toMatchObject({ held: true, stoppedAt: 5, failure: { faultDomain: 'image-supply' } });
    expect(outcomes(gone)).toEqual(['image-format fail', 'image-digests fail']);
    expect(new Set(messages(gone))).toEqual(new Set([`${python.url}/system.raw answered 404.`]));
    await copyFile(qcow2, raw);
    const another = await bench.resume(gone);
    expect(outcomes(another)).toEqual(['image-format fail', 'image-digests fail']);
    expect(messages(another)[0]).toMatch(/^Image plain .*qcow2/);
    renameSync(`${raw}.away`, raw);
    await python.stop();
    const down = await bench.resume(another);
    expect(outcomes(down)).toEqual(['image-format error', 'image-digests error']);
    expect(down).toMatchObject({ failure: { code: 'IMAGE_SOURCE_UNREACHABLE' } });
    await python.start();
    expect(await bench.resume(down)).toMatchObject({ outcome: 'pass' });
    expect(bench.counts).toEqual({ before: 1, after: 1 });
  });
});

/** An ISO of one's own, as the how-to has it: the label, the reserved area, and whatever boots. */
async function masterIso(root: string, iso: string): Promise<void> {
  await mkdir(join(root, 'boot', 'grub'), { recursive: true });
  writeFileSync(join(root, 'parameters.txt'), '#RACKWRIGHT-PARAMETERS#'.padEnd(4096, '\n'));
  const [kernel, ramdisk] = ['boot/vmlinuz', 'boot/ramdisk'];
  await copyFile(process.execPath, join(root, ramdisk!));
  await copyFile('/bin/sh', join(root, kernel!));
  const menu = `linux /${kernel} boot_method=vmedia\ninitrd /${ramdisk}\nboot\n`;
  writeFileSync(join(root, 'boot', 'grub', 'grub.cfg'), menu);
  await run('grub-mkrescue', ['-o', iso, root, '--', '-volid', 'ir-vfd-dev']);
}
