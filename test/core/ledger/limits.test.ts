// What a ledger refuses: too much at once, too much within a minute, anything after shutdown (docs/protocols/common.md
// 6.2, 2.6).
import { describe, expect, test } from 'vitest';
import { createRig } from './rig.ts';

const rate = 'limit: Rate limit exceeded (2 commands/minute)';
const allRate = 'limit: Global rate limit exceeded (2 commands/minute)';
const busy = 'busy: Server busy - too many concurrent commands. Please retry.';

/** The command is broadcast, and never started. */
const refusal = (message: string) => ['accepted refused', `finished refused: ${message}`, `answer: ${message}`];

describe('rates', () => {
  test('so many a minute in each lane', () => {
    const { send, read, clock, ledger } = createRig({ limits: { commandsPerMinute: 2 } });
    send('a', {}, 'ok');
    clock.advance(30_000);
    send('b', {}, 'ok');
    send('c', {}, 'ok');
    expect(read('c')).toEqual(refusal(rate));
    send('other', { session: 's2' }, 'ok');
    send('server', { lane: 'server' }, 'ok');
    expect(read().filter((line) => line.includes('refused'))).toEqual([]);
    clock.advance(29_999);
    send('d', {}, 'ok');
    expect(read('d')).toEqual(refusal(rate));
    clock.advance(1);
    send('e', {}, 'ok');
    send('f', {}, 'ok');
    expect(read('f')).toEqual(refusal(rate));
    expect(ledger.figures()).toMatchObject({ executed: 5, lastMinute: 4, refused: { rate: 3, allRate: 0 } });
    clock.advance(60_000);
    expect(ledger.figures().lastMinute).toBe(0);
  });

  test('so many in all; what is refused does not count', () => {
    const { send, read, clock, ledger } = createRig({ limits: { allCommandsPerMinute: 2, commandsPerMinute: 2 } });
    send('a', {}, 'ok');
    send('b', { session: 's2' }, 'ok');
    send('c', {}, 'ok');
    expect(read('c')).toEqual(refusal(allRate));
    clock.advance(60_000);
    send('d', {}, 'ok');
    send('e', {}, 'ok');
    expect(read('e').at(-1)).toMatch(/^answer: ok/u);
    send('f', {}, 'ok');
    expect(read('f')).toEqual(refusal(rate));
    expect(ledger.figures().refused).toEqual({ busy: 0, rate: 1, allRate: 1, answers: 0 });
  });

  test('answers have one more, of each session', () => {
    const answers = { allowance: 'answers', place: 'beside', effect: 'none' } as const;
    const { send, read, ledger } = createRig({ limits: { answersPerMinute: 1, commandsPerMinute: 3 } });
    send('a', answers, 'ok');
    send('b', answers, 'ok');
    expect(read('b')).toEqual(refusal('limit: Rate limit exceeded (1 answers/minute)'));
    send('c', { ...answers, session: 's2' }, 'ok');
    send('d', {}, 'ok');
    send('e', {}, 'ok');
    send('f', {}, 'ok');
    expect(read().filter((line) => line.includes('answer:'))).toEqual([
      'c answer: ok v0',
      'd answer: ok v1',
      'e answer: ok v2',
      'f answer: limit: Rate limit exceeded (3 commands/minute)',
    ]);
    expect(ledger.figures().refused).toMatchObject({ rate: 1, answers: 1 });
  });

  test('repetitions and conflicts are free', () => {
    const { send, read, ledger } = createRig({ limits: { commandsPerMinute: 2 } });
    send('a', {}, 'ok');
    for (const label of ['x', 'y', 'z']) send(label, { id: 'a' });
    for (const label of ['u', 'v', 'w']) send(label, { id: 'a', payload: 'other' });
    send('b', {}, 'ok');
    expect(read('b').at(-1)).toBe('answer: ok v2');
    expect(ledger.figures().lastMinute).toBe(2);
  });

  test('a replay is answered when the allowance is used up', () => {
    const { send, read } = createRig({ limits: { commandsPerMinute: 1 } });
    send('a', {}, 'ok');
    send('again', { id: 'a' });
    expect(read('again').at(-1)).toBe('answer: ok v1 replayed');
  });
});

