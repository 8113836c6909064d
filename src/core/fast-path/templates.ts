// The hot path of JSON frames: recognises frames that equal a frame parsed before in every byte but the text of their
// delta. Most frames are lines; others stand behind a header with their length. An adapter says what a parsed line teaches
// (decision 0011).
import type { Action } from '../contract/adapter/action.ts';
import type { RecognisedBurst, RecognisedEvent } from '../contract/adapter/backend.ts';
import type { Frame, FrameHeader, Peek, Splice } from '../contract/channel.ts';
import type { Burst } from '../model/burst.ts';
import type { Event, EventOf } from '../model/event.ts';
import { AsideReader, type LearnAside } from './asides.ts';
import { collector } from './delta-collector.ts';
import { hasRest } from './frame-rest.ts';
import { isAt, isLiteralAt, isPlainAt, isSameLiteral, type Literal } from './literal.ts';
import { StringMeasurement } from './string-measurement.ts';

type Delta = EventOf<'block-delta'>;

const LF = 0x0a;

/** Blocks that may stream in turn without being learned again. */
const mostTemplates = 4;

/** The bytes that all lines of one kind share. */
export interface Template {
  /** The first bytes, up to and including the opening quote of the delta. */
  readonly head: Literal;
  /** The bytes after the delta, from its closing quote on: only a few. */
  readonly behind: Uint8Array;
  /** The bytes after `behind`, if they must be compared up to the end of the line; else null. */
  readonly trail: Trail | null;
  /** The bytes after `behind`, if most of them are skipped; else null. */
  readonly rest: Rest | null;
  /** The event of the line, except for its delta. */
  readonly event: Delta;
}

/** Bytes that are equal in each line, around a hole of bytes that mean nothing, e.g. an id. */
export interface Trail {
  readonly before: Literal;
  /** Length of the hole in bytes: printable ASCII without a quote or an escape. */
  readonly hole: number;
  readonly after: Literal;
}

/** The end of a line, of which most is skipped. */
export interface Rest {
  /** The last bytes of the line. */
  readonly ending: Uint8Array;
  /**
   * The bytes between two equal halves, and the number of bytes after the second half. The first half begins one byte
   * before the rest.
   */
  readonly splice: Omit<Splice, 'from'> | null;
}

/** The facts about the streaming message that a recogniser uses. */
export interface Streaming {
  /** The open block of that index on the main thread, if a delta of that block is nothing but a delta; else null. */
  block(index: number): object | null;
  /** Called when recognised deltas of that block were accepted. */
  streamed(index: number, delta: string): void;
}

/** The template that a line teaches, which gave this event and nothing else; null when the line teaches none. */
export type LearnTemplate = (line: Frame, event: Delta) => Template | null;

/** Learns from parsed lines and recognises lines like them. */
export interface TemplateRecogniser {
  /** Learns from a line that was decoded to these actions, if they are one delta and nothing else. */
  learn(line: Frame, actions: readonly Action<Event>[]): void;
  /** See Backend.recognise. The result is valid until the next call. */
  read(peek: Peek, start: number, end: number): RecognisedEvent | null;
  /** See Backend.recogniseBurst. */
  readBurst(peek: Peek, start: number, end: number, maxFrameBytes: number): RecognisedBurst | null;
}

/** A template, and the block for which it was learned: another block may be of another kind. */
interface Learned extends Template {
  readonly block: object;
}

const noBytes: Uint8Array = new Uint8Array();

/** The chunk that was read last. A plain Uint8Array and a DataView of it are made once per chunk, not once per line. */
class ChunkView {
  source: Uint8Array = noBytes;
  bytes: Uint8Array = noBytes;
  view: DataView = new DataView(noBytes.buffer);
  /** See Peek. */
  header: FrameHeader | null = null;
  /** No burst begins before this offset: the lines there were read as one and are none. */
  noBurstBefore = 0;
  #peek: Peek | null = null;

  show(peek: Peek): void {
    const { bytes: source, header } = peek;
    this.#peek = peek;
    this.header = header;
    if (source === this.source) return;
    this.source = source;
    this.noBurstBefore = 0;
    this.bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    this.view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  }

  /** See Peek. */
  lineEnd(from: number): number {
    return this.#peek?.lineEnd(from) ?? -1;
  }
}

/**
 * What the last attempt at a burst found out about its first line: a line that goes alone is not compared again. A class with
 * one reused instance.
 */
class Look {
  #peek: Peek | null = null;
  #start = -1;
  /** The template that stands in the line, with the delta that is the first in the collector; null: there is none. */
  template: Learned | null = null;
  /** Offset of the first byte that was not looked at. */
  next = 0;

