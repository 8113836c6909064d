// Cuts one direction of a conversation into the rows of a tape. No byte is lost or changed, whatever the bytes are: what
// is no frame becomes a raw row.
import { plainHeader, type SpokenRow, saidOf } from './row.ts';

/** How a stream is cut. `detect`: by its first bytes. */
export type TapeFraming = 'lines' | 'content-length' | 'detect';

/** One row without direction and time. */
export type Cut = Pick<SpokenRow, 'line' | 'b64' | 'eol' | 'frame' | 'header'>;

/** Takes the bytes of one direction. */
export interface Cutter {
  push(chunk: Uint8Array): void;
  /** Gives the unfinished rest. */
  end(): void;
}

/** Limits of a cutter. */
export interface CutterLimits {
  /** A longer frame is spread over several rows, bytes. Default 32 MiB. */
  readonly rowBytes?: number;
}

const LF = 0x0a;
const CR = 0x0d;
/** A longer header is none, bytes. */
const longestHeader = 8 * 1024;

type State =
  | { readonly phase: 'undecided' }
  | { readonly phase: 'lines' }
  | { readonly phase: 'header' }
  | { readonly phase: 'body'; readonly header: string; readonly length: number }
  | { readonly phase: 'raw' };

/** `cut` is called for each row, inside `push` and `end`. The chunks must not change. */
export function createCutter(
  framing: TapeFraming,
  cut: (row: Cut) => void,
  { rowBytes = 32 * 1024 * 1024 }: CutterLimits = {},
): Cutter {
  let state: State =
    framing === 'detect' ? { phase: 'undecided' } : { phase: framing === 'lines' ? 'lines' : 'header' };
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
      case 'lines':
        return line(bytes);
      case 'header':
        return header(bytes);
      case 'body':
        return body(bytes, state);
      case 'raw':
        cut({ ...saidOf(bytes), frame: 'raw' });
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
    state = { phase: isHeader ? 'header' : 'lines' };
    return all;
  }

  function line(bytes: Buffer): Buffer | null {
    const end = bytes.indexOf(LF);
    const isWhole = end !== -1 && held + end <= rowBytes;
    if (isWhole) {
      hold(bytes.subarray(0, end));
      const all = take();
      const isWindows = all[all.length - 1] === CR;
      cut(isWindows ? { ...saidOf(all.subarray(0, -1)), eol: '\r\n' } : saidOf(all));
      return bytes.subarray(end + 1);
    }
    const room = rowBytes - held;
    if (bytes.length <= room) {
      hold(bytes);
      return null;
    }
    hold(bytes.subarray(0, room));
    cut({ ...saidOf(take()), eol: '' });
    return bytes.subarray(room);
  }

  function header(bytes: Buffer): Buffer | null {
    hold(bytes);
    const all = take();
    const end = headerEnd(all);
    if (end === -1 && all.length <= longestHeader) {
      hold(all);
      return null;
    }
    const text = all.toString('latin1', 0, Math.max(end, 0));
    const length = Number(/^content-length:[ \t]*(\d{1,10})[ \t]*\r?$/imu.exec(text)?.[1] ?? Number.NaN);
    if (Number.isNaN(length) || length > rowBytes) {
      state = { phase: 'raw' };
      return all;
    }
    state = { phase: 'body', header: text, length };
    return all.subarray(end);
  }

  function body(bytes: Buffer, { header: text, length }: Extract<State, { phase: 'body' }>): Buffer | null {
    const missing = length - held;
    hold(bytes.subarray(0, missing));
    if (held < length) return null;
    const isPlain = text === plainHeader(length);
    state = { phase: 'header' };
    cut({ ...saidOf(take()), frame: 'content-length', ...(isPlain ? {} : { header: text }) });
    return bytes.subarray(missing);
  }

  function run(chunk: Buffer): void {
    let rest: Buffer | null = chunk;
    while (rest !== null && (rest.length > 0 || isEmptyBody())) rest = step(rest);
  }

  function isEmptyBody(): boolean {
    return state.phase === 'body' && state.length === 0;
  }

  return {
    push: (chunk) => run(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)),
    end() {
      const open = state;
      const rest = take();
      if (open.phase === 'undecided' || open.phase === 'lines') {
        if (rest.length > 0) cut({ ...saidOf(rest), eol: '' });
        return;
      }
      const all = open.phase === 'body' ? Buffer.concat([Buffer.from(open.header, 'latin1'), rest]) : rest;
      if (all.length > 0) cut({ ...saidOf(all), frame: 'raw' });
      state = { phase: 'raw' };
    },
  };
}

/** The offset behind the blank line that ends the header; -1 if it has not come. */
function headerEnd(bytes: Buffer): number {
  const windows = bytes.indexOf('\r\n\r\n');
  const plain = bytes.indexOf('\n\n');
  if (windows === -1) return plain === -1 ? -1 : plain + 2;
  return plain === -1 || windows < plain ? windows + 4 : plain + 2;
}
