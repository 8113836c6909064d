// A reader that first returns a greeting, and that reports when it is closed.
import type { Out } from '../core/contract/channel.ts';
import type { WorkQueue } from '../core/contract/paced-work.ts';
import type { Entry, Reader } from '../core/contract/reader.ts';
import type { StretchPart } from '../core/contract/stretch.ts';

/** A class because of its accessors: V8 gives each object literal with an accessor a dictionary of its own. */
class GreetedReader implements Reader {
  readonly #reader: Reader;
  readonly #closed: () => void;
  #greeting: readonly Out[];

  constructor(reader: Reader, greeting: readonly Out[], closed: () => void) {
    this.#reader = reader;
    this.#greeting = greeting;
    this.#closed = closed;
  }

  get work(): WorkQueue | undefined {
    return this.#reader.work;
  }

  get isPreparing(): boolean {
    return this.#reader.isPreparing === true;
  }

  read(maxBytes: number, until?: number, beforeStretch?: boolean): readonly Entry[] {
    if (this.#greeting.length === 0) return this.#reader.read(maxBytes, until, beforeStretch);
    const frames = this.#greeting.map((out) => ({ kind: 'frame' as const, out, cursor: null, number: null, at: null }));
    this.#greeting = [];
    return frames;
  }

  readStretch(maxBytes: number, until?: number): StretchPart | null {
    return this.#greeting.length === 0 ? (this.#reader.readStretch?.(maxBytes, until) ?? null) : null;
  }

  mark(): number {
    return this.#reader.mark();
  }

  set onReadable(callback: () => void) {
    this.#reader.onReadable = callback;
  }

  get onReadable(): () => void {
    return this.#reader.onReadable;
  }

  close(): void {
    this.#reader.close();
    this.#closed();
  }
}

/** The reader with a greeting in front. `closed`: called when the reader is closed. */
export function greetedReader(reader: Reader, greeting: readonly Out[] = [], closed: () => void): Reader {
  return new GreetedReader(reader, greeting, closed);
}
