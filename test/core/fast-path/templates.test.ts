// A line that goes alone is looked at once: what the attempt at a burst has found out of it is not measured again.
import { expect, test } from 'vitest';
import type { Peek } from '../../../src/core/contract/channel.ts';
import { createTextRecogniser } from '../../../src/core/fast-path/text-template.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { createPeek } from '../../../src/transports/framing/peek.ts';

const most = 1024;
const lineOf = (text: string, kind = 'said') => `${JSON.stringify({ kind, text })}\n`;

/** A recogniser that has learned lines of that kind. */
function recogniser() {
  const block = {};
  const made = createTextRecogniser(
    { block: () => block, streamed() {} },
    (frame) => (frame as { text: unknown }).text,
  );
  const learned = createFrame(Buffer.from(lineOf('before').trimEnd()));
  made.learn(learned, [{ do: 'deliver', message: { type: 'block-delta', index: 0, delta: 'before' } }]);
  return made;
}

/** Counts the texts that are read out of the bytes. */
function counting(text: string): { readonly peek: Peek; reads: number } {
  const real = createPeek(Buffer.from(text));
  const counted = { reads: 0, peek: real };
  const ascii = (from: number, to: number) => {
    counted.reads += 1;
    return real.ascii(from, to);
  };
  counted.peek = { bytes: real.bytes, header: null, lineEnd: (from) => real.lineEnd(from), ascii, utf8: ascii };
  return counted;
}

test.each(['alone', 'rather longer than twelve characters', '"quoted"\n', 'é漢🙂'])('%j is read once', (text) => {
  const line = lineOf(text);
  const { readBurst, read } = recogniser();
  const counted = counting(`${line}${lineOf('another', 'asked')}`);
  const end = counted.peek.bytes.length;
  expect(readBurst(counted.peek, 0, end, most)).toBeNull();
  const found = read(counted.peek, 0, end);
  expect(found?.next).toBe(Buffer.byteLength(line) - 1);
  expect(found?.accept()).toEqual({ type: 'block-delta', index: 0, delta: text });
  expect(counted.reads).toBe(0);
});

test('what is known of one chunk says nothing of another one', () => {
  const { readBurst, read } = recogniser();
  const first = createPeek(Buffer.from(`${lineOf('one')}x`));
  const second = createPeek(Buffer.from(`${lineOf('two')}x`));
  const other = createPeek(Buffer.from(lineOf('one', 'asked')));
  expect(readBurst(first, 0, first.bytes.length, most)).toBeNull();
  expect(read(second, 0, second.bytes.length)?.accept()).toMatchObject({ delta: 'two' });
  expect(read(other, 0, other.bytes.length)).toBeNull();
  expect(readBurst(other, 0, other.bytes.length, most)).toBeNull();
  expect(read(first, 0, first.bytes.length)?.accept()).toMatchObject({ delta: 'one' });
});
