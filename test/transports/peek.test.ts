// Text out of bytes before they are cut into frames: exact, or refused.
import { expect, test } from 'vitest';
import { createPeek } from '../../src/transports/framing/peek.ts';

test('ASCII is the same whether asked once or for every line', () => {
  const bytes = Buffer.from('0123456789'.repeat(50));
  const peek = createPeek(bytes);
  for (let at = 0; at < 480; at += 7) expect(peek.ascii(at, at + 9)).toBe(bytes.toString('latin1', at, at + 9));
});

test('line ends are those that a search from there finds, in whatever order they are asked for', () => {
  const bytes = Buffer.from('ab\ncd\n\nefg');
  const offsets = Array.from({ length: bytes.length + 1 }, (_, at) => at);
  for (const first of offsets) {
    for (const second of offsets) {
      const peek = createPeek(bytes);
      for (const at of [first, second]) expect(peek.lineEnd(at)).toBe(bytes.indexOf('\n', at));
    }
  }
});

test('ASCII of pieces that lie far apart', () => {
  const bytes = Buffer.from(`${'x'.repeat(5000)}here${'x'.repeat(5000)}there`);
  const peek = createPeek(bytes);
  expect([0, 5000, 5000, 10_004].map((at) => peek.ascii(at, at + 4))).toEqual(['xxxx', 'here', 'here', 'ther']);
});

test('UTF-8 is decoded; a U+FEFF in the middle of a frame is no byte order mark', () => {
  const peek = createPeek(Buffer.from('a\ufeffü😀b'));
  expect(peek.utf8(1, 10)).toBe('\ufeffü😀');
});

test('bytes that are no UTF-8 are refused', () => {
  const peek = createPeek(Buffer.from([0x61, 0xff, 0x62]));
  expect(() => peek.utf8(0, 3)).toThrow(expect.objectContaining({ code: 'bad-frame' }));
});
