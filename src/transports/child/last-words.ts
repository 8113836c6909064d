// Captures what a program says to people: the end of its stderr, and text on its stdout before the first frame.
import type { Readable } from 'node:stream';
import type { Frame } from '../../core/contract/channel.ts';
import { isDictionary } from '../../core/model/dictionary.ts';
import { lastBytes, printable } from '../printable.ts';

const tailBytes = 2048;
const noBytes = new Uint8Array();

/** The last bytes of a stream of any length. A class: each agent has two, and few agents say anything. */
class Tail {
  #bytes: Uint8Array | null = null;

  add(chunk: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes ?? noBytes, chunk.subarray(-tailBytes)]).subarray(-tailBytes);
  }

  clear(): void {
    this.#bytes = null;
  }

  /** The printable last 2 KiB. */
  text(): string {
    return lastBytes(printable(withoutBrokenStart(this.#bytes ?? noBytes).trim()), tailBytes);
  }
}

/** Drops a character that the cut has broken. */
function withoutBrokenStart(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\ufffd+/, '');
}

/** Reads the stream to its end, because an unread pipe blocks the program after 64 KiB. Returns a function for the last printable 2 KiB. */
export function followStderr(stream: Readable): () => string {
  const tail = new Tail();
  stream.on('data', (chunk: Buffer) => tail.add(chunk));
  // Ignore errors of the pipe: the exit of the process reports the reason.
  stream.on('error', () => {});
  return () => tail.text();
}

/** Text on stdout before the first frame. Many programs print there that they need a login, and exit. */
export interface FirstWords {
  /** Takes each chunk of stdout before it is cut into frames. */
  heard(chunk: Uint8Array): void;
  /** Takes each frame. The first valid frame shows that the text before it was no complaint. */
  frame(frame: Frame): void;
  /** The printable last 2 KiB of what came before the first frame; empty once there was one. */
  text(): string;
}

/** A class, like the tail. */
class Listener implements FirstWords {
  readonly #tail = new Tail();
  #isOver = false;

  heard(chunk: Uint8Array): void {
    if (!this.#isOver) this.#tail.add(chunk);
  }

  frame(frame: Frame): void {
    if (this.#isOver || !isObject(frame)) return;
    this.#isOver = true;
    this.#tail.clear();
  }

  text(): string {
    return this.#tail.text();
  }
}

/** Listens until the first frame, which is a JSON object in every protocol that there is. */
export function createFirstWords(): FirstWords {
  return new Listener();
}

function isObject(frame: Frame): boolean {
  try {
    return isDictionary(frame.json);
  } catch {
    return false;
  }
}
