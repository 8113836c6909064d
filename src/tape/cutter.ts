// Cuts one direction of a conversation into frames. No byte is lost or changed, whatever the bytes are: what is no frame
// comes as raw bytes.

/** How a stream is cut. `detect`: by its first bytes. */
export type CutFraming = 'lines' | 'content-length' | 'detect';

/** A frame on the wire: `head`, `body` and `tail`, one behind the other. */
export interface WireFrame {
  /** `part`: of a line that is too long. `raw`: bytes that are no frame. */
  readonly kind: 'line' | 'message' | 'part' | 'raw';
  /** The header; empty for lines. */
  readonly head: Buffer;
  readonly body: Buffer;
  /** The line end; empty for messages, and where a line goes on or the stream ended. */
  readonly tail: Buffer;
}

/** Takes the bytes of one direction. */
export interface Cutter {
  push(chunk: Uint8Array): void;
  /** Gives the unfinished rest. */
  end(): void;
}

/** Limits of a cutter. */
export interface CutterLimits {
  /** A longer line comes in parts of this size, and a longer message as raw bytes. Default 32 MiB. */
  readonly frameBytes?: number;
}

const LF = 0x0a;
const CR = 0x0d;
/** A longer header is none, bytes. */
const longestHeader = 8 * 1024;
const empty: Buffer = Buffer.alloc(0);

type State =
  | { readonly phase: 'undecided' }
  /** `isLong`: a part of this line was given. */
  | { readonly phase: 'line'; readonly isLong: boolean }
  | { readonly phase: 'header' }
  | { readonly phase: 'body'; readonly head: Buffer; readonly length: number }
  | { readonly phase: 'raw' };

const newLine: State = { phase: 'line', isLong: false };

/** `cut` is called for each frame, inside `push` and `end`. The chunks must not change. */
export function createCutter(
  framing: CutFraming,
  cut: (frame: WireFrame) => void,
  { frameBytes = 32 * 1024 * 1024 }: CutterLimits = {},
): Cutter {
  let state: State = framing === 'detect' ? { phase: 'undecided' } : firstOf(framing);
  let parts: Buffer[] = [];
  let held = 0;

  function hold(part: Buffer): void {
    parts.push(part);
    held += part.length;
  }

  function take(): Buffer {
    const [only, second] = parts;
    const all = only !== undefined && second === undefined ? only : Buffer.concat(parts);
    parts = [];
    held = 0;
    return all;
  }

  /** Takes one step. Returns the bytes that are still to be read; null: more are needed. */
  function step(bytes: Buffer): Buffer | null {
    switch (state.phase) {
      case 'undecided':
        return decide(bytes);
      case 'line':
        return line(bytes, state.isLong);
      case 'header':
        return header(bytes);
      case 'body':
        return body(bytes, state);
      case 'raw':
        giveRaw(bytes);
        return null;
      default:
        throw state satisfies never;
    }
  }

  function decide(bytes: Buffer): Buffer | null {
    hold(bytes);
    if (held < 'Content-'.length && !bytes.includes(LF)) return null;
    const all = take();
    const isHeader = /^content-/iu.test(all.toString('latin1', 0, 'Content-'.length));
    state = firstOf(isHeader ? 'content-length' : 'lines');
    return all;
  }

  function line(bytes: Buffer, isLong: boolean): Buffer | null {
    const end = bytes.indexOf(LF);
    if (end !== -1 && held + end <= frameBytes) {
      hold(bytes.subarray(0, end + 1));
      giveLine(take(), isLong);
      state = newLine;
      return bytes.subarray(end + 1);
    }
    const room = frameBytes - held;
    if (bytes.length <= room) {
      hold(bytes);
      return null;
    }
    hold(bytes.subarray(0, room));
    state = { phase: 'line', isLong: true };
    giveLine(take(), true);
    return bytes.subarray(room);
  }

  function header(bytes: Buffer): Buffer | null {
    hold(bytes);
    const all = take();
    const found = /\r?\n\r?\n/u.exec(all.toString('latin1', 0, longestHeader));
    if (found === null && all.length < longestHeader) {
      hold(all);
      return null;
    }
    const head = all.subarray(0, found === null ? 0 : found.index + found[0].length);
    const told = /^content-length:[ \t]*(\d{1,10})[ \t]*\r?$/imu.exec(head.toString('latin1'));
    const length = Number(told?.[1] ?? Number.NaN);
    if (!(length <= frameBytes)) {
      state = { phase: 'raw' };
      return all;
    }
    state = { phase: 'body', head, length };
    return all.subarray(head.length);
  }

  function body(bytes: Buffer, { head, length }: Extract<State, { phase: 'body' }>): Buffer | null {
    const missing = length - held;
    hold(bytes.subarray(0, missing));
    if (held < length) return null;
    state = { phase: 'header' };
    cut({ kind: 'message', head, body: take(), tail: empty });
    return bytes.subarray(missing);
  }

  function giveLine(all: Buffer, isLong: boolean): void {
    const end = all.at(-1) === LF ? all.length - (all.at(-2) === CR ? 2 : 1) : all.length;
    cut({ kind: isLong ? 'part' : 'line', head: empty, body: all.subarray(0, end), tail: all.subarray(end) });
  }

  function giveRaw(bytes: Buffer): void {
    if (bytes.length > 0) cut({ kind: 'raw', head: empty, body: bytes, tail: empty });
  }

  function isEmptyBody(): boolean {
    return state.phase === 'body' && state.length === 0;
  }

  return {
    push(chunk) {
      let rest: Buffer | null = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      while (rest !== null && (rest.length > 0 || isEmptyBody())) rest = step(rest);
    },
    end() {
      const open = state;
      const rest = take();
      state = { phase: 'raw' };
      if (open.phase === 'undecided' || open.phase === 'line') {
        if (rest.length > 0) giveLine(rest, open.phase === 'line' && open.isLong);
      } else giveRaw(open.phase === 'body' ? Buffer.concat([open.head, rest]) : rest);
    },
  };
}

function firstOf(framing: 'lines' | 'content-length'): State {
  return framing === 'lines' ? newLine : { phase: 'header' };
}

/** All bytes of the frame. */
export function wholeOf({ head, body, tail }: WireFrame): Buffer {
  return head.length === 0 && tail.length === 0 ? body : Buffer.concat([head, body, tail]);
}
