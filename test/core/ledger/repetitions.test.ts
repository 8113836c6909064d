// The same command again: by id and by key, while it is under way and when it is over (docs/protocols/common.md 2).
import { describe, expect, test } from 'vitest';
import { createCounter, createRig, ticketOf } from './rig.ts';

describe('the same id', () => {
  test.each([
    ['ok', 'ok v1'],
    ['fail', 'agent-refused: no'],
    ['throw', 'internal: thrown'],
  ] as const)('when it is over: the outcome of then, without a start (%s)', (how, end) => {
    const { send, read, runs } = createRig();
    send('a', {}, how);
    read();
    send('again', { id: 'a' }, 'ok');
    expect(read()).toEqual([
      'again accepted replayed',
      `again finished replayed: ${end} replayed`,
      `again answer: ${end} replayed`,
    ]);
    expect(runs).toEqual(['a']);
  });

  test('tells the version of then', () => {
    const { send, read } = createRig();
    send('a', {}, 'ok');
    send('b', {}, 'ok');
    read();
    send('again', { id: 'a' });
    expect(read('again').at(-1)).toBe('answer: ok v1 replayed');
  });

  test('while it is under way: waits, and hears behind the first', () => {
    const { send, read, succeed, runs } = createRig();
    send('a');
    send('next');
    send('again', { id: 'a' });
    send('third', { id: 'a' });
    expect(read('again')).toEqual(['accepted replayed']);
    succeed('a');
    expect(read()).toEqual([
      'a finished: ok v1',
      'a answer: ok v1',
      'again finished replayed: ok v1 replayed',
      'again answer: ok v1 replayed',
      'third finished replayed: ok v1 replayed',
      'third answer: ok v1 replayed',
      'next started',
      'next runs',
    ]);
    expect(runs).toEqual(['a', 'next']);
  });

  test('in the queue as well', () => {
    const { send, read, succeed, runs } = createRig();
    send('first');
    send('a', {}, 'ok');
    send('again', { id: 'a' }, 'ok');
    succeed('first');
    expect(runs).toEqual(['first', 'a']);
    expect(read('again').at(-1)).toBe('answer: ok v2 replayed');
  });

  const conflict = "Conflicting id 'a': previously used for 'set', now used for";
  test.each([
    ['another payload', { payload: { value: 2 } }, `${conflict} 'set'`],
    ['another type', { type: 'get', payload: { type: 'get' } }, `${conflict} 'get'`],
  ])('with %s is refused, under way or over', (_, fields, message) => {
    const { send, read, succeed } = createRig();
    send('a');
    const expected = ['accepted refused', `finished refused: conflict: ${message}`, `answer: conflict: ${message}`];
    send('under way', { id: 'a', ...fields });
    expect(read('under way')).toEqual(expected);
    succeed('a');
    send('over', { id: 'a', ...fields });
    expect(read('over')).toEqual(expected);
    send('same', { id: 'a' });
    expect(read('same').at(-1)).toBe('answer: ok v1 replayed');
  });

  test('in another order of keys is the same', () => {
    const { send, read } = createRig();
    send('a', { payload: { x: [1, { b: 2, a: null }], y: 'z' } }, 'ok');
    send('again', { id: 'a', payload: { y: 'z', x: [1, { a: null, b: 2 }] } }, 'ok');
    expect(read('again').at(-1)).toBe('answer: ok v1 replayed');
  });

  test('is carried out again when it is forgotten', () => {
    const { send, runs, read } = createRig({ limits: { maxOutcomes: 2 } });
    for (const id of ['a', 'b', 'c']) send(id, {}, 'ok');
    send('b again', { id: 'b' }, 'ok');
    send('a again', { id: 'a', payload: 'other' }, 'ok');
    expect(runs).toEqual(['a', 'b', 'c', 'a again']);
    expect(read('a again').at(-1)).toBe('answer: ok v4');
  });

  test('and when the outcomes of others weigh too much', () => {
    const { send, succeed, runs } = createRig();
    const data = { text: 'x'.repeat(10 * 1024 * 1024) };
    for (const id of ['a', 'b']) {
      send(id, { key: id });
      succeed(id, data);
    }
    send('b again', { id: 'b' }, 'ok');
    send('b by key', { key: 'b' }, 'ok');
    send('a again', { id: 'a' }, 'ok');
    send('a by key', { id: undefined, key: 'a' }, 'ok');
    expect(runs).toEqual(['a', 'b', 'a again', 'a by key']);
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is an id like any other', (id) => {
    const { send, runs } = createRig();
    send('a', { id, key: id }, 'ok');
    send('again', { id, key: id }, 'ok');
    expect(runs).toEqual(['a']);
  });

  test('commands without one are never the same', () => {
    const { send, runs, ledger } = createRig();
    send('a', { id: undefined }, 'ok');
    send('b', { id: undefined }, 'ok');
    expect(runs).toEqual(['a', 'b']);
    expect(ledger.figures()).toMatchObject({ outcomes: 0, keys: 0 });
  });

  test('what was refused is not kept', () => {
    const { send, read, clock } = createRig({ limits: { commandsPerMinute: 1 } });
    send('a', {}, 'ok');
    send('b', { payload: 1 }, 'ok');
    clock.advance(60_000);
    send('b now', { id: 'b', payload: 2 }, 'ok');
    expect(read('b now').at(-1)).toBe('answer: ok v2');
  });
});

