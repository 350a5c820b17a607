import { defineConfig } from 'vitest/config';
import { without } from './test/field/without.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { VerdictsPage } from './test/support/verdicts-page.ts';

/** `all`: the run that switches one handling after the other off. Else the one that is off in this run. */
const off = process.env['RACKWRIGHT_WITHOUT'];

/** Benchmarks that take times are no tests; the one that counts requests is. */
const bench = process.env['RACKWRIGHT_BENCH'] !== undefined;
/** What goes wrong on the chain of QEMU takes more than an hour: it is asked for. */
const faults = process.env['RACKWRIGHT_FAULTS'] !== undefined;
/** A kube-apiserver takes minutes to build: it is asked for. */
const kubernetes = process.env['RACKWRIGHT_KUBERNETES'] !== undefined;
/** A whole OpenStack takes minutes to start, and packages of the system: it is asked for. */
const openstack = process.env['RACKWRIGHT_OPENSTACK'] !== undefined;
const E2E = ['test/e2e/**/*.test.ts', 'test/field/**/*.test.ts', 'bench/redfish.test.ts'];

// Against real third-party systems, and what takes long: time enough to install and boot them. Most files wait more than
// they compute, so three go on side by side; a benchmark has the machine to itself.
export default defineConfig({
  plugins: off === undefined || off === 'all' ? [] : [without(off)],
  test: {
    pool: 'forks',
    include:
      off === 'all'
        ? ['test/field/without.run.ts']
        : faults
          ? ['test/e2e/qemu/*.run.ts']
          : kubernetes
            ? ['test/e2e/kubernetes.run.ts']
            : openstack
              ? ['test/e2e/openstack.run.ts', 'test/e2e/kubernetes.run.ts']
              : bench
                ? ['bench/*.test.ts']
                : E2E,
    fileParallelism: !bench && !openstack && !faults,
    maxWorkers: bench || openstack || faults ? 1 : 3,
    reporters:
      openstack && process.env['RACKWRIGHT_VERDICTS'] ? ['default', new VerdictsPage()] : ['default'],
    sequence: { sequencer: LongestFirst },
    // What differs is said whole where it is text.
    chaiConfig: { truncateThreshold: 0 },
    // Field reports wait more than they compute.
    maxConcurrency: 8,
    testTimeout: 20 * 60_000,
    hookTimeout: 20 * 60_000,
  },
});
