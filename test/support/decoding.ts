// Reads an agent's frames as a session does: through the backend and the repair into a log. Knows no protocol.
import type { Action, Env } from '../../src/core/contract/adapter/action.ts';
import type { Adapter } from '../../src/core/contract/adapter/adapter.ts';
import type { Event } from '../../src/core/model/event.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { createLog, type Log } from './telling.ts';

/** A world that stands still and counts its ids. */
export function stillEnv(): Env {
  const counts = new Map<string, number>();
  return {
    now: () => 0,
    id(kind) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return `${kind}-${count}`;
    },
  };
}

/** What an agent's lines mean, up to the end of its output. Timers never ring. */
export function decodeLines(adapter: Adapter, lines: readonly string[]): Log {
  const backend = adapter.agent?.backend(stillEnv(), {});
  if (backend === undefined) throw new Error(`${adapter.id} has no agent side`);
  const log = createLog();
  const perform = (actions: readonly Action<Event>[]) => {
    for (const action of actions) if (action.do === 'deliver') log.admit(action.message);
  };
  perform(backend.start?.() ?? []);
  for (const line of lines) perform(backend.decode(createFrame(Buffer.from(line))));
  perform(backend.end?.() ?? []);
  return log;
}
