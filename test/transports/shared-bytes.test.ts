// What was encoded for one reader serves the next ones, and only for a moment (docs/limits.md 6.4).
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

// The module's own, of each test: its timer may run by the real clock for a file of tests before this one.
let createSharedBytes: typeof import('../../src/transports/shared-bytes.ts').createSharedBytes;
let joinShared: typeof import('../../src/transports/shared-bytes.ts').joinShared;
let messages: typeof import('../../src/transports/websocket/text-message.ts');

beforeEach(async () => {
  vi.resetModules();
  ({ createSharedBytes, joinShared } = await import('../../src/transports/shared-bytes.ts'));
  messages = await import('../../src/transports/websocket/text-message.ts');
  vi.useFakeTimers();
});
afterEach(() => {
  // The module's own timer ends with the fake clock.
  vi.runAllTimers();
  vi.useRealTimers();
});

function counted() {
  const shared = createSharedBytes<string>();
  const encoded: string[] = [];
  const get = (key: string, length = 1) =>
    shared.get(key, () => {
      encoded.push(key);
      return Buffer.alloc(length);
    });
  return { get, encoded };
}

test('one encoding for all that ask within a moment', () => {
  const { get, encoded } = counted();
  const first = get('a');
  vi.advanceTimersByTime(999);
  expect(get('a')).toBe(first);
  expect(encoded).toEqual(['a']);
});

test('what nobody asks for any more is let go, and the timer with it', () => {
  const { get, encoded } = counted();
  get('a');
  vi.advanceTimersByTime(2000);
  expect(vi.getTimerCount()).toBe(0);
  get('a');
  expect(encoded).toEqual(['a', 'a']);
});

test('what is said meanwhile keeps nothing that is older', () => {
  const { get, encoded } = counted();
  for (let at = 0; at < 8; at += 1) {
    get(`${at}`);
    vi.advanceTimersByTime(500);
  }
  for (let at = 0; at < 8; at += 1) get(`${at}`);
  expect(encoded.slice(8)).toEqual(['0', '1', '2', '3', '4', '5']);
});

test('at most twice half a mebibyte, however short the moment', () => {
  const { get, encoded } = counted();
  const pieces = Array.from({ length: 5 }, (_, at) => `${at}`);
  for (const piece of pieces) get(piece, 400 * 1024);
  encoded.length = 0;
  for (const piece of pieces.toReversed()) get(piece, 1);
  expect(encoded).toEqual(['1', '0']);
});

test('joined pieces are joined once for readers at the same place, within a moment', () => {
  const pieces = [Buffer.from('a'), Buffer.from('b')];
  const [first] = joinShared(pieces);
  expect(first?.toString()).toBe('ab');
  expect(joinShared([...pieces])[0]).toBe(first);
  vi.advanceTimersByTime(1000);
  const [again] = joinShared(pieces);
  expect([again?.toString(), again === first]).toEqual(['ab', false]);
});

test('a message is kept only where others are sent the same frame', () => {
  const frame = '{"type":"a"}';
  for (const encode of [messages.textMessage, messages.lineMessage]) {
    const shared = encode(frame, true);
    expect(encode(frame, true)).toBe(shared);
    const own = encode(frame, false);
    expect(own).not.toBe(shared);
    expect(own).toEqual(shared);
  }
});
