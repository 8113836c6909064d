// Which rows are shown: by kind, by mark, by text; and which columns.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Filter } from '../state/event-log.ts';
import { several } from '../state/format.ts';
import { gateway } from '../state/gateway.ts';
import { held, pause, paused } from '../state/link.ts';
import type { MarkKind } from '../state/marks.ts';
import type { Session } from '../state/session.ts';
import { follows } from '../state/view.ts';
import { signs } from './chips.tsx';
import { asked, dialectsOf, keepChosen } from './fetch.ts';

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

const names: Readonly<Record<MarkKind, readonly [one: string, more: string]>> = {
  violation: ['violation', 'violations'],
  repair: ['repair', 'repairs'],
  loss: ['loss', 'losses'],
  ignored: ['ignored', 'ignored'],
};

export function Filters({ session }: { readonly session: Session }): VNode {
  const { log } = session;
  void log.changed.value;
  const { filter } = log;
  const [text, setText] = useState(filter.text);
  const change = (part: Partial<Filter>) => keepChosen(session, () => log.show({ ...filter, ...part }));
  return (
    <div class="filters">
      <input
        id="search"
        type="search"
        placeholder={`Search ${several(log.shown().length, 'row')}`}
        aria-label="Search events"
        value={filter.text === '' ? '' : text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          change({ text: currentTarget.value.toLowerCase() });
        }}
      />
      <Kinds filter={filter} change={change} />
      <MarkCounts counts={log.marks.counts} filter={filter} change={change} />
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

interface MarkCountsProps {
  readonly counts: Readonly<Record<MarkKind, number>>;
  readonly filter: Filter;
  readonly change: (part: Partial<Filter>) => void;
}

/** How many marks of each kind there are; a click shows their rows alone. */
function MarkCounts({ counts, filter, change }: MarkCountsProps): VNode {
  const toggled = (kind: MarkKind) => {
    const next = new Set(filter.marks);
    if (!next.delete(kind)) next.add(kind);
    change({ marks: next });
  };
  return (
    <>
      {(Object.keys(names) as MarkKind[]).map((kind) => {
        const count = counts[kind];
        const isOn = filter.marks.has(kind);
        if (count === 0 && !isOn) return null;
        return (
          <button
            type="button"
            key={kind}
            class={`toggle mark ${kind}`}
            aria-pressed={isOn}
            aria-label={`${count} ${names[kind][count === 1 ? 0 : 1]}`}
            title={`${count.toLocaleString('en')} ${names[kind][count === 1 ? 0 : 1]}: show their rows alone`}
            onClick={() => toggled(kind)}
          >
            <span class="sign" aria-hidden="true">
              {signs[kind]}
            </span>
            {count.toLocaleString('en')}
          </button>
        );
      })}
    </>
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
      onChange={({ currentTarget }) => (asked.value = [...shown, currentTarget.value])}
    >
      <option value="">+ column</option>
      {others.map((dialect) => (
        <option key={dialect}>{dialect}</option>
      ))}
    </select>
  );
}
