// One message stays on one line, however its bytes are cut into views and however often they come.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendOnlyBuffer, isAppendOnly } from '../../src/core/model/append-only.ts';
import { oneLine } from '../../src/transports/framing/one-line.ts';

const textOf = (piece: string | Uint8Array) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString());

describe('line ends', () => {
  const long = 'x'.repeat(100);
  it.each([
    ['', ''],
    ['{"a":1}', '{"a":1}'],
    ['{\n"a":\r1}', '{ "a": 1}'],
    [`${long}\n${long}`, `${long} ${long}`],
    [`${long}\r`, `${long} `],
  ])('%j becomes %j', (text, expected) => {
    expect(oneLine(text)).toBe(expected);
    expect(textOf(oneLine(Buffer.from(text)))).toBe(expected);
  });

  it('what has none is not copied', () => {
    const bytes = Buffer.from(long);
    expect(oneLine(bytes)).toBe(bytes);
  });

  it('are seen again when bytes change that were looked through', () => {
    const bytes = new Uint8Array(100).fill(0x61);
    oneLine(bytes);
    bytes[50] = 0x0a;
    expect(textOf(oneLine(bytes))).not.toContain('\n');
  });
});

describe('a buffer that only grows', () => {
  it('is known as such through any view of it', () => {
    const buffer = appendOnlyBuffer(10);
    expect([isAppendOnly(buffer), isAppendOnly(buffer.subarray(3)), isAppendOnly(buffer.slice())]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('gives any views on one line, whatever was looked through before', () => {
    const size = 1000;
    const view = fc
      .tuple(fc.nat(size), fc.nat(size))
      .map(([one, other]) => [Math.min(one, other), Math.max(one, other)]);
    fc.assert(
      fc.property(fc.array(fc.nat(size - 1), { maxLength: 3 }), fc.array(view), (ends, views) => {
        const buffer = appendOnlyBuffer(size).fill(0x61);
        for (const end of ends) buffer[end] = end % 2 === 0 ? 0x0a : 0x0d;
        for (const [from, to] of views) {
          const expected = textOf(buffer.subarray(from, to)).replace(/[\n\r]/g, ' ');
          expect(textOf(oneLine(buffer.subarray(from, to)))).toBe(expected);
        }
      }),
      { numRuns: 300 },
    );
  });
});
