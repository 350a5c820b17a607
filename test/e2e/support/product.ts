import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach } from 'vitest';
import { freePorts } from '../../../client/up/ports.ts';
import type { Seen } from '../../../client/up/process-table.ts';
import { copyWithout } from './dist.ts';
import { runCli, type CliResult } from './cli.ts';
import { ProcessLedger, type ProcessName } from './processes.ts';
import { Upper } from './up-process.ts';

/** The root of the package. */
export const ROOT = new URL('../../..', import.meta.url).pathname;

/** What an inventory that is made for one product run has to name. */
export interface ProductSite {
  /** Where the gateway will listen. */
  readonly gatewayUrl: string;
  /** The folder that the inventory will lie in; relative paths in it start here. */
  readonly dir: string;
}

export interface ProductOptions {
  /** A file, or what makes the text of one; not with `lab`. */
  readonly inventory?: string | ((site: ProductSite) => string | Promise<string>);
  /** @default a folder of its own, removed by `stop` unless a test failed */
  readonly dataDir?: string;
  /** Added to the environment of `up` and of every command. */
  readonly env?: Readonly<Record<string, string>>;
  /** With the lab, and its inventory. */
  readonly lab?: { readonly servers?: number; readonly speed?: number };
}

/** The product as its users have it: the built command line, and `rackwright up` in processes of its own. */
export interface Product {
  readonly dataDir: string;
  readonly urls: {
    readonly temporal: string;
    readonly ui: string;
    readonly gateway: string;
    readonly lab: string | null;
  };
  /** Runs `rackwright ARGS` in a process of its own and waits for its end, whatever its exit code. */
  cli(...args: string[]): Promise<CliResult>;
  /** Runs `rackwright ARGS --json` and answers its document, whatever its exit code. */
  answer<T>(...args: string[]): Promise<CliResult & { readonly document: T }>;
  /** Runs `rackwright ARGS --json`, which must end with 0, and answers its document. */
  json<T = unknown>(...args: string[]): Promise<T>;
  /** The processes that live now, by name. */
  pids(): Partial<Record<ProcessName, Seen>>;
  /** Ends processes as a power cut would: those named, or all but the lab. */
  kill9(...names: ProcessName[]): Promise<void>;
  /** Stops `up` if it still runs, and starts it again on the same data and ports. */
  restart(): Promise<void>;
  /** Stops everything. Throws, after having ended it, if a process was left behind. */
  stop(): Promise<void>;
}

/** What a power cut takes down: not the hardware, which the lab plays. */
const POWERED = ['up', 'worker', 'gateway', 'temporal'] as const satisfies ProcessName[];

let failed = false;
afterEach(({ task }) => {
  if (task.result?.state === 'fail') failed = true;
});

/**
 * Builds what has changed and starts the product on free ports with a data directory of its own. Waits
 * for its `ready` line. Whoever starts it stops it; if the test process ends first, everything is killed.
 */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  await build();
  const home = mkdtempSync(join(tmpdir(), 'rackwright-e2e-'));
  const dataDir = options.dataDir ?? join(home, 'data');
  mkdirSync(dataDir, { recursive: true });
  const [gatewayPort] = await freePorts(1);
  const env = environment(options.env);
  const inventory = await inventoryOf(options, { gatewayUrl: `http://127.0.0.1:${gatewayPort}`, dir: home });
  const common = ['--data-dir', dataDir];
  const ledger = new ProcessLedger(dataDir);
  const upper = new Upper({
    args: [...common, ...upFlags(options, inventory, gatewayPort!)],
    env,
    log: join(home, 'up.log'),
  });

  const cli = (...args: string[]): Promise<CliResult> => runCli([...common, ...args], env);
  const start = async (): Promise<Product['urls']> => {
    const said = await upper.start();
    ledger.note();
    return {
      temporal: said['temporal']!,
      ui: said['ui']!,
      gateway: said['gateway']!,
      lab: said['lab'] ?? null,
    };
  };
  const stop = async (): Promise<void> => {
    ledger.note();
    const code = await upper.stop();
    const left = await ledger.endAll();
    if (!failed && left.length === 0) await rm(home, { recursive: true, force: true });
    else console.error(`logs and data are kept in ${home}`);
    const names = left.map(({ name, pid }) => `${name} (${pid})`).join(', ');
    if (names !== '') throw new Error(`\`up\` ended with ${code} and left behind: ${names}`);
  };

  let urls: Product['urls'];
  try {
    urls = await start();
  } catch (error) {
    await ledger.endAll();
    throw new Error(`the product did not start; its logs are in ${home}`, { cause: error });
  }
  return {
    dataDir,
    urls,
    cli,
    async answer<T>(...args: string[]) {
      const result = await cli(...args, '--json');
      try {
        return { ...result, document: JSON.parse(result.stdout) as T };
      } catch {
        throw new Error(`rackwright ${args.join(' ')} said no JSON: ${result.stdout}${result.stderr}`);
      }
    },
    async json<T>(...args: string[]): Promise<T> {
      const { code, stdout, stderr } = await cli(...args, '--json');
      if (code !== 0) throw new Error(`rackwright ${args.join(' ')} ended with ${code}:\n${stderr}${stdout}`);
      return JSON.parse(stdout) as T;
    },
    pids: () => ledger.note(),
    kill9: async (...names) => {
      const these: readonly ProcessName[] = names.length === 0 ? POWERED : names;
      await ledger.kill9(these);
      if (these.includes('up')) await upper.reap();
    },
    restart: async () => {
      await upper.stop();
      await start();
    },
    stop,
  };
}

let built: Promise<unknown> | undefined;

/** Once for each test process; a build that is current takes a moment only. */
const build = (): Promise<unknown> =>
  (built ??= promisify(execFile)(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], {
    cwd: ROOT,
    timeout: 300_000,
  }).then(copyWithout));

/** Ours, without what it says of another system. */
function environment(added: ProductOptions['env'] = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(TEMPORAL|RACKWRIGHT)_/.test(name) || name === 'RACKWRIGHT_TOOLS',
  );
  const tools = process.env['RACKWRIGHT_TOOLS'] ?? join(ROOT, '.rackwright', 'tools');
  return { ...Object.fromEntries(kept), NO_COLOR: '1', RACKWRIGHT_TOOLS: tools, ...added };
}

async function inventoryOf(
  { inventory, lab }: ProductOptions,
  site: ProductSite,
): Promise<string | undefined> {
  if (lab !== undefined) return undefined;
  if (typeof inventory === 'string') return inventory;
  if (inventory === undefined) throw new Error('startProduct needs an inventory, or the lab');
  const file = join(site.dir, 'inventory.yaml');
  writeFileSync(file, await inventory(site));
  return file;
}

function upFlags({ lab }: ProductOptions, inventory: string | undefined, gatewayPort: number): string[] {
  const ports = ['--temporal-port', '0', '--ui-port', '0', '--gateway-port', String(gatewayPort)];
  if (inventory !== undefined) return ['--inventory', inventory, 'up', ...ports];
  const { servers, speed } = lab!;
  return [
    'up',
    '--lab',
    ...(servers === undefined ? [] : ['--servers', String(servers)]),
    ...(speed === undefined ? [] : ['--lab-speed', String(speed)]),
    ...ports,
  ];
}
