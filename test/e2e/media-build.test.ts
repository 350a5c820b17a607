import { execFile, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployMedia } from '../../activities/gates/images/deploy-media.ts';
import { isoFileBytes, readIso9660 } from '../../core/iso9660.ts';
import { aContext, contractOf } from '../activities/gates/images/support.ts';
import { missingForLinux, PRINTED, tinyLinux } from '../peers/tiny-linux.ts';
import { startGateway, type Gateway } from '../workers/gateway/fixture.ts';
import { runCli } from './support/cli.ts';

/** What the built command makes, judged by xorriso, by UEFI firmware, and by a Linux that was booted from it. */

const run = promisify(execFile);
const BUILD_TOOLS = ['grub-mkimage', 'mformat', 'mmd', 'mcopy', 'xorriso'];
const OVMF = '/usr/share/OVMF';
const CODE = join(OVMF, 'OVMF_CODE_4M.fd');
const BOOT_MS = 300_000;
const QUIETLY =
  '-machine q35 -accel tcg -smp 1 -m 512 -display none -serial stdio -monitor none -no-reboot -nic none -device virtio-scsi-pci -device scsi-cd,drive=cd';

const missing = missingForLinux(BUILD_TOOLS);
const noMachine =
  missing ??
  missingForLinux(['qemu-system-x86_64']) ??
  (existsSync(CODE) ? undefined : 'the package ovmf') ??
  (existsSync('/usr/lib/x86_64-linux-gnu/qemu/block-curl.so') ? undefined : 'the package qemu-block-extra');
if (noMachine !== undefined) console.warn(`skipped: this host lacks ${noMachine}`);

