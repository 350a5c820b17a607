import { defineConfig } from 'vitest/config';

// Each test file runs in a process of its own: the Temporal SDK's native runtime does not survive worker threads.
export default defineConfig({
  test: {
    pool: 'forks',
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/field/**', 'node_modules/**'],
    globalSetup: 'test/support/temporary.ts',
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // They compute half the time, and wait for the other half.
    maxWorkers: 3,
  },
});
