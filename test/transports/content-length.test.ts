// Content-Length frames: what a header may be, what breaks it for good, what it costs, and that chunks never matter.
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StreamMessageReader } from 'vscode-jsonrpc/node.js';
import type { FrameFault } from '../../src/core/contract/channel.ts';
import { contentLength, contentLengthDecoder } from '../../src/transports/framing/content-length.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';
import type { DecoderOptions } from '../../src/transports/framing/framing.ts';
import { cpuMs } from '../support/cpu.ts';
import { runs } from '../support/full.ts';
import { heldBytes } from '../support/held-bytes.ts';

/** Everything a decoder tells, in order: a text for a frame, a fault as it is, and whether it was broken before the end. */
function decode(chunks: readonly Uint8Array[], options: Partial<DecoderOptions> = {}): unknown[] {
  const told: unknown[] = [];
  const decoder = contentLengthDecoder(
    {
      frame: (frame) => told.push(frame.bytes),
      fault: (fault: FrameFault) => told.push(fault),
    },
    { maxFrameBytes: 1000, ...options },
  );
  for (const chunk of chunks) {
    const copy = Uint8Array.from(chunk);
    decoder.push(copy);
    if (options.reusedChunks === true) copy.fill(0x78);
  }
  if (decoder.isBroken === true) told.push('broken');
  decoder.end();
  // Read now: a frame outlives a chunk that is used again.
  return told.map((item) => (item instanceof Uint8Array ? Buffer.from(item).toString('latin1') : item));
}

/** All at once, byte by byte, and byte by byte out of one reused buffer: all the same. */
function decodeText(text: string, options: Partial<DecoderOptions> = {}): unknown[] {
  const bytes = Buffer.from(text, 'latin1');
  const whole = decode([bytes], options);
  const single = [...bytes].map((byte) => Buffer.of(byte));
  expect(decode(single, options)).toEqual(whole);
  expect(decode(single, { ...options, reusedChunks: true })).toEqual(whole);
  return whole;
}

const frame = (body: string, header = 'Content-Length') =>
  `${header}: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n${body}`;
const next = frame('{"next":1}');
const well = (...bodies: string[]) => [...bodies, '{"next":1}'];
const broken = (message: string) => [{ code: 'bad-frame', message }, 'broken'];
const noNumber = broken('a Content-Length that is no number of bytes');
const noField = broken('a header line that is no field');
const noCharset = broken('a Content-Type whose charset is not utf-8');
const loneReturn = broken('a header with a carriage return that ends no line');
const tooLong = broken('a header of more than 4096 bytes');
const tooMany = broken('a header of more than 16 lines');
const missing = broken('a header without Content-Length');
const tooLarge = (size: number, most: number) => ({
  code: 'too-large',
  message: `a frame of ${size} bytes, more than ${most}, which was discarded`,
});

/** A header of exactly so many bytes, with its blank line. */
function headerOf(bytes: number): string {
  const head = 'Content-Length: 2\r\nX-Pad: ';
  return `${head}${'p'.repeat(bytes - head.length - 4)}\r\n\r\n`;
}
const linesAnd = (count: number) => `${'X-Field: 1\r\n'.repeat(count - 1)}Content-Length: 2\r\n\r\n{}`;
const typed = (type: string) => `Content-Type: ${type}\r\nContent-Length: 2\r\n\r\n{}`;

