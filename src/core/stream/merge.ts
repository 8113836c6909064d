// Joins deltas that nobody has been waiting for, so that a slow reader is told less often instead of later and later.
// Knows no stream.
import type { Event, EventOf, Logged } from '../model/event.ts';

/** A delta as the log keeps it. */
export interface LoggedDelta extends Logged {
  readonly event: EventOf<'block-delta'>;
}

/** The same, if it is a delta; null for anything else, and for what is told again. */
export function deltaIn({ seq, at, event, replay }: Logged): LoggedDelta | null {
  return replay === undefined && event.type === 'block-delta' ? { seq, at, event } : null;
}

/** Whether the event goes on where those deltas stopped and differs in nothing but its text. */
export function goesOn({ event }: LoggedDelta, next: Event): boolean {
  return (
    next.type === 'block-delta' &&
    next.index === event.index &&
    next.parent === event.parent &&
    next.synthetic === event.synthetic &&
    isSame(next.extra, event.extra)
  );
}

/** Both texts in one delta, with the place and the time of the second. */
export function joinDeltas(before: LoggedDelta, next: LoggedDelta): LoggedDelta {
  return { ...next, event: { ...next.event, delta: before.event.delta + next.event.delta } };
}

function isSame(one: Event['extra'], other: Event['extra']): boolean {
  return one === other || (one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other));
}
