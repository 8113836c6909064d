// The lines of a segment: one JSON object each, whose last field is a checksum of everything before it (decision 0025).
import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { StoredHead } from '../../core/contract/store/session-store.ts';

/** The version of the format that this version writes. It reads all versions up to this one. */
export const formatVersion = 1;

/** The first line of a segment. */
export interface SegmentHeader {
  readonly patchbay: 'journal';
  readonly version: number;
  readonly session: string;
  readonly fence: number;
  /** Records before the snapshot of this segment are missing: they could not be written. */
  readonly gap: boolean;
  readonly head: StoredHead;
}

/** Length of `,"crc":"01234567"}`. */
const sealLength = 18;

const sealOf = (crc: number): string => `,"crc":"${crc.toString(16).padStart(8, '0')}"}`;

/** The line of a JSON object that has at least one field, with its line feed. */
export function lineOf(json: string): string {
  const body = json.slice(0, -1);
  return `${body}${sealOf(crc32(body))}\n`;
}

/** Characters of a long line that are written at once: a fraction of a millisecond. */
const portion = 64 * 1024;

/** A line that may be too long to be one string: portions of its text, the last with seal and line feed. */
export function* lineInPortions(pieces: Iterable<string>): Generator<string> {
  let crc = 0;
  let waiting = '';
  for (const piece of pieces) {
    // The last piece is held back: the closing brace of the object comes behind the checksum.
    if (waiting.length >= portion) {
      crc = crc32(waiting, crc);
      yield waiting;
      waiting = '';
    }
    waiting += piece;
  }
  const body = waiting.slice(0, -1);
  yield `${body}${sealOf(crc32(body, crc))}\n`;
}

/** The object of a line without its line feed; null if the line is damaged. */
export function objectOf(line: Buffer): Readonly<Record<string, unknown>> | null {
  if (line.length <= sealLength || !isUtf8(line)) return null;
  const bodyEnd = line.length - sealLength;
  const body = line.subarray(0, bodyEnd);
  if (line.toString('latin1', bodyEnd) !== sealOf(crc32(body))) return null;
  try {
    const value: unknown = JSON.parse(`${body.toString()}}`);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Whether a value of JSON is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value of JSON is the head of that session. */
export function isHead(value: unknown, session: string): value is StoredHead {
  return isObject(value) && value.session === session;
}

/** JSON text of a value in pieces; a piece is a part at that depth, or a leaf above it. */
export function* jsonPieces(value: unknown, depth: number): Generator<string> {
  if (depth === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  let before = '';
  if (Array.isArray(value)) {
    yield '[';
    for (const item of value) {
      yield before;
      yield* jsonPieces(item, depth - 1);
      before = ',';
    }
    yield ']';
    return;
  }
  yield '{';
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined || typeof field === 'function') continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* jsonPieces(field, depth - 1);
    before = ',';
  }
  yield '}';
}
