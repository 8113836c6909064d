// The conversation of the chosen session: its newest items, older ones on demand. It stays at its end until its reader
// scrolls up.
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Command } from '../../core/model/command.ts';
import { several } from '../state/format.ts';
import { gateway } from '../state/gateway.ts';
import type { Session } from '../state/session.ts';
import { ItemView } from './item.tsx';
import { PromptBox } from './prompt-box.tsx';
import { SettingsBar } from './settings-bar.tsx';

/** Items that are shown at once, and more with each click. */
const page = 200;
/** As near to the end, px, the list follows it. */
const near = 4;

export function Conversation({ session }: { readonly session: Session }): VNode {
  return (
    <section class="pane talk" aria-label="Conversation">
      <SettingsBar session={session} />
      <Log key={session.id} session={session} />
      <PromptBox session={session} />
    </section>
  );
}

function Log({ session }: { readonly session: Session }): VNode {
  const [most, setMost] = useState(page);
  const [isAtEnd, setAtEnd] = useState(true);
  const [seen, setSeen] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const top = useRef(0);
  void session.listed.value;
  const { items } = session.conversation;
  const count = items.length;

  useEffect(() => {
    const [outer, content] = [scroller.current, inner.current];
    if (outer === null || content === null) return undefined;
    const toEnd = () => {
      if (follows.current) outer.scrollTop = outer.scrollHeight;
    };
    const observer = new ResizeObserver(toEnd);
    observer.observe(content);
    observer.observe(outer);
    return () => observer.disconnect();
  }, []);

  const onScroll = () => {
    const outer = scroller.current;
    if (outer === null) return;
    const isNear = outer.scrollHeight - outer.scrollTop - outer.clientHeight <= near;
    // Only the reader scrolls up: the page itself goes to the end.
    if (outer.scrollTop < top.current && !isNear) follows.current = false;
    else if (isNear) follows.current = true;
    top.current = outer.scrollTop;
    if (isAtEnd !== follows.current) {
      setAtEnd(follows.current);
      setSeen(items.length);
    }
  };
  const jump = () => {
    follows.current = true;
    setAtEnd(true);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight, behavior: 'instant' });
  };
  return (
    <div class="log-frame">
      <div
        class="scroller"
        ref={scroller}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Messages"
      >
        <div class="items" ref={inner}>
          {count > most && (
            <button type="button" class="link" onClick={() => setMost(most + page)}>
              show {Math.min(page, count - most)} earlier of {several(count, 'item')}
            </button>
          )}
          {count === 0 && <Empty session={session} />}
          {items.slice(-most).map((item) => (
            <ItemView key={item.key} item={item} />
          ))}
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" class="to-end" onClick={jump}>
          {count > seen ? `${count - seen} new ↓` : 'to the end ↓'}
        </button>
      )}
    </div>
  );
}

/** Prompts that show what the built-in agent can do. */
const examples: readonly (readonly [prompt: string, shows: string])[] = [
  ['think tool', 'thinks, then uses a tool'],
  ['edit', 'changes a file'],
  ['ask', 'asks before it acts'],
  ['select', 'asks you to choose'],
  ['subagent', 'lets another agent work'],
  ['help', 'tells what else it plays'],
];

function Empty({ session }: { readonly session: Session }): VNode {
  const isDemo = session.agent.value?.protocol === 'demo' || agentOf(session.id) === 'demo';
  if (!isDemo)
    return (
      <div class="empty">
        <p>Nothing was said yet.</p>
        <p class="quiet">Write a prompt below. The frames that it causes appear in the wire.</p>
      </div>
    );
  return (
    <div class="empty">
      <p>The demo agent plays what a prompt asks for. It needs no key and no network.</p>
      <ul class="examples" aria-label="Prompts to try">
        {examples.map(([prompt, shows]) => (
          <li key={prompt}>
            <button type="button" onClick={() => void session.ask(promptOf(prompt))}>
              <code>{prompt}</code>
              <span class="quiet">{shows}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const promptOf = (text: string): Command => ({ type: 'prompt', content: [{ type: 'text', text }] });

/** The protocol of the agent of a session that has not spoken yet. */
function agentOf(id: string): string | undefined {
  const { sessions, agents } = gateway.value;
  const name = sessions.find((session) => session.id === id)?.agent;
  return agents.find((agent) => agent.name === name)?.protocol;
}
