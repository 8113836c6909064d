// A text that streams in: its closed pieces are drawn once, its open piece with each change. Of a long text only the newest
// pieces are in the document, older ones on demand.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { memo } from '../shell/memo.ts';
import { several } from '../state/format.ts';
import type { Growing } from '../state/growing.ts';
import { Markdown } from './markdown.tsx';

/** Closed pieces that are shown at once, and more with each click: some screens of text. */
const page = 8;

const Closed = memo(({ text, joins }: { readonly text: string; readonly joins: boolean }) => (
  <div class={joins ? 'piece joins' : 'piece'}>
    <Markdown text={text} />
  </div>
));

export function Streaming({ text }: { readonly text: Growing }): VNode {
  const [most, setMost] = useState(page);
  void text.changed.value;
  const { closed, joins } = text;
  const first = Math.max(0, closed.length - most);
  return (
    <div class="prose">
      {first > 0 && (
        <button type="button" class="link" onClick={() => setMost(most + page)}>
          show {Math.min(page, first)} earlier of {several(closed.length + 1, 'part')}
        </button>
      )}
      {closed.slice(first).map((piece, index) => (
        <Closed key={first + index} text={piece} joins={joins.has(first + index)} />
      ))}
      <div class={joins.has(closed.length) ? 'piece joins' : 'piece'}>
        <Markdown text={text.open} />
      </div>
    </div>
  );
}
