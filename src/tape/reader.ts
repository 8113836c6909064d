// The one reader of tapes: those that we record, and older recordings without times, header and exit.
import { dictionaryIn } from '../core/model/dictionary.ts';
import { bodyOf, EndRow, ExitRow, MetaRow, SpokenRow, wireBytes } from './row.ts';

/** The text is no tape. The message names the line. */
export class TapeError extends Error {
  override readonly name = 'TapeError';
}

/** A frame of a tape. */
export interface TapeFrame {
  /** The line of the file, from 1. */
  readonly number: number;
  readonly dir: 'in' | 'out' | 'err';
  /** Name of the connection; empty where the tape has only one. */
  readonly conn: string;
  /** ms since the start; 0 if the tape has no times. */
  readonly at: number;
  /** The frame as text, without header and line end. Bytes that are no UTF-8 are replaced. */
  readonly text: string;
  /** Bytes that are no frame of the protocol: with their header, cut short, or no text. */
  readonly isRaw: boolean;
  readonly row: SpokenRow;
}

/** A tape that was read. */
export interface Tape {
  readonly meta: MetaRow | null;
  readonly frames: readonly TapeFrame[];
  /** When the agent's input was closed, ms; null if the tape does not say. */
  readonly inputEndedAt: number | null;
  readonly exit: ExitRow | null;
  /** False if rows hold parsed messages: the bytes of the wire are unknown then. */
  readonly isBitTrue: boolean;
  /** The skipped lines with their numbers. */
  readonly remarks: readonly string[];
}

/** `dir` values of rows that hold no frame. */
const unspoken: ReadonlySet<unknown> = new Set(['note', 'mark', 'argv', 'fault']);

/**
 * A row is `{"dir":"in"|"out"|"err","line":"…"}` with the line as it was on the wire, or has the message as JSON in
 * `msg`. `in` means towards the agent. `in-raw` and `out-raw` are bytes with their header. `note`, `mark`, `argv` and
 * `fault` rows were not on the wire. A last row without a line end may be cut off. Throws a {@link TapeError}.
 */
export function readTape(text: string): Tape {
  const frames: TapeFrame[] = [];
  const remarks: string[] = [];
  let meta: MetaRow | null = null;
  let exit: ExitRow | null = null;
  let inputEndedAt: number | null = null;
  let isBitTrue = true;
  const lines = text.replace(/^\ufeff/u, '').split('\n');
  lines.forEach((raw, index) => {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line.trim() === '') return;
    const number = index + 1;
    const row = dictionaryIn(line);
    if (row === null && number === lines.length) {
      remarks.push(`line ${number}: the last row is cut off`);
      return;
    }
    if (row === null)
      throw new TapeError(
        `line ${number} is no row: expected {"dir":"in"|"out","line":"…"}, found ${line.slice(0, 60)}${hint(line)}`,
      );
    const { dir } = row;
    if (dir === undefined) throw new TapeError(`line ${number} has no dir${hint(line)}`);
    if (unspoken.has(dir)) return;
    const isSaid = dir === 'in' || dir === 'out' || dir === 'err' || dir === 'in-raw' || dir === 'out-raw';
    if (isSaid) {
      const frame = frameOf(row, number);
      if (row.msg !== undefined && row.line === undefined) isBitTrue = false;
      frames.push(frame);
      return;
    }
    if (dir === 'meta') meta = known(MetaRow.safeParse(row), number);
    else if (dir === 'exit') exit = known(ExitRow.safeParse(row), number);
    else if (dir === 'end') inputEndedAt = known(EndRow.safeParse(row), number).at;
    else remarks.push(`line ${number}: passed over, for its dir is ${JSON.stringify(dir)?.slice(0, 60)}`);
  });
  return { meta, frames, inputEndedAt, exit, isBitTrue, remarks };
}

type Parsed<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly error: { readonly issues: readonly { readonly message: string }[] } };

function known<T>(parsed: Parsed<T>, number: number): T {
  if (parsed.success) return parsed.data;
  throw new TapeError(`line ${number} is no row of a tape of version 1: ${parsed.error.issues[0]?.message ?? ''}`);
}

function frameOf(fields: Readonly<Record<string, unknown>>, number: number): TapeFrame {
  const dirs = { in: 'in', 'in-raw': 'in', out: 'out', 'out-raw': 'out', err: 'err' } as const;
  const dir = dirs[fields.dir as keyof typeof dirs];
  const isWithHeader = fields.dir === 'in-raw' || fields.dir === 'out-raw';
  const { line, b64, msg, conn, at } = fields;
  const said = typeof line === 'string' ? line : isWithHeader && typeof msg === 'string' ? msg : undefined;
  if (said === undefined && typeof b64 !== 'string' && msg === undefined)
    throw new TapeError(`line ${number} has neither a line nor a msg`);
  const row = known(
    SpokenRow.safeParse({
      dir,
      ...(typeof b64 === 'string' && said === undefined ? { b64 } : { line: said ?? JSON.stringify(msg) }),
      ...(typeof at === 'number' ? { at } : {}),
      ...(fields.eol === undefined ? {} : { eol: fields.eol }),
      ...(isWithHeader ? { frame: 'raw' } : fields.frame === undefined ? {} : { frame: fields.frame }),
      ...(fields.header === undefined ? {} : { header: fields.header }),
      ...(typeof conn === 'string' || typeof conn === 'number' ? { conn } : {}),
    }),
    number,
  );
  return {
    number,
    dir,
    conn: row.conn === undefined ? '' : String(row.conn),
    at: row.at ?? 0,
    text: row.line ?? bodyOf(row).toString('utf8'),
    isRaw: row.frame === 'raw' || row.b64 !== undefined,
    row,
  };
}

/** Extends an error message when the line looks like a frame and not like a row. */
function hint(line: string): string {
  return dictionaryIn(line) === null ? '' : '; are these the bare lines of one side? Then say whose';
}

/** Everything that was said in one direction, byte for byte. */
export function bytesOf(tape: Pick<Tape, 'frames'>, dir: TapeFrame['dir']): Buffer {
  return Buffer.concat(tape.frames.filter((frame) => frame.dir === dir).map(({ row }) => wireBytes(row)));
}
