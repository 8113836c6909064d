// What a session says to clients of pi-server: pi's events in pi's order, each in an envelope that names the session (docs/protocols/pi-server.md 6.1, 19). Knows no command and no connection.
import type { Projection, SessionView } from '../../../core/contract/adapter.ts';
import type { Out } from '../../../core/contract/channel.ts';
import { createProjection as createPiProjection } from '../../pi/projection/projection.ts';
import { shownLines } from './shown.ts';

/** The events of one session, for all its subscribers. The server itself speaks of pi 0.54, which repeats the message. */
export function createProjection(session: SessionView): Projection {
  const inner = createPiProjection(session, { dialect: 'growing', shown: shownLines, settles: false });
  const opening = `{"type":"event","sessionId":${JSON.stringify(session.id)},"event":`;
  /** What is told again belongs to a run that goes on. */
  let isGoingOn = false;

  return {
    ...inner,
    event(logged) {
      const outs = inner.event(logged);
      if (logged.replay === 'present' && logged.event.type === 'run-start') isGoingOn = true;
      // Real servers tell nothing that was before (docs/protocols/pi-server.md 6.3): an old end would be taken for that of a new prompt.
      if (logged.replay === 'past' && !isGoingOn) return [];
      return outs.map((out) => wrapped(opening, out));
    },
  };
}

/** Pieces stay pieces: each delta repeats a message that may be long. */
function wrapped(opening: string, out: Out): Out {
  return typeof out === 'string' ? `${opening}${out}}` : [opening, ...out, '}'];
}
