import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cli, temporaryFolder } from '../../support/cli.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const kernel = join(folder.path, 'vmlinuz');
const head = Buffer.alloc(2048);
head.write('MZ');
head.write('HdrS', 0x202);
writeFileSync(kernel, head);
const ramdisk = join(folder.path, 'ramdisk');
writeFileSync(ramdisk, '070701');

const build = (...args: string[]) => cli(['media', 'build', ...args], { cwd: folder.path });

test('without its tools nothing is built, and all of them are named with their packages', async () => {
  const { code, stdout, stderr } = await cli(['media', 'build', kernel, ramdisk], {
    env: { PATH: folder.path },
    cwd: folder.path,
  });
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(/^MEDIA_TOOL_MISSING .*grub-mkimage, mformat, mmd, mcopy, xorriso/);
  expect(stderr).toContain('apt install grub-common grub-efi-amd64-bin mtools xorriso');
});

test.each([
  ['in the wrong order', () => build(ramdisk, kernel), /ramdisk is no Linux kernel/],
  ['that are not there', () => build(join(folder.path, 'none'), ramdisk), /none is not there/],
  ['of another architecture', () => build(kernel, ramdisk, '--architecture', 'aarch64'), /for aarch64/],
  [
    'for a folder',
    () => build(kernel, ramdisk, '--output', folder.path),
    /^MEDIA_INPUT_INVALID .* is a folder: the ISO is a file\.\n.*--output/,
  ],
  ['with a script', () => build(kernel, ramdisk, '--append', 'a;reboot'), /characters that GRUB would read/],
])('kernel and ramdisk %s: exit 2', async (_what, run, message) => {
  const { code, stderr } = await run();
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});
