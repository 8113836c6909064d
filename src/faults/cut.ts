// Cuts one direction into frames with all of their bytes, so that what no fault touches passes as it came.

/** How a stream is cut. `detect`: by its first bytes. */
export type CutFraming = 'lines' | 'content-length' | 'detect';

/** A frame on the wire: `head`, `body` and `tail`, one behind the other. */
export interface WireFrame {
  /** The header; empty for lines. */
  readonly head: Buffer;
  readonly body: Buffer;
  /** The line end; empty for Content-Length, and where the stream ended. */
  readonly tail: Buffer;
  /** False: bytes that are no frame, or part of one that is too long. Faults leave those alone. */
  readonly isWhole: boolean;
}

/** Takes the bytes of one direction. The chunks must not change. */
export interface FrameCutter {
  push(chunk: Buffer): WireFrame[];
  end(): WireFrame[];
}

const empty: Buffer = Buffer.alloc(0);
const LF = 0x0a;
/** A longer header is none, bytes. */
const longestHeader = 8 * 1024;

/** Frames longer than `mostBytes` pass in pieces that are no frames. */
export function createFrameCutter(framing: CutFraming, mostBytes = 8 * 1024 * 1024): FrameCutter {
  let state: CutFraming | 'raw' | 'long-line' = framing;
  let held: Buffer = empty;

  function next(): WireFrame | null {
    switch (state) {
      case 'detect':
        if (held.length < 'Content-'.length && !held.includes(LF)) return null;
        state = /^content-/iu.test(held.toString('latin1', 0, 'Content-'.length)) ? 'content-length' : 'lines';
        return next();
      case 'lines':
      case 'long-line':
        return line();
      case 'content-length':
        return message();
      case 'raw':
        return rest();
      default:
        throw state satisfies never;
    }
  }

  function line(): WireFrame | null {
    const end = held.indexOf(LF);
    const isLong = state === 'long-line';
    if (end === -1) {
      if (held.length <= mostBytes && !isLong) return null;
      state = 'long-line';
      return rest();
    }
    state = 'lines';
    const all = take(end + 1);
    const from = all[end - 1] === 0x0d ? end - 1 : end;
    return { head: empty, body: all.subarray(0, from), tail: all.subarray(from), isWhole: !isLong };
  }

  function message(): WireFrame | null {
    const found = /\r?\n\r?\n/u.exec(held.toString('latin1', 0, longestHeader));
    if (found === null && held.length < longestHeader) return null;
    const end = found === null ? 0 : found.index + found[0].length;
    const text = held.toString('latin1', 0, end);
    const length = Number(/^content-length:[ \t]*(\d{1,10})[ \t]*\r?$/imu.exec(text)?.[1] ?? Number.NaN);
    if (!(length <= mostBytes)) {
      state = 'raw';
      return rest();
    }
    if (held.length < end + length) return null;
    return { head: take(end), body: take(length), tail: empty, isWhole: true };
  }

  function take(bytes: number): Buffer {
    const taken = held.subarray(0, bytes);
    held = held.subarray(bytes);
    return taken;
  }

  function rest(): WireFrame | null {
    if (held.length === 0) return null;
    return { head: empty, body: take(held.length), tail: empty, isWhole: false };
  }

  function all(): WireFrame[] {
    const frames: WireFrame[] = [];
    for (let frame = next(); frame !== null; frame = next()) frames.push(frame);
    return frames;
  }

  return {
    push(chunk) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      return all();
    },
    end() {
      const frames = all();
      const last = rest();
      // The last line counts without its end.
      if (last !== null) frames.push({ ...last, isWhole: state === 'lines' || state === 'detect' });
      return frames;
    },
  };
}

/** All bytes of the frame. */
export function bytesOf({ head, body, tail }: WireFrame): Buffer {
  return head.length === 0 && tail.length === 0 ? body : Buffer.concat([head, body, tail]);
}
