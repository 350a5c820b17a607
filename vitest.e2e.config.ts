import { defineConfig } from 'vitest/config';
import { without } from './test/field/without.ts';

/** `all`: the run that switches one handling after the other off. Else the one that is off in this run. */
const off = process.env['RACKWRIGHT_WITHOUT'];

// Against real third-party systems, and what takes long: one file at a time, and time enough to install and boot them.
export default defineConfig({
  plugins: off === undefined || off === 'all' ? [] : [without(off)],
  test: {
    pool: 'forks',
    include:
      off === 'all'
        ? ['test/field/without.run.ts']
        : ['test/e2e/**/*.test.ts', 'test/field/**/*.test.ts', 'bench/**/*.test.ts'],
    fileParallelism: false,
    // Field reports wait more than they compute.
    maxConcurrency: 8,
    testTimeout: 20 * 60_000,
    hookTimeout: 20 * 60_000,
  },
});
