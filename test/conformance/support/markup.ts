// A strict reader of XML and XML-like HTML, independent of the code that writes it. Throws at the first ambiguity.

/** One element with its content. */
export interface MarkupElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (MarkupElement | string)[];
}

const named: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Parses a document with one root element. `empty`: elements without an end tag. `raw`: elements whose text is no
 * markup.
 */
export function readMarkup(
  text: string,
  {
    empty = new Set<string>(),
    raw = new Set<string>(),
  }: { empty?: ReadonlySet<string>; raw?: ReadonlySet<string> } = {},
): MarkupElement {
  const wrong = /[^\P{Cc}\n\t]|\p{Cs}|[\ufffe\uffff]/u.exec(text);
  if (wrong !== null) throw new Error(`U+${wrong[0].charCodeAt(0).toString(16)} may not stand in it`);
  const root: MarkupElement = { name: '', attributes: new Map(), children: [] };
  const open = [root];
  const body = text.replace(/^(?:<\?xml version="1\.0" encoding="UTF-8"\?>|<!doctype html>)\n/u, '');
  if (body === text) throw new Error('it does not begin as it should');
  for (const [token] of body.matchAll(/<!--(?:(?!--)[\s\S])*-->|<[^<>]*>|[^<]+|</gu)) {
    const inner = open.at(-1) ?? root;
    if (token.startsWith('<!--')) continue;
    if (!token.startsWith('<')) {
      if (token.includes(']]>')) throw new Error('the end of a CDATA section stands in text');
      inner.children.push(raw.has(inner.name) ? token : decoded(token));
      continue;
    }
    const end = /^<\/([a-z][a-z\d-]*)>$/u.exec(token)?.[1];
    if (end !== undefined) {
      if (inner.name !== end) throw new Error(`</${end}> closes <${inner.name}>`);
      open.pop();
      continue;
    }
    const [, name, attributes = '', closed] = /^<([a-z][a-z\d-]*)((?: [a-z-]+="[^"]*")*)(\/?)>$/u.exec(token) ?? [];
    if (name === undefined) throw new Error(`a tag that is none: ${token.slice(0, 80)}`);
    const read = [...attributes.matchAll(/ ([a-z-]+)="([^"]*)"/gu)].map(
      ([, key = '', value = '']) => [key, decoded(value)] as const,
    );
    const element: MarkupElement = { name, attributes: new Map(read), children: [] };
    if (element.attributes.size !== read.length) throw new Error(`an attribute of <${name}> comes twice`);
    inner.children.push(element);
    if (closed !== '/' && !empty.has(name)) open.push(element);
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> is never closed`);
  const [only, ...more] = root.children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  if (only === undefined || typeof only === 'string' || more.length > 0) throw new Error('it is not one element');
  return only;
}

function decoded(text: string): string {
  return text.replace(/&([^;&]{0,8};?)/gu, (_all, word: string) => {
    const code = /^#(\d+);$/u.exec(word)?.[1];
    if (code === '9' || code === '10' || code === '39') return String.fromCharCode(Number(code));
    const mark = word.endsWith(';') ? named.get(word.slice(0, -1)) : undefined;
    if (mark === undefined) throw new Error(`& that is no reference: ${word}`);
    return mark;
  });
}

/** All elements with that name, including the element itself, in order. */
export function allOf(element: MarkupElement, name: string): MarkupElement[] {
  const below = element.children.flatMap((child) => (typeof child === 'string' ? [] : allOf(child, name)));
  return element.name === name ? [element, ...below] : below;
}

/** The element and all elements below it. */
export function everyOf(element: MarkupElement): MarkupElement[] {
  return [element, ...element.children.flatMap((child) => (typeof child === 'string' ? [] : everyOf(child)))];
}

/** The joined text below the element. */
export function textIn(element: MarkupElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');
}

/** Element names and attribute names without any text: hostile text must never change them. */
export function skeletonOf({ name, attributes, children }: MarkupElement): string {
  const inner = children.flatMap((child) => (typeof child === 'string' ? [] : [skeletonOf(child)])).join(' ');
  return `${[name, ...attributes.keys()].join('.')}(${inner})`;
}
