// How contexts become words of a prompt, and are taken out of them again: the one rule for all agents that do not take
// contexts themselves (docs/contexts.md). Pure; reads no files.
import type { Content } from '../model/content.ts';
import type { ContextReading } from '../contract/workspace.ts';

/** The tag around contexts, and with a number where something that is said holds it already. */
const tags = /<\/?(contexts(?:-\d+)?)>/gu;
const opened = /^<(contexts(?:-\d+)?)>\n/u;

/** Whether a prompt is a command of its agent, which takes what stands beside it for its arguments: it begins with `/`. */
export function isCommand(content: readonly Content[]): boolean {
  const words = content.find(({ type }) => type === 'text');
  return words?.type === 'text' && words.text.startsWith('/');
}

/** The parts of a prompt with what was read before the words, as one text; the same parts when nothing was. */
export function withContexts(content: readonly Content[], readings: readonly ContextReading[]): Content[] {
  const texts = readings.flatMap(({ text }) => (text === null ? [] : [text]));
  if (texts.length === 0) return [...content];
  // In one piece with the words where there are any: some agents take one text and no more.
  const at = content.findIndex(({ type }) => type === 'text');
  const part = content[at];
  const words = part?.type === 'text' ? part.text : '';
  const tag = freeTag([words, ...texts]);
  const block = `<${tag}>\n${texts.map((text) => `${text}\n`).join('')}</${tag}>`;
  const text = `${block}\n\n${words}`;
  if (part?.type !== 'text') return [{ type: 'text', text }, ...content];
  return content.with(at, { ...part, text });
}

/** What the user wrote: the words without the contexts that {@link withContexts} put before them. */
export function withoutContexts(text: string): string {
  return splitContexts(text).words;
}

/** The words, and the block of contexts before them; null where there is none. */
export function splitContexts(text: string): { readonly words: string; readonly block: string | null } {
  const nothing = { words: text, block: null };
  const tag = opened.exec(text)?.[1];
  if (tag === undefined) return nothing;
  const closing = `\n</${tag}>`;
  const found = text.indexOf(closing);
  const end = found + closing.length;
  // Who repeats it may have cut off line feeds at the end.
  const rest = text.slice(end);
  if (found === -1 || (rest !== '' && !rest.startsWith('\n\n'))) return nothing;
  return { words: rest.slice(2), block: text.slice(0, end) };
}

/** A tag that stands nowhere in them, so that its first end is the end. */
function freeTag(texts: readonly string[]): string {
  const taken = new Set(texts.flatMap((text) => Array.from(text.matchAll(tags), ([, name]) => name)));
  let tag = 'contexts';
  for (let number = 2; taken.has(tag); number += 1) tag = `contexts-${number}`;
  return tag;
}