describe('headers that are taken', () => {
  it.each<[string, string, unknown[], Partial<DecoderOptions>?]>([
    ['the one that we write', frame('{}'), well('{}')],
    ['several in one piece', frame('{}') + frame('[]'), well('{}', '[]')],
    ['a lower case name', frame('{}', 'content-length'), well('{}')],
    ['an upper case name', frame('{}', 'CONTENT-LENGTH'), well('{}')],
    ['no space after the colon', 'Content-Length:2\r\n\r\n{}', well('{}')],
    ['white space around the number', 'Content-Length: \t 2 \t\r\n\r\n{}', well('{}')],
    ['leading zeros', 'Content-Length: 002\r\n\r\n{}', well('{}')],
    ['LF alone', 'Content-Length: 2\n\n{}', well('{}')],
    ['CRLF and LF mixed', 'Content-Length: 2\r\nX: y\n\r\n{}', well('{}')],
    ['a number twice', 'Content-Length: 2\r\ncontent-length: 02\r\n\r\n{}', well('{}')],
    ['Content-Type first', typed('application/vscode-jsonrpc; charset=utf-8'), well('{}')],
    ['Content-Type behind', 'Content-Length: 2\r\nContent-Type: application/json\r\n\r\n{}', well('{}')],
    ['charset utf8', typed('application/vscode-jsonrpc;charset=utf8'), well('{}')],
    ['charset UTF-8', typed('application/vscode-jsonrpc; Charset=UTF-8'), well('{}')],
    ['charset in quotes', typed('application/vscode-jsonrpc; charset="utf-8"; v=1'), well('{}')],
    ['a Content-Type of garbage without a charset', typed('\xff;;=;'), well('{}')],
    ['fields that nobody knows', 'X-Trace: a: b\r\n__proto__: 1\r\nContent-Length: 2\r\n\r\n{}', well('{}')],
    ['blank lines before it', `\r\n\n\r\n${frame('{}')}\r\n\n`, well('{}')],
    ['4096 bytes', `${headerOf(4096)}{}`, well('{}')],
    ['16 lines', linesAnd(16), well('{}')],
    ['no bytes, which is no frame', frame(''), well()],
    ['no bytes, for a protocol that answers them', frame(''), well(''), { blank: 'deliver' }],
    ['a line end that the length counts', frame('{}\r\n'), well('{}\r\n')],
    ['a body that looks like a header', frame('Content-Length: 5\r\n\r\n'), well('Content-Length: 5\r\n\r\n')],
    ['a body in UTF-8', frame('"\xe6\xbc\xa2\xf0\x9f\x98\x80"'), well('"\xe6\xbc\xa2\xf0\x9f\x98\x80"')],
    ['a BOM in a body', frame('\xef\xbb\xbf{}'), well('\xef\xbb\xbf{}')],
    ['a body that is no JSON', frame('nonsense'), well('nonsense')],
    ['a body as long as allowed', frame('12345'), well('12345'), { maxFrameBytes: 10 }],
    ['a body one too long', frame('12345678901'), [tooLarge(11, 10), ...well()], { maxFrameBytes: 10 }],
    [
      'two too long',
      frame('x'.repeat(11)).repeat(2),
      [tooLarge(11, 10), tooLarge(11, 10), ...well()],
      { maxFrameBytes: 10 },
    ],
  ])('%s', (_name, text, expected, options) => {
    expect(decodeText(text + next, options)).toEqual(expected);
  });
});

