// What has arrived from a peer and is taken in turns (docs/limits.md 6.2): chunks of bytes and whole messages, in order.
import { type PacedTask, unpaced } from '../core/contract/paced-work.ts';
import type { FrameReader } from './frame-reader.ts';
import { createQueue } from './queue.ts';

/** Bytes that may wait before the peer is not read any more. */
export const mostWaitingBytes = 1024 * 1024;

/** One portion of a chunk, bytes: the largest, and the smallest after portions that took too long. */
const portion = { most: 64 * 1024, least: 1024 };
/** A portion that takes longer than `long` is followed by a smaller one, one below `short` by a larger one, ms. */
const pace = { long: 2, short: 0.5 };
/**
 * No further portion of what waits is taken in a step after so many ms and so many bytes. Each reader of a session gets
 * one write for what was taken (docs/limits.md 6.4), so few portions in a step make many writes.
 */
const step = { ms: 1, bytes: 4 * portion.most };
/** Messages are taken together up to so many and so many bytes. */
const messages = { count: 32, bytes: 16 * 1024 };

/** The decoder, the source, and the reader that what arrives is for. */
export interface PacedInputPorts {
  readonly inlet: FrameReader;
  /** Takes a part of a chunk. Returns how many of its bytes were taken; the others are passed again once the inlet is resumed. */
  decode(bytes: Uint8Array): number;
  /** Few enough bytes wait again: the source may be read. Called after {@link PacedInput.isFull} was true. */
  roomy(): void;
  /** Nothing waits any more. */
  emptied?(): void;
}

/** A chunk without the portions that were taken; empty once all was taken. */
interface Chunk {
  left: Uint8Array;
}

type Item = Chunk | { readonly bytes: number; take(): void };

/** A class: each connection has one, and most of the time nothing waits in it. */
export class PacedInput implements PacedTask {
  readonly #ports: PacedInputPorts;
  readonly #items = createQueue<Item>();
  #bytes = 0;
  #isOverfull = false;
  /** What is taken next, before the items. Mostly the only one, so that no list is made for it. */
  #first: Item | null = null;
  #portionBytes = portion.most / 4;

  constructor(ports: PacedInputPorts) {
    this.#ports = ports;
  }

  get isEmpty(): boolean {
    return this.#first === null && this.#items.length === 0;
  }

  /** The source must not be read for now. */
  get isFull(): boolean {
    return this.#isOverfull;
  }

  /** Adds bytes for the decoder. */
  push(chunk: Uint8Array): void {
    this.#add({ left: chunk }, chunk.length);
  }

  /** Adds bytes that the caller overwrites afterwards. The decoder must copy what it keeps. */
  pushReused(chunk: Uint8Array): void {
    const item = { left: chunk };
    try {
      this.#add(item, chunk.length);
    } finally {
      // Mostly nothing is left.
      if (item.left.length > 0) item.left = Buffer.from(item.left);
    }
  }

  /** Adds a message, or anything else that comes behind what was added before. */
  add(bytes: number, take: () => void): void {
    this.#add({ bytes, take }, bytes);
  }

  /** To be called when the inlet was opened or resumed. */
  resume(): void {
    if (!this.isEmpty) this.#run();
  }

  /** Forgets what waits. */
  clear(): void {
    this.#items.keep(() => false);
    this.#first = null;
    this.#took(this.#bytes);
  }

  step(): number | null {
    const { inlet } = this.#ports;
    if (!inlet.isOpen || inlet.isPaused || this.isEmpty) return null;
    const before = this.#bytes;
    try {
      this.#takeSome();
    } finally {
      // What a receiver throws keeps nothing back: what waits is taken in another step.
      if (this.isEmpty) this.#ports.emptied?.();
      else this.#run();
    }
    return this.isEmpty ? null : before - this.#bytes;
  }

  #add(item: Item, bytes: number): void {
    if (this.isEmpty) this.#first = item;
    else this.#items.add(item);
    this.#bytes += bytes;
    this.#run();
    if (this.#bytes > mostWaitingBytes) this.#isOverfull = true;
  }

  #run(): void {
    (this.#ports.inlet.work ?? unpaced).run(this);
  }

  #took(bytes: number): void {
    this.#bytes -= bytes;
    if (!this.#isOverfull || this.#bytes > mostWaitingBytes / 2) return;
    this.#isOverfull = false;
    this.#ports.roomy();
  }

  #takeSome(): void {
    const { inlet } = this.#ports;
    let bytes = 0;
    for (let count = 0; count < messages.count && bytes < messages.bytes && !inlet.isPaused; count += 1) {
      const item: Item | undefined = this.#first ?? this.#items.take();
      if (item === undefined) return;
      this.#first = null;
      if ('left' in item) return this.#takePortions(item);
      bytes += item.bytes;
      this.#took(item.bytes);
      item.take();
    }
  }

  #cut(chunk: Chunk, taken: number): void {
    chunk.left = chunk.left.subarray(taken);
    if (chunk.left.length === 0) this.#first = null;
    this.#took(taken);
  }

  #takePortions(chunk: Chunk): void {
    const before = this.#bytes;
    let spent = this.#takePortion(chunk);
    while (spent < step.ms && before - this.#bytes < step.bytes && !this.#ports.inlet.isPaused) {
      const item: Item | null = this.#first ?? this.#items.take() ?? null;
      this.#first = item;
      if (item === null || !('left' in item)) return;
      spent += this.#takePortion(item);
    }
  }

  /** Returns how long it took, ms. */
  #takePortion(chunk: Chunk): number {
    const part = chunk.left.subarray(0, this.#portionBytes);
    // In front of all that is added meanwhile.
    this.#first = chunk;
    // A decoder that throws has had the whole portion.
    let taken = part.length;
    const start = performance.now();
    try {
      taken = this.#ports.decode(part);
    } finally {
      // Otherwise nothing waits any more: the input was cleared meanwhile.
      if (this.#first === chunk) this.#cut(chunk, taken);
    }
    const spent = performance.now() - start;
    if (spent > pace.long) this.#portionBytes = Math.max(portion.least, this.#portionBytes / 2);
    else if (spent < pace.short) this.#portionBytes = Math.min(portion.most, this.#portionBytes * 2);
    return spent;
  }
}
