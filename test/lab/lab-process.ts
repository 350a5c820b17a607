import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = new URL('../..', import.meta.url).pathname;

/** Compiles the lab alone into a folder of its own, so that the test never runs an old build. */
export function buildLab(): { main: string; remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), 'lab-build-'));
  const config = {
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: {
      outDir: join(dir, 'dist'),
      rootDir: ROOT,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: [],
    files: [join(ROOT, 'lab/main.ts')],
  };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', dir], { stdio: 'inherit' });
  return { main: join(dir, 'dist/lab/main.js'), remove: () => rmSync(dir, { recursive: true }) };
}

export interface LabProcess {
  readonly controlUrl: string;
  readonly inventory: string;
  /** Ends it with this signal and waits until it is gone; answers its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export async function runLab(main: string, args: readonly string[]): Promise<LabProcess> {
  const child: ChildProcess = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout! });
  const first = await Promise.race([once(lines, 'line'), exited.then(() => undefined)]);
  const ready = /^lab ready (\{.*\})$/.exec(String(first?.[0] ?? ''));
  if (ready === null) throw new Error('the lab ended before it was ready');
  return {
    ...(JSON.parse(ready[1]!) as { controlUrl: string; inventory: string }),
    async end(signal) {
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return code;
    },
  };
}
