import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  access,
  constants,
  mkdir,
  mkdtemp,
  open,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import {
  BUILD_EPOCH,
  earlyConfig,
  espCommands,
  espSize,
  FIRMWARE,
  grubArguments,
  isoArguments,
  kernelProblem,
  LAYOUT,
  menu,
  ramdiskProblem,
  TOOLS,
  type MediaArchitecture,
  type Tool,
} from '../../core/agent/media-layout.ts';
import { mediaRecordPath, mediaRecordText, type MediaRecord } from '../../core/agent/media-record.ts';
import { blankArea } from '../../core/agent/parameters.ts';
import { fail } from '../../core/errors/failure.ts';
import { freshMediaBase, mediaBase, type MediaBase } from './media-base.ts';
import { mediaParts } from './media-parts.ts';

/** What a base ISO is made of. */
export interface MediaBuild {
  readonly kernel: string;
  readonly ramdisk: string;
  readonly output: string;
  readonly architecture: MediaArchitecture;
  /** Kernel parameters beside those that the agent needs. */
  readonly append: string;
}

/**
 * Makes the base ISO of a deploy agent: UEFI boots it, the agent finds the reserved area in it. The same input
 * and tools give the same bytes. What stood at `output` is replaced as a whole, and only by an ISO that can be
 * published; what it is stands beside it, in a record. Throws MEDIA_TOOL_MISSING, MEDIA_INPUT_INVALID, MEDIA_BUILD_FAILED.
 */
export async function buildMedia(build: MediaBuild): Promise<MediaBase> {
  const kernel = resolve(build.kernel);
  const ramdisk = resolve(build.ramdisk);
  const output = resolve(build.output);
  const text = menu(build.append);
  await checkInput(kernel, (head) => kernelProblem(head, build.architecture));
  await checkInput(ramdisk, ramdiskProblem);
  await checkOutput(output);
  await checkTools(build.architecture);
  const id = createHash('sha256')
    .update([await hashOf(kernel), await hashOf(ramdisk), build.architecture, text].join('\n'))
    .digest('hex')
    .slice(0, 32);
  const folder = await workFolder(output);
  try {
    const iso = await assemble(folder, { ...build, kernel, ramdisk }, id, text);
    const record = join(folder, 'record.json');
    await writeFile(record, mediaRecordText(await recordOf(iso, build)));
    await rename(iso, output);
    await rename(record, mediaRecordPath(output));
    return await mediaBase(output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What was built, for whoever asks later whether it is still that. */
async function recordOf(iso: string, { architecture, append }: MediaBuild): Promise<MediaRecord> {
  const { base, files } = await freshMediaBase(iso);
  return {
    checksum: `sha256:${base.sha256}`,
    size: base.size,
    architecture,
    append,
    files: await mediaParts(iso, files),
  };
}

/** Beside the result, so that it can be moved there in one step. */
async function workFolder(output: string): Promise<string> {
  try {
    await mkdir(dirname(output), { recursive: true });
    return await mkdtemp(join(dirname(output), `.${basename(output)}-`));
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    throw noOutput(`Nothing can be written to ${dirname(output)} (${code}).`);
  }
}

const noOutput = (message: string): Error =>
  fail('MEDIA_INPUT_INVALID', message, {
    correction: 'Name a file with --output, in a folder that can be written to.',
  });

/** Before minutes are spent on what cannot be moved there. */
async function checkOutput(output: string): Promise<void> {
  const there = await stat(output).catch(() => undefined);
  if (there?.isDirectory() === true) throw noOutput(`${output} is a folder: the ISO is a file.`);
}

async function assemble(folder: string, build: MediaBuild, id: string, text: string): Promise<string> {
  const { architecture } = build;
  const tree = join(folder, 'volume');
  const at = (path: string): string => join(tree, path);
  const files = { config: join(folder, 'early.cfg'), output: join(folder, 'boot.efi') };
  for (const path of [LAYOUT.menu, LAYOUT.identity(id)]) await mkdir(dirname(at(path)), { recursive: true });
  await Promise.all([
    symlink(build.kernel, at(LAYOUT.kernel)),
    symlink(build.ramdisk, at(LAYOUT.ramdisk)),
    writeFile(at(LAYOUT.menu), text),
    writeFile(at(LAYOUT.identity(id)), ''),
    writeFile(at(LAYOUT.parameters), blankArea()),
    writeFile(files.config, earlyConfig(id)),
  ]);
  await run('grub-mkimage', grubArguments(architecture, files), architecture);
  const esp = at(LAYOUT.esp);
  await writeFile(esp, '');
  await truncate(esp, espSize((await stat(files.output)).size));
  for (const [tool, args] of espCommands(architecture, { efi: files.output, esp })) {
    await run(tool, args, architecture);
  }
  const iso = join(folder, 'base.iso');
  await run('xorriso', isoArguments({ folder: tree, output: iso }), architecture);
  return iso;
}

async function checkInput(path: string, problem: (head: Uint8Array) => string | undefined): Promise<void> {
  const wrong = (why: string): Error => fail('MEDIA_INPUT_INVALID', `${path} ${why}.`, { details: { path } });
  const file = await stat(path).catch(() => undefined);
  if (file === undefined || !file.isFile()) throw wrong('is not there');
  const handle = await open(path, 'r').catch(() => {
    throw wrong('cannot be read');
  });
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(1024), 0, 1024, 0);
    const found = problem(buffer.subarray(0, bytesRead));
    if (found !== undefined) throw wrong(found);
  } finally {
    await handle.close();
  }
}

const missing = (what: readonly string[], packages: readonly string[]): Error =>
  fail(
    'MEDIA_TOOL_MISSING',
    `Not on this host: ${what.join(', ')}. On Debian and Ubuntu: apt install ${[...new Set(packages)].join(' ')}`,
    { details: { missing: [...what], packages: [...new Set(packages)] } },
  );

/** All that are missing, at once: GRUB's own tool comes with its modules. */
async function checkTools(architecture: MediaArchitecture): Promise<void> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const isThere = async (tool: string): Promise<boolean> => {
    const tries = folders.map((folder) => access(join(folder, tool), constants.X_OK));
    return (await Promise.allSettled(tries)).some((each) => each.status === 'fulfilled');
  };
  const absent: Tool[] = [];
  for (const tool of Object.keys(TOOLS) as Tool[]) if (!(await isThere(tool))) absent.push(tool);
  if (absent.length > 0) {
    throw missing(
      absent,
      absent.flatMap((tool) =>
        tool === 'grub-mkimage' ? [TOOLS[tool], FIRMWARE[architecture].package] : TOOLS[tool],
      ),
    );
  }
}

const MAX_TOLD = 4000;

async function run(tool: Tool, args: readonly string[], architecture: MediaArchitecture): Promise<void> {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(BUILD_EPOCH), TZ: 'UTC', LC_ALL: 'C' };
  const { code, told } = await new Promise<{ code: number; told: string }>((done, reject) => {
    const child = spawn(tool, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-MAX_TOLD)));
    child.once('error', reject);
    child.once('close', (exit) => done({ code: exit ?? -1, told: said.trim() }));
  });
  if (code === 0) return;
  const { grub, package: grubPackage } = FIRMWARE[architecture];
  if (tool === 'grub-mkimage' && /moddep\.lst|\.mod'? doesn't exist|No such file/.test(told)) {
    throw missing([`GRUB's modules for ${grub}`], [grubPackage]);
  }
  throw fail('MEDIA_BUILD_FAILED', `${tool} ended with ${code}: ${told.slice(-600) || 'it said nothing'}`);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
