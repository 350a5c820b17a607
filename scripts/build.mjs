// dist/: the compiled sources, the workflow bundle, and the executable of the command line.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, ROOT, tool } from './prepare.mjs';

const DIST = join(ROOT, 'dist');
const ROOMS = ['core', 'contracts', 'workflows', 'activities', 'workers', 'client', 'lab', 'docs', 'bench'];
const CONFIGS = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs'];

const sources = (folders) =>
  folders.flatMap((folder) =>
    existsSync(join(ROOT, folder))
      ? readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
          .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      : [],
  );

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash
      .update(`${relative(ROOT, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}

/** Makes something unless its sources are those it was made of. */
async function unlessCurrent(name, files, output, make) {
  const stamp = join(DIST, `.${name}.sha256`);
  const hash = hashOf(files);
  if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  const began = Date.now();
  await make();
  writeFileSync(stamp, hash);
  console.error(`built ${name} in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

/** One build at a time: waits for another one's lock, unless whoever made it is gone. */
async function locked(body) {
  mkdirSync(DIST, { recursive: true });
  const lock = join(DIST, '.lock');
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch {
      if (!isAlive(lock)) rmSync(lock, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const unlock = () => rmSync(lock, { force: true });
  process.once('exit', unlock);
  await body();
  process.off('exit', unlock);
  unlock();
}

function isAlive(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

/** Builds what has changed. */
export const build = () => locked(buildAll);

async function buildAll() {
  const configs = CONFIGS.map((file) => join(ROOT, file));
  const main = join(DIST, 'client', 'cli', 'main.js');
  await unlessCurrent('sources', [...sources(ROOMS), ...configs], main, () => {
    // Compiled aside and put in place room by room: files whose sources are gone do not stay.
    const fresh = join(DIST, `.new-${process.pid}`);
    try {
      tool('tsc', ['-p', 'tsconfig.build.json', '--outDir', fresh, '--sourceRoot', ROOT], {
        stdio: ['ignore', 2, 2],
      });
      for (const room of ROOMS) {
        rmSync(join(DIST, room), { recursive: true, force: true });
        if (existsSync(join(fresh, room))) renameSync(join(fresh, room), join(DIST, room));
      }
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
    chmodSync(main, 0o755);
  });
  const bundle = join(DIST, 'workflow-bundle.js');
  const workflowSources = [...sources(['core', 'workflows']), join(ROOT, 'package-lock.json')];
  await unlessCurrent('workflow bundle', workflowSources, bundle, async () => {
    const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
    const { code } = await bundleWorkflowCode({
      workflowsPath: join(ROOT, 'workflows', 'index.ts'),
      logger: new DefaultLogger('WARN'),
    });
    writeFileSync(`${bundle}.new`, code);
    renameSync(`${bundle}.new`, bundle);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  prepare();
  await build();
}
