// A client of pi-legacy as a program: sends each prompt, waits for the end of its run, and disconnects. The first argument says
// how to reach the agent: `websocket` and `events` read the address from the environment, `program` starts the command up to `--`.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

const [way, ...rest] = process.argv.slice(2);
const at = rest.lastIndexOf('--');
const prompts = rest.slice(at + 1);
const {
  PATCHBAY_CONFORMANCE_URL: url,
  PATCHBAY_CONFORMANCE_HTTP: http,
  PATCHBAY_CONFORMANCE_TOKEN: token,
} = process.env;
const authorization = `Bearer ${token}`;

let left = [...prompts];
let say = () => {};
let leave = () => {};

function hear(line) {
  if (JSON.parse(line).type === 'agent_end') next();
}
function next() {
  const [prompt, ...others] = left;
  left = others;
  if (prompt === undefined) leave();
  else say(JSON.stringify({ type: 'prompt', message: prompt }));
}

if (way === 'websocket') {
  const socket = new WebSocket(url, { headers: { authorization } });
  say = (text) => socket.send(text);
  leave = () => socket.close();
  socket.on('message', (data) => hear(String(data)));
  socket.on('open', next);
} else if (way === 'events') {
  const base = `${http}/v1/pi-legacy/sessions/one`;
  const stream = new AbortController();
  const response = await fetch(`${base}/events`, { headers: { authorization }, signal: stream.signal });
  say = (body) =>
    void fetch(`${base}/frames`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    });
  leave = () => process.exit(0);
  next();
  let text = '';
  for await (const chunk of response.body) {
    text += Buffer.from(chunk).toString();
    const lines = text.split('\n');
    text = lines.pop();
    for (const line of lines) if (line.startsWith('data: {')) hear(line.slice('data: '.length));
  }
} else {
  const [program, ...words] = rest.slice(0, at);
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  say = (text) => child.stdin.write(`${text}\n`);
  leave = () => child.stdin.end();
  createInterface({ input: child.stdout }).on('line', hear);
  child.on('exit', (code) => {
    process.exitCode = code;
  });
  next();
}
