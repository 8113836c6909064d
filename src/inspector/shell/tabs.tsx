// The panes of a narrow screen.
import type { VNode } from 'preact';
import { isWireShown, type Pane, pane } from '../state/view.ts';

const names: Readonly<Record<Pane, string>> = { sessions: 'Sessions', talk: 'Conversation', wire: 'Wire' };

export function Tabs(): VNode {
  return (
    <nav class="tabs" aria-label="Panes">
      {(Object.keys(names) as Pane[]).map((name) => (
        <button
          type="button"
          key={name}
          aria-current={pane.value === name}
          onClick={() => {
            if (name === 'wire') isWireShown.value = true;
            pane.value = name;
          }}
        >
          {names[name]}
        </button>
      ))}
    </nav>
  );
}
