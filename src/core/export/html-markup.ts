// Builds HTML so that no text can become markup: whatever is a string is escaped. Knows no page and no conversation.

/** A piece of HTML that is safe to put between tags. */
export interface Markup {
  readonly markup: string;
}

/** Strings are text. */
export type Child = Markup | string;

/** Letters only, so that neither a tag nor an attribute is ever made of foreign text. */
type Name = Lowercase<string>;

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/**
 * Text as HTML text, good between tags and between quotes. Control characters are shown by their pictures (NUL as ␀,
 * the ESC of a terminal's colours as ␛), halves of surrogate pairs as U+FFFD; a page could hold neither.
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

/** One element. Attributes that are undefined are left out; `children` null means that it has no end tag. */
export function element(
  name: Name,
  attributes: Readonly<Record<Name, string | undefined>>,
  children: readonly Child[] | null,
): Markup {
  const said = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${escapeText(value)}"`,
  );
  const open = `<${name}${said.join('')}>`;
  return { markup: children === null ? open : `${open}${join(children)}</${name}>` };
}

/** Several pieces as one. */
export function together(children: readonly Child[]): Markup {
  return { markup: join(children) };
}

function join(children: readonly Child[]): string {
  return children.map((child) => (typeof child === 'string' ? escapeText(child) : child.markup)).join('');
}
