// The interface of every framing: bytes to frames and back, pure and bounded.

import type { FramingName } from '../../core/contract/adapter/adapter.ts';
import type { Frame, FrameFault, Out, Peek, RecognisedFrame } from '../../core/contract/channel.ts';
import type { StretchPart } from '../../core/contract/stretch.ts';

/** Receives the frames and faults of a decoder, synchronously and in wire order. */
export interface FrameSink {
  frame(frame: Frame): void;
  /** See Receiver: takes a frame by its first bytes, before it is cut out. */
  recognise?(peek: Peek, start: number, end: number): RecognisedFrame | null;
  /** See Receiver: takes many frames at once, before they are cut out. */
  takeBurst?(peek: Peek, start: number, end: number, maxFrameBytes: number): number;
  fault(fault: FrameFault): void;
}

/** Turns a stream of bytes into frames. The chunk boundaries never matter. */
export interface FrameDecoder {
  /**
   * Takes a chunk. Frames refer to its bytes, so the bytes must not change; see `reusedChunks`. Returns how many bytes were
   * taken: all, unless `isPaused` says otherwise. The caller pushes the others again later.
   */
  push(chunk: Uint8Array): number;
  /** Ends the stream. An open frame is delivered or dropped. A later push starts a new stream. */
  end(): void;
  /** True after a fault that makes later frame boundaries unknown. Everything until the end is ignored then. */
  readonly isBroken?: boolean;
}

/** Limits and choices of a decoder. */
export interface DecoderOptions {
  /** A longer frame costs bounded memory, is skipped and reported once as a `too-large` fault. */
  readonly maxFrameBytes: number;
  /**
   * What happens to a frame that the end of the stream has cut. Default `deliver` (docs/faults.md F6); a framing that
   * knows the length of each frame reports a fault instead.
   */
  readonly tail?: 'deliver' | 'drop';
  /** The caller reuses the chunk after `push`. The decoder copies what it keeps and every frame that it cuts out. */
  readonly reusedChunks?: boolean;
  /**
   * Whether frames would have to wait. Asked in front of each frame: a frame that waits costs more than its bytes, because
   * it cannot be recognised any more. Absent: the decoder takes each chunk whole.
   */
  readonly isPaused?: () => boolean;
  /** Frames of no bytes. Default `skip`; some protocols answer them. */
  readonly blank?: 'deliver' | 'skip';
}

/** One way to cut a stream of bytes into frames. */
export interface Framing {
  readonly name: FramingName;
  decoder(sink: FrameSink, options: DecoderOptions): FrameDecoder;
  /** Encodes a frame for the wire. */
  encode(out: Out): Out;
  /** Encodes a frame in one piece. If present, each frame leaves in its own write; otherwise many share one write. */
  readonly apart?: (out: Out) => Uint8Array;
  /** As `apart`, for frames that were made together. Absent: such frames come one by one. */
  readonly apartAll?: (part: StretchPart) => readonly Uint8Array[];
}
