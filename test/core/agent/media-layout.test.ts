import { describe, expect, it } from 'vitest';
import {
  earlyConfig,
  espCommands,
  espSize,
  grubArguments,
  isoArguments,
  kernelProblem,
  menu,
  ramdiskProblem,
} from '../../../core/agent/media-layout.ts';

const MIB = 1024 * 1024;

describe('what GRUB is told', () => {
  it('first: to find the volume that the image was built for', () => {
    expect(earlyConfig('abc')).toBe(
      'search --no-floppy --set=root --file /rackwright/abc\nset prefix=($root)/boot/grub\nnormal\n',
    );
  });

  it('then: to start the agent in its virtual media mode, and never what stands on the disk', () => {
    const lines = menu('console=ttyS0,115200n8  ipa-insecure=1').split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'linux /boot/vmlinuz boot_method=vmedia console=ttyS0,115200n8 ipa-insecure=1',
      'initrd /boot/ramdisk',
      'boot',
    ]);
    expect(lines.slice(3).join('\n')).toMatch(/could not be started[^]*while true; do sleep 60; done/);
  });

  it.each([
    'console=ttyS0; reboot',
    'a=$(b)',
    'a="b c"',
    "a='b'",
    'a\\b',
    'a|b',
    'a#b',
    'ipa-debug=1',
    'ipa-debug',
    'boot_method=pxe',
  ])('refuses %j', (append) => {
    expect(() => menu(append)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'MEDIA_INPUT_INVALID' }) }),
    );
  });
});

describe('the tools', () => {
  it.each([
    ['x86_64', 'x86_64-efi', 'BOOTX64.EFI'],
    ['aarch64', 'arm64-efi', 'BOOTAA64.EFI'],
  ] as const)('make what the firmware of %s looks for', (architecture, grub, file) => {
    const args = grubArguments(architecture, { config: '/w/early.cfg', output: '/w/boot.efi' });
    expect(args.slice(0, 8)).toEqual([
      '-O',
      grub,
      '-o',
      '/w/boot.efi',
      '-c',
      '/w/early.cfg',
      '-p',
      '/boot/grub',
    ]);
    for (const module of ['linux', 'iso9660', 'fat', 'normal', 'search']) expect(args).toContain(module);
    expect(espCommands(architecture, { efi: '/w/boot.efi', esp: '/w/esp' }).at(-1)).toEqual([
      'mcopy',
      ['-i', '/w/esp', '/w/boot.efi', `::/EFI/BOOT/${file}`],
    ]);
  });

  it('make a volume under the label that agents look for', () => {
    const args = isoArguments({ folder: '/w/volume', output: '/w/base.iso' });
    expect(args.slice(args.indexOf('-V')).slice(0, 2)).toEqual(['-V', 'ir-vfd-dev']);
    expect(args.slice(-3)).toEqual(['-o', '/w/base.iso', '/w/volume']);
  });

  it.each([
    [1, 4 * MIB],
    [3 * MIB, 4 * MIB],
    [3 * MIB + 1, 5 * MIB],
    [9.5 * MIB, 11 * MIB],
  ])('have room for a boot image of %i bytes in %i', (efi, esp) => {
    expect(espSize(efi)).toBe(esp);
  });
});

const bytes = (...at: [number, string][]): Buffer => {
  const head = Buffer.alloc(1024);
  for (const [place, text] of at) head.write(text, place, 'latin1');
  return head;
};

describe('by its first bytes', () => {
  it.each([
    ['x86_64', bytes([0, 'MZ'], [0x202, 'HdrS']), true],
    ['x86_64', bytes([0x202, 'HdrS']), false],
    ['x86_64', bytes([0, 'MZ'], [56, 'ARMd']), false],
    ['x86_64', bytes([0, '\x1f\x8b']), false],
    ['aarch64', bytes([0, 'MZ'], [56, 'ARMd']), true],
    ['aarch64', bytes([0, '\x1f\x8b']), true],
    ['aarch64', bytes([0, 'MZ'], [0x202, 'HdrS']), false],
    ['aarch64', Buffer.alloc(0), false],
  ] as const)('a kernel for %s is told', (architecture, head, good) => {
    expect(kernelProblem(head, architecture) === undefined).toBe(good);
  });

  it.each([
    ['070701', true],
    ['\x1f\x8b', true],
    ['\xfd7zXZ', true],
    ['\x28\xb5\x2f\xfd', true],
    ['\x02\x21\x4c\x18', true],
    ['BZh', true],
    ['MZ', false],
    ['hsqs', false],
    ['', false],
  ])('a ramdisk is told: %j', (begin, good) => {
    expect(ramdiskProblem(bytes([0, begin])) === undefined).toBe(good);
  });
});
