// Loaded into a server with --import: measures how long its event loop is busy in one go, and says it when told to by
// SIGUSR2.
import { writeSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();

process.on('SIGUSR2', () => {
  const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  writeSync(1, `${JSON.stringify({ type: 'loop', longestMs: ms(delays.max), p99Ms: ms(delays.percentile(99)) })}\n`);
  delays.reset();
});
