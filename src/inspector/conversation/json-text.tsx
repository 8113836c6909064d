// JSON with its parts in colours. Hidden characters are shown as escapes.
import type { ComponentChildren, VNode } from 'preact';
import { visible } from '../state/format.ts';

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gu;

/** Longer texts have no colours. */
const longest = 50_000;

export function JsonText({ text }: { readonly text: string }): VNode {
  const safe = visible(text);
  return (
    <pre class="json" tabIndex={0}>
      {safe.length > longest ? safe : coloured(safe)}
    </pre>
  );
}

function coloured(text: string): ComponentChildren {
  const nodes: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    if (match.index > end) nodes.push(text.slice(end, match.index));
    const [whole, string, colon, word] = match;
    const kind = colon !== undefined ? 'key' : string !== undefined ? 'string' : word !== undefined ? 'word' : 'number';
    nodes.push(<span class={`j-${kind}`}>{string ?? whole}</span>);
    if (colon !== undefined) nodes.push(colon);
    end = match.index + whole.length;
  }
  nodes.push(text.slice(end));
  return nodes;
}

/** A value as JSON of several lines. */
export function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'undefined';
}
