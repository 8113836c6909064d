// A Claude frontend and its projection on a table: frames as plain objects in and out.
import { adapters } from '../../../src/adapters/index.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { Frontend, FrontendSide } from '../../../src/core/contract/adapter/frontend.ts';
import type { AgentKind, SessionView } from '../../../src/core/contract/adapter/projection.ts';
import type { Out } from '../../../src/core/contract/channel.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { stillEnv } from '../../support/decoding.ts';
import { createLog, epoch, tell, textOf } from '../../support/telling.ts';

/** A frame that we sent. */
export type Sent = { readonly type: string; readonly [key: string]: unknown };

export function sideOf(id: string, options: Record<string, unknown> = {}): FrontendSide {
  const side = adapters.get(id)?.client?.frontend(stillEnv(), options);
  if (side === undefined) throw new Error(`${id} has no client side`);
  return side;
}

/** A session in the state that these events lead to. */
export function viewOf(events: readonly Event[], agent?: AgentKind): SessionView {
  const transcript = emptyTranscript();
  for (const [at, event] of events.entries()) fold(transcript, { seq: at + 1, at: 0, event });
  return { id: 'session', epoch, timeOrigin: 0, place: '/home/user/project', transcript, agent };
}

/** What one connection did. */
export interface Did {
  readonly delivered: Command[];
  readonly sent: Sent[];
  readonly notes: string[];
}

function did(actions: readonly Action<Command>[]): Did {
  return {
    delivered: actions.flatMap((action) => (action.do === 'deliver' ? [action.message] : [])),
    // An empty frame is a mark, which the connection takes back.
    sent: actions.flatMap((action) =>
      action.do === 'send' && action.frame.length > 0 ? [JSON.parse(textOf(action.frame))] : [],
    ),
    notes: actions.flatMap((action) => (action.do === 'note' ? [`${action.level}: ${action.text}`] : [])),
  };
}

interface ConnectSetting {
  readonly id?: string;
  readonly events?: readonly Event[];
  readonly options?: Record<string, unknown>;
  readonly agent?: AgentKind;
}

function dressed(connection: Frontend, out: Out): readonly Out[] {
  const worn = connection.mapOutgoing?.(out) ?? null;
  if (worn === null) return [];
  return typeof worn === 'object' && 'frames' in worn ? worn.frames : [worn];
}

/** A connection of a client. Its session is in the state that `events` lead to. */
export function connect(setting: ConnectSetting = {}) {
  const { id = 'claude', events = [], options = {}, agent } = setting;
  const connection = sideOf(id, options).connection(viewOf(events, agent));
  const decode = (frame: unknown) => connection.decode(createFrame(Buffer.from(JSON.stringify(frame))));
  return {
    /** The one command that a frame becomes. */
    asks(frame: unknown): Command {
      const [command, ...others] = did(decode(frame)).delivered;
      if (command === undefined || others.length > 0) throw new Error('not one command');
      return command;
    },
    /** What goes out to this client of frames that are on their way to it. */
    hears: (...outs: readonly Out[]): Sent[] =>
      outs.flatMap((out) => dressed(connection, out)).map((frame) => JSON.parse(textOf(frame))),
    raw: (bytes: Uint8Array): Did => did(connection.decode(createFrame(bytes))),
    say: (frame: unknown): Did => did(decode(frame)),
    /** The same with the frames as they are sent, marks among them. */
    sends: (actions: readonly Action<Command>[]): Out[] =>
      actions.flatMap((action) => (action.do === 'send' ? [action.frame] : [])),
    connection,
    fault: (message: string): Did => did(connection.fault({ code: 'too-large', message })),
    reply: (command: Command, outcome: Parameters<typeof connection.reply>[1]): Did =>
      did(connection.reply(command, outcome)),
  };
}

/** What clients are told of events that go through the repair. */
export function told(
  events: readonly Event[],
  id = 'claude',
  options: Record<string, unknown> = {},
  agent?: AgentKind,
) {
  const log = createLog();
  for (const event of events) log.admit(event);
  const { texts, losses } = tell(sideOf(id, options), log.logged, agent);
  return { frames: texts.map((text): Sent => JSON.parse(text)), losses, log };
}
