// A rightful client in a process of its own: its session streams 50 deltas a second, and it asks /healthz on a fresh
// connection every 50 ms. Told `mark` on stdin it forgets what it saw; told `tell` it says the longest waits since.
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import WebSocket from 'ws';
import { type Order, wordsOf } from '../agents/order.ts';

const [url = '', token = ''] = process.argv.slice(2);
const stream = { dialect: 'delta-only', bytes: 1, sample: 50 * 900, perSecond: 50 } as const satisfies Order;

let longestGap = 0;
let longestHealth = 0;
let deltas = 0;
let refused = 0;
let last = 0;
let isCut = false;
/** The question that is open. */
let asked: { since: number } | null = null;

const say = (word: object) => process.stdout.write(`${JSON.stringify(word)}\n`);

function askHealth(): void {
  const question = { since: performance.now() };
  asked = question;
  const over = (isAnswer: boolean) => {
    if (asked !== question) return;
    asked = null;
    if (!isAnswer) refused += 1;
    longestHealth = Math.max(longestHealth, performance.now() - question.since);
    setTimeout(askHealth, 50);
  };
  request(`${url}/healthz`, { agent: false }, (response) => {
    response.resume().on('close', () => over(response.statusCode === 200));
  })
    .on('error', () => over(false))
    .end();
}

const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
await fetch(`${url}/v1/sessions`, { method: 'POST', headers, body: '{"agent":"neighbour","id":"neighbour"}' });
const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/claude/ws?session=neighbour`, [`bearer.${token}`]);
socket.on('open', () =>
  socket.send(JSON.stringify({ type: 'user', message: { role: 'user', content: wordsOf(stream) } })),
);
socket.on('message', (frame: Buffer) => {
  if (!frame.includes('"content_block_delta"')) return;
  const now = performance.now();
  if (last === 0) say({ type: 'streaming' });
  else longestGap = Math.max(longestGap, now - last);
  last = now;
  deltas += 1;
});
socket.on('close', () => {
  isCut = true;
});
socket.on('error', () => {});
askHealth();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const now = performance.now();
    if (line === 'mark') {
      longestGap = longestHealth = deltas = refused = 0;
      last = now;
      if (asked !== null) asked.since = now;
      say({ type: 'marked' });
      return;
    }
    // What has not come yet counts as well.
    const gapMs = Math.max(longestGap, now - last);
    const healthMs = Math.max(longestHealth, asked === null ? 0 : now - asked.since);
    say({ type: 'witness', gapMs, healthMs, deltas, refused, isCut });
  })
  .on('close', () => process.exit(0));
