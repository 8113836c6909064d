import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Out } from '../../../src/core/contract/channel.ts';
import { joined, splicedJson } from '../../../src/core/fast-path/spliced-json.ts';
import { bytesOf } from '../../../src/transports/framing/frame.ts';
import { encodeLine } from '../../../src/transports/framing/jsonl.ts';
import { hostileText } from '../../support/long-texts.ts';

const isBytes = (piece: string | Uint8Array) => typeof piece !== 'string';
const bytesIn = (out: Out) => (typeof out === 'string' ? [] : out.filter(isBytes));

/** Objects with texts of all lengths in them. */
const frames = fc
  .array(fc.tuple(fc.constantFrom('a', 'text', '__proto__', '\u0091'), hostileText), { minLength: 1, maxLength: 4 })
  .map((members) => ({
    type: 'frame',
    list: members.map(([name, text]) => ({ [name]: text, [text]: 1 })),
    none: undefined,
  }));

describe('a frame with long texts', () => {
  test('is printed as JSON.stringify prints it', () => {
    let spliced = 0;
    fc.assert(
      fc.property(frames, (frame) => {
        const out = splicedJson(frame);
        spliced += bytesIn(out).length;
        expect(bytesOf(out).toString()).toBe(JSON.stringify(frame));
        expect(bytesOf(encodeLine(out)).toString()).toBe(bytesOf(encodeLine(JSON.stringify(frame))).toString());
      }),
      { numRuns: 200 },
    );
    expect(spliced).toBeGreaterThan(20);
  });

  test('shares the bytes of a text with the next frame', () => {
    const text = `${'word '.repeat(400)}é`;
    const [first] = bytesIn(splicedJson({ type: 'assistant', text }));
    const [second] = bytesIn(splicedJson({ type: 'result', text: `${'word '.repeat(400)}é` }));
    expect(first).toBeDefined();
    expect(second).toBe(first);
  });

  test('is one text where its mark stands in it, and where a framing spells the text in another way', () => {
    const text = 'x'.repeat(2000);
    expect(splicedJson({ name: '\u0091', text })).toBe(JSON.stringify({ name: '\u0091', text }));
    expect(splicedJson({ text: `${text}\u2028` })).toBe(JSON.stringify({ text: `${text}\u2028` }));
  });
});

test('joined JSON is one text without bytes, and has no two texts beside each other', () => {
  const bytes = Buffer.from('"b"');
  expect(joined('{', ['"a":', '1'], '}')).toBe('{"a":1}');
  expect(joined('[', ['1,', bytes, ',2'], ']')).toEqual(['[1,', bytes, ',2]']);
  expect(joined()).toBe('');
});
