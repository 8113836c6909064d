// Reads frames of a pi-server: responses, lifecycle phases, session events.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import type { LoggedMessage } from '../../check/check.ts';

/** A parsed frame of the server; a frame that is no JSON object has no type. */
export interface ReceivedFrame {
  readonly frame: Dictionary;
  /** Index in the log of the connection. */
  readonly at: number;
}

/** The frames of the server in the log, from index `from` on. */
export function receivedIn(log: readonly LoggedMessage[], from = 0): ReceivedFrame[] {
  return log
    .slice(from)
    .flatMap(({ by, json }, index) => (by === 'peer' && isDictionary(json) ? [{ frame: json, at: from + index }] : []));
}

/** `data` of a frame; empty if there is none. */
export const dataOf = (frame: Dictionary): Dictionary => dictionaryOf(frame.data);

/** Whether the frame is a response. */
export const isResponse = ({ frame }: ReceivedFrame): boolean => frame.type === 'response';

/** Matches the response to the command with this id. */
export const answers =
  (id: unknown) =>
  ({ frame }: ReceivedFrame): boolean =>
    frame.type === 'response' && frame.id === id;

/** The three lifecycle phases (docs/protocols/pi-server.md 7.2). */
export type Phase = 'accepted' | 'started' | 'finished';

/** The phases by the types of their frames. */
export const phases: ReadonlyMap<unknown, Phase> = new Map<unknown, Phase>([
  ['command_accepted', 'accepted'],
  ['command_started', 'started'],
  ['command_finished', 'finished'],
]);

/** A frame that is a JSON object. */
export interface Line {
  /** Index in the trace. */
  readonly frame: number;
  readonly json: Dictionary;
}

/** A lifecycle step of a command. */
export interface LifecycleStep extends Line {
  readonly phase: Phase;
  readonly data: Dictionary;
  readonly id: unknown;
}

/** One lifecycle step of a command. */
export interface Step {
  readonly phase: Phase;
  readonly data: Dictionary;
  readonly at: number;
}

/** All lifecycle steps. */
export function stepsIn(received: readonly ReceivedFrame[]): Step[] {
  return received.flatMap(({ frame, at }) => {
    const phase = phases.get(frame.type);
    return phase === undefined ? [] : [{ phase, data: dataOf(frame), at }];
  });
}

/** The lifecycle of one command. */
export const stepsOf = (received: readonly ReceivedFrame[], id: unknown): Step[] =>
  stepsIn(received).filter(({ data }) => data.commandId === id);

/** The phases of one command, in order. */
export const phasesOf = (received: readonly ReceivedFrame[], id: unknown): Phase[] =>
  stepsOf(received, id).map(({ phase }) => phase);

/** An event of a session. */
export interface SessionEvent {
  readonly event: Dictionary;
  readonly at: number;
}

/** The events of one session. */
export function eventsIn(received: readonly ReceivedFrame[], session: string): SessionEvent[] {
  return received.flatMap(({ frame, at }) =>
    frame.type === 'event' && frame.sessionId === session ? [{ event: dictionaryOf(frame.event), at }] : [],
  );
}

/** The event types in order; neighbours of one type count once. */
export function outlineOf(events: readonly SessionEvent[]): string[] {
  return events.map(wordOf).filter((word, index, words) => word !== words[index - 1]);
}

function wordOf({ event }: SessionEvent): string {
  const type = String(event.type);
  if (type === 'message_update') return `update ${String(dictionaryOf(event.assistantMessageEvent).type)}`;
  const role = dictionaryOf(event.message).role;
  return type.startsWith('message_') ? `${type} ${String(role)}` : type;
}

/** The joined text of a message's content. */
export function textOf(message: unknown): string {
  const { content } = dictionaryOf(message);
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: unknown) => String(dictionaryOf(block).text ?? '')).join('');
}
