// `npm run test:claude-code`: the real Claude Code as the agent. Apart from `npm test`, whose pattern these names do not
// match, because the program is large and has to be fetched. PATCHBAY_CLAUDE_CODE names a program to use instead of
// fetching one; PATCHBAY_TRACES a folder for fresh traces of Claude Code alone.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/claude-code/**/*.live.ts'],
    globalSetup: ['test/claude-code/setup.ts'],
    // The tests wait for programs more than they work.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  },
});
