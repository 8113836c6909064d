// Channels without a wire: a connected pair for tests and in-process use, and a channel without a peer.
import type { Channel } from '../core/contract/channel.ts';
import { createFrameReader, type FrameReader } from './frame-reader.ts';
import { bytesOf, createFrame } from './framing/frame.ts';
import { createQueue } from './queue.ts';

/** Two connected channels. A frame is delivered on a microtask, and waits while the receiving side is paused. */
export function memoryPair(label = 'memory'): [Channel, Channel] {
  const left = createFrameReader();
  const right = createFrameReader();
  const toRight = createPipe(right, () => left.drained());
  const toLeft = createPipe(left, () => right.drained());
  return [endpoint(`${label} left`, left, toLeft, toRight), endpoint(`${label} right`, right, toRight, toLeft)];
}

/** A channel without a peer: discards every frame, receives nothing, and ends when closed. */
export function nullChannel(label: string): Channel {
  const inlet = createFrameReader();
  return {
    label,
    open: (receiver) => inlet.open(receiver),
    send() {},
    buffered: 0,
    pause: () => inlet.pause(),
    resume: () => inlet.resume(),
    close(_code, reason) {
      inlet.shut();
      inlet.end({ reason });
    },
  };
}

function endpoint(label: string, inlet: FrameReader, inward: Pipe, outward: Pipe): Channel {
  return {
    label,
    open(receiver) {
      inlet.open(receiver);
      inward.move();
    },
    send: (out) => outward.send(bytesOf(out)),
    get buffered() {
      return outward.buffered;
    },
    pause: () => inlet.pause(),
    resume() {
      inlet.resume();
      inward.move();
    },
    close(_code, reason) {
      if (inlet.isEnded) return;
      inward.cut();
      inlet.shut();
      inlet.end({ reason });
      outward.end(`the other end closed: ${reason}`);
    },
  };
}

/** One direction of a pair. */
interface Pipe {
  readonly buffered: number;
  send(bytes: Uint8Array): void;
  /** Delivers waiting frames on a microtask, while the target accepts them. */
  move(): void;
  /** Delivers the frames sent before, then the end. */
  end(reason: string): void;
  /** The reader is gone: discards the waiting frames. */
  cut(): void;
}

function createPipe(target: FrameReader, drained: () => void): Pipe {
  const waiting = createQueue<Uint8Array>();
  let buffered = 0;
  let isOpen = true;
  let ending: string | undefined;
  let scheduled = false;

  function handOver(): void {
    scheduled = false;
    const before = buffered;
    while (target.isOpen && !target.isPaused) {
      const bytes = waiting.take();
      if (bytes === undefined) break;
      buffered -= bytes.length;
      target.frame(createFrame(bytes));
    }
    if (before > 0 && buffered === 0) drained();
    if (waiting.length === 0 && ending !== undefined) target.end({ reason: ending });
  }

  function move(): void {
    if (!scheduled) queueMicrotask(handOver);
    scheduled = true;
  }

  return {
    get buffered() {
      return buffered;
    },
    send(bytes) {
      if (!isOpen) return;
      waiting.add(bytes);
      buffered += bytes.length;
      move();
    },
    move,
    end(reason) {
      if (!isOpen) return;
      isOpen = false;
      ending = reason;
      move();
    },
    cut() {
      isOpen = false;
      waiting.keep(() => false);
      buffered = 0;
    },
  };
}
