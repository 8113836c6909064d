// Captures what a program says to people: the end of its stderr, and text on its stdout before the first frame.
import type { Readable } from 'node:stream';
import type { Frame } from '../core/contract/channel.ts';
import { isDictionary } from '../core/model/dictionary.ts';
import { lastBytes, printable } from './printable.ts';

const tailBytes = 2048;

/** The last bytes of a stream of any length. */
interface Tail {
  add(chunk: Uint8Array): void;
  clear(): void;
  /** The printable last 2 KiB. */
  text(): string;
}

function createTail(): Tail {
  let bytes: Uint8Array = Buffer.alloc(0);
  return {
    add(chunk) {
      bytes = Buffer.concat([bytes, chunk.subarray(-tailBytes)]).subarray(-tailBytes);
    },
    clear() {
      bytes = Buffer.alloc(0);
    },
    text: () => lastBytes(printable(withoutBrokenStart(bytes).trim()), tailBytes),
  };
}

/** Drops a character that the cut has broken. */
function withoutBrokenStart(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\ufffd+/, '');
}

/** Reads the stream to its end, because an unread pipe blocks the program after 64 KiB. Returns a function for the last printable 2 KiB. */
export function followStderr(stream: Readable): () => string {
  const tail = createTail();
  stream.on('data', (chunk: Buffer) => tail.add(chunk));
  // Ignore errors of the pipe: the exit of the process reports the reason.
  stream.on('error', () => {});
  return tail.text;
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

/** Listens until the first frame, which is a JSON object in every protocol that there is. */
export function createFirstWords(): FirstWords {
  const tail = createTail();
  let isOver = false;
  return {
    heard(chunk) {
      if (!isOver) tail.add(chunk);
    },
    frame(frame) {
      if (isOver || !isObject(frame)) return;
      isOver = true;
      tail.clear();
    },
    text: tail.text,
  };
}

function isObject(frame: Frame): boolean {
  try {
    return isDictionary(frame.json);
  } catch {
    return false;
  }
}
