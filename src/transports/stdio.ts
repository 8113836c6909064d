// A channel on our own stdin and stdout, for a client that has started us. The framing is a parameter.
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Channel } from '../core/contract/channel.ts';
import type { StretchPart } from '../core/contract/stretch.ts';
import { createFrameReader } from './frame-reader.ts';
import { createFrameWriter } from './frame-writer.ts';
import type { Framing } from './framing/framing.ts';
import { jsonl } from './framing/jsonl.ts';
import { PacedInput } from './paced-input.ts';

/** The streams and their framing. */
export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly label: string;
  readonly framing?: Framing;
  /** Default 8 MiB. */
  readonly maxFrameBytes?: number;
  /** Whether empty frames are delivered; default `skip`. */
  readonly blank?: 'deliver' | 'skip';
  /** How long `close` waits for a client that does not read; default 1000. */
  readonly closeGraceMs?: number;
}

/**
 * The end of the input calls `half`, or without it ends the channel with `client closed its input`. A closed output
 * (EPIPE) ends the channel without a fault, with `client closed its output`. An input that can no longer be split into
 * frames ends the channel after a fault, because the client can send no further request (docs/threats.md T15).
 */
export function stdioChannel(options: StdioOptions): Channel {
  const { input, output, label, framing = jsonl, maxFrameBytes = 8 * 1024 * 1024, closeGraceMs = 1000 } = options;
  const inlet = createFrameReader();
  const outlet = createFrameWriter(output, framing, () => inlet.drained());
  const decoder = framing.decoder(inlet, { maxFrameBytes, blank: options.blank, isPaused: () => inlet.isPaused });
  const arrived = new PacedInput({ inlet, decode, roomy: readOn, emptied: endWhenTaken });
  let closed = false;
  /** The stream has ended; what it has brought may still wait. */
  let inputEnded = false;
  /** The client has been heard to its end. */
  let inputOver = false;
  let isStopped = false;

  function decode(bytes: Uint8Array): number {
    const taken = decoder.push(bytes);
    if (decoder.isBroken === true) inputBroken();
    return taken;
  }

  function read(chunk: Uint8Array): void {
    arrived.push(chunk);
    // The stream may have read ahead before we paused it.
    if (inlet.isPaused || arrived.isFull) input.pause();
  }

  /** Reads on, unless somebody wants otherwise. */
  function readOn(): void {
    if (!isStopped && !inlet.isPaused && !arrived.isFull) input.resume();
  }

  function end(): void {
    inputEnded = true;
    endWhenTaken();
  }

  function endWhenTaken(): void {
    if (!inputEnded || !arrived.isEmpty || closed || inputOver) return;
    inputOver = true;
    decoder.end();
    inlet.half({ reason: 'client closed its input' });
  }

  function inputBroken(): void {
    inputOver = true;
    inlet.end({ reason: 'client sent what cannot be cut into frames' });
    stopReading();
  }

  /** The reader of a pipe may close at any time (docs/threats.md T29), which causes EPIPE. */
  function outputEnded(): void {
    inlet.end({ reason: 'client closed its output' });
    stopReading();
  }

  /**
   * Stops for good. Node continues to read a pipe paused in the middle of a chunk, which would keep the process alive.
   */
  function stopReading(): void {
    isStopped = true;
    arrived.clear();
    input.off('data', read).pause();
    if (input instanceof Socket) input.unref();
  }

  input.on('end', end).on('error', end).on('close', end);
  output.on('error', outputEnded).on('close', outputEnded);

  function sendStretch(part: StretchPart): void {
    if (!closed) outlet.sendStretch?.(part);
  }

  return {
    label,
    sendStretch: outlet.sendStretch === undefined ? undefined : sendStretch,
    open(receiver) {
      inlet.open(receiver);
      if (!isStopped) input.on('data', read);
      if (input.destroyed || input.readableEnded) end();
    },
    send(out) {
      if (!closed) outlet.send(out);
    },
    get buffered() {
      return outlet.buffered;
    },
    pause() {
      inlet.pause();
      input.pause();
    },
    resume() {
      inlet.resume();
      arrived.resume();
      readOn();
    },
    close(_code, reason) {
      if (closed) return;
      closed = true;
      inlet.shut();
      stopReading();
      const over = () => {
        clearTimeout(grace);
        inlet.end({ reason });
      };
      const grace = setTimeout(over, closeGraceMs);
      output.once('finish', over);
      if (!output.writable) over();
      outlet.end();
    },
  };
}
