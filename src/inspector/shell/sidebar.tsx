// Agents, and sessions: those that are open and those that are kept.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { InspectedSession } from '../../core/contract/inspector-api.ts';
import { gateway, logOut, openSession, openTape } from '../state/gateway.ts';
import { sessions as attached, leave, selected } from '../state/link.ts';
import { isHelpOpen, show, theme } from '../state/view.ts';

export function Sidebar(): VNode {
  const { agents, sessions, version } = gateway.value;
  const [problem, setProblem] = useState<string | null>(null);
  const opened = (work: Promise<string>) =>
    work.then(
      (id) => {
        setProblem(null);
        show(id);
      },
      (thrown: Error) => setProblem(thrown.message),
    );
  const open = sessions.filter(({ state }) => state !== 'stored');
  const stored = sessions.filter(({ state }) => state === 'stored');
  return (
    <nav class="side" aria-label="Sessions and agents">
      <h2>Sessions</h2>
      <ul>
        {open.length === 0 && <li class="quiet">None is open.</li>}
        {open.map((session) => (
          <Entry key={session.id} session={session} onOpen={() => show(session.id)} />
        ))}
      </ul>
      {stored.length > 0 && (
        <>
          <h2>Kept</h2>
          <ul>
            {stored.map((session) => (
              <Entry
                key={session.id}
                session={session}
                onOpen={() => void opened(openSession({ resume: session.id, agent: session.agent }))}
              />
            ))}
          </ul>
        </>
      )}
      <h2>Agents</h2>
      <ul>
        {agents.map(({ name, protocol }) => (
          <li key={name} class="agent">
            <bdi>{name}</bdi> {protocol !== name && <span class="quiet">{protocol}</span>}
            <span class="gap" />
            <button
              type="button"
              aria-label={`New session with ${name}`}
              onClick={() => void opened(openSession({ agent: name }))}
            >
              New
            </button>
          </li>
        ))}
      </ul>
      <label class="file">
        Open a tape
        <input
          type="file"
          accept=".jsonl,.ndjson"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file !== undefined) void opened(openTape(file));
            currentTarget.value = '';
          }}
        />
      </label>
      {problem !== null && (
        <p class="note error" role="alert">
          {problem}
        </p>
      )}
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

const next = { system: 'dark', dark: 'light', light: 'system' } as const;

function Entry({ session, onOpen }: { readonly session: InspectedSession; readonly onOpen: () => void }): VNode {
  const { id, agent, name, dialects = [] } = session;
  const known = attached.get(id);
  const state = known?.waiting.value ? 'waiting' : known?.running.value ? 'running' : session.state;
  return (
    <li>
      <button type="button" class="session" aria-current={selected.value?.id === id} onClick={onOpen}>
        <span class={`dot ${state}`} aria-hidden="true" />
        <bdi class="name" title={id}>
          {name ?? known?.info.value.name ?? known?.firstWords.value ?? id.slice(0, 8)}
        </bdi>
        <span class="quiet">
          {agent}
          {dialects.length > 0 && ` · ${dialects.join(', ')}`}
        </span>
        <span class="hidden">{state}</span>
      </button>
    </li>
  );
}
