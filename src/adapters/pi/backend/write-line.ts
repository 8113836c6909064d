// Writes a line for pi.

/**
 * One JSON line. U+2028 and U+2029 are escaped: pi up to 0.56 reads with readline, which splits on them on newer Node
 * versions (docs/protocols/pi.md 3.5).
 */
export function writeLine(line: object): string {
  return JSON.stringify(line).replace(/[\u2028\u2029]/g, (mark) => (mark === '\u2028' ? '\\u2028' : '\\u2029'));
}
