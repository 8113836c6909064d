// A client of a pi-server on a table: lines in, commands and answers out, and what all clients are told. No ledger and no session.
import { piServer } from '../../../src/adapters/pi-server/index.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { SessionView } from '../../../src/core/contract/adapter/projection.ts';
import type { Broadcast, CommandBroadcast } from '../../../src/core/contract/broadcast.ts';
import type { Receipt, Ticket } from '../../../src/core/contract/ticket.ts';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { stillEnv } from '../../support/decoding.ts';
import { epoch, textOf } from '../../support/telling.ts';

export type Json = Record<string, unknown>;

/** A command as the connection handed it in. */
export interface Delivered {
  readonly command: Command;
  readonly session: string | undefined;
  readonly ticket: Ticket;
}

/** What one call led to. */
export interface Result {
  readonly sent: Json[];
  /** As they stand on the wire. */
  readonly texts: string[];
  readonly delivered: Delivered[];
  readonly notes: string[];
  readonly watched: string[];
  /** What was done, in order. */
  readonly order: string[];
}

export const done: Outcome = { ok: true };

/** Nothing special. */
export const receipt: Receipt = { replayed: false, timedOut: false };

/** A view of a session in which these events have happened. */
export function viewOf(id: string, events: readonly Event[] = []): SessionView {
  const transcript = emptyTranscript();
  for (const [at, event] of events.entries()) fold(transcript, { seq: at + 1, at, event });
  return { id, epoch, timeOrigin: 1_000, transcript };
}

/** pi-server's side towards clients. */
export function sideOf(options: Json = {}, settings: Json = {}) {
  const side = piServer.client?.frontend(stillEnv(), options, settings);
  if (side === undefined) throw new Error('pi-server has no client side');
  return side;
}

/** One connection. */
export function connect({ options = {}, settings = {}, bound, side = sideOf(options, settings) }: Setting = {}) {
  const machine = side.connection(bound);
  const open: Delivered[] = [];

  function perform(actions: readonly Action<Command>[]): Result {
    const result: Result = { sent: [], texts: [], delivered: [], notes: [], watched: [], order: [] };
    for (const action of actions) {
      result.order.push(action.do);
      switch (action.do) {
        case 'send':
          result.texts.push(textOf(action.frame));
          result.sent.push(JSON.parse(textOf(action.frame)));
          break;
        case 'deliver': {
          const { message: command, session, ticket } = action;
          if (ticket === undefined) throw new Error(`${command.type} without a ticket`);
          result.delivered.push({ command, session, ticket });
          break;
        }
        case 'subscribe':
          result.watched.push(action.session);
          break;
        case 'note':
          result.notes.push(`${action.level}: ${action.text}`);
          break;
        default:
          throw new Error(`unexpected: ${action.do}`);
      }
    }
    open.push(...result.delivered);
    return result;
  }

  const raw = (bytes: Uint8Array | string) => perform(machine.decode(createFrame(Buffer.from(bytes))));
  return {
    start: () => perform(machine.start?.() ?? []),
    raw,
    send: (line: unknown) => raw(JSON.stringify(line)),
    /** Answers the command that came in last. */
    settle(outcome: Outcome, told: Partial<Receipt> = {}) {
      const one = open.pop();
      if (one === undefined) throw new Error('no command to answer');
      return perform(machine.reply(one.command, outcome, { ...receipt, ...told }));
    },
    fault: (fault: Parameters<typeof machine.fault>[0]) => perform(machine.fault(fault)),
    hear: (news: Broadcast) => perform(machine.onBroadcast?.(news) ?? []),
    watching: (view: SessionView) => machine.subscribed?.(view),
    over: (session: string) => perform(machine.sessionEnded?.(session, 'it is gone') ?? []),
  };
}

/** What a connection is made with. */
export interface Setting {
  readonly options?: Json;
  readonly settings?: Json;
  readonly bound?: SessionView;
  /** Shared with other connections; default: one of its own. */
  readonly side?: ReturnType<typeof sideOf>;
}

/** The news of one command's phase. */
export function newsOf(ticket: Ticket, rest: Partial<CommandBroadcast> = {}): CommandBroadcast {
  return { kind: 'command', phase: 'accepted', how: 'executed', ticket, number: 7, ...rest };
}

/** The ticket of a line. */
export function ticketOf(line: Json): Ticket {
  const [one] = connect().send(line).delivered;
  if (one === undefined) throw new Error('not a command');
  return one.ticket;
}
