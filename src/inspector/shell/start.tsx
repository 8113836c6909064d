// What the page shows until a session is chosen.
import type { VNode } from 'preact';
import { gateway, openSession } from '../state/gateway.ts';
import { showOpened } from '../state/view.ts';

/** Agents that have a button here; the list on the left has all of them. */
const most = 4;

export function Start(): VNode {
  const { agents } = gateway.value;
  return (
    <section class="pane start" aria-label="Start">
      <h2>See any conversation</h2>
      <p class="lead">
        What the agent said, what it became in each protocol, and what was lost on the way: side by side, while it
        happens.
      </p>
      <div class="row">
        {agents.slice(0, most).map(({ name }, place) => (
          <button
            type="button"
            key={name}
            class={place === 0 ? 'primary' : ''}
            onClick={() => showOpened(openSession({ agent: name }))}
          >
            Talk to <bdi>{name}</bdi>
          </button>
        ))}
      </div>
      <p class="quiet">
        Clients that connect to the gateway appear under Sessions. Drop a tape anywhere on this page to play it.
      </p>
      <p class="quiet">
        <kbd>?</kbd> shows the keys.
      </p>
    </section>
  );
}
