// What a client says on a WebSocket that resumes (docs/protocols/resume.md 3, 5).
import type { Frame } from '../../core/contract/channel.ts';
import { GatewayError } from '../../core/model/errors.ts';

/** One message of a client. `session`: the session that it names; null if it names none. */
export type ClientMessage =
  | { readonly is: 'attach'; readonly session: string; readonly cursor: string | null }
  | { readonly is: 'detach'; readonly session: string }
  /** A frame with an address, and with a name under which it counts once. `id`: null for a frame without a name. */
  | { readonly is: 'send'; readonly session: string | null; readonly id: string | null; readonly bytes: Uint8Array }
  /** A frame of the protocol as it is. */
  | { readonly is: 'frame'; readonly bytes: Uint8Array };

/**
 * Reads a message. Whatever is neither `attach`, `detach` nor `send` is a frame of the protocol, also bytes that are no JSON: the
 * protocol has its own words for them. Throws a GatewayError `invalid` for an `attach` or `send` with wrong fields.
 */
export function readClientMessage(frame: Frame): ClientMessage {
  const { bytes } = frame;
  const fields = fieldsOf(frame);
  switch (fields?.get('type')) {
    case 'attach':
      return { is: 'attach', session: sessionIn(fields, 'attach'), cursor: textIn(fields, 'attach', 'cursor') };
    case 'detach':
      return { is: 'detach', session: sessionIn(fields, 'detach') };
    case 'send': {
      const inner = fields.get('frame');
      if (inner === undefined) throw new GatewayError('invalid', 'a send message has a frame');
      const [session, id] = [textIn(fields, 'send', 'session'), textIn(fields, 'send', 'id')];
      return { is: 'send', session, id, bytes: Buffer.from(JSON.stringify(inner)) };
    }
    default:
      return { is: 'frame', bytes };
  }
}

/** A map: the names come from the wire (docs/threats.md T11). */
function fieldsOf(frame: Frame): ReadonlyMap<string, unknown> | undefined {
  try {
    const { json } = frame;
    return typeof json === 'object' && json !== null ? new Map(Object.entries(json)) : undefined;
  } catch {
    return undefined;
  }
}

function sessionIn(fields: ReadonlyMap<string, unknown>, type: string): string {
  const session = textIn(fields, type, 'session');
  if (session === null) throw new GatewayError('invalid', `a message of type ${type} names a session`);
  return session;
}

/** An optional field that is text; null if it is absent. */
function textIn(fields: ReadonlyMap<string, unknown>, type: string, name: string): string | null {
  const value = fields.get(name) ?? null;
  if (value === null || typeof value === 'string') return value;
  throw new GatewayError('invalid', `${name} in a message of type ${type} must be text`);
}
