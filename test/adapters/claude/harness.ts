// A Claude frontend and its projection on a table: frames as plain objects in and out.
import { adapters } from '../../../src/adapters/index.ts';
import type { Action, FrontendSide, SessionView } from '../../../src/core/adapter.ts';
import type { Command } from '../../../src/core/command.ts';
import type { Event } from '../../../src/core/event.ts';
import { emptyTranscript, fold } from '../../../src/core/transcript.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { stillEnv } from '../../support/decoding.ts';
import { createLog, epoch, tell, textOf } from '../../support/telling.ts';

/** A frame that we sent. */
export type Sent = { readonly type: string; readonly [key: string]: unknown };

export function sideOf(id: string, options: Record<string, unknown> = {}): FrontendSide {
  const side = adapters.get(id)?.frontend?.(stillEnv(), options);
  if (side === undefined) throw new Error(`${id} has no client side`);
  return side;
}

/** A session in the state that these events lead to. */
export function viewOf(events: readonly Event[]): SessionView {
  const transcript = emptyTranscript();
  for (const [at, event] of events.entries()) fold(transcript, { seq: at + 1, at: 0, event });
  return { id: 'session', epoch, timeOrigin: 0, transcript };
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
    sent: actions.flatMap((action) => (action.do === 'send' ? [JSON.parse(textOf(action.frame))] : [])),
    notes: actions.flatMap((action) => (action.do === 'note' ? [`${action.level}: ${action.text}`] : [])),
  };
}

/** A connection of a client. Its session is in the state that `events` lead to. */
export function connect(options: { id?: string; events?: readonly Event[] } = {}) {
  const { id = 'claude', events = [] } = options;
  const connection = sideOf(id).connection(viewOf(events));
  return {
    raw: (bytes: Uint8Array): Did => did(connection.decode(createFrame(bytes))),
    say: (frame: unknown): Did => did(connection.decode(createFrame(Buffer.from(JSON.stringify(frame))))),
    fault: (message: string): Did => did(connection.fault({ code: 'too-large', message })),
    reply: (command: Command, outcome: Parameters<typeof connection.reply>[1]): Did =>
      did(connection.reply(command, outcome)),
  };
}

/** What clients are told of events that go through the repair. */
export function told(events: readonly Event[], id = 'claude', options: Record<string, unknown> = {}) {
  const log = createLog();
  for (const event of events) log.admit(event);
  const { texts, losses } = tell(sideOf(id, options), log.logged);
  return { frames: texts.map((text): Sent => JSON.parse(text)), losses, log };
}
