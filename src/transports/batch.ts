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

/** A class: each connection has one, and nearly all of them are empty. */
class Collector implements Batch {
  #chunks: Uint8Array[] = [];
  #length = 0;
  /** The block that is being filled with copies since the last chunk. */
  #source = noBlock;
  #start = 0;
  #end = 0;
  /** A high surrogate whose low surrogate has not come yet. */
  #half = '';

  get length(): number {
    return this.#half === '' ? this.#length : this.#length + widest;
  }

  add(piece: string | Uint8Array): void {
    if (typeof piece === 'string') this.#addText(piece);
    else this.#addBytes(piece);
  }

  take(): Uint8Array[] {
    this.#closeText();
    this.#closeChunk();
    // An idle batch must not keep a block alive.
    this.#source = noBlock;
    const taken = this.#chunks;
    this.#chunks = [];
    this.#length = 0;
    return taken;
  }

  #closeChunk(): void {
    if (this.#end > this.#start) this.#chunks.push(this.#source.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }

  /** Ensures room in the shared block behind the current copies. */
  #makeRoom(bytes: number): void {
    if (this.#source === block && this.#end === used && blockBytes - used >= bytes) return;
    this.#closeChunk();
    if (blockBytes - used < bytes) {
      block = Buffer.allocUnsafeSlow(blockBytes);
      used = 0;
    }
    this.#source = block;
    this.#start = used;
  }

  #advance(bytes: number): void {
    used += bytes;
    this.#end = used;
    this.#length += bytes;
  }

  #addChunk(chunk: Uint8Array): void {
    this.#closeChunk();
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  #write(text: string): void {
    if (text.length > longText) return this.#addChunk(Buffer.from(text));
    this.#makeRoom(text.length * widest);
    this.#advance(text.length <= little ? writeLittle(text) : block.write(text, used));
  }

  #addText(text: string): void {
    if (text === '') return;
    const whole = this.#half + text;
    this.#half = isFirstHalf(whole.charCodeAt(whole.length - 1)) ? whole.slice(-1) : '';
    this.#write(this.#half === '' ? whole : whole.slice(0, -1));
  }

  /** Writes a lone surrogate as the UTF-8 replacement character. */
  #closeText(): void {
    if (this.#half !== '') this.#write(this.#half);
    this.#half = '';
  }

  #addBytes(bytes: Uint8Array): void {
    this.#closeText();
    if (bytes.length >= largeBytes) return this.#addChunk(bytes);
    this.#makeRoom(bytes.length);
    if (bytes.length <= little) for (let at = 0; at < bytes.length; at += 1) block[used + at] = bytes[at] ?? 0;
    else block.set(bytes, used);
    this.#advance(bytes.length);
  }
}

export function createBatch(): Batch {
  return new Collector();
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
