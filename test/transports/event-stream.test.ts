// Server-sent events: nothing a peer says can become a field (docs/threats.md T17), and the decoder is bounded.
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeComment,
  encodeEvent,
  encodeRetry,
  eventStreamDecoder,
  type IncomingEvent,
} from '../../src/transports/framing/event-stream.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';
import { runs } from '../support/full.ts';
import { heldBytes } from '../support/held-bytes.ts';

/** What an independent parser makes of the text. */
function parse(text: string) {
  const events: EventSourceMessage[] = [];
  const others: unknown[] = [];
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onRetry: (ms) => others.push({ retry: ms }),
    onComment: (comment) => others.push({ comment }),
    onError: (error) => others.push({ error: error.type }),
  });
  parser.feed(text);
  return { events, others };
}

describe('encoding', () => {
  it('writes id, name and data', () => {
    const text = bytesOf(encodeEvent({ event: 'gateway', id: '9f3c2a.1041.0', data: '{"a":1}' })).toString();
    expect(text).toBe('event: gateway\nid: 9f3c2a.1041.0\ndata: {"a":1}\n\n');
  });

  it.each(['', 'a b', 'a\nb', 'a\rb', 'a\0b', 'A', 'a'.repeat(65), 'é', '0\r\ndata: pwned', '../x', 'a-b'])(
    'refuses the id %j',
    (id) => {
      expect(() => encodeEvent({ id, data: '1' })).toThrow('not an event id');
    },
  );

  it.each(['gateway', 'client_event', 'chat:content-received', 'tool:server-removed', 'a_b_c_d'])(
    'takes the name %j',
    (event) => {
      expect(bytesOf(encodeEvent({ event, data: '1' })).toString()).toBe(`event: ${event}\ndata: 1\n\n`);
    },
  );

  it.each([
    '',
    'Gateway',
    'a b',
    'gateway\nid: 1',
    'a\rb',
    '__proto__',
    'a_',
    ':a',
    'a--b',
    'a:b:c:d:e',
    'x'.repeat(33),
  ])('refuses the name %j', (event) => {
    expect(() => encodeEvent({ event, data: '1' })).toThrow('not an event name');
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e21])('refuses to wait %d ms', (ms) => {
    expect(() => encodeRetry(ms)).toThrow('not a number of milliseconds');
  });

  it('writes comments and the time to wait', () => {
    expect(parse(encodeComment('ok') + encodeRetry(1000) + encodeComment('ping'))).toEqual({
      events: [],
      others: [{ comment: 'ok' }, { retry: 1000 }, { comment: 'ping' }],
    });
  });

  it('makes exactly one event of any data, in text and in bytes', () => {
    const evil = fc.constantFrom(
      '\r',
      '\n',
      '\r\n',
      '\n\n',
      '\0',
      'id: 1',
      'event: admin\ndata: pwned\n\n',
      'retry: 0',
      ': c',
      '\u2028',
      '\x85',
      '\x0b',
      '\x0c',
      'é😀',
    );
    const piece = fc.oneof(evil, fc.string());
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.boolean()), { minLength: 1 }), (pieces) => {
        const data = ['"', ...pieces.map(([text, asBytes]) => (asBytes ? Buffer.from(text) : text)), '"'];
        const written = bytesOf(encodeEvent({ id: 'e1.1.0', data })).toString();
        const { events, others } = parse(written);
        expect(others).toEqual([]);
        expect(events).toHaveLength(1);
        expect(events[0]).toMatchObject({ id: 'e1.1.0', event: undefined });
      }),
      { numRuns: runs(1000) },
    );
  });

  it('gives JSON back as it was', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const [event] = parse(bytesOf(encodeEvent({ data: json })).toString()).events;
        expect(JSON.parse(event?.data ?? '')).toEqual(JSON.parse(json));
      }),
    );
  });
});

