// What a program says for people: the end of its stderr, and words on its stdout before its first frame. Knows no protocol.
import type { Readable } from 'node:stream';
import type { Frame } from '../core/contract/channel.ts';
import { isDictionary } from '../core/model/dictionary.ts';
import { lastBytes, printable } from './printable.ts';

const tailBytes = 2048;

/** The last bytes of a text that may be of any length. */
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

/** The cut may have gone through a character. */
function withoutBrokenStart(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\ufffd+/, '');
}

/** Reads the stream to its end (unread, the program would block after 64 KiB), and returns its printable last 2 KiB when asked. */
export function followStderr(stream: Readable): () => string {
  const tail = createTail();
  stream.on('data', (chunk: Buffer) => tail.add(chunk));
  // Errors of the pipe end it; the exit of the process tells the story.
  stream.on('error', () => {});
  return tail.text;
}

/** Many programs say on stdout that they want a login, and leave: their words are no frames. */
export interface FirstWords {
  /** Each chunk of stdout, before it is cut into frames. */
  heard(chunk: Uint8Array): void;
  /** Whatever was cut out of it: the first frame that is one shows that the words before were no complaint. */
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
