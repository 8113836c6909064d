// Which rows are shown: by kind, by mark, by text; and which columns.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { WireMark } from '../../core/contract/wire-rows.ts';
import type { Filter } from '../state/event-log.ts';
import { several } from '../state/format.ts';
import { gateway } from '../state/gateway.ts';
import { held, pause, paused } from '../state/link.ts';
import type { Session } from '../state/session.ts';
import { follows } from '../state/view.ts';
import { asked, dialectsOf } from './fetch.ts';

const groups = {
  Messages: [
    'message-added',
    'message-start',
    'message-end',
    'block-start',
    'block-delta',
    'block-end',
    'history-reset',
  ],
  Tools: ['tool-start', 'tool-update', 'tool-end', 'task-changed', 'bash-output'],
  Questions: ['approval-request', 'approval-end', 'dialog-request', 'dialog-end'],
  Runs: ['run-start', 'run-end', 'turn-start', 'turn-end', 'retry-start', 'retry-end', 'error', 'agent-changed'],
  Commands: ['command'],
  Native: ['native', 'unknown'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const marks: readonly WireMark['kind'][] = ['loss', 'repair', 'violation', 'ignored'];

export function Filters({ session }: { readonly session: Session }): VNode {
  const { log } = session;
  void log.changed.value;
  const { filter } = log;
  const [text, setText] = useState(filter.text);
  const change = (part: Partial<Filter>) => log.show({ ...filter, ...part });
  return (
    <div class="filters">
      <input
        id="search"
        type="search"
        placeholder={`Search ${several(log.shown().length, 'row')}`}
        aria-label="Search events"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          change({ text: currentTarget.value.toLowerCase() });
        }}
      />
      <Kinds filter={filter} change={change} />
      <select
        aria-label="Marks"
        value={[...filter.marks][0] ?? ''}
        onChange={({ currentTarget }) =>
          change({ marks: new Set(marks.filter((kind) => kind === currentTarget.value)) })
        }
      >
        <option value="">All marks</option>
        {marks.map((kind) => (
          <option key={kind}>{kind}</option>
        ))}
      </select>
      <button
        type="button"
        class="toggle"
        aria-pressed={filter.isFolded}
        onClick={() => change({ isFolded: !filter.isFolded })}
      >
        fold
      </button>
      <Columns session={session} />
      <span class="gap" />
      <button type="button" class="toggle" aria-pressed={paused.value} onClick={() => pause(!paused.value)}>
        {paused.value ? `paused, ${held.value} wait` : 'pause'}
      </button>
      <button
        type="button"
        class="toggle"
        aria-pressed={follows.value}
        onClick={() => (follows.value = !follows.value)}
      >
        follow
      </button>
    </div>
  );
}

function Kinds({
  filter,
  change,
}: {
  readonly filter: Filter;
  readonly change: (part: Partial<Filter>) => void;
}): VNode {
  const value = Object.entries(groups).find(([, kinds]) => filter.kinds.has(kinds[0]))?.[0] ?? '';
  return (
    <select
      aria-label="Kind of event"
      value={value}
      onChange={({ currentTarget }) =>
        change({ kinds: new Set(groups[currentTarget.value as keyof typeof groups] ?? []) })
      }
    >
      <option value="">All kinds</option>
      {Object.keys(groups).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

/** Adds a column: what a client of another protocol would get. */
function Columns({ session }: { readonly session: Session }): VNode | null {
  const shown = dialectsOf(session);
  const others = (gateway.value.dialects ?? []).filter(
    (dialect) => !shown.includes(dialect) && dialect !== 'canonical',
  );
  if (others.length === 0) return null;
  return (
    <select
      aria-label="Add a column"
      value=""
      onChange={({ currentTarget }) => (asked.value = [...asked.value, currentTarget.value])}
    >
      <option value="">+ column</option>
      {others.map((dialect) => (
        <option key={dialect}>{dialect}</option>
      ))}
    </select>
  );
}