function decode(chunks: readonly Uint8Array[], maxFrameBytes = 1000): unknown[] {
  const told: unknown[] = [];
  const decoder = eventStreamDecoder(
    { event: (event: IncomingEvent) => told.push(event), fault: (fault) => told.push(fault.code) },
    { maxFrameBytes },
  );
  chunks.forEach(decoder.push);
  decoder.end();
  return told;
}

describe('decoding', () => {
  const event = (data: string, more: object = {}) => ({ data, event: undefined, id: undefined, ...more });
  const filler = 'x'.repeat(5000);

  it.each<[string, string, unknown[]]>([
    ['LF, CR and CRLF', 'data: 1\n\ndata: 2\r\rdata: 3\r\n\r\n', [event('1'), event('2'), event('3')]],
    ['a BOM', '\ufeffdata: 1\n\n', [event('1')]],
    ['several data lines', 'data: 1\ndata: 2\n\n', [event('1\n2')]],
    ['name and id', 'event: gateway\nid: a.1\ndata: 1\n\n', [event('1', { event: 'gateway', id: 'a.1' })]],
    ['comments, unknown fields and bad times', ': c\nfoo: bar\nretry: x\ndata: 1\n\n', [event('1')]],
    ['an unfinished event is dropped', 'data: 1\n\ndata: 2\n', [event('1')]],
    ['an event over the limit', `data: ${filler}\n\ndata: 2\n\n`, ['too-large', event('2')]],
    [
      'several lines over the limit',
      [...Array(5).fill(`data: ${'x'.repeat(900)}`), '', 'data: 2', '', ''].join('\n'),
      ['too-large', event('2')],
    ],
  ])('%s', (_name, text, expected) => {
    expect(decode([Buffer.from(text)])).toEqual(expected);
  });

  it('an event over the limit cannot forge another one behind the cut', () => {
    const forged = 'data: {"forged":true}';
    const long = `data: ${filler}`;
    const chunks = [long, forged, `\n`, `${forged}\n`, 'id: evil\n', '\n', 'data: next\n\n'];
    expect(decode(chunks.map((chunk) => Buffer.from(chunk)))).toEqual(['too-large', event('next')]);
  });

  it('an event over the limit ends at its blank line, wherever chunks are cut', () => {
    for (const rest of [['\n', '\n'], ['\n\n'], ['\r', '\n\r', '\n'], ['\r', '\r'], ['', '\nid: evil\n', '\n']]) {
      const chunks = [`data: ${filler}`, ...rest, 'data: next\n\n'];
      expect(decode(chunks.map((chunk) => Buffer.from(chunk)))).toEqual(['too-large', event('next')]);
      const joined = [`data: ${filler}${rest[0]}`, ...rest.slice(1), 'data: next\n\n'];
      expect(decode(joined.map((chunk) => Buffer.from(chunk)))).toEqual(['too-large', event('next')]);
    }
  });

  it('never depends on where chunks are cut', () => {
    const piece = fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      'data: é漢😀',
      'id: a.1',
      ': c',
      'event: gateway',
      'x'.repeat(400),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 1, max: 50 }), (pieces, size) => {
        const bytes = Buffer.from(pieces.join(''));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        expect(decode(chunks, 100_000)).toEqual(decode([bytes], 100_000));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('holds no more than the limit of an event that does not end', () => {
    const chunk = Buffer.alloc(64 * 1024, 0x61);
    const told: unknown[] = [];
    const decoder = eventStreamDecoder(
      { event: (heard) => told.push(heard.data), fault: (fault) => told.push(fault.code) },
      { maxFrameBytes: 1024 * 1024 },
    );
    decoder.push(Buffer.from('data: '));
    const before = heldBytes();
    for (let n = 0; n < 1600; n += 1) decoder.push(Buffer.from(chunk));
    expect(heldBytes() - before).toBeLessThan(2 * 1024 * 1024);
    decoder.push(Buffer.from('\n\ndata: next\n\n'));
    expect(told).toEqual(['too-large', 'next']);
  });
});
