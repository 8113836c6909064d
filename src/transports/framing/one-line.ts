// Keeps one message on one line, whatever is in it. Knows only that messages are JSON.

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/**
 * The same JSON without line ends (threat T14). A raw LF or CR can only stand between two tokens, so a space says the
 * same; U+2028 and U+2029 can only stand inside strings, so they are escaped for peers that read lines with `readline`.
 */
export function oneLineText(text: string): string {
  // Four searches, because each is a memchr; one regular expression takes forty times as long.
  if (!text.includes('\n') && !text.includes('\r') && !text.includes('\u2028') && !text.includes('\u2029')) return text;
  return text
    .replace(/[\n\r]/g, ' ')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** The same for encoded pieces, LF and CR only. Copies only when it must. */
export function oneLineBytes(bytes: Uint8Array): Uint8Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.indexOf(LF) === -1 && view.indexOf(CR) === -1) return bytes;
  return bytes.map((byte) => (byte === LF || byte === CR ? SPACE : byte));
}

/** Either of the two. */
export function oneLine(piece: string | Uint8Array): string | Uint8Array {
  return typeof piece === 'string' ? oneLineText(piece) : oneLineBytes(piece);
}
