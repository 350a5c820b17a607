import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageFormat } from '../../activities/gates/images/image-format.ts';
import { aContext, contractOf, digest } from '../activities/gates/images/support.ts';
import { shownFailing } from '../support/shown.ts';
import { missingPrograms } from '../peers/once.ts';

/** What gate 5 says of images that sgdisk and qemu-img made, beside what these say of them. */

const run = promisify(execFile);
const missing = missingPrograms(['sgdisk', 'qemu-img']);
const shown = shownFailing('images of sgdisk and qemu-img', ['image-format']);
if (missing.length > 0) console.warn(`skipped: this host lacks ${missing.join(', ')}`);

const MIB = 1024 * 1024;

describe.skipIf(missing.length > 0)('an image that others made', () => {
  let folder: string;
  const at = (name: string): string => join(folder, name);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rackwright-image-formats-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A disk of 64 MiB with partitions of these types, as sgdisk calls them. */
  const raw = async (name: string, ...types: string[]): Promise<string> => {
    writeFileSync(at(name), '');
    truncateSync(at(name), 64 * MIB);
    const parts = types.flatMap((type, i) => ['-n', `${i + 1}:0:+8M`, '-t', `${i + 1}:${type}`]);
    await run('sgdisk', ['-o', ...parts, at(name)]);
    return at(name);
  };
  const qcow2 = async (from: string, ...options: string[]): Promise<string> => {
    await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', ...options, from, `${from}.qcow2`]);
    return `${from}.qcow2`;
  };
  const look = async (url: string, over: object = {}) => {
    const format = url.endsWith('.qcow2') ? 'qcow2' : 'raw';
    const image = { name: 'a', url, checksum: digest(readFileSync(url)), format, ...over };
    const context = await aContext(contractOf({ images: [image] }));
    const result = await imageFormat.run(context);
    return { ...result, message: result.findings[0]?.failure.message, answer: context.kept['a']?.answer };
  };
  const virtualSize = async (path: string): Promise<unknown> =>
    (JSON.parse((await run('qemu-img', ['info', '--output=json', path])).stdout) as Record<string, unknown>)[
      'virtual-size'
    ];

  it.each<[string, string[], object, RegExp | undefined]>([
    ['uefi', ['ef00', '8304'], { bootMode: 'uefi', architecture: 'x86_64' }, undefined],
    ['arm', ['ef00', '8305'], { bootMode: 'uefi', architecture: 'aarch64' }, undefined],
    ['usr', ['ef00', '8314'], { architecture: 'aarch64' }, /partitions of x86_64/],
    ['other', ['ef00', '8305'], { architecture: 'x86_64' }, /partitions of aarch64/],
    ['no-esp', ['8304'], { bootMode: 'uefi' }, /no EFI system partition/],
    ['linux', ['ef00', '8300'], { architecture: 'aarch64' }, undefined],
    ['bios', ['ef02', '8300'], { bootMode: 'bios' }, /no boot code/],
    ['empty', [], {}, /without a partition/],
  ])('%s, with partitions %j, is told alike as raw and as qcow2', async (name, types, claims, expected) => {
    const plain = await raw(name, ...types);
    for (const path of [plain, await qcow2(plain, '-c', '-o', 'cluster_size=4096')]) {
      const { outcome, message, answer, summary } = await look(path, claims);
      expect(outcome).toBe(expected === undefined ? 'pass' : 'fail');
      if (expected !== undefined) expect(message).toMatch(expected);
      expect(answer).toMatchObject({ disk: await virtualSize(path), notLookedInto: null });
      expect(summary).toMatch(/not looked into: cloud-init/);
    }
  });

  it('on another file, without its end or damaged inside fails', async () => {
    const plain = await raw('base', 'ef00', '8304');
    const whole = await qcow2(plain);
    await run('qemu-img', ['create', '-f', 'qcow2', '-b', whole, '-F', 'qcow2', at('overlay.qcow2')]);
    expect((await look(at('overlay.qcow2'))).message).toMatch(/backing file/);
    truncateSync(plain, 6 * MIB);
    expect((await look(plain)).message).toMatch(/is cut short/);
    // Where the clusters of the disk are looked up.
    const handle = await open(whole, 'r+');
    const head = Buffer.alloc(104);
    await handle.read(head, 0, head.length, 0);
    const table = Buffer.alloc(8, 0x7f);
    await handle.write(table, 0, table.length, Number(head.readBigUInt64BE(40)));
    await handle.close();
    await expect(
      run('qemu-img', [
        'dd',
        '-f',
        'qcow2',
        '-O',
        'raw',
        'bs=512',
        'count=1',
        `if=${whole}`,
        `of=${at('x')}`,
      ]),
    ).rejects.toThrow();
    const { outcome, message } = await look(whole);
    expect([outcome, message]).toEqual(['fail', expect.stringMatching(/cannot be read by qemu-img: /)]);
    expect(message).not.toContain(folder);
    shown('image-format');
  });
});
