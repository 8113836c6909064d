// Collects the message kinds that a specification names in its examples, types and tables.
import type { Code, ProtocolDocument } from './document-headings.ts';

/** Every name once. */
export function kindsIn(document: ProtocolDocument): readonly string[] {
  return [...new Set([...document.code.flatMap(inCode), ...inTables(document.prose), ...inLists(document.prose)])];
}

function inCode(code: Code): string[] {
  if (code.language === 'json') return inJson(code.text);
  // Only `type: 'x'` names a kind; an alternative of several values is a field.
  if (code.language === 'typescript')
    return [...code.text.matchAll(/\btype: ["']([\w$/]+)["'](?!\s*\|)/gu)].map(([, name = '']) => name);
  return [];
}

/**
 * Finds `type` and `command` of a message, and `type` of a wrapped event. Examples are not strict JSON, so the search
 * counts braces.
 */
function inJson(text: string): string[] {
  const found: string[] = [];
  const path: string[] = [];
  let key = '';
  for (const [token, word, name] of text.matchAll(/"((?:[^"\\]|\\.)*)"\s*(:)?|[{}[\]]/gu)) {
    if (token === '{' || token === '[') path.push(key);
    else if (token === '}' || token === ']') path.pop();
    else if (name === ':') key = word ?? '';
    else if (word !== undefined) {
      const isOuter = path.length === 1 && (key === 'type' || key === 'command');
      const isInner =
        path.length === 2 && (path[1] === 'event' || path[1] === 'assistantMessageEvent') && key === 'type';
      // In the example of a shell command, `command` holds the shell text.
      if ((isOuter || isInner) && /^[\w$/]+$/u.test(word)) found.push(word);
    }
    if (token !== '{' && token !== '[' && name !== ':') key = '';
  }
  return found;
}

/** Table headings whose column names messages. */
const columns: ReadonlySet<string> = new Set([
  'event',
  'event type',
  'command',
  'method',
  'type',
  'event.type',
  'delta.type',
]);

function inTables(lines: readonly string[]): string[] {
  const found: string[] = [];
  let isIn = false;
  lines.forEach((line, index) => {
    if (!line.startsWith('|')) {
      isIn = false;
      return;
    }
    const first = line.split('|')[1]?.trim() ?? '';
    if (/^\|[\s:|-]+\|?$/u.test(lines[index + 1] ?? '')) isIn = columns.has(first.toLowerCase());
    const name = /^`([\w$/]+)`$/u.exec(first)?.[1];
    if (isIn && name !== undefined) found.push(name);
  });
  return found;
}

/** Finds `method: …` of requests, numbered names, and the names after a line that announces methods. */
function inLists(lines: readonly string[]): string[] {
  let isMethods = false;
  return lines.flatMap((line) => {
    if (line.trim() === '') return [];
    if (/^(?:Methods|Response payloads by method):$/u.test(line)) isMethods = true;
    else if (!/^[-*] /u.test(line)) isMethods = false;
    const name =
      /^\* method: `([^`]+)`/u.exec(line)?.[1] ??
      /^\d+\. `(\w+)`/u.exec(line)?.[1] ??
      (isMethods ? /^- `(\w+)`/u.exec(line)?.[1] : undefined);
    return name === undefined ? [] : [name];
  });
}
