// Makes foreign text safe to show: no cursor movement, no change of writing direction, no megabytes.

/** Foreign text, cut to that many characters, with a note of its full length. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text.slice(0, most).replace(/[\ud800-\udbff]$/u, '');
  return `${head}… (cut: ${text.length.toLocaleString('en')} characters)`;
}

/** Cuts around a place in the text, and keeps enough of its beginning to recognise it. */
export function cutAround(text: string, most: number, place: number | undefined): string {
  const head = Math.min(80, Math.floor(most / 3));
  const rest = most - head;
  const lead = Math.floor(rest / 3);
  // The text at `place` is visible when the place is this far from the cut.
  if (text.length <= most || place === undefined || place + lead <= most) return cut(text, most);
  const from = Math.max(head, Math.min(place - lead, text.length - rest));
  const [start, part] = [text.slice(0, head), text.slice(from, from + rest)].map((one) =>
    one.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/gu, ''),
  );
  const end = from + rest < text.length ? '…' : '';
  return `${start} … ${part}${end} (cut: ${text.length.toLocaleString('en')} characters)`;
}

/** Removes the last messages, which a timeout quotes at the end of its reason; the report shows them below. */
export function withoutLastWords(reason: string): string {
  return reason.replace(/; the last that was said:\n[\s\S]*?(?=; it said:\n|$)/u, '');
}

/** Cuts without a note, for names. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}

/** Characters that are invisible or change how the rest is read. */
const unseen = /\p{Cc}|\p{Cs}|\p{Bidi_Control}|[\u2028\u2029\ufeff\ufffe\uffff]/gu;

/**
 * Makes every character visible: control characters as their pictures (the ESC of colours as ␛), lone surrogates as
 * U+FFFD, characters that turn the writing direction as their numbers. Line feeds and tabs stay.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unseen, (mark) => {
    if (mark === '\n' || mark === '\t') return mark;
    const code = mark.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Foreign text, shortened and with control characters made visible. */
export const foreign = (text: string, most: number): string => visible(cut(text, most));

/** Like {@link visible}, on one line. */
export function oneLine(text: string): string {
  return visible(text).replaceAll('\n', ' ⏎ ').replaceAll('\t', ' ');
}

/** Characters that a terminal draws over two columns. */
const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff00-\uff60]/u;
/** Characters that a terminal draws onto the one before. */
const joined = /\p{M}|\u200d/u;

/** Width of a text in terminal columns. */
export function widthOf(text: string): number {
  let width = 0;
  for (const sign of text) width += wide.test(sign) ? 2 : joined.test(sign) ? 0 : 1;
  return width;
}

/** Pads with blanks to that many columns; `side`: where the text stands. */
export function padded(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return side === 'left' ? text + blanks : blanks + text;
}

/** Wraps into lines of at most that many columns, at blanks where possible. */
export function wrapped(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, columns));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let [open, width] = ['', 0];
  for (const word of line.split(/(?<= )/u)) {
    if (open !== '' && width + widthOf(word.trimEnd()) > columns) {
      lines.push(open.trimEnd());
      [open, width] = ['', 0];
    }
    for (const sign of word) {
      const more = widthOf(sign);
      if (width + more > columns && sign !== ' ') {
        lines.push(open);
        [open, width] = ['', 0];
      }
      open += sign;
      width += more;
    }
  }
  return [...lines, open.trimEnd()];
}

/** A duration for human readers. */
export function durationOf(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