  /** Nothing is known of the lines of that peek yet. */
  begin(peek: Peek): void {
    this.#peek = peek;
    this.#start = -1;
  }

  found(start: number, template: Learned | null, next: number): void {
    this.#start = start;
    this.template = template;
    this.next = next;
  }

  isAt(peek: Peek, start: number): boolean {
    return this.#start === start && this.#peek === peek;
  }
}

/** Shared by all sessions, for nothing of them is needed once a call has returned: what many use stays in the cache. */
const chunk = new ChunkView();
const look = new Look();
const string = new StringMeasurement();

/** The line that was recognised last. One reused object: the hot path allocates nothing but the event. */
class RecognisedDelta implements RecognisedEvent {
  next = 0;
  ending: Uint8Array = noBytes;
  splice: Splice | null = null;
  readonly #streaming: Streaming;
  readonly #splice = { from: 0, bytes: noBytes, after: 0 };
  #event: Delta = { type: 'block-delta', index: 0, delta: '' };
  #delta = '';

  constructor(streaming: Streaming) {
    this.#streaming = streaming;
  }

  /** `next`: offset of the first byte that was not looked at, in a line that begins at `start`. */
  set({ event, rest }: Template, delta: string, start: number, next: number): void {
    this.#event = event;
    this.#delta = delta;
    this.next = next;
    this.setRest(rest, next - 1 - start);
  }

  /** `from`: where the first half of a splice begins in its line. */
  setRest(rest: Rest | null, from: number): void {
    this.ending = rest === null ? noBytes : rest.ending;
    this.splice = null;
    if (rest === null || rest.splice === null) return;
    this.#splice.from = from;
    this.#splice.bytes = rest.splice.bytes;
    this.#splice.after = rest.splice.after;
    this.splice = this.#splice;
  }

  accept(): Delta {
    const { index, extra } = this.#event;
    const delta = this.#delta;
    this.#streaming.streamed(index, delta);
    if (extra === undefined) return { type: 'block-delta', index, delta };
    return { type: 'block-delta', index, delta, extra };
  }
}

