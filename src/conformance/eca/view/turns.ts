// The turns of one chat, from each prompt to the next, and how each went.

import type { Request } from '../../check/json-rpc.ts';
import type { ChatEvent, Content } from './chat-events.ts';

/** The events after an accepted prompt. */
export interface Turn {
  readonly prompt: Request;
  /** Events after the prompt, up to the next prompt. */
  readonly events: readonly ChatEvent[];
  readonly contents: readonly Content[];
  /** Frame at which the turn is over: the next prompt, or the end of the trace. */
  readonly end: number;
  readonly isLast: boolean;
  /** Frames of `progress` with state `finished`. */
  readonly finished: readonly number[];
  readonly isStopped: boolean;
  readonly isDeleted: boolean;
  /** The server sent more than status contents, as it does on a failure. */
  readonly hasWords: boolean;
  /** Two turns overlap, so contents cannot be assigned to either. */
  readonly isTangled: boolean;
  /** True if no command interfered in this turn or the one before. */
  readonly isClean: boolean;
}

/** Whether the event ends a run. */
export const isFinished = (event: ChatEvent): event is Content =>
  event.is === 'content' && event.type === 'progress' && event.content.state === 'finished' && !event.isHistory;

/** Whether the event shows an open run. */
export const isRunning = (event: ChatEvent): event is Content =>
  event.is === 'content' && event.type === 'progress' && event.content.state === 'running';

/** Whether nothing more will come: a cut trace may lack the end of its last run. */
export const isOver = ({ isComplete }: { readonly isComplete: boolean }, { isLast }: Turn): boolean =>
  isComplete || !isLast;

/**
 * `end`: number of frames in the trace. `isLate`: the trace lacks the beginning, so a run may have been in progress.
 */
export function turnsOf(events: readonly ChatEvent[], end: number, isLate: boolean): Turn[] {
  const begins = [...events.entries()].flatMap(([index, event]) =>
    event.is === 'prompt' ? [{ index, ask: event.ask }] : [],
  );
  const parts = begins.map(({ index, ask }, place) => {
    const next = begins[place + 1];
    const own = events.slice(index + 1, next?.index);
    const contents = own.filter((event) => event.is === 'content');
    return {
      prompt: ask,
      events: own,
      contents,
      end: next?.ask.frame ?? end,
      isLast: next === undefined,
      finished: own.filter(isFinished).map(({ frame }) => frame),
      isStopped: own.some(({ is }) => is === 'stop'),
      isDeleted: own.some(({ is }) => is === 'delete' || is === 'deleted' || is === 'cleared'),
      hasWords: contents.some(({ role, type }) => role === 'system' && type === 'text'),
    };
  });
  // Servers of the first era allow two overlapping runs in one chat. From then on, the contents of the runs cannot be
  // distinguished.
  const isOld = isLate && typeof begins[0]?.ask.params.chatId === 'string';
  const first = isOld
    ? 0
    : parts.findIndex(({ finished, isLast, isDeleted }) => finished.length === 0 && !isLast && !isDeleted);
  return parts.map((part, place) => {
    const isTangled = first >= 0 && place >= first;
    const before = parts[place - 1];
    const isFree = !part.isStopped && !part.isDeleted && before?.isStopped !== true && before?.isDeleted !== true;
    return { ...part, isTangled, isClean: !isTangled && isFree };
  });
}
