// The player of tapes: order, times, ids, and what is told of a peer that leaves the tape.
import { describe, expect, test } from 'vitest';
import { createPlayer, type Player, type PlayOptions } from '../../src/tape/player.ts';
import { readTape } from '../../src/tape/reader.ts';

type Said = readonly [dir: 'in' | 'out' | 'err', value: unknown, at?: number];

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function playing(rows: readonly Said[], options: Partial<PlayOptions> = {}): Player {
  const text = rows.map(([dir, value, at]) => JSON.stringify({ dir, line: textOf(value), at })).join('\n');
  return createPlayer(readTape(text).frames, { side: 'agent', ...options });
}

/** Everything that is sent at that time, and what comes then. */
function drained(player: Player, now = 0): [sent: unknown[], then: string] {
  const sent: unknown[] = [];
  for (;;) {
    const next = player.next(now);
    if (next.type !== 'send') {
      const rest = next.type === 'wait' ? ` ${next.ms}` : next.type === 'await' ? ` ${next.what}` : '';
      return [sent, next.type + rest];
    }
    sent.push(next.text);
  }
}

const hear = (player: Player, value: unknown, now = 0) => player.heard(textOf(value), now);
const told = (player: Player, isOver = false) =>
  player.departures(isOver).map(({ type, number, what }) => `${type} ${number ?? '-'} ${what}`);

test('a frame goes when all frames of the peer before it have come', () => {
  const player = playing([
    ['out', 'hello'],
    ['in', { type: 'a' }],
    ['in', { type: 'b' }],
    ['out', 'done'],
  ]);
  expect(drained(player)).toEqual([['hello'], 'await a']);
  hear(player, { type: 'a' });
  expect(drained(player)).toEqual([[], 'await b']);
  hear(player, { type: 'b' });
  expect(drained(player)).toEqual([['done'], 'over']);
  expect(told(player, true)).toEqual([]);
});

const timed: readonly Said[] = [
  ['in', { type: 'a' }, 1000],
  ['out', 'x', 1100],
  ['out', 'y', 5100],
];
test.each([
  [{}, [100, 4000]],
  [{ speed: 2 }, [50, 2000]],
  [{ idleMs: 300 }, [100, 300]],
])('pauses of the tape, with %j', (options, [first = 0, second = 0]) => {
  const player = playing(timed, options);
  hear(player, { type: 'a' }, 7000);
  expect(drained(player, 7000)).toEqual([[], `wait ${first}`]);
  expect(drained(player, 7000 + first)).toEqual([['x'], `wait ${second}`]);
  expect(drained(player, 7000 + first + second)).toEqual([['y'], 'over']);
});

test('at the greatest speed nothing waits but for the peer', () => {
  const player = playing(timed, { speed: Number.POSITIVE_INFINITY });
  hear(player, { type: 'a' }, 7000);
  expect(drained(player, 7000)).toEqual([['x', 'y'], 'over']);
});

describe('ids of the peer are put into the answers', () => {
  test('of strings, with all other bytes as they were', () => {
    const player = playing([
      ['in', { id: 'r1', type: 'a', toolCallId: 't1' }],
      ['out', '{ "id" : "r1", "type":"response",  "text":"\\"id\\":\\"r1\\"", "data":{"toolCallId":"t1","note":"r1"}}'],
    ]);
    hear(player, { id: 'live', type: 'a', toolCallId: 'tool' });
    expect(drained(player)[0]).toEqual([
      '{ "id" : "live", "type":"response",  "text":"\\"id\\":\\"r1\\"", "data":{"toolCallId":"tool","note":"r1"}}',
    ]);
  });

  test('of numbers, only outside, and not into requests of the agent', () => {
    const player = playing([
      ['in', { jsonrpc: '2.0', id: 1, method: 'm' }],
      ['out', { jsonrpc: '2.0', id: 1, method: 'ask' }],
      ['out', { jsonrpc: '2.0', id: 1, result: { id: 1 } }],
    ]);
    hear(player, { jsonrpc: '2.0', id: 77, method: 'm' });
    expect(drained(player)[0]).toEqual([
      '{"jsonrpc":"2.0","id":1,"method":"ask"}',
      '{"jsonrpc":"2.0","id":77,"result":{"id":1}}',
    ]);
  });
});

describe('a peer that leaves the tape', () => {
  const rows: readonly Said[] = [
    ['in', { id: '1', type: 'state' }],
    ['out', { id: '1', type: 'response', command: 'state' }],
    ['in', { id: '2', type: 'prompt', message: 'one' }],
    ['out', { id: '2', type: 'response', command: 'prompt' }],
  ];

  test('by other words: changed only if strict', () => {
    for (const match of ['strict', 'shape', 'kind'] as const) {
      const player = playing(rows, { match });
      hear(player, { id: 'x', type: 'state' });
      hear(player, { id: 'y', type: 'prompt', message: 'two' });
      expect(told(player, true)).toEqual(match === 'strict' ? ['changed 3 prompt, message'] : []);
    }
  });

  test('by another shape: changed unless the kind is enough', () => {
    for (const match of ['strict', 'shape', 'kind'] as const) {
      const player = playing(rows, { match });
      hear(player, { id: 'x', type: 'state', more: {} });
      expect(told(player)).toEqual(match === 'kind' ? [] : ['changed 1 state, more']);
      expect(drained(player)[0]).toEqual(['{"id":"x","type":"response","command":"state"}']);
    }
  });

  test('by leaving a request out: given up once overtaken, and its answer is never sent', () => {
    const player = playing(rows);
    hear(player, { id: 'y', type: 'prompt', message: 'one' });
    expect(player.next(0)).toMatchObject({ type: 'await', what: 'state', isOvertaken: true });
    player.giveUp(5);
    expect(drained(player, 5)).toEqual([['{"id":"y","type":"response","command":"prompt"}'], 'over']);
    expect(told(player, true)).toEqual(['reordered 3 prompt', 'missing 1 state']);
  });

  test('by stopping early', () => {
    expect(told(playing(rows), true)).toEqual(['missing 1 state', 'missing 3 prompt']);
  });

  test.each([
    [
      'pi',
      { id: 'q', type: 'odd' },
      '{"id":"q","type":"response","command":"odd","success":false,"error":"the tape holds no odd"}',
    ],
    [
      'eca',
      { jsonrpc: '2.0', id: 5, method: 'odd' },
      '{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"the tape holds no odd"}}',
    ],
    ['eca', { jsonrpc: '2.0', method: 'odd' }, null],
    [
      'claude',
      { type: 'control_request', request_id: 'q', request: { subtype: 'odd' } },
      '{"type":"control_response","response":{"subtype":"error","request_id":"q","error":"the tape holds no control_request odd"}}',
    ],
    ['unknown', { type: 'odd' }, null],
  ])('%s: a request that the tape does not hold is refused at once: %j', (protocol, request, refusal) => {
    const player = playing(rows, { protocol });
    hear(player, request);
    expect(drained(player)).toEqual([refusal === null ? [] : [refusal], 'await state']);
    expect(told(player)).toHaveLength(1);
    expect(told(player)[0]).toMatch(/^extra - .*odd$/u);
  });
});

test('the client is played as well, and stderr is nobody’s', () => {
  const player = playing(
    [
      ['in', 'a'],
      ['err', 'log'],
      ['out', { type: 'b' }],
      ['in', 'c'],
    ],
    { side: 'client' },
  );
  expect(drained(player)).toEqual([['a'], 'await b']);
  hear(player, { type: 'b' });
  expect(drained(player)).toEqual([['c'], 'over']);
});
