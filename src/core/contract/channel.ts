// The contract of a transport: whole frames in, whole frames out.
import type { ErrorCode } from '../model/errors.ts';
import type { WorkQueue } from './paced-work.ts';
import type { StretchPart } from './stretch.ts';

/** One whole message off the wire: bytes, decoded and parsed on demand. */
export interface Frame {
  readonly bytes: Uint8Array;
  /** Throws a GatewayError `bad-frame` when the bytes are not UTF-8. */
  readonly text: string;
  /** Throws a GatewayError `bad-frame` or `too-deep` (128 levels) when the bytes are not acceptable JSON. */
  readonly json: unknown;
  /** The rest of the frame from that byte on, as a frame of its own. */
  from(byte: number): Frame;
  /** Says which long texts the frame may repeat: `json` then has the same strings and does not read them again. */
  mayRepeat?(texts: () => readonly string[]): void;
}

/** Reads the header in front of a frame. */
export interface FrameHeader {
  /**
   * Reads the header at byte `at`. Returns where the frame behind the header begins; -1 when the bytes before `end` hold
   * no whole header there, or a header of another form than the usual one.
   */
  read(bytes: Uint8Array, at: number, end: number): number;
  /** Bytes of the frame behind the header that was read last. */
  readonly length: number;
}

/** Bytes that are read but not yet cut into frames. Valid only during the call that gets them. */
export interface Peek {
  readonly bytes: Uint8Array;
  /** Reads what stands in front of each frame. Null: nothing does, and each frame ends with an LF instead. */
  readonly header: FrameHeader | null;
  /** Offset of the first LF at `from` or behind it; -1: there is none. Whoever asks, no byte is searched twice. */
  lineEnd(from: number): number;
  /** A range of ASCII bytes as text. */
  ascii(from: number, to: number): string;
  /** A range of bytes as text. Throws a GatewayError `bad-frame` when the bytes are not UTF-8. */
  utf8(from: number, to: number): string;
}

/** The rest of a frame repeats itself: two equal halves with a splice between them. */
export interface Splice {
  /** Offset of the first half from the beginning of the frame. */
  readonly from: number;
  readonly bytes: Uint8Array;
  /** Number of bytes behind the second half. */
  readonly after: number;
}

/** A frame that was recognised by its first bytes (decision 0011). Valid until the next call of `recognise`. */
export interface RecognisedFrame {
  /** Index of the first byte that was not examined; the frame ends there or later. */
  readonly next: number;
  /** The last bytes that the frame must have. */
  readonly ending: Uint8Array;
  /** The splice that the frame must have in its middle, if any. */
  readonly splice: Splice | null;
  /** Called once the rest matches. The frame is consumed: no call of `frame` follows. */
  accept(): void;
}

/** One whole message for the wire: text, or pieces written with one scatter write. Never holds a raw LF. */
export type Out = string | readonly (string | Uint8Array)[];

/** Bytes that never became a frame. The channel continues behind them unless the channel ends. */
export interface FrameFault {
  readonly code: Extract<ErrorCode, 'bad-frame' | 'too-large'>;
  readonly message: string;
  /** Size of the frame, bytes, if known. */
  readonly bytes?: number;
  /** The end of the stream has cut a frame: nothing was lost but its rest, and the end of the channel follows. */
  readonly isCut?: true;
}

/** Why a channel is closed. Each transport maps these codes to its own. */
export type CloseCode =
  | 'normal'
  | 'going-away'
  | 'bad-frame'
  | 'too-large'
  | 'slow'
  | 'moved'
  | 'not-found'
  | 'unauthorized'
  | 'timeout'
  | 'error';

/** The end of a channel, as seen by the gateway. */
export interface Ending {
  /** One sentence, e.g. `agent exited (code 1)`. */
  readonly reason: string;
  /**
   * Output of a child process for people: text before its first frame and the end of its stderr, at most 2 KiB of each.
   */
  readonly detail?: string;
}

/** The receiving end of a channel. All calls are synchronous and in wire order; `end` comes exactly once, last. */
export interface Receiver {
  /** The queue in which arriving frames take their turn. Absent: each frame is taken at once. */
  readonly work?: WorkQueue;
  frame(frame: Frame): void;
  /**
   * Called, if the framing supports it, for a frame that begins at byte `start`; bytes before `end` have been read. A
   * frame behind a header begins behind that header and ends at `end`. Null: the transport cuts the frame out and calls
   * `frame`. Both ways must have the same effect.
   */
  recognise?(peek: Peek, start: number, end: number): RecognisedFrame | null;
  /**
   * Called before `recognise`, if the framing supports it: takes as many whole frames, with their headers, from byte
   * `start` on as are consecutive deltas (decision 0011). Returns the offset behind the last one; `start` if none was taken. No frame is
   * taken that is longer than `maxFrameBytes`.
   */
  takeBurst?(peek: Peek, start: number, end: number, maxFrameBytes: number): number;
  fault(fault: FrameFault): void;
  /** The channel itself has something to say to the users of the sessions behind it, in one sentence. */
  remark?(text: string): void;
  end(ending: Ending): void;
  /**
   * The peer sends nothing more but still reads, like a program whose input was a file. A receiver with this method
   * ends the channel by `close` once everything is sent. A receiver without gets `end` at once.
   */
  inputEnded?(): void;
  /** The peer has read the waiting bytes; more may be sent. */
  drained?(): void;
}

/** One connection. Frames wait unread until `open`. */
export interface Channel {
  /** For logs: `child agent`, `websocket 7`. */
  readonly label: string;
  open(receiver: Receiver): void;
  /**
   * Queues one frame. All frames of one tick leave in one write. Ignored after close. `isShared`: other channels are sent
   * the same frame, so that its bytes are worth keeping for them.
   */
  send(out: Out, isShared?: boolean): void;
  /** Queues frames that were made together, as `send` does with each. Absent: only single frames are taken. */
  sendStretch?(part: StretchPart): void;
  /** Bytes that were sent and that the peer has not read yet. */
  readonly buffered: number;
  /** Stops reading (back-pressure on the peer); `resume` restarts. */
  pause(): void;
  resume(): void;
  /** Idempotent. `end` follows. */
  close(code: CloseCode, reason: string): void;
}
