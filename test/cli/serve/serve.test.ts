// `patchbay serve` as a process: how it stops.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { asSentence } from '../../../src/cli/stderr-log.ts';

const main = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

it('lets the open run end when it is told to stop, and tells it to those who listen over SSE', async () => {
  const server = spawn(process.execPath, [main, 'serve', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let logged = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    logged += text;
  });
  const exited = once(server, 'close');
  const [line] = await once(server.stdout, 'data');
  const { url, token } = JSON.parse(String(line)) as { url: string; token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await post('/v1/sessions', { id: 'one' });
  const events = await fetch(`${url}/v1/claude/sessions/one/events`, { headers });
  await post('/v1/claude/sessions/one/frames', { type: 'user', message: { content: 'slow 20' } });
  let told = '';
  for await (const chunk of events.body ?? []) {
    told += Buffer.from(chunk).toString();
    // The run is open now, and the signal comes in the middle of it. A second one would end everything at once.
    if (told.includes('text_delta') && !server.killed) server.kill('SIGTERM');
  }
  expect(told).toMatch(/"type":"result","subtype":"success"/u);
  expect(told).toMatch(/event: gateway\ndata: \{"type":"closed"/u);
  expect((await exited)[0]).toBe(0);
  expect(JSON.parse(logged)).toMatchObject({
    level: 'warn',
    text: expect.stringMatching(/^the gateway was stopped \(SIGTERM\);/u),
  });
});

it.each([
  [{ level: 'warn', text: 'stopping', fields: {} }, 'patchbay: warn: stopping\n'],
  [
    {
      level: 'error',
      text: 'the agent is gone',
      fields: { agent: 'pi', reason: 'agent exited (code 1): \u001b[2Jlog in' },
    },
    'patchbay: error: the agent is gone; agent: pi; reason: agent exited (code 1): \\x1b[2Jlog in\n',
  ],
] as const)('logs sentences on a terminal, which obeys nothing in them: %j', (entry, line) => {
  expect(asSentence(entry)).toBe(line);
});
