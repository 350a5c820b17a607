import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { iso9660 } from '../../core/iso9660.ts';
import { parseParameters } from '../../lab/agent.ts';
import { kernelArguments, readBootMedia } from '../../lab/media.ts';
import { serveFiles, type StaticFiles } from '../peers/static-files.ts';

let dir: string;
let files: StaticFiles;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'lab-media-'));
  files = await serveFiles(dir);
});
afterAll(async () => {
  await files.close();
  rmSync(dir, { recursive: true });
});

const GRUB = `set timeout=5
menuentry "boot_partition" {
linux /vmlinuz nofb ipa-api-url=http://127.0.0.1:1 ipa-agent-token=t boot_method=vmedia --
initrd /initrd
}
`;

/** Boots from an image with these text files beside a kernel. */
async function parametersOn(texts: Record<string, string>): Promise<Record<string, string>> {
  const bytes = iso9660({
    label: 'ANY',
    files: Object.entries({ vmlinuz: 'kernel', ...texts }).map(([path, text]) => ({
      path,
      bytes: Buffer.from(text),
    })),
  });
  writeFileSync(join(dir, 'boot.iso'), bytes);
  const { parameters } = await readBootMedia(`${files.url}/boot.iso`, AbortSignal.timeout(30_000));
  return parseParameters(parameters);
}

describe('booting from an image', () => {
  it('takes the parameters of the agent from the command line of the kernel', async () => {
    expect(await parametersOn({ 'EFI/BOOT/grub.cfg': GRUB })).toEqual({
      'ipa-api-url': 'http://127.0.0.1:1',
      'ipa-agent-token': 't',
      boot_method: 'vmedia',
    });
  });

  it('takes them from its file, which wins over the command line', async () => {
    const own = { 'parameters.txt': '# filled in\nipa-api-url=http://127.0.0.1:2\n\n\n' };
    expect(await parametersOn(own)).toEqual({ 'ipa-api-url': 'http://127.0.0.1:2' });
    expect(await parametersOn({ 'EFI/BOOT/grub.cfg': GRUB, ...own })).toMatchObject({
      'ipa-api-url': 'http://127.0.0.1:2',
      'ipa-agent-token': 't',
    });
  });

  it('fails where there is neither', async () => {
    await expect(parametersOn({ 'EFI/BOOT/grub.cfg': 'set timeout=5\n' })).rejects.toThrow(
      'neither a /parameters.txt nor a kernel command line',
    );
  });
});

it.each([
  ['linux /vmlinuz a=b --\n', 'a=b'],
  ['  linuxefi /boot/vmlinuz a=b c\ninitrdefi /initrd', 'a=b c'],
  ['linux /vmlinuz\ninitrd /initrd', ''],
  ['# linux /vmlinuz a=b', undefined],
  ['', undefined],
])('finds what GRUB hands to the kernel in %j', (config, wanted) => {
  expect(kernelArguments(config)).toBe(wanted);
});
