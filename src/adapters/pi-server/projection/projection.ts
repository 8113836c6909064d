// Shows a session to pi-server clients: pi's events in pi's order, each in an envelope that names the session
// (docs/protocols/pi-server.md 6.1, 19).
import type { Projection, SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Out } from '../../../core/contract/channel.ts';
import { createProjection as createPiProjection } from '../../pi/projection/projection.ts';
import { shownLines } from './encode-dialog.ts';

/** The events of one session, for all its subscribers. The server embeds pi 0.54, whose updates repeat the message. */
export function createProjection(session: SessionView): Projection {
  const inner = createPiProjection(session, { dialect: 'growing', shown: shownLines, settles: false });
  const opening = `{"type":"event","sessionId":${JSON.stringify(session.id)},"event":`;
  /** Whether the replayed events belong to a run that is still open. */
  let isGoingOn = false;

  return {
    ...inner,
    event(logged) {
      const outs = inner.event(logged);
      if (logged.replay === 'present' && logged.event.type === 'run-start') isGoingOn = true;
      // Real servers replay nothing (docs/protocols/pi-server.md 6.3). A client would take an old end for the end of
      // its new prompt.
      if (logged.replay === 'past' && !isGoingOn) return [];
      return outs.map((out) => wrapped(opening, out));
    },
  };
}

/**
 * Puts a frame into its envelope. A frame in several pieces is not joined, because the frame of each delta repeats a
 * message that may be long. Each piece costs something on its way, so the envelope becomes part of the first and last one.
 */
function wrapped(opening: string, out: Out): Out {
  if (typeof out === 'string') return `${opening}${out}}`;
  const first = out[0];
  const last = out.at(-1);
  if (out.length < 2 || typeof first !== 'string' || typeof last !== 'string') return [opening, ...out, '}'];
  return out.with(0, opening + first).with(-1, `${last}}`);
}
