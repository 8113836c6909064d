// Builds HTML in which no text can become markup: every string is escaped. A page is written in parts, because a
// conversation may be long (docs/limits.md 6.8).

/**
 * A piece of HTML that is safe to put between tags: ready, the value of an attribute, or of pieces that are asked for
 * while it is written.
 */
export type Markup = { readonly markup: string } | { readonly quoted: string } | { readonly pieces: Iterable<Child> };

/** A piece of HTML, or a string that will be escaped as text between tags. */
export type Child = Markup | string;

/** Lowercase literals only, so that no tag or attribute name comes from untrusted text. */
type Name = Lowercase<string>;

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** What is escaped between tags. Quotes stay: JSON is full of quotes, and each would take six characters. */
const inText = /[&<>]/gu;
/** What is escaped in the value of an attribute. */
const inQuotes = /[&<>"']/gu;

/**
 * Control characters become their symbols (NUL as ␀, ESC as ␛) and lone surrogates become U+FFFD, because HTML can hold
 * neither.
 */
function escaped(text: string, marks: RegExp): string {
  return text
    .replace(/\r\n?/gu, '\n')
    .replace(marks, (mark) => entities.get(mark) ?? mark)
    .replace(/\p{Cc}/gu, pictureOf)
    .replace(/\p{Cs}/gu, '\ufffd');
}

function pictureOf(control: string): string {
  if (control === '\n' || control === '\t') return control;
  const code = control.charCodeAt(0);
  if (code === 0x7f) return '\u2421';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
}

/** Builds an element. Undefined attributes are left out. `children: null` means that the element has no end tag. */
export function element(
  name: Name,
  attributes: Readonly<Record<Name, string | undefined>>,
  children: Iterable<Child> | null,
): Markup {
  const pieces: Child[] = [{ markup: `<${name}` }];
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) pieces.push({ markup: ` ${key}="` }, { quoted: value }, { markup: '"' });
  }
  pieces.push({ markup: '>' });
  if (children !== null) pieces.push({ pieces: children }, { markup: `</${name}>` });
  return { pieces };
}

/** Joins several pieces. */
export function together(children: Iterable<Child>): Markup {
  return { pieces: children };
}

/** A piece without text. One that makes its pieces by work gives this one where the writer may stop meanwhile. */
export const pause: Child = '';

/** One part of what is written: so many characters, or pieces. */
const portion = { characters: 16 * 1024, pieces: 512 };

/** Writes markup in parts, which are empty for work that has no text yet. */
export function* written(markup: Markup): Generator<string, void> {
  const open: Iterator<Child>[] = [[markup][Symbol.iterator]()];
  let part = '';
  let count = 0;
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const { done, value } = inner.next();
    if (done === true) open.pop();
    else if (typeof value !== 'string' && 'markup' in value) part += value.markup;
    else if (typeof value !== 'string' && 'pieces' in value) open.push(value.pieces[Symbol.iterator]());
    else {
      const [text, marks] = typeof value === 'string' ? [value, inText] : [value.quoted, inQuotes];
      for (let from = 0; from < text.length; ) {
        const end = endOfSlice(text, from);
        part += escaped(text.slice(from, end), marks);
        from = end;
        if (from === text.length) break;
        yield part;
        part = '';
      }
    }
    count += 1;
    if (part.length < portion.characters && count < portion.pieces) continue;
    yield part;
    part = '';
    count = 0;
  }
  yield part;
}

/** The end of the slice of a text that is escaped at once. Pairs that are escaped as one are not cut. */
function endOfSlice(text: string, from: number): number {
  const end = from + portion.characters;
  if (end >= text.length) return text.length;
  return /^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(text.slice(end - 1, end + 1)) ? end + 1 : end;
}
