// Pieces of frames on their way to one write: text and small bytes are copied into few chunks, large bytes stay as they
// are. Knows no stream and no protocol.

/** Bytes this large cost more to copy than a further chunk of a scatter write does. */
const largeBytes = 8 * 1024;
/** Text this long, in UTF-16 units, gets a chunk of its own. */
const longText = 4 * 1024;
/** So little is copied quicker by a loop than by a call into the library. */
const little = 24;
/** A UTF-16 unit takes at most so many bytes. */
const widest = 3;

/**
 * What is copied goes into blocks that all batches share, one behind the other: a block is never written twice at one
 * place, so a chunk may be kept. As small as this, because one slow peer holds on to a whole block.
 */
const blockBytes = 32 * 1024;
let block = Buffer.allocUnsafeSlow(blockBytes);
let used = 0;
const noBlock = Buffer.alloc(0);

/** What waits for one write. */
export interface Batch {
  /** Bytes that wait. */
  readonly length: number;
  add(piece: string | Uint8Array): void;
  /** The same bytes in few chunks; the batch is empty then. */
  take(): Uint8Array[];
}

export function createBatch(): Batch {
  let chunks: Uint8Array[] = [];
  let length = 0;
  /** The part of a block that is being filled: what was copied since the last chunk. */
  let source = noBlock;
  let start = 0;
  let end = 0;
  /** The first half of a surrogate pair, for which there are no bytes yet. */
  let half = '';

  function closeChunk(): void {
    if (end > start) chunks.push(source.subarray(start, end));
    start = end;
  }

  /** Makes the end of the part that is being filled the place where the shared block goes on. */
  function makeRoom(bytes: number): void {
    if (source === block && end === used && blockBytes - used >= bytes) return;
    closeChunk();
    if (blockBytes - used < bytes) {
      block = Buffer.allocUnsafeSlow(blockBytes);
      used = 0;
    }
    source = block;
    start = used;
  }

  function advance(bytes: number): void {
    used += bytes;
    end = used;
    length += bytes;
  }

  function addChunk(chunk: Uint8Array): void {
    closeChunk();
    chunks.push(chunk);
    length += chunk.length;
  }

  function write(text: string): void {
    if (text.length > longText) return addChunk(Buffer.from(text));
    makeRoom(text.length * widest);
    advance(text.length <= little ? writeLittle(text) : block.write(text, used));
  }

  function addText(text: string): void {
    if (text === '') return;
    const whole = half + text;
    half = isFirstHalf(whole.charCodeAt(whole.length - 1)) ? whole.slice(-1) : '';
    write(half === '' ? whole : whole.slice(0, -1));
  }

  /** What never became a pair is written as what it is: nothing that UTF-8 has bytes for. */
  function closeText(): void {
    if (half !== '') write(half);
    half = '';
  }

  function addBytes(bytes: Uint8Array): void {
    closeText();
    if (bytes.length >= largeBytes) return addChunk(bytes);
    makeRoom(bytes.length);
    if (bytes.length <= little) for (let at = 0; at < bytes.length; at += 1) block[used + at] = bytes[at] ?? 0;
    else block.set(bytes, used);
    advance(bytes.length);
  }

  return {
    get length() {
      return half === '' ? length : length + widest;
    },
    add(piece) {
      if (typeof piece === 'string') addText(piece);
      else addBytes(piece);
    },
    take() {
      closeText();
      closeChunk();
      // Who is idle must not hold on to a block.
      source = noBlock;
      const taken = chunks;
      chunks = [];
      length = 0;
      return taken;
    },
  };
}

/** Writes where the shared block goes on; returns the bytes that it took. */
function writeLittle(text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return block.write(text, used);
    block[used + at] = code;
  }
  return text.length;
}

function isFirstHalf(code: number): boolean {
  return (code & 0xfc00) === 0xd800;
}

/** The same bytes in few chunks. */
export function gather(pieces: readonly (string | Uint8Array)[]): Uint8Array[] {
  const batch = createBatch();
  for (const piece of pieces) batch.add(piece);
  return batch.take();
}