describe('the same key', () => {
  const key = 'k';

  test('under another id is the same; that id is not taken', () => {
    const { send, read, runs } = createRig();
    send('a', { key }, 'ok');
    send('b', { key }, 'ok');
    expect(read('b').at(-1)).toBe('answer: ok v1 replayed');
    send('b now', { id: 'b', payload: 'other' }, 'ok');
    expect(runs).toEqual(['a', 'b now']);
  });

  test('without an id, and while it is under way', () => {
    const { send, read, succeed, runs, ledger } = createRig();
    send('a', { key, id: undefined });
    send('b', { key, id: undefined });
    expect(read('b')).toEqual(['accepted replayed']);
    expect(ledger.figures()).toMatchObject({ outcomes: 0, keys: 1 });
    succeed('a');
    expect(read('b')).toEqual(['finished replayed: ok v1 replayed', 'answer: ok v1 replayed']);
    send('c', { key, id: undefined });
    expect(read('c').at(-1)).toBe('answer: ok v1 replayed');
    expect(runs).toEqual(['a']);
  });

  test('with another payload is refused, under way or over', () => {
    const message = "conflict: Conflicting idempotencyKey 'k': previously used for 'set', now used for 'get'";
    const other = { key, type: 'get' };
    const { send, read, succeed } = createRig();
    send('a', { key });
    send('b', other);
    expect(read('b').at(-1)).toBe(`answer: ${message}`);
    succeed('a');
    send('c', other);
    expect(read('c')).toEqual(['accepted refused', `finished refused: ${message}`, `answer: ${message}`]);
  });

  test('goes before the id', () => {
    const { send, read } = createRig();
    send('a', { key, payload: 1 }, 'ok');
    send('b', { payload: 2 }, 'ok');
    send('as b', { id: 'b', key, payload: 2 });
    expect(read('as b').at(-1)).toMatch(/^answer: conflict: Conflicting idempotencyKey 'k'/u);
    send('as a', { id: 'b', key, payload: 1 });
    expect(read('as a').at(-1)).toBe('answer: ok v1 replayed');
  });

  test.each([
    ['of another session', { session: 's2', payload: 1 }],
    ['of the server', { lane: 'server', payload: 1 }],
  ] as const)('%s is another', (_, fields) => {
    const { send, runs } = createRig();
    send('a', { key, payload: 1 }, 'ok');
    send('b', { key, ...fields }, 'ok');
    expect(runs).toEqual(['a', 'b']);
  });

  test('is known for so long behind the end, not the beginning', () => {
    const { send, clock, succeed, runs } = createRig({ limits: { idempotencyTtlMs: 100 } });
    send('a', { key });
    clock.advance(1_000);
    succeed('a');
    clock.advance(99);
    send('b', { key }, 'ok');
    expect(runs).toEqual(['a']);
    clock.advance(1);
    send('c', { key }, 'ok');
    expect(runs).toEqual(['a', 'c']);
  });

  test.each<[string, (rig: ReturnType<typeof createRig>) => void]>([
    ['without a command', ({ ledger }) => ledger.forget('s1')],
    [
      'by a command',
      ({ ledger }) =>
        ledger.submit({
          ticket: ticketOf('close', { effect: 'closes', place: 'beside' }),
          run: (settle) => settle({ ok: true }),
          settle() {},
        }),
    ],
  ])('does not outlive its session, closed %s; that of another does', (_, close) => {
    const rig = createRig();
    const { send, succeed, runs, read, sessions, ledger } = rig;
    send('over', { key, payload: 1 }, 'ok');
    send('under way', { key: 'l', payload: 1 });
    send('elsewhere', { key, session: 's2', payload: 1 }, 'ok');
    send('of the server', { key, lane: 'server', session: 's1', payload: 1 }, 'ok');
    close(rig);
    sessions.set('s1', createCounter());
    const before = runs.length;
    send('a', { id: undefined, key, payload: 2, place: 'beside' }, 'ok');
    send('b', { id: undefined, key: 'l', payload: 2, place: 'beside' }, 'ok');
    expect(runs.slice(before)).toEqual(['a', 'b']);
    // A late outcome from the previous session has no key any more.
    succeed('under way');
    read();
    send('b again', { id: undefined, key: 'l', payload: 2 });
    send('elsewhere again', { id: undefined, key, session: 's2', payload: 1 });
    send('of the server again', { id: undefined, key, lane: 'server', session: 's1', payload: 1 });
    send('by its id', { id: 'over', payload: 1 });
    expect(read().filter((line) => line.includes('accepted'))).toEqual([
      'b again accepted replayed',
      'elsewhere again accepted replayed',
      'of the server again accepted replayed',
      'by its id accepted replayed',
    ]);
    expect(ledger.figures().keys).toBe(4);
  });

  test('of the command that closed its session is known all the same', () => {
    const { send, read, runs } = createRig();
    send('a', { key, effect: 'closes' }, 'ok');
    send('b', { key, effect: 'closes' }, 'ok');
    expect(read('b').at(-1)).toBe('answer: ok replayed');
    expect(runs).toEqual(['a']);
  });

  test('does not live longer for being used again', () => {
    const { send, clock, runs } = createRig({ limits: { idempotencyTtlMs: 100 } });
    send('a', { key }, 'ok');
    clock.advance(60);
    send('b', { key }, 'ok');
    clock.advance(60);
    send('c', { key }, 'ok');
    expect(runs).toEqual(['a', 'c']);
  });

  test('outlives the id that was forgotten, and is forgotten in its turn', () => {
    const { send, runs, read, ledger } = createRig({ limits: { maxOutcomes: 1 } });
    send('a', { key }, 'ok');
    send('b', {}, 'ok');
    send('a again', { id: 'a', key }, 'ok');
    expect(read('a again').at(-1)).toBe('answer: ok v1 replayed');
    send('c', { key: 'other' }, 'ok');
    send('a now', { id: 'a', key }, 'ok');
    expect(runs).toEqual(['a', 'b', 'c', 'a now']);
    expect(ledger.figures()).toMatchObject({ outcomes: 1, keys: 1 });
  });
});
