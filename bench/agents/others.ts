// Clients of one session that read all the time, one for each dialect and transport: they measure the delay of each
// stamped delta, and say it after the last run.
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { openClient } from './dialects.ts';
import { eachDelay } from './stamps.ts';

const [url = '', token = '', session = '', expected = '1'] = process.argv.slice(2);
const clients = 4;
const runs = Number(expected);
const quietMs = 20_000;

/** Delays, us: in the first 4 s, in which the gateway waits for whoever does not read, and after them. */
const delays: { readonly early: RecordableHistogram; readonly late: RecordableHistogram } = {
  early: createHistogram(),
  late: createHistogram(),
};
const earlyMs = 4000;
let begun: number | null = null;
let heardAt = performance.now();
let open = 0;
let ended = 0;
let deltas = 0;
let resets = 0;

function say(word: object): void {
  process.stdout.write(`${JSON.stringify(word)}\n`);
}

function finish(): void {
  clearInterval(watch);
  const figuresOf = (some: RecordableHistogram) => ({
    p50: some.percentile(50) / 1000,
    p99: some.percentile(99) / 1000,
    longest: some.max / 1000,
  });
  say({ type: 'done', deltas, resets, early: figuresOf(delays.early), late: figuresOf(delays.late) });
}

const watch = setInterval(() => {
  if (begun !== null && performance.now() - heardAt > quietMs) finish();
}, 1000);

for (let client = 0; client < clients; client += 1) {
  openClient(client, url, token, session, {
    open() {
      open += 1;
      if (open === clients) say({ type: 'open' });
    },
    heard(bytes) {
      heardAt = performance.now();
      const some = begun !== null && heardAt - begun > earlyMs ? delays.late : delays.early;
      const count = eachDelay(bytes, (us) => some.record(us));
      if (count > 0) begun ??= heardAt;
      deltas += count;
    },
    ended() {
      ended += 1;
      if (ended === clients * runs) finish();
    },
    gateway() {
      resets += 1;
    },
    closed() {
      resets += 1;
    },
  });
}
process.on('SIGTERM', () => process.exit(0));