describe('headers that break the stream for good', () => {
  it.each<[string, string, unknown[]]>([
    ['no Content-Length', 'Content-Type: application/json\r\n\r\n{}', missing],
    ['an empty number', 'Content-Length:\r\n\r\n{}', noNumber],
    ['abc', 'Content-Length: abc\r\n\r\n{}', noNumber],
    ['10abc', 'Content-Length: 10abc\r\n\r\n{}', noNumber],
    ['-5', 'Content-Length: -5\r\n\r\n{}', noNumber],
    ['+5', 'Content-Length: +5\r\n\r\n{}', noNumber],
    ['0x10', 'Content-Length: 0x10\r\n\r\n{}', noNumber],
    ['2.0', 'Content-Length: 2.0\r\n\r\n{}', noNumber],
    ['5, 5', 'Content-Length: 5, 5\r\n\r\n{}', noNumber],
    ['1e9', 'Content-Length: 1e9\r\n\r\n{}', noNumber],
    ['ten digits', 'Content-Length: 1000000000\r\n\r\n{}', noNumber],
    ['other white space', 'Content-Length:\xa02\r\n\r\n{}', noNumber],
    ['NUL behind the number', 'Content-Length: 2\0\r\n\r\n{}', noNumber],
    [
      'numbers that differ',
      'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      broken('two Content-Lengths that differ'),
    ],
    ['a space before the colon', 'Content-Length : 2\r\n\r\n{}', noField],
    ['no colon', 'Content-Length 2\r\n\r\n{}', noField],
    ['no name', ': 2\r\n\r\n{}', noField],
    ['a name that is none', '{"jsonrpc":"2.0"}\n', noField],
    ['a BOM before the name', '\xef\xbb\xbfContent-Length: 2\r\n\r\n{}', noField],
    ['a line of white space', ' \r\nContent-Length: 2\r\n\r\n{}', noField],
    ['a folded line', 'X: 1\r\n Content-Length: 2\r\n\r\n{}', noField],
    ['CR alone', 'Content-Length: 2\r\r{}', loneReturn],
    ['CR CR LF', 'Content-Length: 2\r\r\n\r\n{}', loneReturn],
    ['4097 bytes', `${headerOf(4097)}{}`, tooLong],
    ['a line without an end', 'x'.repeat(5000), tooLong],
    ['17 lines', linesAnd(17), tooMany],
    ['charset latin1', typed('application/json; charset=latin1'), noCharset],
    ['charset utf-16', typed('application/json;CHARSET=utf-16'), noCharset],
    ['a charset of nothing', typed('application/json; charset'), noCharset],
    ['one good charset and one bad', typed('a; charset=utf-8; charset=x'), noCharset],
  ])('%s', (_name, text, expected) => {
    expect(decodeText(frame('{}') + text + next)).toEqual(['{}', ...expected]);
  });

  it.each<[string, string, unknown[]]>([
    ['a body longer than told', `Content-Length: 5\r\n\r\n{"a":1}${next}`, ['{"a":', ...noField]],
    ['characters counted for bytes', `Content-Length: 3\r\n\r\n"\xc3\xa9"${next}`, ['"\xc3\xa9', ...noField]],
    ['a body shorter than told', `Content-Length: 15\r\n\r\n{}${next}`, ['{}Content-Lengt', ...missing]],
  ])('%s', (_name, text, expected) => {
    expect(decodeText(text)).toEqual(expected);
  });
});

describe('the end of the stream', () => {
  const cut = { code: 'bad-frame', message: 'a header that the end of the stream cut short', isCut: true };
  const cutBody = { ...cut, message: 'a body that the end of the stream cut short' };
  it.each<[string, string, unknown[], Partial<DecoderOptions>?]>([
    ['nothing', '', []],
    ['behind a frame', frame('{}'), ['{}']],
    ['blank lines', '\r\n\n\r', []],
    ['in a body', 'Content-Length: 5\r\n\r\n{}', [cutBody]],
    ['one byte before its end', frame('{"a":1}').slice(0, -1), [cutBody]],
    ['in a body, on request', 'Content-Length: 5\r\n\r\n{}', [], { tail: 'drop' }],
    ['behind a header', 'Content-Length: 5\r\n\r\n', [cutBody]],
    ['in a name', 'Content-Le', [cut]],
    ['before the blank line', 'Content-Length: 5\r\n', [cut]],
    ['in a header, on request', 'Content-Length: 5\r\n', [], { tail: 'drop' }],
    ['in a body that is skipped', `Content-Length: 50\r\n\r\n{}`, [tooLarge(50, 10)], { maxFrameBytes: 10 }],
  ])('%s', (_name, text, expected, options) => {
    expect(decodeText(text, options)).toEqual(expected);
  });

  it('is the beginning of another stream', () => {
    const told: unknown[] = [];
    const decoder = contentLengthDecoder(
      { frame: ({ text }) => told.push(text), fault: ({ code }) => told.push(code) },
      { maxFrameBytes: 3 },
    );
    for (const stream of [
      frame('1'),
      'Content-',
      frame('12345').slice(0, -1),
      frame('22').slice(0, -1),
      '{',
      frame('3'),
    ]) {
      decoder.push(Buffer.from(stream));
      decoder.end();
    }
    expect(told).toEqual(['1', 'bad-frame', 'too-large', 'bad-frame', 'bad-frame', '3']);
  });
});

