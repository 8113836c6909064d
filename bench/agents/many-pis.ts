// Many made-up pis in one process: each connection to its WebSocket is one. Prompts wait until its input says go; then
// each pi says what it was ordered to, at its own pace and shifted against the others.
import { createServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { deltaLine, openingLines } from '../workloads.ts';
import { orderIn } from './order.ts';
import { answerTo } from './pi-answers.ts';

const [, , expected = '1', warmUp = '0'] = process.argv;

/** A pi that has been prompted. */
interface Speaker {
  readonly socket: WebSocket;
  readonly perSecond: number;
  left: number;
  /** When its next delta is due, ms. */
  due: number;
}

const speakers: Speaker[] = [];
const [before = '', after = ''] = deltaLine('delta-only', 'STAMP', '').split('STAMP');

function say(word: object): void {
  process.stdout.write(`${JSON.stringify(word)}\n`);
}

function begin(): void {
  const now = performance.now();
  for (const [place, speaker] of speakers.entries()) {
    for (const line of openingLines('delta-only')) speaker.socket.send(line);
    speaker.due = now + 100 + (place * 1000) / speaker.perSecond / speakers.length;
  }
  // The same in every run: what is said until then only warms the others up.
  setTimeout(() => say({ type: 'warm' }), 100 + Number(warmUp) * 1000);
  const clock = setInterval(() => {
    if (speakOn(performance.now())) return;
    clearInterval(clock);
    say({ type: 'over', seconds: (performance.now() - now - 100) / 1000 });
  }, 1);
}

/** Says what is due. Returns whether there is more to come. */
function speakOn(now: number): boolean {
  let isMore = false;
  for (const speaker of speakers) {
    while (speaker.left > 0 && speaker.due <= now) {
      speaker.socket.send(`${before}${process.hrtime.bigint()} ${after}`);
      speaker.left -= 1;
      speaker.due += 1000 / speaker.perSecond;
    }
    isMore ||= speaker.left > 0;
  }
  return isMore;
}

const server = createServer();
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  socket.on('error', () => {});
  socket.on('message', (bytes: Buffer) => {
    const { answer, prompt } = answerTo(bytes.toString());
    socket.send(answer);
    const plan = prompt === null ? null : orderIn(prompt);
    if (plan?.perSecond === undefined) return;
    speakers.push({ socket, perSecond: plan.perSecond, left: plan.sample, due: 0 });
    if (speakers.length === Number(expected)) say({ type: 'prompted' });
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  say({ type: 'ready', url: `ws://127.0.0.1:${port}/` });
});
process.stdin.on('data', begin);
process.on('SIGTERM', () => process.exit(0));
