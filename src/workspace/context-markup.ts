// The format of contexts for the model: elements with attributes (docs/contexts.md). Pure.

/** One element. The content is not escaped, because the reader is a model and not a parser. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  content?: string,
): string {
  const head = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${escaped(value)}"`]))
    .join('');
  if (content === undefined) return `<${name}${head}/>`;
  return `<${name}${head}>\n${content === '' || content.endsWith('\n') ? content : `${content}\n`}</${name}>`;
}

/** Formats a path as one line. */
export function asLine(path: string): string {
  return path.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['"', '&quot;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

function escaped(value: string): string {
  return asLine(value).replace(/[&"<>]/gu, (sign) => entities.get(sign) ?? sign);
}
