// Collects the sentences of a specification that state a requirement: in prose, tables and code comments.
import type { Code, ProtocolDocument } from './document-headings.ts';

/** The words of RFC 2119 in any case, and the one of the specification written in Chinese. */
const asks = /\b(?:must|should|may|shall|never|always|required)\b|必须/iu;

/** Every such sentence, as {@link plainWords}, without duplicates. Headings do not count. */
export function askingSentences(document: ProtocolDocument): readonly string[] {
  const parts = [...paragraphs(document.prose), ...document.code.flatMap(comments)];
  return [...new Set(parts.flatMap(sentences).filter((sentence) => asks.test(sentence)))];
}

/** The text without Markdown marks, with single blanks. */
export const plainWords = (text: string): string => text.replace(/[*`]/gu, '').replace(/\s+/gu, ' ').trim();

/** Joins lines into paragraphs. Every table cell and every list item is a paragraph of its own. */
function paragraphs(lines: readonly string[]): string[] {
  const found: string[] = [];
  let open: string[] = [];
  const close = () => {
    if (open.length > 0) found.push(open.join(' '));
    open = [];
  };
  for (const line of lines) {
    const isTable = /^\s*\|/u.test(line);
    if (line.trim() === '' || isTable || /^#/u.test(line) || /^\s*(?:[-*]|\d+\.) /u.test(line)) close();
    if (isTable) found.push(...line.split('|'));
    else if (line.trim() !== '' && !/^#/u.test(line)) open.push(line.replace(/^\s*(?:[-*]|\d+\.|>) /u, '').trim());
  }
  close();
  return found;
}

/** The comments in code, without their marks. */
function comments({ text }: Code): string[] {
  const blocks = [...text.matchAll(/\/\*+([\s\S]*?)\*\//gu)].map(([, inner = '']) =>
    inner
      .split('\n')
      .map((line) => line.replace(/^\s*\*+/u, '').trim())
      .join(' '),
  );
  const lines = [...text.replace(/\/\*[\s\S]*?\*\//gu, '').matchAll(/(?:^|\s)\/\/(.*)$/gmu)].map(
    ([, line = '']) => line,
  );
  return [...blocks, ...lines];
}

function sentences(paragraph: string): string[] {
  return plainWords(paragraph)
    .split(/(?<=[.!?]) (?=\p{Lu}|\()|(?<=[。！？])/u)
    .map((sentence) => sentence.trim());
}
