// Clients that send nonsense: each piece of it gets a clear error in the protocol, the next good frame works, and
// another session of the same server notices nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeAnthropic, startFakeAnthropic } from '../../src/conformance/model/endpoint.ts';
import { interruptFrame, isEvent, isResult, promptFrame, turn } from '../support/claude-turn.ts';
import { type Client, connectSse, connectStdio, connectWebSocket } from '../support/clients.ts';
import { type GatewayServer, startServer } from '../support/gateway.ts';
import type { Frame } from '../support/inbox.ts';
import { faultsIn } from '../support/judged.ts';
import { makePiHome, type PiHome } from '../support/pi-rig.ts';

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

const control = (request: string) => `{"type":"control_request","request_id":"bad","request":${request}}`;

const nonsense: Record<string, string> = {
  'broken JSON': '{"type":"user","message":',
  'no JSON at all': 'hello there',
  'JSON of 200 levels': `{"type":"user","message":${'['.repeat(200)}${']'.repeat(200)}}`,
  'a frame of 9 MB': JSON.stringify(promptFrame('x'.repeat(9 * 1024 * 1024))),
  null: 'null',
  'a number': '42',
  'an array': '[]',
  'a string': '"user"',
  'a type that is a number': '{"type":5}',
  'no type': '{}',
  'an unknown type': '{"type":"nosuch"}',
  'the type constructor': '{"type":"constructor"}',
  'the type __proto__': '{"type":"__proto__"}',
  'the type toString': '{"type":"toString"}',
  'a __proto__ key': '{"__proto__":{"type":"user","polluted":true}}',
  'a user frame without message': '{"type":"user"}',
  'a message that is a number': '{"type":"user","message":7}',
  'a control request without request': '{"type":"control_request","request_id":"bad"}',
  'the subtype __proto__': control('{"subtype":"__proto__"}'),
  'the subtype constructor': control('{"subtype":"constructor"}'),
  'an unknown subtype': control('{"subtype":"nosuch"}'),
};

/** An error in the protocol: an error frame, or an error in answer to a control request. */
function isError(frame: Frame): boolean {
  if (frame.type === 'error') return true;
  return frame.type === 'control_response' && JSON.stringify(frame.response).includes('"subtype":"error"');
}

type Connect = (session: string) => Promise<Client>;
const overHttp: Record<string, Connect> = {
  websocket: (session) => connectWebSocket(server, session),
  sse: (session) => connectSse(server, session),
};

async function sendNonsense(client: Client, text: string): Promise<void> {
  const from = client.frames.length;
  await client.sendRaw(text);
  const error = await client.waitFor(isError, 'an error', from);
  expect(JSON.stringify(error).length).toBeLessThan(2_000);
}

async function goodTurn(client: Client, text: string): Promise<void> {
  const frames = await turn(client, text);
  expect(frames.at(-1)).toMatchObject({ type: 'result', is_error: false, result: 'Hello, world. This is plain text.' });
}

function expectOrder(client: Client): void {
  expect(faultsIn('claude', client.frames, false)).toEqual([]);
}

describe('stdio', () => {
  let client: Client;
  beforeAll(() => {
    client = connectStdio(home);
  });
  afterAll(() => client.close());

  test.each(Object.entries(nonsense))('%s', async (name, text) => {
    await sendNonsense(client, text);
    await goodTurn(client, `[[text]] stdio after ${name}`);
    expectOrder(client);
  });
});

describe.each(Object.entries(overHttp))('%s', (transport, connect) => {
  let session: string;
  let bystander: Client;
  beforeAll(async () => {
    session = await server.createSession();
    bystander = await connect(await server.createSession());
    await bystander.send(promptFrame(`[[abort-text]] bystander ${transport}`));
    await bystander.waitFor(isEvent('content_block_delta', 'text_delta'), "the bystander's text");
  });
  afterAll(() => bystander.close());

  // A connection of its own for each: too large a frame may cost a client its socket, never its session.
  test.each(Object.entries(nonsense))('%s', async (name, text) => {
    const client = await connect(session);
    await sendNonsense(client, text);
    await client.close();
    const next = await connect(session);
    await goodTurn(next, `[[text]] ${transport} after ${name}`);
    await next.close();
  });

  test('the same connection goes on after a bad frame', async () => {
    const client = await connect(await server.createSession());
    await sendNonsense(client, '{"type":"nosuch"}');
    await goodTurn(client, `[[text]] ${transport} same connection`);
    expectOrder(client);
    await client.close();
  });

  test('another session has noticed nothing', async () => {
    const from = bystander.frames.length;
    await bystander.waitFor(isEvent('content_block_delta', 'text_delta'), 'more of the same text', from);
    await bystander.send(interruptFrame('stop'));
    await bystander.waitFor(isResult, 'its result', from);
    expectOrder(bystander);
    expect(bystander.frames.filter(isError)).toEqual([]);
    expect(bystander.frames.filter(isResult)).toHaveLength(1);
  });
});
