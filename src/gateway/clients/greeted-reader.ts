// A reader that first returns a greeting, and that reports when it is closed.
import type { Out } from '../../core/contract/channel.ts';
import type { Entry, Reader } from '../../core/contract/reader.ts';
import type { ReadPart } from '../../core/contract/stretch.ts';
import { ForwardingReader } from './forwarding-reader.ts';

class GreetedReader extends ForwardingReader {
  readonly #closed: () => void;
  #greeting: readonly Out[];

  constructor(reader: Reader, greeting: readonly Out[], closed: () => void) {
    super(reader);
    this.#greeting = greeting;
    this.#closed = closed;
  }

  read(maxBytes: number, until?: number, beforeStretch?: boolean): readonly Entry[] {
    if (this.#greeting.length === 0) return this.inner.read(maxBytes, until, beforeStretch);
    const frames = this.#greeting.map((out) => ({ kind: 'frame' as const, out, cursor: null, number: null, at: null }));
    this.#greeting = [];
    return frames;
  }

  readStretch(maxBytes: number, until?: number): ReadPart | null {
    return this.#greeting.length === 0 ? (this.inner.readStretch?.(maxBytes, until) ?? null) : null;
  }

  override close(): void {
    super.close();
    this.#closed();
  }
}

/** The reader with a greeting in front. `closed`: called when the reader is closed. */
export function greetedReader(reader: Reader, greeting: readonly Out[] = [], closed: () => void): Reader {
  return new GreetedReader(reader, greeting, closed);
}
