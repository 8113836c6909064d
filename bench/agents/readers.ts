// Many clients of one session in one process: half of them WebSockets, half event streams. Counts what each of them
// gets, and says it at the end of the run.
import { request } from 'node:http';
import WebSocket from 'ws';

const [url = '', token = '', session = '', count = '0'] = process.argv.slice(2);
const readers = Number(count);
const delta = Buffer.from('"content_block_delta"');
const result = Buffer.from('{"type":"result"');
const reset = Buffer.from('event: gateway');

interface Tally {
  deltas: number;
  resets: number;
}

let open = 0;
let done = 0;
const tallies: Tally[] = [];

function say(word: object): void {
  process.stdout.write(`${JSON.stringify(word)}\n`);
}

function opened(): void {
  open += 1;
  if (open === readers) say({ type: 'open' });
}

function finished(): void {
  done += 1;
  if (done < readers) return;
  const sum = (pick: (tally: Tally) => number) => tallies.reduce((total, tally) => total + pick(tally), 0);
  say({ type: 'done', deltas: sum((tally) => tally.deltas), resets: sum((tally) => tally.resets) });
}

function countIn(bytes: Buffer, word: Buffer): number {
  let found = 0;
  for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + word.length)) found += 1;
  return found;
}

function readSocket(): void {
  const tally: Tally = { deltas: 0, resets: 0 };
  tallies.push(tally);
  const address = `${url.replace('http', 'ws')}/v1/claude/ws?session=${session}`;
  const socket = new WebSocket(address, [`bearer.${token}`], { perMessageDeflate: false });
  let isOver = false;
  socket.on('open', opened).on('error', () => {});
  socket.on('message', (frame: Buffer) => {
    if (frame.includes(delta)) tally.deltas += 1;
    else if (!isOver && frame.subarray(0, result.length).equals(result)) {
      isOver = true;
      finished();
    }
  });
  socket.on('close', () => {
    if (isOver) return;
    tally.resets += 1;
    finished();
  });
}

function readEvents(): void {
  const tally: Tally = { deltas: 0, resets: 0 };
  tallies.push(tally);
  const headers = { authorization: `Bearer ${token}` };
  const opening = request(`${url}/v1/claude/sessions/${session}/events`, { headers, agent: false }, (response) => {
    let tail = Buffer.alloc(0);
    let isOver = false;
    opened();
    response.on('data', (chunk: Buffer) => {
      const bytes = Buffer.concat([tail, chunk]);
      const end = bytes.lastIndexOf('\n\n') + 2;
      const whole = bytes.subarray(0, end);
      tail = bytes.subarray(end);
      tally.deltas += countIn(whole, delta);
      tally.resets += countIn(whole, reset);
      if (isOver || !whole.includes(result)) return;
      isOver = true;
      finished();
    });
  });
  opening.end();
}

process.on('SIGTERM', () => process.exit(0));
for (let reader = 0; reader < readers; reader += 1) {
  if (reader % 2 === 0) readSocket();
  else readEvents();
}
