// Goes back to one of the user's messages.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ForkPoint } from '../../core/model/outcome-data.ts';
import type { Session } from '../state/session.ts';

export function Fork({ session }: { readonly session: Session }): VNode | null {
  const [points, setPoints] = useState<readonly ForkPoint[] | null>(null);
  const can = session.agent.value?.commands.includes('fork') ?? false;
  if (!can) return null;
  const open = async () => {
    if (points !== null) return setPoints(null);
    const data = await session.query('fork-points');
    setPoints((data?.points as readonly ForkPoint[] | undefined) ?? []);
  };
  return (
    <div class="menu">
      <button type="button" aria-expanded={points !== null} onClick={() => void open()}>
        Fork
      </button>
      {points !== null && (
        <ul aria-label="Go back before a message">
          {points.length === 0 && <li class="quiet">No message to go back to.</li>}
          {points.map(({ entry, text }) => (
            <li key={entry}>
              <button
                type="button"
                onClick={() => {
                  setPoints(null);
                  void session.ask({ type: 'fork', entry });
                }}
              >
                before <bdi>“{text.slice(0, 60)}”</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
