// The turns of one chat: from each prompt to the next, and what is known of how it went. Pure.
import type { Request } from './messages.ts';
import type { ChatEvent, Content } from './chat-events.ts';

/** What follows a prompt that was taken. */
export interface Turn {
  readonly prompt: Request;
  /** Behind the prompt, up to the next one. */
  readonly events: readonly ChatEvent[];
  readonly contents: readonly Content[];
  /** Index of the frame where it is over: the next prompt, or the end of the trace. */
  readonly end: number;
  readonly isLast: boolean;
  /** Frames of `progress` with state `finished`. */
  readonly finished: readonly number[];
  readonly isStopped: boolean;
  readonly isDeleted: boolean;
  /** The server says more than that it works, as it does of failures. */
  readonly hasWords: boolean;
  /** It began while another was going on, or another began in it: whose the contents are nobody can say. */
  readonly isTangled: boolean;
  /** Nobody has interfered, here or in the turn before. */
  readonly isClean: boolean;
}

/** Whether that is the end of a run. */
export const isFinished = (event: ChatEvent): event is Content =>
  event.is === 'content' && event.type === 'progress' && event.content.state === 'finished' && !event.isHistory;

/** Whether that says that a run goes on. */
export const isRunning = (event: ChatEvent): event is Content =>
  event.is === 'content' && event.type === 'progress' && event.content.state === 'running';

/** Whether nothing more will come: in a trace that was cut off a run may be finished once more. */
export const isOver = ({ isComplete }: { readonly isComplete: boolean }, { isLast }: Turn): boolean =>
  isComplete || !isLast;

/** `end`: how many frames the trace has. `isLate`: it was not heard from the beginning, so a run may have been going on. */
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
  // Servers of the first era let two runs of one chat go on side by side, and never tell them apart again.
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
