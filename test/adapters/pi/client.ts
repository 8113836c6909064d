// A client's connection on a bench: lines in, commands and answers out; and what clients are told of some events.

import type { Dialect } from '../../../src/adapters/pi/frontend/dialect.ts';
import { pi } from '../../../src/adapters/pi/index.ts';
import { createProjection } from '../../../src/adapters/pi/projection/projection.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { FrontendSide } from '../../../src/core/contract/adapter/frontend.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import type { Transcript } from '../../../src/core/model/transcript.ts';
import { stillEnv } from '../../support/decoding.ts';
import { createLog, epoch, tell, textOf } from '../../support/telling.ts';
import { frameOf } from './harness.ts';

export type Json = Record<string, unknown>;

/** pi's side towards clients. */
export function sideOf(dialect: Dialect = 'growing'): FrontendSide {
  // The third dialect is the adapter pi-legacy's.
  if (dialect === 'legacy') {
    return {
      key: dialect,
      connection: () => ({ decode: () => [], fault: () => [], reply: () => [] }),
      projection: (session) => createProjection(session, { dialect }),
    };
  }
  const side = pi.client?.frontend(stillEnv(), { dialect });
  if (side === undefined) throw new Error('pi has no frontend');
  return side;
}

/** One client. */
export interface Client {
  /** Sends a line: an object, or raw text, or bytes. Returns the commands that it became. */
  send(line: object | string | Uint8Array): Command[];
  /** Answers the last command. */
  settle(outcome: Outcome): void;
  fault(message: string): void;
  /** The lines that the client got since the last call. */
  got(): Json[];
  /** As they stand on the wire. */
  gotText(): string[];
  notes(): string[];
  readonly transcript: Transcript;
}

/** A client of a session in which these events have happened. */
export function connect(events: readonly Event[] = []): Client {
  const transcript = emptyTranscript();
  for (const [at, event] of events.entries()) fold(transcript, { seq: at + 1, at, event });
  const connection = sideOf().connection({ id: 'session-1', epoch, timeOrigin: 1_000, transcript });
  let lines: string[] = [];
  let notes: string[] = [];
  let last: Command | undefined;

  function perform(actions: readonly Action<Command>[]): Command[] {
    const delivered: Command[] = [];
    for (const action of actions) {
      if (action.do === 'send') lines.push(textOf(action.frame));
      if (action.do === 'note') notes.push(`${action.level}: ${action.text}`);
      if (action.do === 'deliver') delivered.push(action.message);
    }
    last = delivered.at(-1) ?? last;
    return delivered;
  }

  function taken(): string[] {
    const all = lines;
    lines = [];
    return all;
  }

  return {
    transcript,
    send: (line) => perform(connection.decode(frameOf(line))),
    settle(outcome) {
      if (last === undefined) throw new Error('no command to answer');
      perform(connection.reply(last, outcome));
    },
    fault: (message) => void perform(connection.fault({ code: 'too-large', message })),
    got: () => taken().map((text): Json => JSON.parse(text)),
    gotText: taken,
    notes() {
      const all = notes;
      notes = [];
      return all;
    },
  };
}

/** What a client is told of events, which pass the repair first. */
export function told(events: readonly Event[], dialect: Dialect = 'growing'): { lines: Json[]; losses: string[] } {
  const log = createLog();
  for (const event of events) log.admit(event);
  const { texts, losses } = tell(sideOf(dialect), log.logged);
  return { lines: texts.map((text): Json => JSON.parse(text)), losses };
}

/** A line in short, for tables about order: `message_end assistant`, `tool_execution_end c1`. */
export function outline(lines: readonly Json[]): string[] {
  return lines.map(({ type, message, assistantMessageEvent, toolCallId, method }) => {
    const isMessage = String(type).startsWith('message_');
    const role =
      isMessage && typeof message === 'object' && message !== null && 'role' in message ? message.role : undefined;
    const update =
      typeof assistantMessageEvent === 'object' && assistantMessageEvent !== null && 'type' in assistantMessageEvent
        ? assistantMessageEvent.type
        : undefined;
    return [type, update ?? role, toolCallId, method].filter((word) => word !== undefined).join(' ');
  });
}

/** Events of a message that says one text. */
export function spoken(text: string, rest: Partial<Extract<Event, { type: 'message-end' }>> = {}): Event[] {
  return [
    { type: 'message-start', id: 'm1', model: 'm', provider: 'p', timestamp: 7 },
    { type: 'block-start', index: 0, block: { kind: 'text' } },
    { type: 'block-delta', index: 0, delta: text },
    { type: 'block-end', index: 0 },
    { type: 'message-end', stop: { reason: 'end' }, ...rest },
  ];
}

/** A tool call in a message, and the tool at work. */
export function called(call: string, index = 0): { said: Event[]; start: Event; end: Event } {
  return {
    said: [
      { type: 'block-start', index, block: { kind: 'tool-call', id: call, name: 'look' } },
      { type: 'block-delta', index, delta: '{"at":1}' },
      { type: 'block-end', index, input: { at: 1 } },
    ],
    start: { type: 'tool-start', call, name: 'look', input: { at: 1 } },
    end: { type: 'tool-end', call, name: 'look', content: [{ type: 'text', text: `seen ${call}` }], isError: false },
  };
}
