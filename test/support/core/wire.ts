// A channel whose far end is the test: everything is synchronous, except that an end follows a close one tick later.
import type { Channel, CloseCode, Ending, Receiver } from '../../../src/core/contract/channel.ts';
import type { Clock } from '../../../src/core/contract/clock.ts';
import { bytesOf, createFrame } from '../../../src/transports/framing/frame.ts';

/** One channel, seen from its far end. */
export interface Wire {
  readonly channel: Channel;
  /** Frames that came out, as text. */
  readonly sent: string[];
  /** Each call of `close`. */
  readonly closings: { readonly code: CloseCode; readonly reason: string }[];
  readonly isPaused: boolean;
  readonly hasEnded: boolean;
  /** Calls of `pause` and `resume`, in order. */
  readonly pauses: ('pause' | 'resume')[];
  /** What the channel says waits in its socket. */
  buffered: number;
  /** When set, each frame sent adds its bytes to `buffered`. */
  fills: boolean;
  frame(text?: string): void;
  /** Bytes that never became a frame; `isCut`: the end of the stream is what cut them. */
  fault(message: string, isCut?: true): void;
  /** The peer sends nothing more: the end, for a receiver that does not know that. */
  half(): void;
  /** Empties the socket and says so. */
  drain(): void;
  /** The peer goes away. */
  end(ending: Ending): void;
}

/** A new channel on that clock. */
export function createWire(clock: Clock, label = 'wire'): Wire {
  let receiver: Receiver | null = null;
  let ended = false;

  function listener(): Receiver {
    if (receiver === null) throw new Error('nobody has opened the channel');
    return receiver;
  }
  function end(ending: Ending): void {
    if (ended) return;
    ended = true;
    listener().end(ending);
  }

  const wire: Wire = {
    sent: [],
    closings: [],
    pauses: [],
    buffered: 0,
    fills: false,
    get isPaused() {
      return wire.pauses.at(-1) === 'pause';
    },
    get hasEnded() {
      return ended;
    },
    frame: (text = '') => listener().frame(createFrame(Buffer.from(text))),
    fault: (message, isCut) =>
      listener().fault(isCut === true ? { code: 'bad-frame', message, isCut } : { code: 'too-large', message }),
    half() {
      const { inputEnded } = listener();
      if (inputEnded === undefined) end({ reason: 'the peer sends nothing more' });
      else inputEnded();
    },
    drain() {
      wire.buffered = 0;
      listener().drained?.();
    },
    end,
    channel: {
      label,
      open(opened) {
        receiver = opened;
      },
      send(out) {
        if (wire.closings.length > 0 || ended) return;
        const bytes = bytesOf(out);
        wire.sent.push(bytes.toString());
        if (wire.fills) wire.buffered += bytes.length;
      },
      get buffered() {
        return wire.buffered;
      },
      pause: () => void wire.pauses.push('pause'),
      resume: () => void wire.pauses.push('resume'),
      close(code, reason) {
        wire.closings.push({ code, reason });
        // Never inside `close`: transports promise that (decision 0002).
        clock.after(0, () => end({ reason }));
      },
    },
  };
  return wire;
}
