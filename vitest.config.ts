import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that start a program, ours as it is built or another one. */
const spawning = ['test/{cli,e2e}/**/*.test.ts', 'test/**/*.spawn.test.ts'];
/** Tests that run in `npm run test:full` alone. */
const long = ['test/**/*.full.test.ts'];

/** `vitest run --mode full`; the projects read this file again, and in another mode. */
function fullIn(mode: string): boolean {
  if (mode === 'full') process.env.PATCHBAY_FULL = '1';
  return process.env.PATCHBAY_FULL === '1';
}

export default defineConfig(({ mode }) => ({
  test: {
    // Of two processors vitest would use one, and many tests wait for programs more than they work.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    reporters: ['default'],
    // Loading the modules anew for each file costs more than most files do. test/support/leftovers.ts is the price.
    isolate: false,
    setupFiles: ['test/support/leftovers.ts', 'test/support/same-chance.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...spawning, ...long],
          setupFiles: ['test/support/no-process.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'spawn',
          include: spawning,
          exclude: long,
          globalSetup: ['test/support/build.ts'],
        },
      },
      ...(fullIn(mode)
        ? [{ extends: true as const, test: { name: 'full', include: long, globalSetup: ['test/support/build.ts'] } }]
        : []),
    ],
    env: {
      PATCHBAY_FULL: fullIn(mode) ? '1' : '0',
      // No test speaks TLS, and reading certificates is most of what the start of a Node costs.
      NODE_EXTRA_CA_CERTS: '',
      // What gateways keep of the sessions of a test is nobody's.
      XDG_STATE_HOME: join(tmpdir(), `patchbay-test-state-${process.pid}`),
    },
    // Work, and not waiting, is what these limits have to be enough for, on a machine that is shared with others.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
}));
