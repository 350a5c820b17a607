// npm run demo: the whole system with a lab on this machine, lab nodes taken through their life, and the gates of its
// control plane.
// It stays up until Ctrl-C; `-- --once` ends with the verdict. Other arguments go to `rackwright up`.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { runGates } from './demo-gates.mjs';
import { runLives } from './demo-life.mjs';
import { prepare, ROOT } from './prepare.mjs';

const DEFAULT_PORTS = [7233, 8233, 8300];
const given = process.argv.slice(2);
const once = given.includes('--once');
const upArgs = given.filter((arg) => arg !== '--once');

prepare();
await build();
const dist = (path) => import(pathToFileURL(join(ROOT, 'dist', path)));

if (!upArgs.some((arg) => /^--(port-base|temporal-port|ui-port|gateway-port)/.test(arg))) {
  const { isTaken } = await dist('client/up/ports.js');
  const taken = (await Promise.all(DEFAULT_PORTS.map((port) => isTaken(port)))).some(Boolean);
  if (taken) {
    console.error('one of the usual ports is taken; free ones are used instead');
    upArgs.push('--port-base', '0');
  }
}
if (!upArgs.some((arg) => arg.startsWith('--servers'))) upArgs.push('--servers', '8');
// Twice as fast as the lab's hardware usually is: long enough to be seen, short enough to be waited for.
if (!upArgs.some((arg) => arg.startsWith('--lab-speed'))) upArgs.push('--lab-speed', '2');

const main = join(ROOT, 'dist', 'client', 'cli', 'main.js');
const up = spawn(process.execPath, [main, 'up', '--lab', '--openstack', '--json', ...upArgs], {
  cwd: ROOT,
  // In a group of its own it gets one signal, from us; over the channel it notices when we are gone.
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  detached: true,
});
const ended = new Promise((resolve) => up.once('exit', (code) => resolve(code ?? 1)));
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    up.kill(signal);
  });
}

/** The one document that `up --json` prints once all of it answers; undefined if it ends before. */
async function ready() {
  let text = '';
  for await (const line of createInterface({ input: up.stdout })) {
    text += `${line}\n`;
    if (line === '}') break;
  }
  return text.trimEnd().endsWith('}') ? JSON.parse(text) : undefined;
}

/** The lives of nodes first: the one that acceptance is given has to be available. */
const runDemo = async () => (await runLives(dist, system)) && (await runGates(dist, system));

const system = await ready();
if (system?.ready !== true) {
  process.exitCode = await ended;
} else {
  let passed = false;
  try {
    passed = await Promise.race([runDemo(), ended.then(() => false)]);
  } catch (error) {
    if (!interrupted) console.error(`the demo failed: ${error.stack ?? error}`);
  }
  if (once && up.exitCode === null) up.kill('SIGINT');
  else if (!interrupted) console.log('\nIt stays up until Ctrl-C. Try: npx rackwright node list');
  await ended;
  process.exitCode = passed || (!once && interrupted) ? 0 : 1;
}
