// JSON lines: what splits, what does not, what it costs, and that chunks never matter.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FrameFault } from '../../src/core/contract/channel.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';
import type { DecoderOptions, FrameSink } from '../../src/transports/framing/framing.ts';
import { encodeLine, jsonlDecoder, lineBytes, passRecognised } from '../../src/transports/framing/jsonl.ts';
import { cpuMs } from '../support/cpu.ts';
import { runs } from '../support/full.ts';
import { heldBytes } from '../support/held-bytes.ts';

/** Everything a decoder tells, in order: a text for a frame, a code for a fault. */
function decode(chunks: readonly Uint8Array[], options: Partial<DecoderOptions> = {}): unknown[] {
  const told: unknown[] = [];
  const decoder = jsonlDecoder(
    {
      frame: (frame) => told.push(Buffer.from(frame.bytes).toString('latin1')),
      fault: (fault: FrameFault) => told.push({ fault: fault.code }),
    },
    { maxFrameBytes: 1000, ...options },
  );
  chunks.forEach(decoder.push);
  decoder.end();
  return told;
}

const decodeText = (text: string, options?: Partial<DecoderOptions>) => decode([Buffer.from(text, 'latin1')], options);
const tooLarge = { fault: 'too-large' };

describe('splitting', () => {
  it.each<[string, string, unknown[], Partial<DecoderOptions>?]>([
    ['LF', '1\n2\n', ['1', '2']],
    ['CRLF', '1\r\n2\r\n', ['1', '2']],
    ['CR before CRLF stays', '1\r\r\n', ['1\r']],
    ['a lone CR splits nothing', '1\r2\n', ['1\r2']],
    ['NUL, VT, FF and NEL split nothing', '"\0\x0b\x0c\x85"\n', ['"\0\x0b\x0c\x85"']],
    ['U+2028 and U+2029 split nothing', '"\xe2\x80\xa8\xe2\x80\xa9"\n', ['"\xe2\x80\xa8\xe2\x80\xa9"']],
    ['blank lines are skipped', '\n1\n\n\r\n2\n', ['1', '2']],
    ['blank lines on request', '\n1\n\r\n', ['', '1', ''], { blank: 'deliver' }],
    ['no blank line at the end of the stream', '1\n', ['1'], { blank: 'deliver' }],
    ['a last line without LF', '1\n2', ['1', '2']],
    ['a last line that ends on CR', '1\n2\r', ['1', '2']],
    ['a last line that is a CR', '1\n\r', ['1']],
    ['no last line on request', '1\n2', ['1'], { tail: 'drop' }],
    ['nothing', '', []],
    ['as long as allowed', '12345\n', ['12345'], { maxFrameBytes: 5 }],
    ['one too long', '1\n123456\n2\n', ['1', tooLarge, '2'], { maxFrameBytes: 5 }],
    ['the last one too long', '1\n123456', ['1', tooLarge], { maxFrameBytes: 5 }],
    ['CR counts', '12345\r\n', [tooLarge], { maxFrameBytes: 5 }],
    ['two too long', '123456\n123456\n2', [tooLarge, tooLarge, '2'], { maxFrameBytes: 5 }],
  ])('%s', (_name, text, expected, options) => {
    expect(decodeText(text, options)).toEqual(expected);
  });

  it('begins anew after the end', () => {
    const told: unknown[] = [];
    const decoder = jsonlDecoder(
      { frame: ({ text }) => told.push(text), fault: ({ code }) => told.push(code) },
      { maxFrameBytes: 3 },
    );
    for (const stream of ['1', '1234', '2', '1234\n', '3\n4']) {
      decoder.push(Buffer.from(stream));
      decoder.end();
    }
    expect(told).toEqual(['1', 'too-large', '2', 'too-large', '3', '4']);
  });

  it.each(['"é\u2028"', ['{"a":', Buffer.from('"é"'), '\n}'], ''])('one line of %j is the same in one piece', (out) => {
    expect(lineBytes(out).toString()).toBe(bytesOf(encodeLine(out)).toString());
  });

  it('says what was wrong in a sentence', () => {
    const faults: FrameFault[] = [];
    const decoder = jsonlDecoder({ frame: () => {}, fault: (fault) => faults.push(fault) }, { maxFrameBytes: 3 });
    decoder.push(Buffer.from('1234'));
    expect(faults).toEqual([{ code: 'too-large', message: 'a line of more than 3 bytes, which was discarded' }]);
  });

  it('never depends on where chunks are cut', () => {
    const piece = fc.constantFrom('\n', '\r', '\r\n', 'a', '"é漢"', '\u2028', '\0', 'x'.repeat(30), '\x85');
    const options = fc.record({
      maxFrameBytes: fc.integer({ min: 1, max: 40 }),
      tail: fc.constantFrom('deliver' as const, 'drop' as const),
      blank: fc.constantFrom('deliver' as const, 'skip' as const),
    });
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(200)), options, (pieces, cuts, chosen) => {
        const bytes = Buffer.from(pieces.join(''));
        const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
        const chunks = [0, ...places].map((from, at) => bytes.subarray(from, places[at]));
        expect(decode(chunks, chosen)).toEqual(decode([bytes], chosen));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('gives back what was encoded, whatever the strings hold', () => {
    fc.assert(
      fc.property(fc.array(fc.json()), fc.integer({ min: 1, max: 64 }), (values, size) => {
        const bytes = Buffer.concat(values.map((value) => bytesOf(encodeLine(value))));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const frames: unknown[] = [];
        const decoder = jsonlDecoder(
          { frame: (frame) => frames.push(frame.json), fault: () => frames.push('fault') },
          { maxFrameBytes: 1_000_000 },
        );
        chunks.forEach(decoder.push);
        expect(frames).toEqual(values.map((value) => JSON.parse(value)));
      }),
    );
  });
});

describe('cost', () => {
  it('of a line of 100 MB no more is held than the limit, and the next line works', () => {
    const chunk = Buffer.alloc(64 * 1024, 0x61);
    const told: string[] = [];
    const decoder = jsonlDecoder(
      { frame: (frame) => told.push(frame.text), fault: (fault) => told.push(fault.code) },
      { maxFrameBytes: 32 * 1024 * 1024 },
    );
    const before = heldBytes();
    const held: number[] = [];
    for (let n = 1; n <= 1600; n += 1) {
      // A copy, as a socket would give: what the decoder holds must not be the same memory again and again.
      decoder.push(Buffer.from(chunk));
      if (n % 160 === 0) held.push(heldBytes() - before);
    }
    decoder.push(Buffer.from('\n{"next":1}\n'));
    expect(told).toEqual(['too-large', '{"next":1}']);
    expect(Math.max(...held)).toBeLessThan(40 * 1024 * 1024);
    expect(held.at(-1)).toBeLessThan(1024 * 1024);
  });

  it('a line that comes byte by byte does not cost an object a byte', () => {
    const decoder = jsonlDecoder({ frame: () => {}, fault: () => {} }, { maxFrameBytes: 8 * 1024 * 1024 });
    const byte = Buffer.from('a');
    const before = heldBytes();
    for (let n = 0; n < 1024 * 1024; n += 1) decoder.push(byte);
    expect(heldBytes() - before).toBeLessThan(8 * 1024 * 1024);
    decoder.end();
  });

  it('a line of 100 MB that is allowed takes less than 5 s of CPU', () => {
    // Searching or joining again for each chunk takes many times as long.
    const chunk = Buffer.alloc(64 * 1024, 0x61);
    const lengths: number[] = [];
    const decoder = jsonlDecoder(
      { frame: (frame) => lengths.push(frame.bytes.length), fault: () => {} },
      { maxFrameBytes: 1024 ** 3 },
    );
    const from = cpuMs();
    for (let n = 0; n < 1600; n += 1) decoder.push(chunk);
    decoder.push(Buffer.from('\n'));
    expect(cpuMs() - from).toBeLessThan(5000);
    expect(lengths).toEqual([1600 * 64 * 1024]);
  });
});

describe('encoding', () => {
  it.each<[string, Parameters<typeof encodeLine>[0], string]>([
    ['a text', '{"a":1}', '{"a":1}\n'],
    ['a raw LF and CR between tokens', '{\n"a":\r\n1}', '{ "a":  1}\n'],
    ['U+2028 and U+2029 in a string', '"\u2028\u2029"', '"\\u2028\\u2029"\n'],
    ['pieces', ['{"a":"', Buffer.from('é'), '\u2028"}'], '{"a":"é\\u2028"}\n'],
    ['a raw LF and CR in a piece of bytes', ['[', Buffer.from('1,\r\n2'), ']'], '[1,  2]\n'],
  ])('%s', (_name, out, expected) => {
    expect(bytesOf(encodeLine(out)).toString()).toBe(expected);
  });

  it('does not copy bytes that are in order', () => {
    const bytes = Buffer.from('"long"');
    expect(encodeLine([bytes])[0]).toBe(bytes);
  });

  it('leaves the pieces of the caller as they were', () => {
    const bytes = Buffer.from('1,\n2');
    encodeLine([bytes]);
    expect(bytes.toString()).toBe('1,\n2');
  });
});

describe('recognised lines', () => {
  /** Recognises lines `<text>!…#`: what is behind `!` does not matter, but the last byte does. */
  const sinkTo = (told: unknown[]): FrameSink => ({
    frame: (frame) => told.push(frame.bytes),
    fault: (fault: FrameFault) => told.push({ fault: fault.code }),
    recognise(peek, start, end) {
      const next = peek.bytes.indexOf(0x21, start);
      const feed = peek.bytes.indexOf(0x0a, start);
      if (next === -1 || next >= end || (feed !== -1 && feed < next)) return null;
      const recognised = peek.ascii(start, next);
      return {
        next: next + 1,
        ending: Buffer.from('#'),
        splice: null,
        accept: () => void told.push({ recognised }),
      };
    },
  });

  function receive(chunks: readonly Uint8Array[], options: Partial<DecoderOptions> = {}): unknown[] {
    const told: unknown[] = [];
    const decoder = jsonlDecoder(sinkTo(told), { maxFrameBytes: 1000, ...options });
    for (const chunk of chunks) {
      const given = Buffer.from(chunk);
      decoder.push(given);
      if (options.reusedChunks === true) given.fill(0x58);
    }
    decoder.end();
    // Read now: a frame outlives a chunk that is used again.
    return told.map((item) => (item instanceof Uint8Array ? Buffer.from(item).toString('latin1') : item));
  }

  /** A line that came in pieces may be cut out where a whole one is recognised; it says the same. */
  function wordOf(item: unknown): unknown {
    if (typeof item === 'string') return item.split('!')[0];
    return typeof item === 'object' && item !== null && 'recognised' in item ? item.recognised : item;
  }

  it.each<[string, string, unknown[]]>([
    ['a recognised line is not cut out', 'one!#\ntwo\n', [{ recognised: 'one' }, 'two']],
    ['one with another ending is', 'one!?\none!#\n', ['one!?', { recognised: 'one' }]],
    [
      'the rest of a recognised line may be long',
      `one!${'x'.repeat(500)}#\ntwo!#\n`,
      [{ recognised: 'one' }, { recognised: 'two' }],
    ],
    ['one that is too long is refused', `one!${'x'.repeat(2000)}#\ntwo!#\n`, [tooLarge, { recognised: 'two' }]],
    ['one that the stream cuts short is cut out', 'one!abc', ['one!abc']],
    ['one without LF at the end of the stream is cut out', 'one!#', ['one!#']],
  ])('%s', (_name, text, expected) => {
    const bytes = Buffer.from(text);
    for (const size of [1, 2, 3, 7, 64, 5000]) {
      const count = Math.ceil(bytes.length / size);
      const chunks = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, at * size + size));
      expect(receive(chunks).map(wordOf)).toEqual(expected.map(wordOf));
    }
    expect(receive([bytes])).toEqual(expected);
    expect(receive([bytes], { reusedChunks: true })).toEqual(expected);
  });

  it('keeps what goes beyond a chunk that is used again', () => {
    expect(
      receive([Buffer.from('abc'), Buffer.from('def\nghi!1'), Buffer.from('23#\n')], { reusedChunks: true }),
    ).toEqual(['abcdef', { recognised: 'ghi' }]);
  });

  it.each<[string, string, unknown[]]>([
    ['a recognised message is passed on', 'one!#', [{ recognised: 'one' }]],
    ['one with another ending is not', 'one!?', []],
    ['one that nobody recognises is not', 'one', []],
    ['one of several lines is not', 'one!#\ntwo!#', []],
    ['one with an LF at its end is not', 'one!#\n', []],
  ])('without LF: %s', (_name, text, expected) => {
    const told: unknown[] = [];
    expect(passRecognised(sinkTo(told), Buffer.from(text))).toBe(expected.length > 0);
    expect(told).toEqual(expected);
  });
});

