// Runs an ACP agent whose model speaks another API than the fake one: `main.mjs <codex|gemini> <command …>`. A relay on loopback
// translates for it, and the agent has a home of its own, which leads it there and to nothing else. RELAY_HOME: the folder of a home
// that stays, for agents that keep conversations.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerOf } from './fake-model.mjs';
import * as gemini from './gemini.mjs';
import * as responses from './responses.mjs';

const [kind, program, ...words] = process.argv.slice(2);
const api = { codex: responses, gemini }[kind];
if (api === undefined || program === undefined) throw new Error('usage: main.mjs <codex|gemini> <command …>');

async function take(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (!api.isAsked(request)) return response.writeHead(404).end('{}');
  const asked = api.readRequest(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const answer = await answerOf(asked, gone.signal);
  if ('status' in answer) {
    const headers = { 'content-type': 'application/json' };
    return response.writeHead(answer.status, headers).end(JSON.stringify(api.errorBody(answer.message, answer.status)));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const say = (event) =>
    response.write(`${event.type === undefined ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`);
  const writer = api.createWriter(say, asked);
  for await (const event of answer.events) writer(event);
  response.end();
}

const server = createServer((request, response) => {
  take(request, response).catch(() => response.destroy());
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const { RELAY_HOME: kept } = process.env;
const home = kept ?? mkdtempSync(join(tmpdir(), 'patchbay-relay-'));
const { env, files } = api.surroundingsOf(`http://127.0.0.1:${server.address().port}`, home);
for (const [name, text] of Object.entries(files)) {
  mkdirSync(join(home, name, '..'), { recursive: true });
  writeFileSync(join(home, name), text);
}
const child = spawn(program, words, { stdio: 'inherit', env: { ...process.env, HOME: home, ...env } });
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
child.on('close', (code) => {
  if (kept === undefined) rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  process.exit(code ?? 1);
});
