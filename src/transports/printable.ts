// Makes text of a peer safe for logs and error messages (docs/threats.md T18).

/** Control characters (also the start of ANSI sequences), line separators, and marks that change the text direction. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes these characters, except LF and TAB, as `\x1b` or `\u2028`. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => {
    if (character === '\n' || character === '\t') return character;
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

/** The last `maxBytes` of the text in UTF-8, cut between characters. */
export function lastBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let from = Math.max(0, bytes.length - maxBytes);
  while (from < bytes.length && isContinuation(bytes[from])) from += 1;
  return bytes.toString('utf8', from);
}

/** The first `maxBytes` of the text in UTF-8, cut between characters. */
export function firstBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let to = maxBytes;
  while (to > 0 && isContinuation(bytes[to])) to -= 1;
  return bytes.toString('utf8', 0, to);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
