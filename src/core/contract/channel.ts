// What a transport gives: whole frames in, whole frames out. Knows no protocol and no socket.
import type { ErrorCode } from '../model/errors.ts';

/** One whole message off the wire: bytes, decoded and parsed only when somebody asks. */
export interface Frame {
  readonly bytes: Uint8Array;
  /** Throws a GatewayError `bad-frame` when the bytes are not UTF-8. */
  readonly text: string;
  /** Throws a GatewayError `bad-frame` or `too-deep` (128 levels) when the bytes are not acceptable JSON. */
  readonly json: unknown;
  /** What begins at that byte, as a frame of its own. */
  from(byte: number): Frame;
}

/** Bytes that were read and not cut into frames yet. Valid during the call that it is given to. */
export interface Peek {
  readonly bytes: Uint8Array;
  /** Those bytes as text, where they are ASCII. */
  ascii(from: number, to: number): string;
  /** Those bytes as text. Throws a GatewayError `bad-frame` when they are not UTF-8. */
  utf8(from: number, to: number): string;
}

/** The rest of a frame says the same twice: two halves of one length with a splice between them. */
export interface Splice {
  /** Where the first half begins, counted from the beginning of the frame. */
  readonly from: number;
  readonly bytes: Uint8Array;
  /** How many bytes stand behind the second half. */
  readonly after: number;
}

/** What the first bytes of a frame gave away (decision 0011). Used up before the next glance. */
export interface RecognisedFrame {
  /** Index of the first byte that was not looked at; the frame ends there or later. */
  readonly next: number;
  /** The last bytes of the frame, if it is what it looks like. */
  readonly ending: Uint8Array;
  /** What must stand in its middle, if anything. */
  readonly splice: Splice | null;
  /** It is: take it in. The frame is not cut out and not told by `frame`. */
  accept(): void;
}

/** One whole message for the wire: text, or pieces written with one scatter write. Never holds a raw LF. */
export type Out = string | readonly (string | Uint8Array)[];

/** Bytes that never became a frame. The channel goes on behind them unless it ends. */
export interface FrameFault {
  readonly code: Extract<ErrorCode, 'bad-frame' | 'too-large'>;
  readonly message: string;
  /** How large the frame was, where that is known. */
  readonly bytes?: number;
}

/** Why a channel is closed; a closed list, which each transport maps to its own codes. */
export type CloseCode =
  | 'normal'
  | 'going-away'
  | 'bad-frame'
  | 'too-large'
  | 'slow'
  | 'not-found'
  | 'unauthorized'
  | 'error';

/** How a channel ended, as seen from here. */
export interface Ending {
  /** One sentence, e.g. `agent exited (code 1)`. */
  readonly reason: string;
  /** What a child said to people: its words before the first frame and the end of its stderr, at most 2 KiB of each. */
  readonly detail?: string;
}

/** Who listens to a channel. All calls are synchronous and in wire order; `end` comes exactly once, last. */
export interface Receiver {
  frame(frame: Frame): void;
  /**
   * Asked, where the framing can, about a frame that begins at `start` of these bytes; what is before `end` was read.
   * Null: it must be cut out and told by `frame`. Both ways must mean the same.
   */
  recognise?(peek: Peek, start: number, end: number): RecognisedFrame | null;
  fault(fault: FrameFault): void;
  end(ending: Ending): void;
  /**
   * The peer will send nothing more but still reads, as a program does whose input was a file. A receiver without this
   * is told `end` at once; one with it ends the channel by `close` when it has said everything.
   */
  inputEnded?(): void;
  /** The peer took what was waiting; more may be sent. */
  drained?(): void;
}

/** One connection. Frames wait unread until `open`. */
export interface Channel {
  /** For logs: `child agent`, `websocket 7`. */
  readonly label: string;
  open(receiver: Receiver): void;
  /** Queues one frame; what is sent in one tick leaves in one write. Ignored after close. */
  send(out: Out): void;
  /** Bytes handed over and not yet taken by the peer. */
  readonly buffered: number;
  /** Stop and restart reading (back-pressure on the peer). */
  pause(): void;
  resume(): void;
  /** Idempotent. `end` follows. */
  close(code: CloseCode, reason: string): void;
}
