// One tool call: what it was asked, what it does now, what came of it.
import type { VNode } from 'preact';
import { duration, visible } from '../state/format.ts';
import { textOf } from '../state/growing.ts';
import type { Item, ToolItem } from '../state/items.ts';
import { ContentView } from './content.tsx';
import { Diff } from './diff.tsx';
import { JsonText, pretty } from './json-text.tsx';

const words = { written: 'not started', running: 'running', done: 'done', failed: 'failed', skipped: 'skipped' };

/** Draws an item within another one. */
export type Draw = (item: Item) => VNode | null;

export function ToolCard({ tool, draw }: { readonly tool: ToolItem; readonly draw: Draw }): VNode {
  void tool.changed.value;
  const { name, title, state, durationMs, change, output, children } = tool;
  const isOpen = state === 'failed' || change !== undefined;
  return (
    <details class={`card tool ${state}`} open={isOpen}>
      <summary>
        <span class={`dot ${state}`} aria-hidden="true" />
        <bdi class="name">{visible(name)}</bdi>
        <bdi class="gist">{visible(title ?? gistOf(tool))}</bdi>
        <span class="state">{tool.skipped ?? words[state]}</span>
        {durationMs !== undefined && <span class="figure">{duration(durationMs)}</span>}
      </summary>
      <div class="body">
        {change === undefined ? <Input tool={tool} /> : <Diff change={change} />}
        {output.length > 0 && (
          <section aria-label="result">
            {output.map((content, index) => (
              <ContentView key={index} content={content} />
            ))}
          </section>
        )}
      </div>
      {children.length > 0 && <div class="children">{children.map(draw)}</div>}
    </details>
  );
}

function Input({ tool: { input } }: { readonly tool: ToolItem }): VNode {
  if ('value' in input) return <JsonText text={pretty(input.value)} />;
  void input.text.changed.value;
  return <JsonText text={textOf(input.text)} />;
}

/** The argument that says most, in one line. */
function gistOf({ input }: ToolItem): string {
  if (!('value' in input) || typeof input.value !== 'object' || input.value === null) return '';
  const values = Object.values(input.value).filter((value) => typeof value === 'string');
  return (values[0] ?? '').split('\n')[0]?.slice(0, 160) ?? '';
}
