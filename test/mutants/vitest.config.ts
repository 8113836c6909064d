// For the runner of the mutants: one worker, no build. A test that needs dist/ fails without a mutant too, and the runner
// leaves such a test out.
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The scratch copy shares node_modules with the project, and must not write there: what a run keeps goes with the copy.
  cacheDir: join(import.meta.dirname, '../../.vite'),
  test: {
    include: ['test/**/*.test.ts'],
    isolate: false,
    maxWorkers: 1,
    env: { XDG_STATE_HOME: join(import.meta.dirname, '../../.state') },
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
