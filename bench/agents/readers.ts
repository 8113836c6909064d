// Many clients of one session in one process: all of them WebSockets, or every second one an event stream. Counts what
// each of them gets, and says it at the end of each run; the end of its input ends it.
import { openEvents } from './event-stream.ts';
import { openRawSocket } from './raw-socket.ts';

const [url = '', token = '', session = '', count = '0', kinds = 'both'] = process.argv.slice(2);
const readers = Number(count);
const delta = Buffer.from('"content_block_delta"');
const result = Buffer.from('{"type":"result"');
const reset = Buffer.from('event: gateway');

let open = 0;
/** Over all readers, since the last run. */
let tally = { done: 0, deltas: 0, resets: 0 };

function say(word: object): void {
  process.stdout.write(`${JSON.stringify(word)}\n`);
}

function opened(): void {
  open += 1;
  if (open === readers) say({ type: 'open' });
}

function finished(): void {
  tally.done += 1;
  if (tally.done < readers) return;
  say({ type: 'done', deltas: tally.deltas, resets: tally.resets });
  tally = { done: 0, deltas: 0, resets: 0 };
}

/** A reader that has lost its connection has no further runs. */
function lost(): void {
  tally.resets += 1;
  finished();
}

function countIn(bytes: Buffer, word: Buffer): number {
  let found = 0;
  for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + word.length)) found += 1;
  return found;
}

function readSocket(): void {
  openRawSocket(`${url}/v1/claude/ws?session=${session}`, `bearer.${token}`, {
    open: opened,
    message(bytes, start, end) {
      const frame = bytes.subarray(start, end);
      if (frame.includes(delta)) tally.deltas += 1;
      else if (frame.subarray(0, result.length).equals(result)) finished();
    },
    closed: lost,
  });
}

function readEvents(): void {
  openEvents(`${url}/v1/claude/sessions/${session}/events`, token, {
    open: opened,
    events(bytes) {
      tally.deltas += countIn(bytes, delta);
      tally.resets += countIn(bytes, reset);
      for (let runs = countIn(bytes, result); runs > 0; runs -= 1) finished();
    },
    closed: lost,
  });
}

process.on('SIGTERM', () => process.exit(0));
for (let reader = 0; reader < readers; reader += 1) {
  if (kinds === 'both' && reader % 2 === 1) readEvents();
  else readSocket();
}
