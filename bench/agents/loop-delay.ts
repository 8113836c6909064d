// Loaded into a server with --import: measures how long its event loop is busy in one go, and says it when told to by
// SIGUSR2. Twice: by the clock, and by the CPU time of the main thread, which other programs of the machine do not add
// to. Beside it what of this the collection of garbage took. Linux only (/proc).
import { openSync, readSync, writeSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';

const intervalMs = 1;
const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
const text = Buffer.alloc(64);

/** What the main thread has had of the cores, and how long it has waited for one, ms. */
function scheduled(): { readonly cpu: number; readonly waited: number } {
  // Makes the system count up to now: the figure of a running thread is otherwise as old as the last tick, 4 ms.
  process.cpuUsage();
  const length = readSync(schedstat, text, 0, text.length, 0);
  const [cpu = 0, waited = 0] = text.toString('latin1', 0, length).split(' ').map(Number);
  return { cpu: cpu / 1e6, waited: waited / 1e6 };
}

/** A turn of the loop: its times on the clock, its CPU time, and how long it waited for a core, ms. */
interface Turn {
  readonly from: number;
  readonly to: number;
  readonly cpu: number;
  readonly waited: number;
}

const none: Turn = { from: 0, to: 0, cpu: 0, waited: 0 };
let last = { wall: performance.now(), ...scheduled() };
let longest = none;
let busiest = none;
/** CPU time of every turn, by tenths of a ms; longer ones count with the last. */
let turns = new Array<number>(640).fill(0);
let pauses: { readonly from: number; readonly ms: number }[] = [];

const observer = new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) pauses.push({ from: startTime, ms: duration });
});
observer.observe({ entryTypes: ['gc'] });

setInterval(() => {
  const now = { wall: performance.now(), ...scheduled() };
  const turn = { from: last.wall, to: now.wall, cpu: now.cpu - last.cpu, waited: now.waited - last.waited };
  if (turn.to - turn.from > longest.to - longest.from) longest = turn;
  if (turn.cpu > busiest.cpu) busiest = turn;
  const place = Math.min(turns.length - 1, Math.floor(turn.cpu * 10));
  turns[place] = (turns[place] ?? 0) + 1;
  last = now;
}, intervalMs).unref();

/** The CPU time that only one turn in a thousand takes, ms. */
function raresMs(): number {
  let left = turns.reduce((sum, count) => sum + count, 0) / 1000;
  for (let place = turns.length - 1; place >= 0; place -= 1) {
    left -= turns[place] ?? 0;
    if (left < 0) return (place + 1) / 10;
  }
  return 0;
}

process.on('SIGUSR2', () => {
  const sum = (some: typeof pauses) => some.reduce((total, { ms }) => total + ms, 0);
  const within = pauses.filter(({ from }) => from >= busiest.from && from < busiest.to);
  const collected = {
    count: pauses.length,
    ms: sum(pauses),
    longestMs: Math.max(0, ...pauses.map(({ ms }) => ms)),
    inBusiestMs: sum(within),
  };
  const longestMs = Math.max(0, longest.to - longest.from - intervalMs);
  const figures = { longestMs, waitedMs: longest.waited, busiestMs: busiest.cpu, raresMs: raresMs(), collected };
  writeSync(1, `${JSON.stringify({ type: 'loop', ...figures })}\n`);
  longest = none;
  busiest = none;
  turns = turns.fill(0);
  pauses = [];
});
