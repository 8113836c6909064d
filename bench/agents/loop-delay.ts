// Loaded into a server with --import: measures how long its event loop is busy in one go, and says it when told to by
// SIGUSR2. Twice: by the clock, and by the CPU time of the main thread, which other programs of the machine do not add
// to. Linux only (/proc).
import { openSync, readSync, writeSync } from 'node:fs';

const intervalMs = 1;
const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const text = Buffer.alloc(64);

/** CPU time of the main thread, ms. */
function cpu(): number {
  const length = readSync(schedstat, text, 0, text.length, 0);
  return Number(text.toString('latin1', 0, length).split(' ')[0]) / 1e6;
}

let last = { wall: performance.now(), cpu: cpu() };
let longest = { wall: 0, cpu: 0 };

setInterval(() => {
  const now = { wall: performance.now(), cpu: cpu() };
  longest = {
    wall: Math.max(longest.wall, now.wall - last.wall - intervalMs),
    cpu: Math.max(longest.cpu, now.cpu - last.cpu),
  };
  last = now;
}, intervalMs).unref();

process.on('SIGUSR2', () => {
  writeSync(1, `${JSON.stringify({ type: 'loop', longestMs: longest.wall, busiestMs: longest.cpu })}\n`);
  longest = { wall: 0, cpu: 0 };
});
