// One whole received message. It is decoded and parsed on first use.
import type { Frame, Out } from '../../core/contract/channel.ts';
import { leastLongText } from '../../core/model/encoded-texts.ts';
import { GatewayError } from '../../core/model/errors.ts';
import { withoutTexts } from './repeated-texts.ts';

/** Greatest nesting depth of a frame. JSON.parse has no limit, but code that walks the result recurses. */
export const maxJsonDepth = 128;

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Fatal: bytes that are not UTF-8 are refused, not replaced. One leading BOM is stripped, as RFC 8259 §8.1 allows. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Wraps the bytes of one message. `text` and `json` are worked out on first use and kept.
 * The bytes are not copied: they must not change while the frame lives.
 */
export function createFrame(bytes: Uint8Array): Frame {
  return new WireFrame(bytes);
}

/** A class, because one is made for each line of the hot path, and getters on a prototype cost nothing per object. */
class WireFrame implements Frame {
  readonly bytes: Uint8Array;
  #text: string | undefined;
  #json: { readonly value: unknown } | undefined;
  #repeated: (() => readonly string[]) | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get text(): string {
    this.#text ??= decode(this.bytes);
    return this.#text;
  }

  get json(): unknown {
    this.#json ??= this.#readAround() ?? { value: parse(this.bytes, this.text) };
    return this.#json.value;
  }

  mayRepeat(texts: () => readonly string[]): void {
    if (this.bytes.length > leastLongText) this.#repeated = texts;
  }

  /** Reads the frame without the texts that it repeats. Null: the whole frame must be read, which also says what is wrong with it. */
  #readAround(): { readonly value: unknown } | null {
    const rest = this.#repeated && withoutTexts(this.bytes, this.#repeated());
    if (!rest) return null;
    try {
      const text = decode(rest.bytes);
      return rest.fill(text, () => parse(rest.bytes, text));
    } catch {
      return null;
    }
  }

  from(byte: number): Frame {
    return new WireFrame(this.bytes.subarray(byte));
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new GatewayError('bad-frame', 'the frame is not valid UTF-8', { cause });
  }
}

function parse(bytes: Uint8Array, text: string): unknown {
  if (isDeeperThan(maxJsonDepth, bytes)) {
    throw new GatewayError('too-deep', `the frame nests deeper than ${maxJsonDepth} levels`);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The message of the parser quotes the frame. It stays in `cause`, because error texts reach logs and other clients.
    throw new GatewayError('bad-frame', 'the frame is not valid JSON', { cause });
  }
}

/** Runs before JSON.parse, which would build the whole value first (docs/threats.md T12). Its searches are memchr and cheap. */
function isDeeperThan(limit: number, bytes: Uint8Array): boolean {
  if (bytes.length <= limit) return false;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Most frames do not contain that many brackets at all.
  return hasMoreThan(limit, view) && deepest(view, limit) > limit;
}

function hasMoreThan(limit: number, bytes: Buffer): boolean {
  let count = 0;
  for (const open of [OPEN_BRACE, OPEN_BRACKET]) {
    for (let at = bytes.indexOf(open); at !== -1 && count <= limit; at = bytes.indexOf(open, at + 1)) count += 1;
  }
  return count > limit;
}

/** The deepest level, or the first one over the limit; brackets in strings do not count. */
function deepest(bytes: Buffer, limit: number): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < bytes.length && most <= limit; at += 1) {
    switch (bytes[at]) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        most = Math.max(most, depth);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
      case QUOTE:
        at = endOfString(bytes, at + 1);
        break;
    }
  }
  return most;
}

/** The index of the quote that closes the string whose first character is at `from`. */
function endOfString(bytes: Buffer, from: number): number {
  let quote = bytes.indexOf(QUOTE, from);
  while (quote !== -1 && isEscaped(bytes, quote)) quote = bytes.indexOf(QUOTE, quote + 1);
  return quote === -1 ? bytes.length : quote;
}

/** Whether an odd number of backslashes stands before it. The quote that opens the string ends the search. */
function isEscaped(bytes: Buffer, at: number): boolean {
  let first = at;
  while (bytes[first - 1] === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

/** The bytes of an outgoing message in one piece. */
export function bytesOf(out: Out): Buffer {
  if (typeof out === 'string') return Buffer.from(out);
  return Buffer.concat(out.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}
