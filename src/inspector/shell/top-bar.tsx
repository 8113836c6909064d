// The chosen session in a line, and what can be done with it.
import type { VNode } from 'preact';
import { closeTape, isTape, tapeOf } from '../state/gateway.ts';
import { selected, titleOf } from '../state/link.ts';
import type { Session } from '../state/session.ts';
import { isWireShown, said } from '../state/view.ts';
import { Fork } from './fork.tsx';

export function TopBar(): VNode {
  const session = selected.value;
  return (
    <header class="top">
      <h1>Patchbay</h1>
      {session === null ? <span class="gap" /> : <About key={session.id} session={session} />}
      {session !== null && (
        <button
          type="button"
          class="toggle wide-only"
          aria-pressed={isWireShown.value}
          onClick={() => (isWireShown.value = !isWireShown.value)}
        >
          Wire
        </button>
      )}
    </header>
  );
}

function About({ session }: { readonly session: Session }): VNode {
  const { name } = session.info.value;
  return (
    <>
      <h2>
        <bdi title={session.id}>{titleOf(session.id, name)}</bdi>
        <span class="tag protocol">{session.agent.value?.protocol ?? 'not started'}</span>
        {session.running.value && <span class="tag live">running</span>}
        {session.waiting.value > 0 && <span class="tag waiting">{session.waiting.value} waiting</span>}
      </h2>
      <span class="gap about-gap" />
      <Fork session={session} />
      <button type="button" onClick={() => void save(session)}>
        Save tape
      </button>
      {isTape(session.id) && (
        <button type="button" onClick={() => void closeTape(session.id)}>
          Close tape
        </button>
      )}
    </>
  );
}

async function save(session: Session): Promise<void> {
  try {
    const address = URL.createObjectURL(await tapeOf(session.id));
    const anchor = Object.assign(document.createElement('a'), {
      href: address,
      download: `${session.id.replace(/[^\w.-]/gu, '_')}.jsonl`,
    });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    said.value = 'The tape is saved.';
  } catch (thrown) {
    session.problem.value = (thrown as Error).message;
  }
}
