// How contexts become words of a prompt, and are taken out of them again: the one rule for all agents that do not take
// contexts themselves. Pure; reads no files.
import type { Content } from './content.ts';
import type { ContextReading } from './workspace.ts';

const opening = '<contexts>\n';
const closing = '</contexts>\n\n';

/** The parts of a prompt with what was read before them, as one text; the same parts when nothing was. */
export function withContexts(content: readonly Content[], readings: readonly ContextReading[]): Content[] {
  const texts = readings.flatMap(({ text }) => (text === null ? [] : [text]));
  if (texts.length === 0) return [...content];
  const [first, ...rest] = content;
  const before = `${opening}${texts.map((text) => `${text}\n`).join('')}${closing}`;
  // In one piece with the words where there are any: some agents take one text and no more.
  if (first?.type === 'text') return [{ ...first, text: before + first.text }, ...rest];
  return [{ type: 'text', text: before }, ...content];
}

/** What the user wrote: the words without the contexts that {@link withContexts} put before them. */
export function withoutContexts(text: string): string {
  if (!text.startsWith(opening)) return text;
  const end = text.indexOf(`\n${closing}`);
  return end === -1 ? text : text.slice(end + 1 + closing.length);
}
