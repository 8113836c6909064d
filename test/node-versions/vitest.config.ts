// `npm run test:node-versions`: the fast part of the tests, and the start of every command, on the Nodes that people have beside ours.
// Apart from `npm test`, whose pattern these names do not match, because those Nodes have to be fetched.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/node-versions/*.live.ts'],
    globalSetup: ['test/node-versions/setup.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    reporters: ['default'],
  },
});
