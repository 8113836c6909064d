// The rows of a tape, version 1: one JSON object a line (decision 0028). Whatever was said is kept byte for byte.
import { z } from 'zod';
import type { WireFrame } from './cutter.ts';

/** The first row: what was recorded. Only this row tells the time of day. */
export const MetaRow = z.looseObject({
  dir: z.literal('meta'),
  v: z.literal(1),
  /** Protocol of the agent, as `patchbay agents` lists them. */
  protocol: z.string().optional(),
  /** Name and version of the agent, if known. */
  agent: z.string().optional(),
  version: z.string().optional(),
  /** The command line of the agent. */
  argv: z.array(z.string()).optional(),
  cwd: z.string().optional(),
  /** ISO 8601. */
  startedAt: z.string().optional(),
});
export type MetaRow = z.infer<typeof MetaRow>;

/**
 * A frame. `in` means towards the agent, `err` is the agent's stderr. The bytes on the wire are `header`, then `line` or
 * `b64`, then `eol`. A frame of Content-Length has its body in `line` and no line end.
 */
export const SpokenRow = z.object({
  dir: z.enum(['in', 'out', 'err']),
  line: z.string().optional(),
  /** Instead of `line`, for bytes that are no UTF-8. */
  b64: z.string().optional(),
  /** ms since the start, by a clock that never goes back: the arrival of the last byte. Absent: 0. */
  at: z.number().optional(),
  /** The line end, if it is not `\n`; empty: the line went on, or was cut by the end of the stream. */
  eol: z.enum(['', '\r\n']).optional(),
  /** Absent: a line. `raw`: bytes that are no frame. */
  frame: z.enum(['content-length', 'raw', 'text', 'binary']).optional(),
  /** The header of a frame of Content-Length, if it is not the plainest one. */
  header: z.string().optional(),
  /** The connection, if the tape holds several. */
  conn: z.union([z.string(), z.number()]).optional(),
});
export type SpokenRow = z.infer<typeof SpokenRow>;

/** The client has closed the agent's input. */
export const EndRow = z.object({ dir: z.literal('end'), of: z.literal('in'), at: z.number() });
export type EndRow = z.infer<typeof EndRow>;

/** The last row: how the agent ended. */
export const ExitRow = z.object({
  dir: z.literal('exit'),
  code: z.number().nullable(),
  signal: z.string().nullable(),
  at: z.number().optional(),
});
export type ExitRow = z.infer<typeof ExitRow>;

/** A remark that was not on the wire. */
export interface NoteRow {
  readonly dir: 'note';
  readonly line: string;
  readonly at: number;
}

/** A row as a writer makes it. */
export type Row = MetaRow | SpokenRow | EndRow | ExitRow | NoteRow;

/** The row as a line of a tape, with its LF. */
export function rowText(row: Row): string {
  return `${JSON.stringify(row)}\n`;
}

/** The plainest header of a frame of Content-Length. */
export function plainHeader(bytes: number): string {
  return `Content-Length: ${bytes}\r\n\r\n`;
}

/** The bytes of the frame alone, without header and line end. */
export function bodyOf({ line, b64 }: Pick<SpokenRow, 'line' | 'b64'>): Buffer {
  return b64 === undefined ? Buffer.from(line ?? '', 'utf8') : Buffer.from(b64, 'base64');
}

/** The bytes that were on the wire. */
export function wireBytes(row: Pick<SpokenRow, 'line' | 'b64' | 'eol' | 'frame' | 'header'>): Buffer {
  const body = bodyOf(row);
  switch (row.frame) {
    case undefined:
      return Buffer.concat([body, Buffer.from(row.eol ?? '\n')]);
    case 'content-length':
      return Buffer.concat([Buffer.from(row.header ?? plainHeader(body.length), 'latin1'), body]);
    case 'raw':
    case 'text':
    case 'binary':
      return body;
    default:
      throw row.frame satisfies never;
  }
}

/** The frame as a row without direction and time. */
export function spokenOf({ kind, head, body, tail }: WireFrame): Omit<SpokenRow, 'dir' | 'at'> {
  switch (kind) {
    case 'line':
    case 'part':
      return { ...saidOf(body), ...(tail.length === 1 ? {} : { eol: tail.length === 0 ? '' : '\r\n' }) };
    case 'message': {
      const header = head.toString('latin1');
      return {
        ...saidOf(body),
        frame: 'content-length',
        ...(header === plainHeader(body.length) ? {} : { header }),
      };
    }
    case 'raw':
      return { ...saidOf(body), frame: 'raw' };
    default:
      throw kind satisfies never;
  }
}

// Keeps a byte order mark: a tape loses no byte.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `line` for UTF-8, `b64` for all other bytes. */
export function saidOf(bytes: Uint8Array): Pick<SpokenRow, 'line' | 'b64'> {
  try {
    return { line: utf8.decode(bytes) };
  } catch {
    return { b64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') };
  }
}
