// Frames: lazy, strict UTF-8, bounded depth.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/core/model/errors.ts';
import { bytesOf, createFrame } from '../../src/transports/framing/frame.ts';

function outcome(bytes: Uint8Array): unknown {
  try {
    return { json: createFrame(bytes).json };
  } catch (thrown) {
    return thrown instanceof GatewayError ? thrown.code : thrown;
  }
}

const nested = (depth: number, open: string, inside: string, close: string) =>
  open.repeat(depth) + inside + close.repeat(depth);

describe('json', () => {
  it.each<[string, string, unknown]>([
    ['an object', '{"a":[1,"x"]}', { json: { a: [1, 'x'] } }],
    ['space around', ' \t\r\n1 ', { json: 1 }],
    ['one BOM, which is stripped', '\ufeff{"a":1}', { json: { a: 1 } }],
    ['two BOMs', '\ufeff\ufeff{"a":1}', 'bad-frame'],
    ['half of an object', '{"a":', 'bad-frame'],
    ['nothing', '', 'bad-frame'],
    ['a raw line end in a string', '"a\nb"', 'bad-frame'],
    ['128 arrays', nested(128, '[', '', ']'), { json: expect.anything() }],
    ['129 arrays', nested(129, '[', '', ']'), 'too-deep'],
    ['128 objects', nested(128, '{"a":', '1', '}'), { json: expect.anything() }],
    ['129 objects', nested(129, '{"a":', '1', '}'), 'too-deep'],
    ['100,000 open arrays', '['.repeat(100_000), 'too-deep'],
    ['250 kB of open arrays and objects', '[{"a":'.repeat(50_000), 'too-deep'],
    [
      'many levels, one after the other',
      `[${nested(100, '[', '', ']')},${nested(100, '[', '', ']')}]`,
      { json: expect.anything() },
    ],
    ['brackets in a string', JSON.stringify('[{'.repeat(500)), { json: '[{'.repeat(500) }],
    ['brackets behind an escaped quote', JSON.stringify(`"${'['.repeat(500)}`), { json: `"${'['.repeat(500)}` }],
    ['brackets behind an escaped backslash', `["\\\\",${nested(128, '[', '', ']')}]`, 'too-deep'],
    ['a half pair, escaped', `"\\ud800"${' '.repeat(200)}`, { json: '\ud800' }],
  ])('%s', (_name, text, expected) => {
    expect(outcome(Buffer.from(text))).toEqual(expected);
  });

  it.each([
    ['a cut character', [0x22, 0xe6, 0xbc, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['Latin-1', [0x22, 0xe9, 0x22]],
  ])('refuses %s', (_name, bytes) => {
    expect(outcome(Uint8Array.from(bytes))).toBe('bad-frame');
    expect(() => createFrame(Uint8Array.from(bytes)).text).toThrow('the frame is not valid UTF-8');
  });

  it('does not quote the frame in the message', () => {
    expect(() => createFrame(Buffer.from('secret\x1b[31m')).json).toThrow(/^the frame is not valid JSON$/);
  });

  it('is worked out once', () => {
    const frame = createFrame(Buffer.from('{"a":[]}'));
    expect(frame.json).toBe(frame.json);
  });

  it('does not let __proto__ through as a prototype', () => {
    const { json } = createFrame(Buffer.from('{"__proto__":{"polluted":true}}'));
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
    expect(JSON.stringify(json)).toBe('{"__proto__":{"polluted":true}}');
  });
});

it('counts levels as JSON does', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const inner = fc.jsonValue({ maxDepth: 6 });
  fc.assert(
    fc.property(fc.array(inner), fc.integer({ min: 115, max: 128 }), fc.string(), (values, around, name) => {
      let value: unknown = values;
      for (let n = 0; n < around; n += 1) value = n % 2 === 0 ? { [`${name}"\\[`]: value } : [value];
      const text = JSON.stringify(value);
      const expected = depthOf(value) > 128 ? 'too-deep' : { json: JSON.parse(text) };
      expect(outcome(Buffer.from(text))).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

it('looks at bytes only when asked', () => {
  const frame = createFrame(Uint8Array.of(0xff));
  expect(frame.bytes).toEqual(Uint8Array.of(0xff));
});

it('sees a view of a larger buffer as itself', () => {
  const whole = Buffer.from('xx{"a":1}yy');
  expect(createFrame(whole.subarray(2, 9)).json).toEqual({ a: 1 });
});

it('flattens pieces', () => {
  expect(bytesOf(['{"a":"', Buffer.from('é'), '"}']).toString()).toBe('{"a":"é"}');
  expect(bytesOf('{"a":"é"}').toString()).toBe('{"a":"é"}');
});
