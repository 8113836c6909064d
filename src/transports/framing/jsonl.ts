// JSON lines: one message a line, split on LF bytes only, for U+2028 and a lone CR may stand inside strings. Knows no stream and no protocol.
import type { Out } from '../../core/channel.ts';
import { createFrame } from './frame.ts';
import type { DecoderOptions, FrameDecoder, FrameSink, Framing } from './framing.ts';
import { oneLine, oneLineText } from './one-line.ts';
import { createPile } from './pile.ts';

const LF = 0x0a;
const CR = 0x0d;

/**
 * Splits on LF, strips one trailing CR, never looks at a byte twice. U+2028, U+2029, NEL and lone CR split nothing.
 * `maxFrameBytes` counts the bytes before the LF.
 */
export function jsonlDecoder(sink: FrameSink, options: DecoderOptions): FrameDecoder {
  const { maxFrameBytes, tail = 'deliver', blank = 'skip' } = options;
  /** The beginning of the line that is still open. */
  const held = createPile();
  /** Set from the moment a line grew too long until its LF. */
  let skipping = false;

  function take(part: Uint8Array): void {
    if (skipping || part.length === 0) return;
    if (held.length + part.length <= maxFrameBytes) {
      held.add(part);
      return;
    }
    held.clear();
    skipping = true;
    sink.fault({ code: 'too-large', message: `a line of more than ${maxFrameBytes} bytes, which was discarded` });
  }

  function finish(): void {
    if (skipping) skipping = false;
    else deliver(held.take());
  }

  function deliver(bytes: Uint8Array): void {
    const line = withoutCarriageReturn(bytes);
    if (line.length > 0 || blank === 'deliver') sink.frame(createFrame(line));
  }

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let start = 0;
      for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
        const part = bytes.subarray(start, end);
        start = end + 1;
        // Most lines begin and end in one chunk.
        if (held.length === 0 && !skipping && part.length <= maxFrameBytes) {
          deliver(part);
        } else {
          take(part);
          finish();
        }
      }
      take(bytes.subarray(start));
    },
    end() {
      // A stream that ends on LF has no last line, not a blank one.
      if (tail === 'deliver' && held.length > 0) finish();
      held.clear();
    },
  };
}

function withoutCarriageReturn(line: Uint8Array): Uint8Array {
  return line[line.length - 1] === CR ? line.subarray(0, -1) : line;
}

/** The message and one LF: exactly one line, whatever the message holds (threat T14). */
export function encodeLine(out: Out): Out {
  return typeof out === 'string' ? `${oneLineText(out)}\n` : [...out.map(oneLine), '\n'];
}

/** JSON lines. */
export const jsonl: Framing = { name: 'jsonl', decoder: jsonlDecoder, encode: encodeLine };
