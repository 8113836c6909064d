// Collects pieces of frames for one write. Text and small byte arrays are copied into a few chunks; large byte arrays are not copied.

/** Bytes this large cost more to copy than a further chunk of a scatter write does. */
const largeBytes = 8 * 1024;
/** Text this long, in UTF-16 units, gets a chunk of its own. */
const longText = 4 * 1024;
/** A loop copies fewer bytes than this faster than a library call. */
const little = 24;
/** Most UTF-8 bytes for one UTF-16 unit. */
const widest = 3;

/**
 * Size of the blocks that all batches share for copies. A byte of a block is written only once, so a chunk may be kept. Blocks
 * are small because one slow peer keeps a whole block alive.
 */
const blockBytes = 32 * 1024;
let block = Buffer.allocUnsafeSlow(blockBytes);
let used = 0;
const noBlock = Buffer.alloc(0);

/** The bytes of one write. */
export interface Batch {
  /** Bytes collected so far. */
  readonly length: number;
  add(piece: string | Uint8Array): void;
  /** Returns the bytes in a few chunks and empties the batch. */
  take(): Uint8Array[];
}

export function createBatch(): Batch {
  let chunks: Uint8Array[] = [];
  let length = 0;
  /** The block that is being filled with copies since the last chunk. */
  let source = noBlock;
  let start = 0;
  let end = 0;
  /** A high surrogate whose low surrogate has not come yet. */
  let half = '';

  function closeChunk(): void {
    if (end > start) chunks.push(source.subarray(start, end));
    start = end;
  }

  /** Ensures room in the shared block behind the current copies. */
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

  /** Writes a lone surrogate as the UTF-8 replacement character. */
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
      // An idle batch must not keep a block alive.
      source = noBlock;
      const taken = chunks;
      chunks = [];
      length = 0;
      return taken;
    },
  };
}

/** Writes a short text into the shared block and returns its length in bytes. */
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

/** Joins pieces into a few chunks. */
export function gather(pieces: readonly (string | Uint8Array)[]): Uint8Array[] {
  const batch = createBatch();
  for (const piece of pieces) batch.add(piece);
  return batch.take();
}
