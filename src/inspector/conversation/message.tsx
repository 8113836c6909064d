// One message: its blocks in order, and its figures.
import type { VNode } from 'preact';
import { dollars, tokens } from '../state/format.ts';
import { textOf } from '../state/growing.ts';
import type { MessageItem, Part } from '../state/items.ts';
import { ContentView } from './content.tsx';
import { Streaming } from './streaming.tsx';
import { type Draw, ToolCard } from './tool-card.tsx';

const names: Readonly<Record<MessageItem['role'], string>> = {
  user: 'You',
  assistant: 'Agent',
  tool: 'Tool',
  system: 'System',
  custom: 'Extension',
  bash: 'Shell',
  summary: 'Summary',
};

export function MessageView({ item, draw }: { readonly item: MessageItem; readonly draw: Draw }): VNode {
  void item.changed.value;
  const { role, origin, parts } = item;
  const isObvious = role === 'assistant' || (role === 'user' && (origin === undefined || origin === 'prompt'));
  const sorted = [...parts].sort(([a], [b]) => a - b);
  return (
    <article class={`message ${role}`} aria-label={`${names[role]} says`}>
      {!isObvious && (
        <header>
          <span class="who">{names[role]}</span>
          {origin !== undefined && origin !== 'prompt' && <span class="tag">{origin}</span>}
        </header>
      )}
      {sorted.map(([index, part]) => (
        <PartView key={index} part={part} isPlain={role === 'user'} draw={draw} />
      ))}
      <Figures item={item} />
    </article>
  );
}

function PartView({
  part,
  isPlain,
  draw,
}: {
  readonly part: Part;
  readonly isPlain: boolean;
  readonly draw: Draw;
}): VNode {
  switch (part.is) {
    case 'tool':
      return <ToolCard tool={part.tool} draw={draw} />;
    case 'content':
      return <ContentView content={part.content} />;
    case 'thinking':
      return <Thinking part={part} />;
    case 'text':
      return isPlain ? <p class="plain">{textOf(part.text)}</p> : <Streaming text={part.text} />;
    default:
      return part satisfies never;
  }
}

function Thinking({ part }: { readonly part: Extract<Part, { is: 'text' | 'thinking' }> }): VNode {
  void part.text.changed.value;
  const isHidden = part.redacted === true || part.text.length === 0;
  return (
    <details class="thinking">
      <summary>
        {part.isOpen && <span class="pulse" aria-hidden="true" />}
        {part.isOpen ? 'Thinking' : 'Thought'}
        <span class="figure">{isHidden ? 'hidden' : `${tokens(part.text.length)} characters`}</span>
      </summary>
      <Streaming text={part.text} />
    </details>
  );
}

function Figures({ item: { end } }: { readonly item: MessageItem }): VNode | null {
  if (end === null) return null;
  const { usage, cost, stop, failure } = end;
  const parts = [
    usage && `${tokens(usage.input + usage.cacheRead + usage.cacheWrite)} in`,
    usage && `${tokens(usage.output)} out`,
    cost && cost.total > 0 && dollars(cost.total),
    stop && stop.reason !== 'end' && stop.reason !== 'tool-use' && `stopped: ${stop.raw ?? stop.reason}`,
  ].filter((part) => typeof part === 'string');
  return (
    <>
      {failure !== undefined && <p class="note error">{failure.message}</p>}
      {parts.length > 0 && <footer class="figures">{parts.join(' · ')}</footer>}
    </>
  );
}
