// `npm run test:newest`: the programs that people have today, as clients and as agents. Apart from `npm test`, whose pattern these
// names do not match, because the programs have to be fetched.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/newest/**/*.live.ts'],
    globalSetup: ['test/newest/setup.ts'],
    // Three programs at once on two processors: each starts with work and goes on with waiting.
    maxWorkers: 3,
    env: { XDG_STATE_HOME: join(tmpdir(), `patchbay-newest-state-${process.pid}`) },
    testTimeout: 60_000,
    hookTimeout: 150_000,
    reporters: ['dot'],
  },
});
