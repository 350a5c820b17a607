import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureTemporalBinary, ensureTestServerBinary } from '../../../client/up/temporal-binary.ts';
import { temporaryFolder } from '../../support/cli.ts';

const GOOD = 'echo "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"';

let folder: ReturnType<typeof temporaryFolder>;
let toolsDir: string;
let log: string[];
beforeEach(() => {
  folder = temporaryFolder();
  toolsDir = join(folder.path, 'tools');
  log = [];
});
afterEach(() => folder[Symbol.dispose]());

/** A folder for the PATH with shell scripts in it. */
function commands(name: string, scripts: Record<string, string>): string {
  const path = join(folder.path, name);
  mkdirSync(path, { recursive: true });
  for (const [command, body] of Object.entries(scripts)) {
    writeFileSync(join(path, command), `#!/bin/sh\n${body}\n`);
    chmodSync(join(path, command), 0o755);
  }
  return path;
}

const find = (path: string[]) =>
  ensureTemporalBinary({
    env: { PATH: [...path, '/usr/bin', '/bin'].join(':'), PYTHON: 'fake-python' },
    toolsDir,
    log: (line) => log.push(line),
  });

/** Finds its --target among the arguments and puts a program there. */
const installsInto = (flag: string, program: string): string => `
while [ $# -gt 0 ]; do [ "$1" = "${flag}" ] && target="$2"; shift; done
mkdir -p "$target/bin"
printf '#!/bin/sh\\n%s\\n' '${program}' > "$target/bin/temporal"
chmod +x "$target/bin/temporal"`;

test('a temporal on the PATH is taken as it is', async () => {
  const path = commands('good', { temporal: GOOD });
  expect(await find([path])).toBe(join(path, 'temporal'));
  expect(log).toEqual([]);
});

test('one that is broken, old or something else does not hide the next on the PATH', async () => {
  const good = commands('good', { temporal: GOOD });
  const others = [
    commands('broken', { temporal: 'echo oops >&2; exit 1' }),
    commands('old', { temporal: 'echo "temporal version 0.13.2 (Server 1.24.2)"' }),
    commands('other', { temporal: 'echo "a clock"' }),
  ];
  expect(await find([...others, good])).toBe(join(good, 'temporal'));
});

test('the one that was kept comes before any installation', async () => {
  commands('tools', { 'temporal-1.9.1': GOOD });
  const bad = commands('bad', { temporal: 'exit 1' });
  expect(await find([bad])).toBe(join(toolsDir, 'temporal-1.9.1'));
  expect(log.join()).toContain('no temporal from the PATH');
});

test('a kept one that is damaged is replaced by the next source that works', async () => {
  commands('tools', { 'temporal-1.9.1': 'exit 1' });
  const path = commands('bin', {
    'fake-python': 'echo "no module named venv" >&2; exit 1',
    uv: installsInto('--target', GOOD),
  });
  expect(await find([path])).toBe(join(toolsDir, 'temporal-1.9.1'));
  expect(log.join('\n')).toContain('pip in a virtual environment: no module named venv');
  expect(readdirSync(toolsDir)).toEqual(['temporal-1.9.1']);
});

test('pip without venv is tried after uv', async () => {
  const path = commands('bin', {
    'fake-python': `[ "$2" = venv ] && exit 1\n${installsInto('--target', GOOD)}`,
    uv: 'exit 2',
  });
  expect(await find([path])).toBe(join(toolsDir, 'temporal-1.9.1'));
});

test('a source that installs what does not work is no source', async () => {
  const path = commands('bin', {
    'fake-python': `[ "$2" = venv ] && exit 1\n${installsInto('--target', GOOD)}`,
    uv: installsInto('--target', 'exit 7'),
  });
  expect(await find([path])).toBe(join(toolsDir, 'temporal-1.9.1'));
  expect(log.join('\n')).toContain('no temporal from uv');
});

test('the test server is told from other programs of its name', async () => {
  const bad = commands('bad', { 'temporal-test-server': 'echo hello' });
  const good = commands('good', { 'temporal-test-server': 'echo "--enable-time-skipping"' });
  const env = { PATH: `${bad}:${good}` };
  expect(await ensureTestServerBinary({ env, toolsDir })).toBe(join(good, 'temporal-test-server'));
});
