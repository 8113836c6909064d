// Many clients in one process, each of a session of its own: sends one prompt in each, measures the delay of each
// stamped delta, and says it when all have come, or none any more.
import { createHistogram } from 'node:perf_hooks';
import { openRawSocket } from './raw-socket.ts';
import { eachDelay } from './stamps.ts';

const [address = '', protocol = '', count = '0', prompt = '', deltas = '0', uncounted = '0'] = process.argv.slice(2);
const clients = Number(count);
const expected = clients * Number(deltas);
/** The delays of so many deltas of each client are left out: the first ones, for all clients speak alike. */
const skipped = clients * Number(uncounted);
const quietMs = 30_000;

/** Delays, us. */
const delays = createHistogram();
let open = 0;
let got = 0;
let closed = 0;
let heardAt = performance.now();

function say(word: object): void {
  process.stdout.write(`${JSON.stringify(word)}\n`);
}

function told(bytes: Buffer, start: number, end: number): void {
  const count = eachDelay(bytes.subarray(start, end), (us) => {
    if (got >= skipped) delays.record(us);
  });
  if (count === 0) return;
  heardAt = performance.now();
  got += count;
  if (got === expected) finish();
}

function finish(): void {
  clearInterval(watch);
  const at = (share: number) => delays.percentile(share) / 1000;
  say({ type: 'done', deltas: got, closed, p50: at(50), p99: at(99), longest: delays.max / 1000 });
}

const watch = setInterval(() => {
  if (got > 0 && performance.now() - heardAt > quietMs) finish();
}, 1000);

for (let client = 0; client < clients; client += 1) {
  openRawSocket(address, protocol, {
    open(socket) {
      socket.send(prompt);
      open += 1;
      if (open === clients) say({ type: 'open' });
    },
    message: told,
    closed() {
      closed += 1;
    },
  });
}
process.on('SIGTERM', () => process.exit(0));
