// Sends the same bytes through the gateway's own pipeline in three ways: each frame is cut out and parsed, frames are
// recognised one by one, or many at once. Also generates such bytes, for any protocol.
import fc from 'fast-check';
import { expect } from 'vitest';
import type { FramingName } from '../../src/core/contract/adapter/adapter.ts';
import type { Backend } from '../../src/core/contract/adapter/backend.ts';
import type { Frame, Peek } from '../../src/core/contract/channel.ts';
import { adapters, createTranslator, type Options } from '../../src/index.ts';
import { bytesOf } from '../../src/transports/framing/frame.ts';
import { streamFraming } from '../../src/transports/framing/framings.ts';

/** What one run gave. */
export interface Passage {
  /** The frames for the client, and what was noted, in order. */
  readonly said: string[];
  /** Frames that the fast path took without parsing them. */
  readonly recognised: number;
  /** Frames of these that left together with others. */
  readonly together: number;
}

/** How frames are read: each is parsed whole; some are recognised; some of these are recognised together. */
export type Way = 'slow' | 'glance' | 'burst';

/** How the bytes come. */
export interface PassageOptions {
  readonly from: string;
  readonly to: string;
  readonly way: Way;
  /** What the client chose. */
  readonly options?: Options;
  /** See SubscriptionRequest. */
  readonly dialect?: string | undefined;
  /** How the agent's bytes are cut into frames; default `jsonl`. */
  readonly framing?: FramingName;
  readonly maxFrameBytes?: number;
  /** What happened before the bytes come. */
  readonly prepared?: (backend: Backend) => Backend;
  /** All chunks are read into one block that is overwritten, as `translate` does. */
  readonly reusedChunks?: boolean;
}

/** Sends the chunks through decoder, backend, repair, fold and projection. */
export function pass(chunks: readonly Buffer[], options: PassageOptions): Passage {
  const { from, to, way, maxFrameBytes = 1 << 20, reusedChunks = false, options: chosen = {} } = options;
  const { framing = 'jsonl', dialect, prepared = (made) => made } = options;
  let ids = 0;
  let recognised = 0;
  let together = 0;
  const said: string[] = [];
  const env = { now: () => 0, id: (kind: string) => `${kind}-${++ids}` };
  const made = adapters.get(from)?.agent?.backend(env, {});
  const backend = made && prepared(made);
  const side = adapters.get(to)?.client?.frontend(env, chosen);
  if (backend === undefined || side === undefined) throw new Error(`no translation from ${from} to ${to}`);
  const translator = createTranslator({
    id: 'trace',
    epoch: '000000000000',
    backend,
    projection: (session) => side.projection(session, dialect),
    note: (level, text) => said.push(`${level}: ${text}`),
    stretch(earlier, { bytes, ends }) {
      for (const out of earlier) said.push(bytesOf(out).toString());
      const lines = Buffer.from(bytes).toString().split('\n');
      // As many lines as it says, each where it says, and nothing behind the last LF.
      expect(lines.pop()).toBe('');
      expect([...ends].map((end) => bytes[end])).toEqual(lines.map(() => 0x0a));
      together += lines.length;
      said.push(...lines);
    },
  });
  const collect = () => translator.take().forEach((out) => void said.push(bytesOf(out).toString()));
  const decoder = streamFraming(framing).decoder(
    {
      frame(frame) {
        collect();
        for (const out of translator.frame(way === 'slow' ? readWhole(frame) : frame))
          said.push(bytesOf(out).toString());
      },
      fault: ({ code }) => void said.push(`fault ${code}`),
      ...(way === 'burst'
        ? {
            takeBurst(peek, start, end, most) {
              const next = translator.takeBurst(peek, start, end, most);
              recognised += framesIn(peek, start, next);
              collect();
              return next;
            },
          }
        : {}),
      ...(way !== 'slow'
        ? {
            recognise(peek, start, end) {
              const match = translator.glance(peek, start, end);
              if (match === null) return null;
              return {
                next: match.next,
                ending: match.ending,
                splice: match.splice,
                accept() {
                  recognised += 1;
                  match.accept();
                  collect();
                },
              };
            },
          }
        : {}),
    },
    { maxFrameBytes, reusedChunks },
  );
  const block = Buffer.alloc(chunks.reduce((most, { length }) => Math.max(most, length), 1));
  for (const chunk of chunks) {
    if (!reusedChunks) {
      decoder.push(chunk);
      continue;
    }
    chunk.copy(block);
    decoder.push(block.subarray(0, chunk.length));
    block.fill(0x58);
  }
  decoder.end();
  for (const out of translator.end()) said.push(bytesOf(out).toString());
  return { said, recognised, together };
}

