// Joins consecutive deltas of one block, so that slow readers get fewer and longer deltas instead of falling further
// behind.
import type { Event, EventOf, Logged } from '../model/event.ts';

/** A logged event that is a delta. */
export interface LoggedDelta extends Logged {
  readonly event: EventOf<'block-delta'>;
}

/** The event as a delta that may be joined; null for other events and for replayed ones. */
export function joinableDelta({ seq, at, event, replay }: Logged): LoggedDelta | null {
  return replay === undefined && event.type === 'block-delta' ? { seq, at, event } : null;
}

/** Whether `next` continues the delta: a delta of the same block that differs in nothing but its text. */
export function isContinuation({ event }: LoggedDelta, next: Event): boolean {
  return (
    next.type === 'block-delta' &&
    next.index === event.index &&
    next.parent === event.parent &&
    next.synthetic === event.synthetic &&
    isSameExtra(next.extra, event.extra)
  );
}

/** Both texts in one delta, with the place and the time of the second. */
export function joinDeltas(first: LoggedDelta, second: LoggedDelta): LoggedDelta {
  return { ...second, event: { ...second.event, delta: first.event.delta + second.event.delta } };
}

function isSameExtra(one: Event['extra'], other: Event['extra']): boolean {
  return one === other || (one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other));
}
