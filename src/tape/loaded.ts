// A tape ready to be played: one connection of it, its protocol known, and its frames framed as this protocol frames them.
import { protocolOfTape } from './protocol-guess.ts';
import { readTape, type Tape, TapeError, type TapeFrame } from './reader.ts';

/** A tape ready to be played. */
export interface LoadedTape extends Tape {
  /** The protocol of the agent; null if nobody knows. */
  readonly protocol: string | null;
}

/** What a caller may know better. */
export interface LoadOptions {
  /** The connection to be played. Default: the first. */
  readonly conn?: string | undefined;
  readonly protocol?: string | undefined;
  /** Whether the agents of a protocol frame by Content-Length on stdio. */
  isByLength(protocol: string): boolean;
}

/** Reads a tape. Throws a {@link TapeError}. */
export function loadTape(text: string, options: LoadOptions): LoadedTape {
  const tape = readTape(text);
  const conn = options.conn ?? tape.frames[0]?.conn ?? '';
  const mine = tape.frames.filter((frame) => frame.conn === conn);
  if (mine.length === 0) throw new TapeError(conn === '' ? 'nothing was said in it' : `it has no connection ${conn}`);
  const protocol = options.protocol ?? protocolOfTape({ ...tape, frames: mine });
  const isFramed = mine.some(({ row: { frame } }) => frame === 'content-length' || frame === 'raw');
  // Recordings of parsed messages and of frames do not say how these were framed, and messages of WebSockets were not.
  const isByLength = protocol !== null && !isFramed && options.isByLength(protocol);
  return { ...tape, protocol, frames: mine.map(isByLength ? byLength : asLine) };
}

/** A message of a WebSocket is a line where a tape is played; it may have its line end already. */
function asLine(message: TapeFrame): TapeFrame {
  const { frame, ...row } = message.row;
  if (frame !== 'text' && frame !== 'binary') return message;
  return { ...message, row: message.text.endsWith('\n') ? { ...row, eol: '' } : row };
}

function byLength(frame: TapeFrame): TapeFrame {
  if (frame.dir === 'err') return frame;
  const { eol: _, ...row } = frame.row;
  return { ...frame, row: { ...row, frame: 'content-length' } };
}