describe('a burst', () => {
  /** Takes two lines at a time that begin with `d`; says what was offered, and what came as a frame. */
  function told(chunks: readonly string[], maxFrameBytes = 100) {
    const said: string[] = [];
    const decoder = jsonlDecoder(
      {
        frame: ({ text }) => void said.push(text),
        fault: ({ code }) => void said.push(code),
        takeBurst(peek, start, end, most) {
          expect([end, most]).toEqual([peek.bytes.length, maxFrameBytes]);
          const text = Buffer.from(peek.bytes).toString('latin1').slice(start);
          const taken = /^(?:d\d*\n){2}/u.exec(text)?.[0] ?? '';
          if (taken !== '') said.push(`burst ${taken.trim().replace('\n', ' ')}`);
          return start + taken.length;
        },
      },
      { maxFrameBytes },
    );
    for (const chunk of chunks) decoder.push(Buffer.from(chunk));
    decoder.end();
    return said;
  }

  it.each<[string, string[], string[]]>([
    [
      'after another, and lines between them',
      ['d1\nd2\nd3\nd4\nx\nd5\nd6\n'],
      ['burst d1 d2', 'burst d3 d4', 'x', 'burst d5 d6'],
    ],
    ['of one line is none', ['d1\nx\nd2\n'], ['d1', 'x', 'd2']],
    ['to the last byte of a chunk, and in the next one', ['d1\nd2\n', 'd3\nd4\n'], ['burst d1 d2', 'burst d3 d4']],
    [
      'not from the middle of a line that a chunk has cut',
      ['d1\nd2\nd', '3\nd4\nd5\n'],
      ['burst d1 d2', 'd3', 'burst d4 d5'],
    ],
    ['not of a line without its end', ['d1\nd2\nd3'], ['burst d1 d2', 'd3']],
  ])('%s', (_name, chunks, expected) => expect(told(chunks)).toEqual(expected));
});
