// Clients of one session that stop reading as soon as they are connected. Once its input says so they read on; what each
// of them was told then is said.
import { openClient } from './dialects.ts';

const [url = '', token = '', session = '', count = '0'] = process.argv.slice(2);
const clients = Number(count);
/** They have heard all when nothing has come for so long. */
const quietMs = 3000;

const ways: { resume(): unknown }[] = [];
/** By client; the last one counts. */
const told: string[] = [];
let heardAt = 0;
let bytesRead = 0;
let isReading = false;

function say(word: object): void {
  process.stdout.write(`${JSON.stringify(word)}\n`);
}

for (let client = 0; client < clients; client += 1) {
  const kind = client % 4 < 2 ? 'WebSocket' : 'SSE';
  openClient(client, url, token, session, {
    open(way) {
      // Behind the first frames, so that the connection is one that has worked.
      setTimeout(() => void way.pause(), 100);
      ways.push(way);
      if (ways.length === clients) setTimeout(() => say({ type: 'stalled' }), 200);
    },
    heard(bytes) {
      heardAt = performance.now();
      if (isReading) bytesRead += bytes.length;
    },
    ended() {},
    gateway(text) {
      const reset = /"type":"(\w+)","reason":"(\w+)"/u.exec(text);
      told[client] = `${kind} ${reset?.[1] ?? text} (${reset?.[2] ?? ''})`;
    },
    closed(code, reason) {
      heardAt = performance.now();
      told[client] ??= code === null ? `${kind} cut` : `${kind} ${code} ${reason}`;
    },
  });
}

process.stdin.on('data', () => {
  isReading = true;
  heardAt = performance.now();
  for (const way of ways) way.resume();
  const watch = setInterval(() => {
    if (performance.now() - heardAt < quietMs) return;
    clearInterval(watch);
    const counts: Record<string, number> = {};
    for (let client = 0; client < clients; client += 1) {
      const words = told[client] ?? 'nothing';
      counts[words] = (counts[words] ?? 0) + 1;
    }
    say({ type: 'told', counts, bytes: bytesRead });
  }, 100);
});
process.on('SIGTERM', () => process.exit(0));
