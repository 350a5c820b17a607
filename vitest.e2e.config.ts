import { defineConfig } from 'vitest/config';

// Against real third-party systems, and what takes long: one file at a time, and time enough to install and boot them.
export default defineConfig({
  test: {
    pool: 'forks',
    include: ['test/e2e/**/*.test.ts', 'test/field/**/*.test.ts', 'bench/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 20 * 60_000,
    hookTimeout: 20 * 60_000,
  },
});