describe('in flight', () => {
  test('so many at once, with and without an id', () => {
    const { send, read, succeed, ledger } = createRig({ limits: { maxInFlight: 2 } });
    send('a', { id: undefined });
    send('b');
    send('c');
    expect(read('c')).toEqual(refusal(busy));
    expect(ledger.figures()).toMatchObject({ inFlight: 2, refused: { busy: 1 } });
    succeed('a');
    send('c');
    expect(read('c')).toEqual(['accepted']);
  });

  test('repetitions take no place, and have as many of their own', () => {
    const { send, read, succeed } = createRig({ limits: { maxInFlight: 2 } });
    send('a');
    send('a 2', { id: 'a' });
    send('a 3', { id: 'a' });
    send('a 4', { id: 'a' });
    expect(read('a 4')).toEqual(refusal(busy));
    send('b');
    expect(read('b')).toEqual(['accepted']);
    succeed('a');
    send('b 2', { id: 'b' });
    expect(read('b 2')).toEqual(['accepted replayed']);
  });

  const mib = 1024 * 1024;
  const payload = 'x'.repeat(50 * mib);

  test('so many bytes at once, whatever their number', () => {
    const { send, read, succeed, ledger } = createRig();
    for (const label of ['a', 'b']) send(label, { id: undefined, payload });
    send('c', { id: undefined, payload });
    expect(read('c')).toEqual(refusal(busy));
    send('small', { id: undefined });
    expect(read('small')).toEqual(['accepted']);
    expect(ledger.figures()).toMatchObject({ inFlight: 3, refused: { busy: 1 } });
    succeed('a');
    send('d', { id: undefined, payload });
    expect(read('d')).toEqual(['accepted']);
  });

  test('repetitions that wait have their bytes, too, and give them back', () => {
    const { send, read, succeed } = createRig();
    // An undefined field counts by its name, and costs nothing to compare.
    const small = { ['x'.repeat(30 * mib)]: undefined };
    for (const label of ['a', 'a 2', 'a 3', 'a 4', 'a 5']) send(label, { id: 'a', payload: small });
    expect(read('a 4')).toEqual(['accepted replayed']);
    send('a 6', { id: 'a', payload: small });
    expect(read('a 6')).toEqual(refusal(busy));
    succeed('a');
    for (const label of ['b', 'c']) send(label, { id: undefined, payload });
    expect(read('c')).toEqual(['accepted']);
    send('over', { id: 'a', payload: small });
    expect(read('over').at(-1)).toBe('answer: ok v1 replayed');
  });

  test('one alone may be as large as its frame may be', () => {
    const { send, read } = createRig();
    const half = 'x'.repeat(130 * mib);
    send('a', { id: undefined, payload: half });
    expect(read('a')).toContain('accepted');
    send('b', { id: undefined });
    expect(read('b')).toEqual(refusal(busy));
  });

  test('the rate is looked at first, and what is refused as busy does not count', () => {
    const { send, read, clock, ledger } = createRig({ limits: { maxInFlight: 1, commandsPerMinute: 2 } });
    send('a');
    send('b');
    send('c');
    expect(read().at(-1)).toBe(`c answer: ${busy}`);
    expect(ledger.figures().lastMinute).toBe(1);
    clock.advance(1);
  });
});

describe('the end', () => {
  test('everything is refused without news, what goes on may end', () => {
    const { send, read, succeed, ledger } = createRig();
    send('done', {}, 'ok');
    send('a');
    send('b', {}, 'ok');
    read();
    ledger.shut();
    send('c');
    send('replay', { id: 'done' });
    send('conflict', { id: 'done', payload: 2 });
    const message = 'shutting-down: Server is shutting down';
    expect(read()).toEqual(['c', 'replay', 'conflict'].map((label) => `${label} answer: ${message}`));
    succeed('a');
    expect(read('b').at(-1)).toBe('answer: ok v3');
  });

  test('is told once, behind the last answer', () => {
    const { send, succeed, ledger, log } = createRig();
    ledger.whenIdle(() => void log.push('idle at first'));
    send('a');
    send('again', { id: 'a' });
    ledger.whenIdle(() => void log.push('idle'));
    expect(log).not.toContain('idle');
    succeed('a');
    expect(log.at(-1)).toBe('idle');
    send('b', {}, 'ok');
    expect(log.filter((line) => line.startsWith('idle'))).toEqual(['idle at first', 'idle']);
  });

  test('not while something comes with the last answer', () => {
    const { send, succeed, ledger, log } = createRig();
    send('a', {}, 'hold', () => send('b'));
    ledger.whenIdle(() => void log.push('idle'));
    succeed('a');
    expect(log).not.toContain('idle');
    succeed('b');
    expect(log.at(-1)).toBe('idle');
  });
});

test('figures', () => {
  const { send, succeed, ledger } = createRig();
  const none = { busy: 0, rate: 0, allRate: 0, answers: 0 };
  const empty = { inFlight: 0, outcomes: 0, keys: 0, lanes: 0, executed: 0, refused: none, lastMinute: 0 };
  expect(ledger.figures()).toEqual(empty);
  send('a', { key: 'k' });
  send('b');
  send('c', { session: 's2' });
  expect(ledger.figures()).toEqual({
    ...empty,
    inFlight: 3,
    keys: 1,
    lanes: 2,
    executed: 2,
    lastMinute: 3,
  });
  for (const label of ['a', 'b', 'c']) succeed(label);
  expect(ledger.figures()).toEqual({ ...empty, outcomes: 3, keys: 1, executed: 3, lastMinute: 3 });
});
