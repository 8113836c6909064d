// Many clients in one process, each of a session of its own: sends one prompt in each, measures the delay of each
// stamped delta, and says it when all have come, or none any more.
import { createHistogram } from 'node:perf_hooks';
import { openRawSocket } from './raw-socket.ts';

const [address = '', protocol = '', count = '0', prompt = '', deltas = '0'] = process.argv.slice(2);
const clients = Number(count);
const expected = clients * Number(deltas);
const quietMs = 10_000;

/** Delays, us. */
const delays = createHistogram();
/** What stands before the stamp in a frame of the gateway and of the agent. */
const marks = [Buffer.from('"text":"'), Buffer.from('"delta":"')];
let open = 0;
let got = 0;
let closed = 0;
let heardAt = performance.now();

function say(word: object): void {
  process.stdout.write(`${JSON.stringify(word)}\n`);
}

/** The number that begins there; NaN when there is none. */
function numberAt(bytes: Buffer, start: number): number {
  let number = 0;
  let at = start;
  for (let code = bytes[at] ?? 0; code >= 48 && code <= 57; code = bytes[at] ?? 0) {
    number = number * 10 + (code - 48);
    at += 1;
  }
  return at - start < 9 ? Number.NaN : number;
}

function stampIn(bytes: Buffer, start: number, end: number): number {
  for (const mark of marks) {
    const at = bytes.indexOf(mark, start);
    if (at === -1 || at >= end) continue;
    const stamp = numberAt(bytes, at + mark.length);
    if (!Number.isNaN(stamp)) return stamp;
  }
  return Number.NaN;
}

function told(bytes: Buffer, start: number, end: number): void {
  const stamp = stampIn(bytes, start, end);
  if (Number.isNaN(stamp)) return;
  const now = Number(process.hrtime.bigint());
  delays.record(Math.max(1, Math.round((now - stamp) / 1000)));
  heardAt = performance.now();
  got += 1;
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
