// Agents, and sessions: those that are open and those that are kept.
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { InspectedSession } from '../../core/contract/gateway/inspector-api.ts';
import { visible } from '../state/format.ts';
import { gateway, kept, logOut, openSession } from '../state/gateway.ts';
import { sessions as attached, leave, selected, titleOf } from '../state/link.ts';
import { isHelpOpen, show, showOpened, theme } from '../state/view.ts';
import { TapeBox } from './tape-box.tsx';

export function Sidebar(): VNode {
  const { agents, sessions, version } = gateway.value;
  return (
    <nav class="side" aria-label="Sessions and agents">
      <h2>Agents</h2>
      <ul>
        {agents.map(({ name, protocol }) => (
          <li key={name} class="agent">
            <bdi>{name}</bdi> {protocol !== name && <span class="quiet">{protocol}</span>}
            <span class="gap" />
            <button
              type="button"
              aria-label={`New session with ${name}`}
              onClick={() => showOpened(openSession({ agent: name }))}
            >
              New
            </button>
          </li>
        ))}
      </ul>
      <TapeBox />
      <h2>Sessions</h2>
      <ul>
        {sessions.length === 0 && <li class="quiet">None is open.</li>}
        {sessions.map((session) => (
          <Entry key={session.id} session={session} onOpen={() => show(session.id)} />
        ))}
      </ul>
      <Kept />
      <footer class="row">
        <span class="quiet">{version}</span>
        <span class="gap" />
        <button
          type="button"
          class="icon"
          aria-label={`Colours: ${theme.value}`}
          title={`Colours: ${theme.value}`}
          onClick={() => (theme.value = next[theme.value])}
        >
          ◐
        </button>
        <button type="button" class="icon" aria-label="Keys" title="Keys (?)" onClick={() => (isHelpOpen.value = true)}>
          ?
        </button>
        <button
          type="button"
          onClick={() => {
            leave();
            void logOut();
          }}
        >
          Sign out
        </button>
      </footer>
    </nav>
  );
}

/** Sessions shown at once, and more with each click. */
const page = 20;

function Kept(): VNode | null {
  const [most, setMost] = useState(page);
  const isOpen = new Set(gateway.value.sessions.map(({ id }) => id));
  const all = (kept.value ?? []).filter(({ id }) => !isOpen.has(id));
  if (all.length === 0) return null;
  return (
    <>
      <h2>Kept</h2>
      <ul aria-label="Kept sessions">
        {all.slice(0, most).map(({ id, file, agent, name, firstWords, at }) => (
          <li key={id}>
            <button
              type="button"
              class="session"
              title={file ?? id}
              onClick={() => showOpened(file === undefined ? Promise.resolve(id) : openSession({ resume: file }))}
            >
              <span class="dot stored" aria-hidden="true" />
              <bdi class="name">{visible(name ?? firstWords ?? id)}</bdi>
              <span class="quiet">{[agent, at?.slice(0, 16).replace('T', ' ')].filter(Boolean).join(' · ')}</span>
            </button>
          </li>
        ))}
      </ul>
      {all.length > most && (
        <button type="button" class="link" onClick={() => setMost(most + page)}>
          show more of {all.length}
        </button>
      )}
    </>
  );
}

const next = { system: 'dark', dark: 'light', light: 'system' } as const;

/** The protocol of this page is no news. */
const own = 'canonical';

function Entry({ session, onOpen }: { readonly session: InspectedSession; readonly onOpen: () => void }): VNode {
  const { id, agent, name, firstWords, dialects } = session;
  const known = attached.get(id);
  const state = known?.waiting.value ? 'waiting' : known?.running.value ? 'running' : session.state;
  const isCurrent = selected.value?.id === id;
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isCurrent) button.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <li>
      <button ref={button} type="button" class="session" aria-current={isCurrent} onClick={onOpen}>
        <span class={`dot ${state}`} aria-hidden="true" />
        <bdi class="name" title={id}>
          {titleOf(id, name ?? firstWords)}
        </bdi>
        <span class="quiet">{[agent, ...dialects.filter((dialect) => dialect !== own)].join(' · ')}</span>
        <span class="hidden">{state}</span>
      </button>
    </li>
  );
}
