// Splits a specification in Markdown into headings, prose and code.

/** A code block. */
export interface Code {
  readonly language: string;
  readonly text: string;
}

/** A specification. */
export interface ProtocolDocument {
  /** Title of the document. */
  readonly title: string;
  /** Without the title and without writing-direction marks. */
  readonly headings: readonly string[];
  /** Lines outside code, headings included. */
  readonly prose: readonly string[];
  readonly code: readonly Code[];
}

/** Parses the document. */
export function readDocument(text: string): ProtocolDocument {
  const headings: string[] = [];
  const prose: string[] = [];
  const code: { language: string; lines: string[] }[] = [];
  let inside = false;
  for (const line of text.split('\n')) {
    const fence = /^\s*```(\w*)/u.exec(line);
    if (fence !== null) {
      inside = !inside;
      if (inside) code.push({ language: fence[1] ?? '', lines: [] });
      continue;
    }
    if (inside) {
      code.at(-1)?.lines.push(line);
      continue;
    }
    const heading = /^##+ (.*)$/u.exec(line)?.[1];
    if (heading !== undefined) headings.push(plainHeading(heading));
    prose.push(line);
  }
  const title = prose.map((line) => /^# (.*)$/u.exec(line)?.[1]).find((found) => found !== undefined) ?? '';
  return { title, headings, prose, code: code.map(({ language, lines }) => ({ language, text: lines.join('\n') })) };
}

const plainHeading = (heading: string): string =>
  heading
    .replace(/\s*\([^\p{L}\p{N})]+\)\s*$/u, '')
    .replace(/:$/u, '')
    .trim();

/** Names that a check may use for the section: its number, or its words where it has none. */
export function sectionNames(heading: string): readonly string[] {
  const [, number, words] = /^(\d+(?:\.\d+)*)\.? +(.*)$/u.exec(heading) ?? [];
  if (number !== undefined && words !== undefined) return [number];
  const chinese = /^([一二三四五六七八九十]+)、(.*)$/u.exec(heading);
  return chinese === null ? [heading] : [heading, ...chinese.slice(1)];
}
