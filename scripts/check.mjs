// npm run check: everything that can be said of the sources without running them. All steps run, then it fails.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { prepare, ROOT } from './prepare.mjs';

const ROOMS = ['core', 'contracts', 'workflows', 'activities', 'workers', 'client', 'lab'];
/** What of an earlier run spares this one work. */
const CACHE = join(ROOT, 'node_modules', '.cache');
const bin = (name) => join(ROOT, 'node_modules', '.bin', name);

const STEPS = [
  [
    'format',
    bin('prettier'),
    ['--check', '--log-level', 'warn', '--cache', '--cache-strategy', 'content', '.'],
  ],
  ['lint', bin('oxlint'), ['--quiet', '.']],
  ['types', bin('tsc'), ['-p', '.', '--incremental', '--tsBuildInfoFile', join(CACHE, 'tsc.tsbuildinfo')]],
  ['arrows', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', ...ROOMS]],
  ['unused', bin('knip'), []],
];

const failed = [];

function step(name, command, args) {
  const began = Date.now();
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  const ok = status === 0;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  if (ok) return;
  failed.push(name);
  console.log(error ? String(error) : `${stdout}${stderr}`.trimEnd());
}

prepare();
for (const [name, command, args] of STEPS) step(name, command, args);
try {
  await build();
  const generate = join(ROOT, 'dist', 'docs', 'generate.js');
  if (existsSync(generate)) step('docs', process.execPath, [generate, '--check']);
} catch (error) {
  console.log(`FAILED build: ${error.message}`);
  failed.push('build');
}
if (failed.length > 0) {
  console.log(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
