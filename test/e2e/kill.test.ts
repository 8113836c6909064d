// The agent is killed in mid sentence, in mid arguments, in mid tool: every client of the session hears a proper end of
// the turn at once, and the session is of use afterwards.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { isEvent, isResult, promptFrame } from '../support/claude-turn.ts';
import { type Client, connectSse, connectWebSocket } from '../support/clients.ts';
import { shareOf } from '../support/full.ts';
import { type GatewayServer, startServer } from '../support/gateway.ts';
import type { Frame } from '../support/inbox.ts';
import { faultsIn } from '../support/judged.ts';
import { makePiHome, type PiHome, pidOf, recordOf } from '../support/pi-rig.ts';

let fake: FakeAnthropic;
let home: PiHome;
let server: GatewayServer;
beforeAll(async () => {
  fake = await startFakeAnthropic();
  home = makePiHome({ baseUrl: fake.url });
  server = await startServer(home);
});
afterAll(async () => {
  await server?.close();
  await fake.close();
  home.remove();
});

type Moment = (prompt: string, clients: readonly Client[]) => Promise<unknown>;

const whenAllSee =
  (delta: string): Moment =>
  (_, clients) =>
    Promise.all(clients.map((client) => client.waitFor(isEvent('content_block_delta', delta), `a ${delta}`)));

const moments: [name: string, scenario: string, moment: Moment][] = [
  ['text', 'abort-text', whenAllSee('text_delta')],
  ['a thought', 'abort-think', whenAllSee('thinking_delta')],
  ['the arguments of a tool', 'abort-args', whenAllSee('input_json_delta')],
  [
    'a tool',
    'abort-tool',
    (prompt) => recordOf(home, prompt, (rows) => rows.some(({ line }) => line.includes('tool_execution_update'))),
  ],
];

/** What a client may hear instead of an answer: a result or an error that says why. */
const isRefusal = (frame: Frame): boolean => frame.type === 'error' || (isResult(frame) && frame.is_error === true);

// Two starts of pi each: a busy machine needs its time for them, the end of the turn does not.
test.each(shareOf(moments, 0, 2))('killed in mid %s', async (_, scenario, moment) => {
  const session = await server.createSession();
  const clients = await Promise.all([
    connectWebSocket(server, session),
    connectWebSocket(server, session),
    connectSse(server, session),
  ]);
  const [speaker] = clients;
  const prompt = `[[${scenario}]] kill ${session}`;
  await speaker.send(promptFrame(prompt));
  await moment(prompt, clients);
  const pid = pidOf(await recordOf(home, prompt));

  process.kill(pid, 'SIGKILL');
  const results = await Promise.all(clients.map((client) => client.waitFor(isResult, 'the result')));

  for (const [at, client] of clients.entries()) {
    expect(results[at]).toMatchObject({ is_error: true });
    expect(client.frames.at(-1)).toBe(results[at]);
    expect(faultsIn('claude', client.frames)).toEqual([]);
  }

  const from = speaker.frames.length;
  await speaker.send(promptFrame(`[[text]] after ${session}`));
  const answer = await speaker.waitFor((frame) => isResult(frame) || isRefusal(frame), 'an answer or a refusal', from);
  expect(isRefusal(answer) || answer.result === 'Hello, world. This is plain text.').toBe(true);
  await Promise.all(clients.map((client) => client.close()));
});