describe('chunks', () => {
  it.each([
    ['a return', '\r', next, loneReturn],
    ['a field', 'X-Name: x\r\n', next, well()],
    ['another length', 'Content-Length: 3\r\n', next, broken('two Content-Lengths that differ')],
  ])('a whole header behind the border is the rest of the header before it: %s', (_name, first, second, expected) => {
    expect(decode([Buffer.from(first), Buffer.from(second)])).toEqual(expected);
  });

  it('never matter', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'Content-Length: 2\r\n\r\n{}',
        'content-length:5\n\n12345',
        'Content-Length: 40\r\n',
        'Content-Type: x; charset=utf-8\r\n',
        'Content-Length: 3\r\n\r\n',
        '\r\n',
        '\n',
        '\r',
        'a',
        'x'.repeat(40),
      ),
      fc.string({ maxLength: 60 }).map((text) => frame(text)),
    );
    const options = fc.record({
      maxFrameBytes: fc.integer({ min: 1, max: 50 }),
      tail: fc.constantFrom('deliver' as const, 'drop' as const),
      blank: fc.constantFrom('deliver' as const, 'skip' as const),
      reusedChunks: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(400)), options, (pieces, cuts, chosen) => {
        const bytes = Buffer.from(pieces.join(''), 'latin1');
        const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
        const chunks = [0, ...places].map((from, at) => bytes.subarray(from, places[at]));
        expect(decode(chunks, chosen)).toEqual(decode([bytes], chosen));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('a body that lies in its chunk is not copied', () => {
    const chunk = Buffer.from(frame('{}') + next);
    const places: number[] = [];
    const decoder = contentLengthDecoder(
      {
        frame: ({ bytes }) => {
          expect(bytes.buffer).toBe(chunk.buffer);
          places.push(bytes.byteOffset - chunk.byteOffset);
        },
        fault: () => {},
      },
      { maxFrameBytes: 100 },
    );
    decoder.push(chunk);
    expect(places).toEqual([frame('{}').length - 2, chunk.length - '{"next":1}'.length]);
  });
});

describe('what goes out', () => {
  const lone = '"\ud83d"';
  it.each<[string, Parameters<typeof contentLength.encode>[0], string]>([
    ['text', '{"a":1}', 'Content-Length: 7\r\n\r\n{"a":1}'],
    ['bytes, not characters', '"é漢😀"', 'Content-Length: 11\r\n\r\n"é漢😀"'],
    ['pieces', ['{"a":', Buffer.from('"é"'), '}'], 'Content-Length: 10\r\n\r\n{"a":"é"}'],
    ['a pair split over two pieces', ['"\ud83d', '\ude00"'], 'Content-Length: 6\r\n\r\n"😀"'],
    ['half a pair', lone, 'Content-Length: 5\r\n\r\n"\ufffd"'],
    ['half a pair in a piece', [lone], 'Content-Length: 5\r\n\r\n"\ufffd"'],
    ['a line end, which splits nothing', '{\n}', 'Content-Length: 3\r\n\r\n{\n}'],
  ])('%s', (_name, out, expected) => {
    expect(bytesOf(contentLength.encode(out)).toString()).toBe(expected);
    expect(Buffer.from(contentLength.apart?.(out) ?? []).toString()).toBe(expected);
  });

  it('comes back, from our own reader and from that of vscode-jsonrpc', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.json(), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 64 }),
        async (values, size) => {
          const messages = values.map((value) => `{"jsonrpc":"2.0","method":"say","params":[${value}]}`);
          const bytes = Buffer.concat(messages.map((message) => bytesOf(contentLength.encode(message))));
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
            bytes.subarray(at * size, (at + 1) * size),
          );
          const ours: unknown[] = [];
          const decoder = contentLengthDecoder(
            { frame: ({ json }) => ours.push(json), fault: () => ours.push('fault') },
            { maxFrameBytes: 1_000_000 },
          );
          chunks.forEach(decoder.push);
          const stream = new PassThrough();
          const theirs = await new Promise<unknown[]>((resolve) => {
            const heard: unknown[] = [];
            new StreamMessageReader(stream).listen((message) => {
              if (heard.push(message) === messages.length) resolve(heard);
            });
            for (const chunk of chunks) stream.write(chunk);
          });
          const said = messages.map((message) => JSON.parse(message));
          expect(ours).toEqual(said);
          expect(theirs).toEqual(said);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('cost', () => {
  it('of a body of 100 MB that is not allowed nothing is held, and the next frame works', () => {
    const chunk = Buffer.alloc(64 * 1024, 0x61);
    const told: string[] = [];
    const decoder = contentLengthDecoder(
      { frame: ({ text }) => told.push(text), fault: ({ code }) => told.push(code) },
      { maxFrameBytes: 8 * 1024 * 1024 },
    );
    const before = heldBytes();
    decoder.push(Buffer.from(`Content-Length: ${1600 * chunk.length}\r\n\r\n`));
    expect(told).toEqual(['too-large']);
    for (let n = 0; n < 1600; n += 1) {
      // A copy, as a socket would give: what the decoder holds must not be the same memory again and again.
      decoder.push(Buffer.from(chunk));
    }
    expect(heldBytes() - before).toBeLessThan(1024 * 1024);
    decoder.push(Buffer.from(next));
    expect(told).toEqual(['too-large', '{"next":1}']);
  });

  it('a body that comes byte by byte does not cost an object a byte', () => {
    const decoder = contentLengthDecoder({ frame: () => {}, fault: () => {} }, { maxFrameBytes: 8 * 1024 * 1024 });
    decoder.push(Buffer.from('Content-Length: 8000000\r\n\r\n'));
    const byte = Buffer.from('a');
    const before = heldBytes();
    for (let n = 0; n < 1024 * 1024; n += 1) decoder.push(byte);
    // The length is told, so that its bytes may be set aside at once.
    expect(heldBytes() - before).toBeLessThan(16 * 1024 * 1024);
    decoder.end();
  });

  it('a body of 100 MB that is allowed takes less than 5 s of CPU', () => {
    // Joining again for each chunk takes many times as long.
    const chunk = Buffer.alloc(64 * 1024, 0x61);
    const lengths: number[] = [];
    const decoder = contentLengthDecoder(
      { frame: ({ bytes }) => lengths.push(bytes.length), fault: () => {} },
      { maxFrameBytes: 1024 ** 3 },
    );
    const from = cpuMs();
    decoder.push(Buffer.from(`Content-Length: ${1600 * chunk.length}\r\n\r\n`));
    for (let n = 0; n < 1600; n += 1) decoder.push(chunk);
    expect(lengths).toEqual([1600 * chunk.length]);
    expect(cpuMs() - from).toBeLessThan(5000);
  });

  it('a million bytes of blank lines, and headers that never end, take less than 5 s of CPU', () => {
    const from = cpuMs();
    for (const text of ['\n', 'X: y\r\n', ' ', '\t', ';']) {
      const decoder = contentLengthDecoder({ frame: () => {}, fault: () => {} }, { maxFrameBytes: 1000 });
      decoder.push(Buffer.from(text.repeat(1_000_000)));
      decoder.push(Buffer.from(`Content-Length:${' '.repeat(4000)}x\r\nContent-Type: ${';'.repeat(4000)}`));
      decoder.end();
    }
    expect(cpuMs() - from).toBeLessThan(5000);
  });
});
