// A text that streams in: its closed pieces are drawn once, its open piece with each change.
import type { VNode } from 'preact';
import { memo } from '../shell/memo.ts';
import type { Growing } from '../state/growing.ts';
import { Markdown } from './markdown.tsx';

const Closed = memo(({ text, joins }: { readonly text: string; readonly joins: boolean }) => (
  <div class={joins ? 'piece joins' : 'piece'}>
    <Markdown text={text} />
  </div>
));

export function Streaming({ text }: { readonly text: Growing }): VNode {
  void text.changed.value;
  return (
    <div class="prose">
      {text.closed.map((piece, index) => (
        <Closed key={index} text={piece} joins={text.joins.has(index)} />
      ))}
      <div class={text.joins.has(text.closed.length) ? 'piece joins' : 'piece'}>
        <Markdown text={text.open} />
      </div>
    </div>
  );
}
