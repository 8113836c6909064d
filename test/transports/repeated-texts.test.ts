import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { withoutTexts } from '../../src/transports/framing/repeated-texts.ts';
import { hostileText, knownText } from '../support/long-texts.ts';

/** What reading gives: a value, or the code of an error. */
function readOf(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (thrown) {
    return { thrown: String(thrown) };
  }
}

function bothReadings(bytes: Uint8Array, texts: readonly string[]) {
  const knowing = createFrame(bytes);
  knowing.mayRepeat?.(() => texts);
  return { knowing: readOf(() => knowing.json), whole: readOf(() => createFrame(bytes).json) };
}

/** Bytes that are left of a frame without its known texts; all of them when none is there. */
function restOf(frame: string, texts: readonly string[]): number {
  return withoutTexts(Buffer.from(frame), texts)?.bytes.length ?? Buffer.byteLength(frame);
}

/** What may happen to a text on its way into a frame. */
const changes = {
  none: (json: string) => json,
  'as a name': (json: string) => `{${json}:1}`,
  'as a name, behind a space': (json: string) => `{${json} \t:${json}}`,
  'in another text': (json: string) => JSON.stringify(json),
  'between texts': (json: string) => `["a"${json.slice(1, -1)}"b"]`,
  'one character more': (json: string) => json.replace('"', '"x'),
  'one character less': (json: string) => json.replace(/.$/su, ''),
  'an escape more': (json: string) => `${json.slice(0, -1)}\\"`,
  'spelled in another way': (json: string) => json.replaceAll('w', '\\u0077').replaceAll('x', '\\u0078'),
  'not closed': (json: string) => json.slice(0, -1),
  'too deep': (json: string) => '['.repeat(130) + json + ']'.repeat(130),
  twice: (json: string) => `{"a":${json},"a":${json},"__proto__":${json}}`,
  'beside a mark': (json: string) => `[${json},"\u00910"]`,
  'beside an escaped mark': (json: string) => `[${json},"\\u00910"]`,
  'beside a name with a mark': (json: string) => `{"\u00910":${json}}`,
  'behind a byte order mark': (json: string) => `\ufeff${json}`,
} as const;

const change = fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[]));

describe('a frame that repeats long texts', () => {
  test('is read as if nobody knew them', () => {
    let cut = 0;
    fc.assert(
      fc.property(
        fc.array(knownText, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(change, hostileText, fc.nat(3)), { minLength: 1, maxLength: 4 }),
        fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat() }),
        (texts, members, broken) => {
          const values = members.map(([name, text, place]) => changes[name](JSON.stringify(texts[place] ?? text)));
          const bytes = Buffer.from(`{"type":"end","content":[${values.join(',')}]}`);
          if (broken !== undefined) bytes[broken % bytes.length] = 0xff;
          const { knowing, whole } = bothReadings(bytes, texts);
          expect(knowing).toEqual(whole);
          expect(JSON.stringify(knowing)).toBe(JSON.stringify(whole));
          if (withoutTexts(bytes, texts) !== null) cut += 1;
        },
      ),
      { numRuns: 400 },
    );
    expect(cut).toBeGreaterThan(50);
  });

  test.each(Object.keys(changes) as (keyof typeof changes)[])('is read as if nobody knew its text (%s)', (name) => {
    const text = 'wax "word" '.repeat(300);
    const bytes = Buffer.from(`{"content":[${changes[name](JSON.stringify(text))},${JSON.stringify(text)}]}`);
    const { knowing, whole } = bothReadings(bytes, [text]);
    expect(knowing).toEqual(whole);
  });

  test('is parsed without them', () => {
    const [one, other] = ['one "é" '.repeat(500), 'other\n'.repeat(700)];
    const frame = JSON.stringify({
      type: 'end',
      content: [{ text: one }, { thinking: other }],
      again: one,
      short: 'one',
    });
    expect(restOf(frame, [other, one])).toBeLessThan(120);
    expect(restOf(frame, [one])).toBeLessThan(6000);
    expect(restOf(frame, [`${one} `])).toBe(Buffer.byteLength(frame));
  });

  test('does not have a text where no string begins, or as a name', () => {
    const text = `${',1,2'.repeat(300)},`;
    for (const frame of [`["a"${text}"b"]`, `{${JSON.stringify(text)} : 1}`, JSON.stringify([JSON.stringify(text)])]) {
      expect(withoutTexts(Buffer.from(frame), [text])).toBeNull();
    }
  });
});
