import { Option, type Command } from 'commander';
import type { MediaArchitecture } from '../../../core/agent/media-layout.ts';
import { Context } from '../context.ts';

interface BuildFlags {
  readonly output: string;
  readonly architecture: MediaArchitecture;
  readonly append: string;
}

/** `rackwright media …`: the deploy media, made once; nothing has to run. */
export function addMediaCommands(program: Command): void {
  program
    .command('media')
    .description('the deploy media that nodes boot')
    .command('build <kernel> <ramdisk>')
    .description('make the base ISO of a deploy agent, for UEFI')
    .option('--output <file>', 'where the ISO goes; one that is there is replaced', 'base.iso')
    .addOption(
      new Option('--architecture <name>', 'of kernel and ramdisk')
        .choices(['x86_64', 'aarch64'])
        .default('x86_64'),
    )
    .option('--append <parameters>', 'more kernel parameters, such as "console=ttyS0,115200n8"', '')
    .action((kernel: string, ramdisk: string, flags: BuildFlags, command: Command) =>
      build(new Context(command), kernel, ramdisk, flags),
    );
}

async function build({ io }: Context, kernel: string, ramdisk: string, flags: BuildFlags): Promise<void> {
  const { buildMedia } = await import('../../../activities/agent/media-build.ts');
  const { path, size, sha256, areasAt } = await buildMedia({ kernel, ramdisk, ...flags });
  const { architecture } = flags;
  io.answer({ path, architecture, size, sha256, areaAt: areasAt[0] }, () => [
    `${path}: ${size} bytes, sha256:${sha256}`,
    `Name it in the inventory: media: { iso: { ${architecture}: ${path} }, checksum: { ${architecture}: "sha256:${sha256}" } }`,
  ]);
}
