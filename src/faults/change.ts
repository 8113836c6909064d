// Faults that change the bytes of a frame.
import { type WireFrame, wholeOf } from '../tape/cutter.ts';
import { chance, type Place } from './chance.ts';

const empty = Buffer.alloc(0);

/** What is behind byte `at` of the frame is lost; -1: the second half. */
export function truncated(frame: WireFrame, at: number): WireFrame {
  const all = wholeOf(frame);
  const end = at === -1 ? frame.head.length + Math.floor(frame.body.length / 2) : at;
  return { ...frame, head: empty, body: all.subarray(0, end), tail: empty };
}

/** A frame of the same kind that is no JSON: the last character is lost. Its header is right. */
export function withBadJson(frame: WireFrame): WireFrame {
  return withBody(frame, frame.body.subarray(0, Math.max(0, frame.body.length - 1)));
}

/** The frame with another body, and a header that fits. */
function withBody(frame: WireFrame, body: Buffer): WireFrame {
  if (frame.head.length === 0) return { ...frame, body };
  const head = frame.head.toString('latin1').replace(/^(content-length:[ \t]*)\d+/imu, `$1${body.length}`);
  return { ...frame, head: Buffer.from(head, 'latin1'), body };
}

/** A line with CR LF; a header with LF alone. */
export function withOtherLineEnds(frame: WireFrame): WireFrame {
  if (frame.head.length === 0) return frame.tail.length === 0 ? frame : { ...frame, tail: Buffer.from('\r\n') };
  return { ...frame, head: Buffer.from(frame.head.toString('latin1').replaceAll('\r\n', '\n'), 'latin1') };
}

/** The frame behind a byte order mark, which is in the body if there is a header. */
export function withMark(frame: WireFrame): WireFrame {
  return withBody(frame, Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), frame.body]));
}

/** Bytes that are no UTF-8, and a line end. */
export function garbage(bytes: number, place: Place): WireFrame {
  const body = Buffer.alloc(bytes);
  // From 0x80 to 0xff: no line end, and never text, as the first one is no beginning of a character.
  for (let at = 0; at < bytes; at += 1) body[at] = 0x80 + Math.floor(chance(place, at + 2) * (at === 0 ? 0x40 : 0x80));
  return { head: empty, body, tail: Buffer.from('\n'), kind: 'line' };
}

/** A frame of that size in the framing of `like`, as its beginning, the byte that fills it, and its end. */
export function hugeFrame(like: WireFrame, bytes: number): { readonly begin: Buffer; readonly end: Buffer } {
  const open = '{"type":"huge","data":"';
  const head = like.head.length === 0 ? '' : `Content-Length: ${open.length + bytes + 2}\r\n\r\n`;
  return { begin: Buffer.from(head + open), end: Buffer.from(head === '' ? '"}\n' : '"}') };
}

/** Most pieces of one frame. What is left comes in one. */
const mostPieces = 100;

/** The bytes in pieces. */
export function inPieces(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (; at < bytes.length && pieces.length < mostPieces - 1; at += size) pieces.push(bytes.subarray(at, at + size));
  if (at < bytes.length) pieces.push(bytes.subarray(at));
  return pieces;
}
