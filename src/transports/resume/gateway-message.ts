// What the gateway says on a WebSocket that resumes: frames in an envelope, and messages of its own. Only the latter have
// a `type`, and a frame is always the value of `frame`, so no peer can forge one (docs/protocols/resume.md 4).
import type { Out } from '../../core/contract/channel.ts';
import type { FrameEntry } from '../../core/contract/reader.ts';
import { createSharedBytes } from '../shared-bytes.ts';

/** A message of the gateway itself. */
export type ControlMessage =
  /** All frames of the session so far are void: a snapshot follows. */
  | { readonly type: 'reset'; readonly session?: string; readonly reason: string; readonly cursor: string }
  /** The session says nothing more. */
  | { readonly type: 'closed'; readonly session?: string; readonly reason: string }
  /** Nothing else was said for a while. */
  | { readonly type: 'alive' }
  /** The frame that was sent under this id was taken, now or before. */
  | { readonly type: 'accepted'; readonly id: string }
  /** A message of the client has no effect. `frames`: why, in the words of the protocol. */
  | {
      readonly type: 'refused';
      readonly id?: string;
      readonly code?: string;
      readonly message?: string;
      readonly frames?: readonly unknown[];
    };

/** Envelopes that several readers get. A session is read either with its name or without by all clients of a protocol. */
const shared = createSharedBytes<FrameEntry, Out>();

/** The frame of an entry in its envelope; the same object for all readers. `session`: null where there is only one. */
export function frameMessage(entry: FrameEntry, session: string | null): Out {
  return shared.get(entry, () => {
    const cursor = entry.cursor === null ? 'null' : `"${entry.cursor}"`;
    return enveloped(entry.out, session, cursor);
  });
}

/** A frame that has no place in the session: the answer to this client alone. */
export function ownFrameMessage(frame: string, session: string | null): Out {
  return enveloped(frame, session, 'null');
}

function enveloped(out: Out, session: string | null, cursor: string): Out {
  const name = session === null ? '' : `"session":${JSON.stringify(session)},`;
  const head = `{${name}"cursor":${cursor},"frame":`;
  return typeof out === 'string' ? `${head}${out}}` : [head, ...out, '}'];
}

export function controlMessage(message: ControlMessage): string {
  return JSON.stringify(message);
}
