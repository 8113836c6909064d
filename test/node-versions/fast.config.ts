// The fast part of the tests: machines and data, and what cuts bytes into frames. They start no program, so that any Node runs them.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/{core,adapters}/**/*.test.ts',
      'test/transports/{batch,content-length,event-stream,frame,framings,peek,jsonl,one-line}.test.ts',
    ],
    // Recordings repeat the words of the Node that they were made with; many runs of one property say nothing of a Node.
    exclude: ['**/*.{spawn,full}.test.ts', '**/*corpus*', '**/*propert*', '**/laws.test.ts'],
    isolate: false,
    // As in `npm test`, which runs the same files: no leftovers, and properties that draw the same values.
    setupFiles: ['test/support/leftovers.ts', 'test/support/same-chance.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    reporters: ['dot'],
  },
});