describe.skipIf(missing !== undefined)('a base ISO that was built', () => {
  let folder: string;
  let kernel: string;
  let ramdisk: string;
  let iso: string;
  let told: { path: string; size: number; sha256: string; areaAt: number };

  const build = async (output: string): Promise<typeof told> => {
    const args = ['media', 'build', kernel, ramdisk, '--output', output];
    const { code, stdout, stderr } = await runCli(
      [...args, '--append', 'console=ttyS0', '--json'],
      process.env,
    );
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as typeof told;
  };

  beforeAll(async () => {
    await run(process.execPath, [new URL('../../scripts/build.mjs', import.meta.url).pathname]);
    folder = mkdtempSync(join(tmpdir(), 'rackwright-media-'));
    ({ kernel, ramdisk } = await tinyLinux(folder));
    iso = join(folder, 'base.iso');
    told = await build(iso);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is read by xorriso: the label, a UEFI boot image, and the area where the command says it is', async () => {
    const { stdout } = await run('xorriso', [
      '-indev',
      iso,
      '-report_el_torito',
      'plain',
      '-pvd_info',
      '-find',
      '/',
      '-type',
      'f',
      '-exec',
      'report_lba',
    ]);
    expect(stdout).toMatch(/^Volume Id +: ir-vfd-dev$/m);
    expect(stdout).toMatch(/^El Torito boot img : +1 +UEFI +y +none /m);
    expect(stdout).toMatch(/^El Torito img path : +1 +\/boot\/efi\.img$/m);
    const lba = /^File data lba: +\d+ , +(\d+) , +\d+ , +4096 , '\/parameters\.txt'$/m.exec(stdout)?.[1];
    expect(Number(lba) * 2048).toBe(told.areaAt);
    const bytes = readFileSync(iso);
    expect([told.path, told.size]).toEqual([iso, bytes.length]);
    expect(Buffer.from(isoFileBytes(bytes, 'boot/vmlinuz')!).equals(readFileSync(kernel))).toBe(true);
    expect(Buffer.from(isoFileBytes(bytes, 'boot/ramdisk')!).equals(readFileSync(ramdisk))).toBe(true);
  });

  it('has the loader where firmware looks for it', async () => {
    const esp = readIso9660(readFileSync(iso)).files.find(({ path }) => path === 'boot/efi.img')!;
    const { stdout } = await run('mdir', ['-i', `${iso}@@${esp.offset}`, '-b', '::/EFI/BOOT']);
    expect(stdout.trim()).toBe('::/EFI/BOOT/BOOTX64.EFI');
  });

  it('has its record beside it: what sha256sum says of the ISO, and of what xorriso takes out of it', async () => {
    const record = JSON.parse(readFileSync(`${iso}.json`, 'utf8')) as Record<string, unknown>;
    const parts = ['boot/vmlinuz', 'boot/ramdisk', 'boot/efi.img', 'boot/grub/grub.cfg'];
    const out = join(folder, 'taken-out');
    await run('xorriso', ['-osirrox', 'on', '-indev', iso, '-extract', '/boot', out]);
    const files = parts.map((path) => join(out, path.replace(/^boot\//, '')));
    const { stdout } = await run('sha256sum', [iso, ...files]);
    const sums = stdout.split('\n').map((line) => `sha256:${line.slice(0, 64)}`);
    expect(record).toEqual({
      checksum: sums[0],
      size: told.size,
      architecture: 'x86_64',
      append: 'console=ttyS0',
      files: Object.fromEntries(parts.map((path, i) => [path, sums[i + 1]])),
    });
  });

  it('is what gate 5 finds, until the boot loader in it is another', async () => {
    const media = {
      gatewayUrl: 'http://127.0.0.1:1',
      iso: { x86_64: iso },
      checksum: { x86_64: `sha256:${told.sha256}` },
    };
    const check = async () => deployMedia.run(await aContext(contractOf({ media })));
    expect(await check()).toMatchObject({ outcome: 'pass' });
    const whole = readFileSync(iso);
    const esp = readIso9660(whole).files.find(({ path }) => path === 'boot/efi.img')!;
    const handle = await open(iso, 'r+');
    await handle.write('another', whole.indexOf('normal', esp.offset));
    await handle.close();
    const { outcome, findings } = await check();
    writeFileSync(iso, whole);
    expect(outcome).toBe('fail');
    expect(findings[0]!.failure.message).toMatch(/Others than were recorded: \/boot\/efi\.img\.$/);
  });

  it('is the same, byte for byte, when it is built again from files with other dates', async () => {
    utimesSync(ramdisk, 1_000_000_000, 1_000_000_000);
    expect((await build(join(folder, 'again.iso'))).sha256).toBe(told.sha256);
  });

  describe.skipIf(noMachine !== undefined)('streamed by the gateway', () => {
    let gateway: Gateway;
    beforeAll(async () => {
      gateway = await startGateway({ iso: readFileSync(iso) });
    });
    afterAll(() => gateway?.close());

    it('is booted by UEFI firmware, and its Linux finds the parameters of this very boot', async () => {
      const url = `${gateway.url}/media/${gateway.token('gpu-01', 'media')}/gpu-01.iso`;
      const said = await boot(url, folder);
      const parameters = said.slice(said.indexOf(PRINTED.first)).split(PRINTED.last)[0]!;
      expect(parameters.split(/\r?\n/)).toContain(
        `ipa-api-url=http://gateway.example:8080/agent/${gateway.token('gpu-01', 'agent')}`,
      );
      expect(parameters).toContain('ipa-lookup-timeout=1800');
      expect(parameters).not.toContain('#RACKWRIGHT');
      expect(said).toMatch(/command line: .*boot_method=vmedia console=ttyS0/);
      // The token is nowhere but in the file: no console shows a command line with it.
      expect(said.split('ipa-api-url=')).toHaveLength(2);
    });
  });
});

/** Boots a machine from a CD behind an URL until it powers itself off; answers what its serial line said. */
async function boot(url: string, folder: string): Promise<string> {
  const vars = join(folder, 'vars.fd');
  copyFileSync(join(OVMF, 'OVMF_VARS_4M.fd'), vars);
  const machine = spawn('qemu-system-x86_64', [
    ...QUIETLY.split(' '),
    '-drive',
    `if=pflash,format=raw,readonly=on,file=${CODE}`,
    '-drive',
    `if=pflash,format=raw,file=${vars}`,
    '-drive',
    `if=none,id=cd,media=cdrom,readonly=on,format=raw,file=${url}`,
  ]);
  let said = '';
  machine.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
  machine.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
  const late = setTimeout(() => machine.kill('SIGKILL'), BOOT_MS);
  const signal = await new Promise<string | null>((resolve, reject) => {
    machine.once('error', reject);
    machine.once('close', (_code, by) => resolve(by));
  });
  clearTimeout(late);
  if (signal !== null || !said.includes(PRINTED.last))
    throw new Error(`the machine did not get there:\n${said}`);
  return said;
}
