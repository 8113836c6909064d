// What every framing gives: bytes to frames and back, pure and bounded. Knows no stream and no protocol.
import type { Frame, FrameFault, RecognisedFrame, Peek, Out } from '../../core/contract/channel.ts';
import type { FramingName } from '../../core/contract/adapter.ts';

/** Where a decoder puts what it finds, synchronously and in wire order. */
export interface FrameSink {
  frame(frame: Frame): void;
  /** See Receiver: a chance to read a frame without having it cut out. */
  recognise?(peek: Peek, start: number, end: number): RecognisedFrame | null;
  fault(fault: FrameFault): void;
}

/** Turns a stream of bytes into frames. How the stream is cut into chunks never matters. */
export interface FrameDecoder {
  /** The chunk is kept by reference until its frames are let go, and must not change; see `reusedChunks`. */
  push(chunk: Uint8Array): void;
  /** The stream is over: what is left is delivered or dropped. What is pushed then is another stream. */
  end(): void;
  /** A fault was told behind which nothing can be cut into frames any more: what is pushed until the end is ignored. */
  readonly isBroken?: boolean;
}

/** Limits and choices of a decoder. */
export interface DecoderOptions {
  /** A longer frame costs bounded memory, is skipped and reported once as a `too-large` fault. */
  readonly maxFrameBytes: number;
  /** A frame that the end of the stream cut short. Default `deliver`: it is tried once (docs/faults.md F6). */
  readonly tail?: 'deliver' | 'drop';
  /** The caller reads into the same chunk again after `push`: what goes beyond the call is copied, frames must not. */
  readonly reusedChunks?: boolean;
  /** Frames of no bytes. Default `skip`; some protocols answer them. */
  readonly blank?: 'deliver' | 'skip';
}

/** One way to cut a stream of bytes into frames. */
export interface Framing {
  readonly name: FramingName;
  decoder(sink: FrameSink, options: DecoderOptions): FrameDecoder;
  /** The frame as it goes on the wire. */
  encode(out: Out): Out;
  /** The same in one piece. Where it is there, each frame leaves in a write of its own; otherwise many leave in one. */
  readonly apart?: (out: Out) => Uint8Array;
}
