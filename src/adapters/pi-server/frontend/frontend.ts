// One connection of a pi-server client (docs/protocols/pi-server.md). Each command gets one response, and all clients
// get the lifecycle of all commands. Session events come from ../projection/projection.ts.
import type { Action } from '../../../core/contract/adapter/action.ts';
import type { Frontend } from '../../../core/contract/adapter/frontend.ts';
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { CommandBroadcast } from '../../../core/contract/broadcast.ts';
import type { Receipt, Ticket } from '../../../core/contract/ticket.ts';
import type { Command } from '../../../core/model/command.ts';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { messageOf, type Outcome } from '../../../core/model/errors.ts';
import { present } from '../../pi/encode-values.ts';
import { parserWords } from '../../pi/wire/problem.ts';
import { clipped, longest } from '../wire/command-fields.ts';
import { isOpen } from './answers.ts';
import { type Decoded, decodeCommand } from './decode-command.ts';
import type { Dialect } from './dialect.ts';
import { answerData } from './encode-answer.ts';
import { broadcastFrame, serverReady } from './encode-broadcast.ts';
import { errorText } from './error-texts.ts';

type Actions = Action<Command>[];

/**
 * The fields of a command that its response repeats. `id` may be any JSON value, and is absent if the client sent none.
 */
interface Asked {
  readonly type: string;
  readonly id?: unknown;
}

/** The parameters of a connection. */
export interface ConnectionPorts {
  readonly dialect: Dialect;
  readonly serverId: string;
  /** Ms. */
  readonly commandTimeoutMs: number;
  /** A name that no other prompt of this gateway has. */
  handle(): string;
  /** Bytes. */
  readonly maxFrameBytes: number;
  /** The only session of this connection. Absent if the connection carries many. */
  readonly bound: SessionView | undefined;
}

/** Creates the frontend of one connection. */
export function createConnection(ports: ConnectionPorts): Frontend {
  const { bound } = ports;
  const asked = new WeakMap<Command, Decoded>();
  /** The sessions that the connection is subscribed to. */
  const views = new Map<string, SessionView>(bound === undefined ? [] : [[bound.id, bound]]);

  /** Keys always in this order; the real server has two orders (docs/protocols/pi-server.md 5.3). */
  const respond = ({ type, id }: Asked, rest: Dictionary): Action<Command> => ({
    do: 'send',
    frame: JSON.stringify({ ...(id === undefined ? {} : { id }), type: 'response', command: type, ...present(rest) }),
  });

  /**
   * Refuses a command that is not admitted. Other clients get no broadcast. The note never repeats the client's input.
   */
  function refuse(to: Asked, error: string, note: string): Actions {
    return [{ do: 'note', level: 'violation', text: note }, respond(to, { success: false, error })];
  }

  const unread = (error: string, note: string) => refuse({ type: 'unknown' }, error, note);

  function wordsFor(ticket: Ticket, outcome: Outcome): string | undefined {
    if (outcome.ok) return undefined;
    const { sessionId } = dictionaryOf(ticket.payload);
    const words = errorText(ticket, outcome.error, (requestId) =>
      [...views].some(([session, view]) => session !== sessionId && isOpen(requestId, view)),
    );
    return clipped(words, longest.error);
  }

  function take(json: unknown): Actions {
    const { commandTimeoutMs, handle } = ports;
    const decoded = decodeCommand(json, { commandTimeoutMs, handle, view: (session) => views.get(session) });
    if ('problem' in decoded) return refuse(decoded, decoded.problem, 'a command that is not valid');
    const { command: message, ticket, session } = decoded;
    if (bound !== undefined && ticket.type === 'switch_session' && session !== bound.id) {
      const words = `This connection hears session ${bound.id} only`;
      return refuse(ticket, words, 'switch_session on a connection that hears one session');
    }
    asked.set(message, decoded);
    return [{ do: 'deliver', message, ...(session === undefined ? {} : { session }), ticket }];
  }

  function answer({ ticket, session }: Decoded, outcome: Outcome, receipt: Receipt | undefined): Dictionary {
    const { type, payload } = ticket;
    const subject = { line: dictionaryOf(payload), session: session ?? '' };
    return {
      success: outcome.ok,
      data: outcome.ok ? answerData(type, outcome.data, { ...subject, view: views.get(subject.session) }) : undefined,
      error: wordsFor(ticket, outcome),
      timedOut: receipt?.timedOut === true ? true : undefined,
      sessionVersion: receipt?.version,
      replayed: receipt?.replayed === true ? true : undefined,
    };
  }

  return {
    start: () => [{ do: 'send', frame: serverReady }],
    decode(frame) {
      let json: unknown;
      try {
        json = frame.json;
      } catch (thrown) {
        return unread(parserWords(thrown), messageOf(thrown));
      }
      return take(json);
    },
    fault({ code, message, bytes }) {
      if (code !== 'too-large') return unread(message, message);
      const size = bytes === undefined ? 'Message size' : `Message size ${bytes}`;
      return unread(`${size} exceeds limit ${ports.maxFrameBytes}`, message);
    },
    reply(command, outcome, receipt) {
      const decoded = asked.get(command);
      if (decoded === undefined) return [];
      const { ticket, session } = decoded;
      const response = respond(ticket, answer(decoded, outcome, receipt));
      const isSubscription = outcome.ok && ticket.type === 'switch_session' && bound === undefined;
      // The response comes before the session's events (docs/protocols/pi-server.md 6.1).
      return isSubscription && session !== undefined ? [response, { do: 'subscribe', session }] : [response];
    },
    onBroadcast(broadcast) {
      const errorOf = ({ ticket, ending }: CommandBroadcast) =>
        ending === undefined ? undefined : wordsFor(ticket, ending.outcome);
      const frame = broadcastFrame(broadcast, { ...ports, errorOf });
      return frame === null ? [] : [{ do: 'send', frame }];
    },
    subscribed: (view) => void views.set(view.id, view),
    // The broadcast informs all clients.
    sessionEnded(session) {
      views.delete(session);
      return [];
    },
  };
}
