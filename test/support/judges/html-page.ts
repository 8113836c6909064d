// Reads an exported page with its own eyes: every `<` begins a tag from a short list, every tag is closed, every
// attribute is known and quoted. Shares no code with the renderer; more is refused than a browser would refuse.

/** What a page may be made of: the attributes of each element. */
const allowed: ReadonlyMap<string, readonly string[]> = new Map([
  ['html', ['lang']],
  ['head', []],
  ['meta', ['charset', 'http-equiv', 'content', 'name']],
  ['title', []],
  ['style', []],
  ['body', []],
  ['header', []],
  ['main', []],
  ['h1', ['dir']],
  ['h2', []],
  ['h3', []],
  ['p', ['class', 'role']],
  ['div', ['class', 'dir']],
  ['article', ['class']],
  ['details', ['class']],
  ['summary', []],
  ['code', []],
  ['time', ['datetime']],
  ['a', ['href', 'rel']],
  ['img', ['src', 'alt']],
]);

const empty: ReadonlySet<string> = new Set(['meta', 'img']);

/** One element, with what is in it. */
export interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (PageElement | string)[];
}

/** The tree of a page. Throws at the first thing that a page must not hold. */
export function readPage(html: string): PageElement {
  const root: PageElement = { name: '', attributes: {}, children: [] };
  const open: PageElement[] = [root];
  const body = html.replace(/^<!doctype html>\n<!-- Patchbay session export -->\n/u, '');
  if (body === html) throw new Error('it does not begin as an export begins');
  for (const [token] of body.matchAll(/<[^>]*>|[^<]+|</gu)) {
    const inner = open.at(-1) ?? root;
    if (!token.startsWith('<')) {
      inner.children.push(textOf(token, inner.name));
      continue;
    }
    const end = /^<\/([a-z\d]+)>$/u.exec(token)?.[1];
    if (end !== undefined) {
      if (open.length < 2 || inner.name !== end) throw new Error(`</${end}> closes <${inner.name}>`);
      open.pop();
      continue;
    }
    const element = startTag(token);
    inner.children.push(element);
    if (!empty.has(element.name)) open.push(element);
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> is never closed`);
  return root;
}

function startTag(token: string): PageElement {
  const [, name = '', rest = ''] = /^<([a-z\d]+)((?: [a-z-]+="[^"<>]*")*)>$/u.exec(token) ?? [];
  const known = allowed.get(name);
  if (known === undefined) throw new Error(`a tag that is none: ${token.slice(0, 80)}`);
  const attributes: Record<string, string> = {};
  for (const [, key = '', value = ''] of rest.matchAll(/ ([a-z-]+)="([^"]*)"/gu)) {
    if (!known.includes(key)) throw new Error(`<${name}> has ${key}`);
    attributes[key] = textOf(value, name);
  }
  return { name, attributes, children: [] };
}

const marks: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text that a browser shows. A style sheet is no text: nothing in it is decoded. */
function textOf(raw: string, inside: string): string {
  if (/[^\P{Cc}\n\t]|\p{Cs}/u.test(raw)) throw new Error('it holds a control character or half a surrogate pair');
  if (inside === 'style') return raw;
  return raw.replace(/&([^;]{0,6};?)/gu, (_all, word: string) => {
    const mark = word.endsWith(';') ? marks[word.slice(0, -1)] : undefined;
    if (mark === undefined) throw new Error(`& that is no reference: ${word}`);
    return mark;
  });
}

/** All elements of that name below, in order. */
export function elementsOf(element: PageElement, name: string): PageElement[] {
  return element.children.flatMap((child) =>
    typeof child === 'string' ? [] : [...(child.name === name ? [child] : []), ...elementsOf(child, name)],
  );
}

/** All text below. */
export function shownText(element: PageElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : shownText(child))).join('');
}

/** The elements below as `name.class`, without text: what hostile words must never change. */
export function skeleton(element: PageElement): string {
  const inner = element.children.flatMap((child) => (typeof child === 'string' ? [] : [skeleton(child)])).join(' ');
  const { class: classes } = element.attributes;
  const label = classes === undefined ? element.name : `${element.name}.${classes.replaceAll(' ', '.')}`;
  return inner === '' ? label : `${label}(${inner})`;
}
