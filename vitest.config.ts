import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * Tests of machines and of data: they leave nothing behind in a process, so that files may share one and
 * its modules. Tests that put a module in the place of another (test/stores) are none.
 */
const pure = ['adapters', 'core', 'oracles', 'workspace', 'conformance'].map((name) => `test/${name}/**/*.test.ts`);

export default defineConfig({
  test: {
    globalSetup: ['test/support/build.ts'],
    // Of two processors vitest would use one, and many tests wait for programs more than they work.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    reporters: ['default'],
    projects: [
      { extends: true, test: { name: 'pure', include: pure, isolate: false } },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: pure } },
    ],
    // What gateways keep of the sessions of a test is nobody's.
    env: { XDG_STATE_HOME: join(tmpdir(), `patchbay-test-state-${process.pid}`) },
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
