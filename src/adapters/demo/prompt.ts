// The demo agent's view of a prompt: the user's words, and the contexts beside them (core/log/context-text.ts).

import { splitContexts } from '../../core/log/context-text.ts';
import type { Content } from '../../core/model/content.ts';

/** The user's text, its parts joined by line feeds. */
export function wordsOf(prompt: readonly Content[]): string {
  return textsIn(prompt)
    .map((text) => splitContexts(text).words)
    .join('\n');
}

/** The first tag of each context. */
export function contextsIn(prompt: readonly Content[]): string[] {
  return textsIn(prompt).flatMap((text) => {
    const block = splitContexts(text).block ?? '';
    return block.match(/^<(?:file|directory|repo-map|web|resource)(?: [^>]*)?>/gmu) ?? [];
  });
}

function textsIn(prompt: readonly Content[]): string[] {
  return prompt.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
