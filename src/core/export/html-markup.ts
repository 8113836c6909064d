// Builds HTML in which no text can become markup: every string is escaped.

/** A piece of HTML that is safe to put between tags. */
export interface Markup {
  readonly markup: string;
}

/** A piece of HTML, or a string that will be escaped. */
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

/**
 * Escapes text for use between tags and between quotes. Control characters become their symbols (NUL as ␀, ESC as ␛)
 * and lone surrogates become U+FFFD, because HTML can hold neither.
 */
export function escapeText(text: string): string {
  return text
    .replace(/\r\n?/gu, '\n')
    .replace(/[&<>"']/gu, (mark) => entities.get(mark) ?? mark)
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
  children: readonly Child[] | null,
): Markup {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${escapeText(value)}"`,
  );
  const open = `<${name}${written.join('')}>`;
  return { markup: children === null ? open : `${open}${join(children)}</${name}>` };
}

/** Joins several pieces. */
export function together(children: readonly Child[]): Markup {
  return { markup: join(children) };
}

function join(children: readonly Child[]): string {
  return children.map((child) => (typeof child === 'string' ? escapeText(child) : child.markup)).join('');
}
