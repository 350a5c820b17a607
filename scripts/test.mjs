// npm test: installs, builds, finds Temporal, and runs every test that needs no opt-in.
// Arguments go to vitest; --e2e runs test/e2e/ instead, --bench a benchmark of bench/; --without switches one
// handling of the field reports after the other off, and demands that its tests fail; --faults plays the faults on
// the chain of QEMU, which take too long to be played each time; --kubernetes runs against a kube-apiserver, which is
// built first, --openstack against a whole OpenStack, which is installed first.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { prepare, ROOT, tool } from './prepare.mjs';

prepare();
await build();

const finder = pathToFileURL(join(ROOT, 'dist', 'client', 'up', 'temporal-binary.js'));
const { ensureTemporalBinary, ensureTestServerBinary } = await import(finder);
const log = (line) => console.error(line);
await ensureTemporalBinary({ log });
await ensureTestServerBinary({ log });

const args = process.argv
  .slice(2)
  .filter(
    (arg) => !['--e2e', '--bench', '--without', '--faults', '--kubernetes', '--openstack'].includes(arg),
  );
const bench = process.argv.includes('--bench');
const without = process.argv.includes('--without');
const e2e = process.argv.includes('--e2e') || bench;
// Tests start servers of their own: what the environment says of a real system must not reach them. Where the
// captured payloads lie is said of none.
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(TEMPORAL|RACKWRIGHT)_/.test(name) || name === 'RACKWRIGHT_CAPTURES',
  ),
);
if (e2e && !existsSync(join(ROOT, 'test', 'e2e'))) {
  console.error('there is no test/e2e');
  process.exit(2);
}
const asked = {
  ...(bench ? { RACKWRIGHT_BENCH: 'all' } : {}),
  ...(without ? { RACKWRIGHT_WITHOUT: 'all' } : {}),
  ...(process.argv.includes('--faults') ? { RACKWRIGHT_FAULTS: 'all' } : {}),
  ...(process.argv.includes('--kubernetes') ? { RACKWRIGHT_KUBERNETES: 'all' } : {}),
  ...(process.argv.includes('--openstack') ? { RACKWRIGHT_OPENSTACK: 'all' } : {}),
};
tool('vitest', ['run', ...(e2e ? ['--config', 'vitest.e2e.config.ts'] : []), ...args], {
  env: e2e ? { ...process.env, ...asked } : env,
});