/** Creates a recogniser without templates. `learnAside`: for agents that say something before each delta. */
export function createTemplateRecogniser(
  streaming: Streaming,
  learnTemplate: LearnTemplate,
  learnAside?: LearnAside,
): TemplateRecogniser {
  const asides = learnAside === undefined ? null : new AsideReader(learnAside);
  const recognised = new RecognisedDelta(streaming);
  /** The newest first. */
  let templates: readonly Learned[] = [];

  /** Recognises the line at `start`, of which the head matches the template. */
  function match(template: Learned, peek: Peek, start: number, end: number): RecognisedEvent | null {
    const { head, event, block, rest } = template;
    const quote = string.measure(chunk.bytes, start + head.length, end);
    if (quote < 0 || streaming.block(event.index) !== block) return null;
    const next = passSuffix(chunk, template, quote, end);
    if (next < 0 || (rest === null && !endsAt(chunk, next, end))) return null;
    return recognisedAs(template, string.text(peek), start, next);
  }

  function recognisedAs(template: Learned, delta: string | null, start: number, next: number): RecognisedEvent | null {
    // An empty delta gives no event: leave the line to the parser.
    if (delta === null || delta === '') return null;
    recognised.set(template, delta, start, next);
    return recognised;
  }

  function accepted(burst: Burst): Burst {
    streaming.streamed(burst.index, burst.text);
    return burst;
  }

  /** The template whose head stands at `start`. */
  function templateAt(start: number, end: number): Learned | null {
    if (start < 0) return null;
    for (const template of templates) {
      const { head } = template;
      if (start + head.length < end && isLiteralAt(chunk.view, start, head)) return template;
    }
    return null;
  }

  /** Adds the delta of the line at `start` to the collector. Returns where its LF is, or -1 when the line is not alike. */
  function collect(template: Learned, start: number, end: number): number {
    const { head, rest } = template;
    const from = start + head.length;
    if (from >= end || !isLiteralAt(chunk.view, start, head)) return -1;
    const quote = collector.add(chunk.bytes, from, end);
    const next = quote < 0 ? -1 : passSuffix(chunk, template, quote, end);
    if (next < 0 || (rest === null && !endsAt(chunk, next, end))) return -1;
    if (collector.count === 0) look.found(start, template, next);
    if (rest === null) return next;
    const lineEnd = chunk.header === null ? chunk.lineEnd(next) : end;
    recognised.setRest(rest, next - 1 - start);
    return lineEnd >= 0 && hasRest(recognised, chunk.bytes, start, lineEnd) ? lineEnd : -1;
  }

  /** As {@link collect}, for a frame with a header at `at`. Returns where the frame ends. */
  function collectMeasured(template: Learned, header: FrameHeader, at: number, end: number, most: number): number {
    const start = header.read(chunk.bytes, at, end);
    const frameEnd = start + header.length;
    return start < 0 || frameEnd > end || header.length > most ? -1 : collect(template, start, frameEnd);
  }

  /** As {@link collect}, for a line with an aside before it at `at` when there is a `reader`. Returns where the LF is. */
  function collectLine(template: Learned, reader: AsideReader | null, at: number, end: number, most: number): number {
    let start = at;
    if (reader !== null) {
      const asideEnd = reader.add(chunk, at, end);
      if (asideEnd < 0 || asideEnd - at > most) return -1;
      start = asideEnd + 1;
    }
    const lineEnd = collect(template, start, end);
    return lineEnd - start > most ? -1 : lineEnd;
  }

  /** Adds as many frames from byte `start` on as are alike. Returns the offset behind the last one. */
  function collectAll(
    template: Learned,
    reader: AsideReader | null,
    start: number,
    end: number,
    maxFrameBytes: number,
  ): number {
    const { header } = chunk;
    let next = start;
    collector.clear();
    reader?.clear();
    while (!collector.isFull) {
      const frameEnd =
        header === null
          ? collectLine(template, reader, next, end, maxFrameBytes)
          : collectMeasured(template, header, next, end, maxFrameBytes);
      if (frameEnd < 0) break;
      collector.keep();
      next = header === null ? frameEnd + 1 : frameEnd;
    }
    return next;
  }

  return {
    learn(line, actions) {
      asides?.learn(actions);
      const [only] = actions;
      if (only?.do !== 'deliver' || actions.length > 1 || only.message.type !== 'block-delta') return;
      if (only.message.parent !== undefined) return;
      const block = streaming.block(only.message.index);
      const template = block === null ? null : learnTemplate(line, only.message);
      if (block === null || template === null) return;
      const others = templates.filter((other) => !isSameLiteral(other.head, template.head));
      const { head, behind, trail, rest, event } = template;
      templates = [{ head, behind, trail, rest, event, block }, ...others].slice(0, mostTemplates);
    },

    read(peek, start, end) {
      if (templates.length === 0) return null;
      chunk.show(peek);
      if (look.isAt(peek, start))
        return look.template && recognisedAs(look.template, collector.first(), start, look.next);
      const template = templateAt(start, end);
      return template === null ? null : match(template, peek, start, end);
    },

    readBurst(peek, start, end, maxFrameBytes) {
      if (templates.length === 0) return null;
      const { header } = peek;
      chunk.show(peek);
      look.begin(peek);
      if (start < chunk.noBurstBefore) return null;
      asides?.clear();
      const asideEnd = header === null ? (asides?.add(chunk, start, end) ?? -1) : -1;
      const reader = asideEnd < 0 ? null : asides;
      const first = header === null ? Math.max(start, asideEnd + 1) : header.read(chunk.bytes, start, end);
      const template = templateAt(first, end);
      if (template === null) {
        look.found(first, null, first);
        return null;
      }
      const { index, extra } = template.event;
      if (streaming.block(index) !== template.block) return null;
      const next = collectAll(template, reader, start, end, maxFrameBytes);
      const { count } = collector;
      // One delta alone is cheaper as an event.
      if (count < (reader === null ? 2 : 1)) return null;
      const burst = collector.burst(index, extra, reader?.take(count));
      if (burst !== null) return { next, accept: () => accepted(burst) };
      chunk.noBurstBefore = next;
      return null;
    },
  };
}

/** Whether a frame ends at `next`. `end`: of a frame behind a header; of the bytes that lines are in. */
function endsAt({ bytes, header }: ChunkView, next: number, end: number): boolean {
  return header === null ? bytes[next] === LF : next === end;
}

/** The offset after everything that follows the delta and is compared; -1 when something else stands there. */
function passSuffix({ bytes, view }: ChunkView, { behind, trail }: Template, quote: number, end: number): number {
  const next = quote + behind.length;
  if (next > end || !isAt(bytes, quote, behind)) return -1;
  if (trail === null) return next;
  const { before, hole, after } = trail;
  const holeAt = next + before.length;
  const afterAt = holeAt + hole;
  const trailEnd = afterAt + after.length;
  if (trailEnd > end || !isLiteralAt(view, next, before)) return -1;
  return isPlainAt(bytes, holeAt, hole) && isLiteralAt(view, afterAt, after) ? trailEnd : -1;
}