/** The frame as one whose long texts nobody knows. */
function readWhole(frame: Frame): Frame {
  return {
    bytes: frame.bytes,
    get text() {
      return frame.text;
    },
    get json() {
      return frame.json;
    },
    from: (byte) => frame.from(byte),
  };
}

/** How many frames stand between these offsets. */
function framesIn({ bytes, header }: Peek, start: number, end: number): number {
  let frames = 0;
  for (let at = start; at < end; frames += 1) {
    at = header === null ? bytes.indexOf(0x0a, at) + 1 : header.read(bytes, at, end) + header.length;
  }
  return frames;
}

/** The bytes in chunks of these lengths, again and again. */
export function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const length = Math.max(1, lengths[turn % Math.max(1, lengths.length)] ?? bytes.length);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

/** What may happen to a line of any protocol, as text. Each must be judged as the parser judges it. */
export const mutationsOfAnyLine = {
  none: (line: string) => line,
  'leading space': (line: string) => ` ${line}`,
  'trailing space': (line: string) => `${line} `,
  'carriage return': (line: string) => `${line}\r`,
  'escaped letters': (line: string) => line.replaceAll('e', '\\u0065'),
  'extra key in front': (line: string) => line.replace('{', '{"seq":1,'),
  'extra key behind': (line: string) => line.replace(/\}$/u, ',"seq":1}'),
  'cut in the head': (line: string) => line.slice(0, 30),
  'cut at the end': (line: string) => line.slice(0, -1),
  doubled: (line: string) => line + line,
  'stray output': (line: string) => `some output${line}`,
  'stray output behind': (line: string) => `${line}bye`,
  'no line': () => '',
} as const;

const hostileToAll = [
  '"}}\n',
  '\\',
  '"',
  '\\"}}',
  '\u2028',
  '\u0000',
  '\u007f',
  '\ud83d',
  '\ude00',
  '😀',
  '\ufeff',
  'é',
  '}}',
];

/** A delta: mostly harmless, sometimes made of what a reader of bytes could trip over. */
export function deltas(hostile: readonly string[]): fc.Arbitrary<string> {
  const parts = fc.array(fc.constantFrom(...hostileToAll, ...hostile), { maxLength: 3 });
  return fc.oneof(
    { weight: 6, arbitrary: fc.string({ maxLength: 12 }) },
    { weight: 2, arbitrary: fc.string({ maxLength: 8, unit: 'binary' }) },
    { weight: 2, arbitrary: parts.map((pieces) => pieces.join('')) },
  );
}

/** One of the mutations, and most often the one that changes nothing. */
export function oneOf<Name extends string>(mutations: Readonly<Record<Name, unknown>>, none: Name): fc.Arbitrary<Name> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(none) },
    { weight: 2, arbitrary: fc.constantFrom(...(Object.keys(mutations) as Name[])) },
  );
}

const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 200, max: 4000 })), {
  maxLength: 6,
});

/** How many frames the fast path took one by one or together, and how many of them together. */
export type Taken = Pick<Passage, 'recognised' | 'together'>;

/** Checks for such streams, cut anywhere, that the client gets the same in all three ways. */
export function mustTellAlike(
  streams: fc.Arbitrary<Buffer>,
  from: string,
  to: string,
  numRuns: number,
  options: Options = {},
  how: Pick<PassageOptions, 'framing' | 'dialect' | 'prepared'> = {},
): Taken {
  const taken = { recognised: 0, together: 0 };
  fc.assert(
    fc.property(streams, lengths, fc.boolean(), (bytes, sizes, reusedChunks) => {
      const chunks = cut(bytes, sizes);
      const slow = pass(chunks, { ...how, from, to, options, way: 'slow' });
      const glance = pass(chunks, { ...how, from, to, options, way: 'glance', reusedChunks });
      const burst = pass(chunks, { ...how, from, to, options, way: 'burst', reusedChunks });
      taken.recognised += glance.recognised;
      taken.together += burst.together;
      expect(apart(glance.said)).toEqual(apart(slow.said));
      expect(apart(burst.said)).toEqual(apart(slow.said));
    }),
    { numRuns },
  );
  return taken;
}

/** What all three ways say of these chunks, which must be the same. */
export function saidByAll(chunks: readonly Buffer[], options: Omit<PassageOptions, 'way'>): string[] {
  const { said } = pass(chunks, { ...options, way: 'slow' });
  for (const way of ['glance', 'burst'] as const) {
    expect(apart(pass(chunks, { ...options, way }).said)).toEqual(apart(said));
  }
  return said;
}

/** Frames and notes go different ways: of a burst that goes one by one, all notes come first. */
function apart(said: readonly string[]) {
  const isFrame = (text: string) => text.startsWith('{');
  return { frames: said.filter(isFrame), notes: said.filter((text) => !isFrame(text)) };
}
