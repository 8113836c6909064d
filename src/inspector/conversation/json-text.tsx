// JSON with its parts in colours. Hidden characters are shown as escapes.
import type { ComponentChildren, VNode } from 'preact';
import { visible } from '../state/format.ts';
import { LongText } from './text.tsx';

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gu;

/** Longer texts have no colours, and are shown in parts. */
const longest = 50_000;

export function JsonText({ text }: { readonly text: string }): VNode {
  if (text.length > longest) return <LongText text={text} />;
  return (
    <pre class="json" tabIndex={0}>
      {coloured(visible(text))}
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
