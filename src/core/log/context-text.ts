// Writes contexts into the text of a prompt and removes them again. One format for all agents that take no contexts
// (docs/contexts.md).

import type { ContextReading } from '../contract/workspace.ts';
import type { Content } from '../model/content.ts';

/** The tag around contexts. It gets a number if the text already contains the plain tag. */
const tags = /<\/?(contexts(?:-\d+)?)>/gu;
const opened = /^<(contexts(?:-\d+)?)>\n/u;

/** Whether a prompt is a slash command of its agent. Contexts beside it would become its arguments. */
export function isCommand(content: readonly Content[]): boolean {
  const words = content.find(({ type }) => type === 'text');
  return words?.type === 'text' && words.text.startsWith('/');
}

/** Puts the contexts before the text of a prompt, as one text. Returns the same parts if there are no contexts. */
export function withContexts(content: readonly Content[], readings: readonly ContextReading[]): Content[] {
  const texts = readings.flatMap(({ text }) => (text === null ? [] : [text]));
  if (texts.length === 0) return [...content];
  // Join the contexts with the first text: some agents accept only one text.
  const at = content.findIndex(({ type }) => type === 'text');
  const part = content[at];
  const words = part?.type === 'text' ? part.text : '';
  const tag = freeTag([words, ...texts]);
  const block = `<${tag}>\n${texts.map((text) => `${text}\n`).join('')}</${tag}>`;
  const text = `${block}\n\n${words}`;
  if (part?.type !== 'text') return [{ type: 'text', text }, ...content];
  return content.with(at, { ...part, text });
}

/** The text of the user, without the contexts that {@link withContexts} put before it. */
export function withoutContexts(text: string): string {
  return splitContexts(text).words;
}

/** Splits a text into the words of the user and the block of contexts before them, or null. */
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

/** A tag that occurs in none of the texts, so that its first closing tag ends the block. */
function freeTag(texts: readonly string[]): string {
  const taken = new Set(texts.flatMap((text) => Array.from(text.matchAll(tags), ([, name]) => name)));
  let tag = 'contexts';
  for (let number = 2; taken.has(tag); number += 1) tag = `contexts-${number}`;
  return tag;
}
