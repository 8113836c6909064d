// One connection of a client that speaks the model itself (docs/protocols/canonical.md 2, 4). The events come from
// projection.ts.
import { z } from 'zod';
import type { Action } from '../../core/contract/adapter/action.ts';
import type { Frontend } from '../../core/contract/adapter/frontend.ts';
import type { SessionView } from '../../core/contract/adapter/projection.ts';
import { Command } from '../../core/model/command.ts';
import { dictionaryOf, isDictionary } from '../../core/model/dictionary.ts';
import { type ErrorCode, GatewayError, messageOf, type Problem } from '../../core/model/errors.ts';
import { AttachFrame, CommandFrame, DetachFrame, type GatewayFrame, RequestId } from './wire.ts';

type Actions = Action<Command>[];

/** The envelope of a frame, by the field that only this envelope has. */
const envelopes = new Map<string, typeof CommandFrame | typeof AttachFrame | typeof DetachFrame>([
  ['command', CommandFrame],
  ['attach', AttachFrame],
  ['detach', DetachFrame],
]);

const commandTypes: ReadonlySet<unknown> = new Set(Command.options.map((option) => option.shape.type.value));

/** Creates the frontend of one connection. `bound`: its only session; absent if it carries many. */
export function createConnection(bound: SessionView | undefined): Frontend {
  const ids = new WeakMap<Command, RequestId>();

  const send = (frame: GatewayFrame): Action<Command> => ({ do: 'send', frame: JSON.stringify(frame) });

  /** Refuses a frame; the connection goes on. The note never repeats the content of the frame. */
  function refuse(id: RequestId | undefined, code: ErrorCode, message: string, note: string): Actions {
    const error: Problem = { code, message };
    const frame = id === undefined ? { error } : { id, outcome: { ok: false as const, error } };
    return [{ do: 'note', level: 'violation', text: note }, send(frame)];
  }

  function take(json: unknown): Actions {
    const id = RequestId.safeParse(dictionaryOf(json).id).data;
    const envelope = isDictionary(json) ? [...envelopes].find(([field]) => Object.hasOwn(json, field))?.[1] : undefined;
    if (envelope === undefined) {
      const needs = 'a frame is an object with "command" and "id", with "attach", or with "detach"';
      return refuse(id, 'invalid', needs, 'a frame without a request');
    }
    const read = envelope.safeParse(json);
    if (!read.success) {
      const { type } = dictionaryOf(dictionaryOf(json).command);
      if (typeof type === 'string' && !commandTypes.has(type))
        return refuse(
          id,
          'unknown-command',
          `no command named ${JSON.stringify(type.slice(0, 64))}`,
          'a command that nobody knows',
        );
      return refuse(id, 'invalid', z.prettifyError(read.error).slice(0, 2000), 'a frame that is not valid');
    }
    return 'command' in read.data ? deliver(read.data) : follow(read.data);
  }

  function deliver({ id, session, command }: z.infer<typeof CommandFrame>): Actions {
    ids.set(command, id);
    return [{ do: 'deliver', message: command, ...(session === undefined ? {} : { session }) }];
  }

  function follow(frame: z.infer<typeof AttachFrame> | z.infer<typeof DetachFrame>): Actions {
    // A client need not know that the connection has attached it already.
    if (bound !== undefined && 'attach' in frame && frame.attach === bound.id) return [];
    if (bound !== undefined) {
      const message = `this connection has the events of session ${bound.id}, and of no other`;
      return refuse(undefined, 'unsupported', message, 'attach or detach on a connection with a session of its own');
    }
    return 'attach' in frame
      ? [{ do: 'subscribe', session: frame.attach }]
      : [{ do: 'unsubscribe', session: frame.detach }];
  }

  return {
    decode(frame) {
      let json: unknown;
      try {
        json = frame.json;
      } catch (thrown) {
        const code = thrown instanceof GatewayError ? thrown.code : 'bad-frame';
        return refuse(undefined, code, messageOf(thrown), 'a frame that is no JSON');
      }
      return take(json);
    },
    fault: ({ code, message }) => refuse(undefined, code, message, message),
    reply(command, outcome) {
      const id = ids.get(command);
      return id === undefined ? [] : [send({ id, outcome })];
    },
    sessionEnded: (session, reason) => [send({ ended: { session, reason } })],
  };
}
