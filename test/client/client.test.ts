// The client library over a fake board: what it tells, what it sends again, when it gives up
// (docs/guides/client-library.md).
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createBackoff } from '../../src/client/backoff.ts';
import { type Client, type ClientOptions, connect, SendRefused } from '../../src/client/index.ts';
import { type Listening, listen } from '../../src/transports/http/server.ts';
import { type ByteProxy, createByteProxy } from '../support/byte-proxy.ts';
import { createFakeBoard, type FakeBoard } from '../support/fake-board.ts';
import { createArrivals } from '../transports/support/arrivals.ts';

let board: FakeBoard;
let server: Listening;
let proxy: ByteProxy;
const clients: Client<string>[] = [];
beforeEach(async () => {
  board = createFakeBoard();
  board.add('s1');
  proxy = await createByteProxy(() => server.port);
  server = await listen({ board, allowedHosts: [`127.0.0.1:${proxy.port}`] });
});
afterEach(async () => {
  vi.useRealTimers();
  for (const client of clients.splice(0)) client.close();
  proxy.close();
  await server.close();
});

/** A client, and all that it tells, in order. */
function start(options: Partial<ClientOptions<'pi'>> = {}) {
  const told = createArrivals<unknown>();
  const states = createArrivals<string>();
  const client = connect({
    url: `http://127.0.0.1:${proxy.port}/`,
    frontend: 'pi',
    session: 's1',
    token: server.token ?? '',
    WebSocket,
    backoff: { firstMs: 1, mostMs: 2 },
    onFrame: (frame, cursor) => told.add([frame, cursor]),
    onReset: (reason) => told.add(`reset: ${reason}`),
    onClosed: (reason) => told.add(`closed: ${reason}`),
    onState: (state) => states.add(state),
    ...options,
  });
  clients.push(client);
  return { client, told, states };
}

