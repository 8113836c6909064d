// Brings a JSON message onto one line.
import { isAppendOnly } from '../../core/model/append-only.ts';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/**
 * Returns the same JSON without line ends (docs/threats.md T14). A raw LF or CR can only occur between tokens, so a space
 * replaces it. U+2028 and U+2029 can only occur inside strings, so they are escaped, for peers that use `readline`.
 */
export function oneLineText(text: string): string {
  // Four searches, because each is a memchr; one regular expression takes forty times as long.
  if (!text.includes('\n') && !text.includes('\r') && !text.includes('\u2028') && !text.includes('\u2029')) return text;
  return text
    .replace(/[\n\r]/g, ' ')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** {@link oneLineText} for encoded pieces, for LF and CR only. Copies only if needed. */
export function oneLineBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.length > fewBytes && isAppendOnly(bytes) ? !hasNewLineEnd(bytes) : !hasLineEnd(bytes)) return bytes;
  return bytes.map((byte) => (byte === LF || byte === CR ? SPACE : byte));
}

/** From this length on, a library search is faster than a loop. */
const fewBytes = 64;

function hasLineEnd(bytes: Uint8Array): boolean {
  if (bytes.length <= fewBytes) {
    for (const byte of bytes) if (byte === LF || byte === CR) return true;
    return false;
  }
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.includes(LF) || view.includes(CR);
}

/** The ranges of append-only buffers that are known to contain no line end. */
const clean = new WeakMap<ArrayBufferLike, { readonly from: number; to: number }>();

/** A growing message is a longer view of the same buffer each time, so only the new bytes are searched. */
function hasNewLineEnd(bytes: Uint8Array): boolean {
  const from = bytes.byteOffset;
  const to = from + bytes.length;
  const seen = clean.get(bytes.buffer);
  if (seen === undefined || from < seen.from || from > seen.to) {
    if (hasLineEnd(bytes)) return true;
    clean.set(bytes.buffer, { from, to });
    return false;
  }
  if (to <= seen.to) return false;
  if (hasLineEnd(bytes.subarray(seen.to - from))) return true;
  seen.to = to;
  return false;
}

/** Brings a piece of either kind onto one line. */
export function oneLine(piece: string | Uint8Array): string | Uint8Array {
  return typeof piece === 'string' ? oneLineText(piece) : oneLineBytes(piece);
}
