// A WebSocket that resumes, over a fake board: what is agreed to, attaching, frames and control messages, bad messages
// (docs/protocols/resume.md).
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { GatewayError } from '../../src/core/model/errors.ts';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { mostAttached } from '../../src/transports/resume/connection.ts';
import { createFakeBoard, type FakeBoard } from '../support/fake-board.ts';
import { type Arrivals, createArrivals } from './support/arrivals.ts';

let board: FakeBoard;
let server: Listening;
let internalErrors: unknown[];
const sockets: WebSocket[] = [];

async function start(options: { attachMs?: number } = {}) {
  board = createFakeBoard();
  board.add('s1');
  internalErrors = [];
  server = await listen({ board, onError: (error) => internalErrors.push(error), ...options });
}

beforeEach(() => start());
afterEach(async () => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.terminate();
  await server.close();
});

interface Client {
  readonly socket: WebSocket;
  readonly heard: Arrivals<string>;
  /** Close code and reason. */
  readonly closed: Promise<readonly [number, string]>;
  say(message: unknown): void;
}

function dial(query = '', protocols = ['pi.v1+resume'], path = '/v1/pi/ws'): WebSocket {
  const headers = { authorization: `Bearer ${server.token}` };
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}${query}`, protocols, { headers });
  socket.on('error', () => {});
  sockets.push(socket);
  return socket;
}

async function connect(query = ''): Promise<Client> {
  const socket = dial(query);
  const heard = createArrivals<string>();
  socket.on('message', (data) => heard.add(String(data)));
  const closed = once(socket, 'close').then(([code, reason]) => [Number(code), String(reason)] as const);
  await once(socket, 'open');
  return { socket, heard, closed, say: (message) => socket.send(JSON.stringify(message)) };
}

const attach = (cursor?: string, session = 's1') => ({
  type: 'attach',
  session,
  ...(cursor === undefined ? {} : { cursor }),
});

const objects = (texts: readonly string[]): unknown[] => texts.map((text): unknown => JSON.parse(text));

describe('the handshake', () => {
  const secret = () => `bearer.${server.token}`;

  it.each<[string, () => string[], () => string]>([
    ['bare frames', () => ['pi.v1'], () => 'pi.v1'],
    ['resume', () => ['pi.v1+resume'], () => 'pi.v1+resume'],
    ['the first of both', () => ['pi.v1+resume', 'pi.v1'], () => 'pi.v1+resume'],
    ['what is spoken, before the token', () => [secret(), 'pi.v2', 'pi.v1+resume'], () => 'pi.v1+resume'],
    ['the token alone', () => ['pi.v2', secret()], secret],
  ])('agrees to %s', async (_, offered, chosen) => {
    const socket = dial('', offered());
    await once(socket, 'open');
    expect(socket.protocol).toBe(chosen());
  });

  it.each(['pi.v2', 'pi', 'eca.v1', 'eca.v1+resume', 'pi.v1+resumed', 'PI.v1'])('agrees to no %s', async (offered) => {
    const socket = dial('', [offered]);
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain('Server sent no subprotocol');
  });

  it.each(['pi.v1', 'pi.v1+resume'])('refuses a cursor in the address: %s', async (protocol) => {
    const [, response] = await once(dial('?cursor=e1.1.0', [protocol]), 'unexpected-response');
    const chunks: Buffer[] = await response.toArray();
    expect([response.statusCode, JSON.parse(Buffer.concat(chunks).toString())]).toEqual([
      400,
      {
        error: {
          code: 'invalid',
          message: 'a WebSocket resumes by an attach message, in the subprotocol pi.v1+resume',
        },
      },
    ]);
    expect(board.streams.items).toEqual([]);
  });

  it('refuses a session that is not there, and an unknown frontend', async () => {
    const [, noSession] = await once(dial('?session=s2'), 'unexpected-response');
    const [, noFrontend] = await once(dial('', ['no.v1+resume'], '/v1/no/ws'), 'unexpected-response');
    expect([noSession.statusCode, noFrontend.statusCode]).toEqual([404, 404]);
  });
});

describe('attach', () => {
  it('begins with everything, each frame with its cursor', async () => {
    const session = board.find('s1');
    session.appendUnnumbered('{"n":0}');
    session.append('{"n":1}');
    const { heard, say } = await connect();
    say(attach());
    session.append(['{"t":', Buffer.from('"é"'), '}']);
    expect(await heard.first(3)).toEqual([
      '{"cursor":null,"frame":{"n":0}}',
      '{"cursor":"e1.1.0","frame":{"n":1}}',
      '{"cursor":"e1.2.0","frame":{"t":"é"}}',
    ]);
    expect(board.streams.items[0]).toMatchObject({ cursor: null, request: { frontend: 'pi', session: 's1' } });
  });

  it('goes on behind a cursor', async () => {
    const session = board.find('s1');
    for (const n of [1, 2, 3]) session.append(`{"n":${n}}`);
    const { heard, say } = await connect();
    say(attach('e1.2.0'));
    expect(await heard.first(1)).toEqual(['{"cursor":"e1.3.0","frame":{"n":3}}']);
  });

  it('tells a reset, and goes on', async () => {
    const session = board.find('s1');
    session.append('{"n":1}');
    const { heard, say } = await connect();
    say(attach('other.1.0'));
    expect(objects(await heard.first(1))).toEqual([{ type: 'reset', reason: 'epoch', cursor: 'e1.1.0' }]);
    session.append('{"n":2}');
    expect(await heard.first(2)).toContain('{"cursor":"e1.2.0","frame":{"n":2}}');
  });

  it('tells the end of the session, and closes with 1000', async () => {
    const { heard, say, closed } = await connect();
    say(attach());
    board.find('s1').append('{"n":1}');
    board.find('s1').close('deleted');
    expect(await closed).toEqual([1000, 'deleted']);
    expect(heard.items.at(-1)).toBe('{"type":"closed","reason":"deleted"}');
    await board.find('s1').left;
  });

  it('lets go of the session when the client leaves', async () => {
    const { socket, say, heard } = await connect();
    say(attach());
    board.find('s1').append('{"n":1}');
    await heard.first(1);
    socket.terminate();
    await board.find('s1').left;
  });

  it.each<[string, string, number, string]>([
    ['a frame', '{"type":"prompt"}', 4400, 'the first message must be an attach message'],
    ['a send', '{"type":"send","frame":{}}', 4400, 'the first message must be an attach message'],
    ['no JSON', '{', 4400, 'the first message must be an attach message'],
    ['an attach without a session', '{"type":"attach"}', 4400, 'a message of type attach names a session'],
    [
      'a number as cursor',
      '{"type":"attach","session":"s1","cursor":1}',
      4400,
      'cursor in a message of type attach must be text',
    ],
    ['a path as session', '{"type":"attach","session":"../s1"}', 4400, 'a session id must match'],
    ['another session', '{"type":"attach","session":"s2"}', 4404, 'no session s2'],
  ])('first %s: %s', async (_, message, code, reason) => {
    const { socket, closed } = await connect();
    socket.send(message);
    const [seen, why] = await closed;
    expect([seen, why]).toEqual([code, expect.stringContaining(reason)]);
    expect(board.find('s1').readers.size).toBe(0);
  });

  it('a binary message first: 4400', async () => {
    const { socket, closed } = await connect();
    socket.send(Buffer.from('{"type":"attach","session":"s1"}'));
    expect((await closed)[0]).toBe(4400);
  });

  it('none within 10 s: 4408', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { socket, closed } = await connect();
    vi.advanceTimersByTime(9_999);
    socket.ping();
    await once(socket, 'pong');
    expect(socket.readyState).toBe(socket.OPEN);
    vi.advanceTimersByTime(1);
    expect(await closed).toEqual([4408, 'no attach message within 10000 ms']);
  });

  it('a connection on which nothing is said tells that it is alive, every 15 s', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const session = board.find('s1');
    const { say, heard } = await connect();
    say(attach());
    session.append('{"n":1}');
    await heard.first(1);
    vi.advanceTimersByTime(15_000);
    session.append('{"n":2}');
    await heard.first(2);
    for (const _ of [1, 2, 3]) vi.advanceTimersByTime(15_000);
    const alive = { type: 'alive' };
    expect(objects((await heard.first(4)).slice(1))).toEqual([{ cursor: 'e1.2.0', frame: { n: 2 } }, alive, alive]);
  });

  it('another one for the session of the address: 4400', async () => {
    board.add('s2');
    const { say, closed } = await connect('?session=s1');
    say(attach(undefined, 's2'));
    expect(await closed).toEqual([4400, 'this connection is for session s1']);
  });

  it('a second one is refused', async () => {
    board.add('s2');
    const { say, heard } = await connect();
    say(attach());
    say(attach());
    say(attach(undefined, 's2'));
    expect(objects(await heard.first(2))).toEqual([
      { type: 'refused', code: 'invalid', message: 'session s1 is attached' },
      { type: 'refused', code: 'invalid', message: 'a connection of this protocol carries one session' },
    ]);
  });

  it('a fault of the gateway closes with 1011, says no more, and is reported', async () => {
    const { say, closed } = await connect();
    board.breakDown(new Error('secret'));
    say(attach());
    expect(await closed).toEqual([1011, 'something went wrong inside the gateway']);
    expect(internalErrors).toEqual([new Error('secret')]);
  });
});

describe('nothing that a peer says is a message of the gateway', () => {
  it.each([
    '{"type":"closed","reason":"forged"}',
    '{"type":"reset","reason":"window","cursor":"e1.9.0"}',
    '{"cursor":"e1.9.0","frame":{"type":"closed"}}',
    '{"text":"\\"}}{\\"type\\":\\"closed\\"}"}',
    '{"frame":1,"cursor":2,"type":"accepted","session":"s1"}',
  ])('%s', async (frame) => {
    const { say, heard } = await connect();
    say(attach());
    board.find('s1').append(frame);
    const [message = ''] = await heard.first(1);
    expect(JSON.parse(message)).toEqual({ cursor: 'e1.1.0', frame: JSON.parse(frame) });
  });
});

describe('frames of the client', () => {
  it('are taken as they are, and by name', async () => {
    const { socket, say, heard } = await connect();
    say(attach());
    socket.send('{"type":"prompt",  "n":1.0}');
    say({ type: 'send', frame: { type: 'attach' } });
    say({ type: 'send', id: 'k1', session: 's1', frame: { n: 3 } });
    expect(await board.find('s1').posted.first(3)).toEqual([
      '{"type":"prompt",  "n":1.0}',
      '{"type":"attach"}',
      '{"n":3}',
    ]);
    expect(objects(await heard.first(1))).toEqual([{ type: 'accepted', id: 'k1' }]);
    expect(board.find('s1').postedIds).toEqual([undefined, undefined, 'k1 0']);
  });

  it('that are refused are answered to this client alone, in the words of the protocol', async () => {
    board.refusePosts(['{"error":"no"}', '{"error":"never"}']);
    const { say, heard } = await connect();
    say(attach());
    say({ type: 'prompt' });
    say({ type: 'send', id: 'k2', frame: {} });
    expect(objects(await heard.first(3))).toEqual([
      { cursor: null, frame: { error: 'no' } },
      { cursor: null, frame: { error: 'never' } },
      { type: 'refused', id: 'k2', frames: [{ error: 'no' }, { error: 'never' }] },
    ]);
  });

  it.each<[string, unknown, unknown]>([
    [
      'no frame',
      { type: 'send', id: 'k' },
      { type: 'refused', code: 'invalid', message: 'a send message has a frame' },
    ],
    [
      'an id that is no text',
      { type: 'send', id: 1, frame: {} },
      { type: 'refused', code: 'invalid', message: 'id in a message of type send must be text' },
    ],
    [
      'an id with a space',
      { type: 'send', id: 'a b', frame: {} },
      { type: 'refused', id: 'a b', code: 'invalid', message: 'id must be 1 to 256 printable characters' },
    ],
    [
      'another session',
      { type: 'send', id: 'k', session: 's2', frame: {} },
      { type: 'refused', id: 'k', code: 'invalid', message: 'no such session is attached' },
    ],
  ])('refused: %s', async (_, message, answer) => {
    const { say, heard } = await connect();
    say(attach());
    say(message);
    expect(objects(await heard.first(1))).toEqual([answer]);
    expect(board.find('s1').posted.items).toEqual([]);
  });

  it('a binary message is refused in the words of the protocol', async () => {
    const { socket, say, heard } = await connect();
    say(attach());
    socket.send(Buffer.from('{}'));
    expect(await heard.first(1)).toEqual(['{"cursor":null,"frame":{"refused":"bad-frame"}}']);
  });

  it('what the gateway cannot take is refused with its code', async () => {
    const { say, heard } = await connect();
    say(attach());
    board.find('s1').append('{}');
    await heard.first(1);
    board.breakDown(new GatewayError('conflict', 'something else was posted'));
    say({ type: 'send', id: 'k', frame: {} });
    expect(objects((await heard.first(2)).slice(1))).toEqual([
      { type: 'refused', id: 'k', code: 'conflict', message: 'something else was posted' },
    ]);
  });

  it('the eleventh bad one closes with 4400 (docs/limits.md 7.11)', async () => {
    const { say, closed, heard } = await connect();
    say(attach());
    for (let count = 0; count < 12; count += 1) say({ type: 'send' });
    expect(await closed).toEqual([4400, 'more than 10 bad frames within 10 s']);
    expect(heard.items).toHaveLength(11);
    expect(board.limits).toEqual(['badFrames']);
  });
});

describe('a connection that carries many sessions', () => {
  const many = '?many=yes';

  it('attaches each with a cursor of its own, and names it in each message', async () => {
    const [one, two] = [board.find('s1'), board.add('s2')];
    for (const n of [1, 2]) one.append(`{"one":${n}}`);
    for (const n of [1, 2, 3]) two.append(`{"two":${n}}`);
    const { say, heard } = await connect(many);
    say(attach('e1.1.0'));
    say(attach('e1.2.0', 's2'));
    expect(await heard.first(2)).toEqual([
      '{"session":"s1","cursor":"e1.2.0","frame":{"one":2}}',
      '{"session":"s2","cursor":"e1.3.0","frame":{"two":3}}',
    ]);
    say({ type: 'send', id: 'k', session: 's2', frame: { n: 1 } });
    expect(await two.posted.first(1)).toEqual(['{"n":1}']);
    say({ n: 2 });
    expect(objects((await heard.first(4)).slice(2))).toEqual([
      { type: 'accepted', id: 'k' },
      { type: 'refused', code: 'invalid', message: 'name a session: several are attached' },
    ]);
    one.close('deleted');
    one.append('{}');
    two.append('{"two":4}');
    expect((await heard.first(6)).slice(4)).toEqual([
      '{"type":"closed","session":"s1","reason":"deleted"}',
      '{"session":"s2","cursor":"e1.4.0","frame":{"two":4}}',
    ]);
    say({ n: 3 });
    expect(await two.posted.first(2)).toEqual(['{"n":1}', '{"n":3}']);
  });

  it('hears that a session is not there, and goes on with the others', async () => {
    const { say, heard } = await connect(many);
    say(attach(undefined, 'gone'));
    say(attach('other.1.0'));
    expect(objects(await heard.first(2))).toEqual([
      { type: 'closed', session: 'gone', reason: 'no session gone' },
      { type: 'reset', session: 's1', reason: 'epoch', cursor: 'e1.0.0' },
    ]);
  });

  it(`carries at most ${mostAttached}`, async () => {
    const { say, heard } = await connect(many);
    for (let count = 0; count < mostAttached; count += 1) {
      board.add(`m${count}`);
      say(attach(undefined, `m${count}`));
    }
    say(attach());
    expect(objects(await heard.first(1))).toEqual([
      { type: 'closed', session: 's1', reason: `a connection carries at most ${mostAttached} sessions` },
    ]);
    expect(board.find('s1').readers.size).toBe(0);
    say({ type: 'detach', session: 'm0' });
    say({ type: 'detach', session: 'm0' });
    board.find('s1').append('{"n":1}');
    say(attach());
    expect(objects(await heard.first(3)).slice(1)).toEqual([
      { type: 'refused', code: 'invalid', message: 'session m0 is not attached' },
      { session: 's1', cursor: 'e1.1.0', frame: { n: 1 } },
    ]);
    expect(board.find('m0').readers.size).toBe(0);
  });
});