describe.each(['websocket', 'sse'] as const)('over %s', (transport) => {
  test('tells frames, the end, and is over', async () => {
    const session = board.find('s1');
    session.append('{"n":1}');
    const { client, told, states } = start({ transport });
    await told.first(1);
    session.append('{"n":2}');
    session.close('deleted');
    expect(await told.first(3)).toEqual([[{ n: 1 }, 'e1.1.0'], [{ n: 2 }, 'e1.2.0'], 'closed: deleted']);
    expect(states.items).toEqual(['open', 'over']);
    expect([client.state, client.cursor]).toEqual(['over', 'e1.2.0']);
    await expect(client.send({})).rejects.toThrow('this client is over');
  });

  test('goes on behind a cursor, and tells a reset where there is nothing to go on', async () => {
    const session = board.find('s1');
    for (const n of [1, 2, 3]) session.append(`{"n":${n}}`);
    const behind = start({ transport, cursor: 'e1.2.0' });
    expect(await behind.told.first(1)).toEqual([[{ n: 3 }, 'e1.3.0']]);
    const elsewhere = start({ transport, cursor: 'other.2.0' });
    expect(await elsewhere.told.first(1)).toEqual(['reset: epoch']);
  });

  test('cut within a snapshot, it begins anew and says so', async () => {
    const session = board.find('s1');
    session.appendUnnumbered('{"n":0}');
    session.appendUnnumbered(`{"long":"${'x'.repeat(20_000)}"}`);
    session.append('{"n":1}');
    const budgets = [10_000];
    proxy.budget = () => budgets.pop() ?? Number.POSITIVE_INFINITY;
    const { told } = start({ transport });
    const long = { long: 'x'.repeat(20_000) };
    const all = [
      [{ n: 0 }, null],
      [long, null],
      [{ n: 1 }, 'e1.1.0'],
    ];
    const isHeard = (await told.first(2))[1] === 'reset: restart';
    // Whether the first frame arrives before the cut is for the sockets to say.
    expect(await told.first(isHeard ? 5 : 3)).toEqual(isHeard ? [[{ n: 0 }, null], 'reset: restart', ...all] : all);
    expect(proxy.cuts).toBe(1);
  });

  test('sends what was not answered again, under the same name', async () => {
    const { client, states } = start({ transport });
    await states.first(1);
    // This connection passes nothing more; the frame arrives, and its answer does not.
    const posted = board.find('s1').posted;
    proxy.budget = () => 0;
    proxy.cut();
    const sent = client.send({ n: 1 });
    await states.first(4);
    proxy.budget = () => Number.POSITIVE_INFINITY;
    await sent;
    expect(posted.items.length).toBeGreaterThan(0);
    expect(new Set(posted.items)).toEqual(new Set(['{"n":1}']));
    expect(new Set(board.find('s1').postedIds).size).toBe(1);
  });

  test('a refused frame is told with the errors of the protocol, and not sent again', async () => {
    board.refusePosts(['{"error":"no"}']);
    const { client } = start({ transport });
    const refused: unknown = await client.send({ n: 1 }).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(SendRefused);
    expect(refused).toMatchObject({ frames: [{ error: 'no' }] });
    expect(board.find('s1').posted.items).toEqual(['{"n":1}']);
  });

  test('what waits when the client leaves is refused', async () => {
    proxy.budget = () => 0;
    const { client } = start({ transport });
    const sent = client.send({ n: 1 });
    client.close();
    await expect(sent).rejects.toThrow('this client was closed');
  });

  test.each<[string, Partial<ClientOptions<'pi'>>]>([
    ['a wrong token', { token: 'wrong' }],
    ['a session that is not there', { session: 's2' }],
  ])('%s: over at once', async (_, options) => {
    const { client, told } = start({ transport, ...options });
    expect(await told.first(1)).toEqual([expect.stringContaining('closed: ')]);
    expect(client.state).toBe('over');
  });

  test('45 s of silence are the end of a connection that nobody closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true });
    const session = board.find('s1');
    const { states, told } = start({ transport });
    session.append('{"n":1}');
    await told.first(1);
    vi.advanceTimersByTime(20_000);
    session.append('{"n":2}');
    await told.first(2);
    proxy.stall();
    session.append('{"n":3}');
    vi.advanceTimersByTime(30_000);
    expect(states.items).toEqual(['open']);
    vi.advanceTimersByTime(20_000);
    expect(states.items.slice(0, 3)).toEqual(['open', 'waiting', 'connecting']);
    expect((await told.first(3)).slice(1)).toEqual([
      [{ n: 2 }, 'e1.2.0'],
      [{ n: 3 }, 'e1.3.0'],
    ]);
  });

  test('a gateway that is away is tried again and again', async () => {
    proxy.budget = () => 0;
    const { states, told } = start({ transport });
    await states.first(6);
    expect(new Set(states.items)).toEqual(new Set(['waiting', 'connecting']));
    proxy.budget = () => Number.POSITIVE_INFINITY;
    board.find('s1').append('{"n":1}');
    expect(await told.first(1)).toEqual([[{ n: 1 }, 'e1.1.0']]);
  });
});

test('without a WebSocket it says so', () => {
  const place = { url: server.url, frontend: 'pi', session: 's1', onFrame: () => {} };
  const before = Reflect.get(globalThis, 'WebSocket');
  Reflect.deleteProperty(globalThis, 'WebSocket');
  try {
    expect(() => connect(place)).toThrow('there is no WebSocket here');
  } finally {
    if (before !== undefined) Reflect.set(globalThis, 'WebSocket', before);
  }
});

test('waits double, up to the longest, and differ', () => {
  const backoff = createBackoff({ firstMs: 100, mostMs: 1000 });
  const whole = [100, 200, 400, 800, 1000, 1000];
  for (const most of whole) {
    const ms = backoff.next();
    expect(ms).toBeLessThanOrEqual(most);
    expect(ms).toBeGreaterThanOrEqual(most / 2);
  }
  backoff.reset();
  expect(backoff.next()).toBeLessThanOrEqual(100);
});
