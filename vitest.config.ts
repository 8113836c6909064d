import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // Of two processors vitest would use one, and many tests wait for programs more than they work.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // What gateways keep of the sessions of a test is nobody's.
    env: { XDG_STATE_HOME: join(tmpdir(), `patchbay-test-state-${process.pid}`) },
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  },
});
