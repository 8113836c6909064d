// The events of each session as a trace of pi: the events of a pi-server are the lines of the pi behind it.
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { TraceFrame } from '../../check/rule.ts';
import { type PiView, readPi } from '../../pi/view/view.ts';
import type { View } from './view.ts';

/** One session, as pi rules read it. */
export interface PiSession {
  readonly pi: PiView;
  /** The frame of the whole trace for a frame of the session. */
  frameOf(frame: number): number;
}

const known = new WeakMap<View, readonly PiSession[]>();

/** The sessions that the connection hears. Reads a trace once for all rules. */
export function piSessions(view: View): readonly PiSession[] {
  const sessions =
    known.get(view) ??
    [...view.eventsBySession].flatMap(([id, events]) =>
      [...new Set(events.map(({ frame }) => view.lifeOf(id, frame)))].map((life) => sessionIn(view, id, life)),
    );
  known.set(view, sessions);
  return sessions;
}

/** `life`: see `lifeOf` of the view. */
function sessionIn({ frames, isLate, lifeOf, subscribedAt }: View, id: string, life: number): PiSession {
  const from = subscribedAt(id) ?? 0;
  const places: number[] = [];
  const lines: TraceFrame[] = [];
  const asked = new Set<unknown>();
  for (const [place, frame] of frames.entries()) {
    const { by, json } = frame;
    if (!isDictionary(json)) continue;
    // Without the beginning of the conversation nobody knows whether a prompt began the run.
    if (by === 'client') {
      if (isLate || json.sessionId !== id || lifeOf(id, place) !== life) continue;
      asked.add(json.id);
      lines.push(frame);
    } else if (json.type === 'event' && json.sessionId === id && place > from && isDictionary(json.event)) {
      if (lifeOf(id, place) !== life) continue;
      lines.push({ ...frame, json: json.event });
    } else if (json.type === 'response' && json.id !== undefined && asked.has(json.id)) lines.push(frame);
    else continue;
    places.push(place);
  }
  // The end of the connection is not the end of the session.
  return { pi: readPi({ frames: lines, isComplete: false }), frameOf: (frame) => places[frame] ?? frame };
}
