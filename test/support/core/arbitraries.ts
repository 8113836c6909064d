// Sequences of events for properties: any legal one, and any at all.
import fc from 'fast-check';
import { emptyTranscript, fold } from '../../../src/core/log/fold.ts';
import { check } from '../../../src/core/log/grammar.ts';
import type { Event, EventType } from '../../../src/core/model/event.ts';
import { laneOf, type Transcript } from '../../../src/core/model/transcript.ts';
import { byType, vocabulary, wholeText } from './vocabulary.ts';

/** How often each type is tried; what is not named is tried once. */
const often: Partial<Record<EventType, number>> = {
  'run-start': 6,
  'turn-start': 6,
  'message-start': 6,
  'block-start': 8,
  'block-delta': 12,
  'block-end': 6,
  'message-end': 4,
  'tool-start': 5,
  'tool-update': 3,
  'tool-end': 6,
  'approval-end': 2,
};
const types = [...byType.keys()].flatMap((type) => Array.from({ length: often[type] ?? 1 }, () => type));

/**
 * Any legal sequence: each number picks one of the events that the grammar allows there. It may stop with anything
 * open. A call is announced at most once in a run, before it starts and before anybody speaks in its lane: announced in
 * the middle of its own life, it could not be told again in the order of the messages (complete.ts).
 */
export const legalEvents: fc.Arbitrary<Event[]> = fc
  .array(fc.nat({ max: 2 ** 30 }), { maxLength: 80, size: 'max' })
  .map(walk);

function walk(numbers: readonly number[]): Event[] {
  const state = emptyTranscript();
  const events: Event[] = [];
  /** Calls of the run that have begun to live. */
  const lived = new Set<string>();
  for (const [at, number] of numbers.entries()) {
    const event = pick(state, lived, number, at);
    if (event === undefined) continue;
    events.push(event);
    if (event.type === 'run-end') lived.clear();
    if ('parent' in event && event.parent !== undefined) lived.add(event.parent);
    fold(state, { seq: events.length, at: events.length, event });
  }
  return events;
}

function pick(state: Transcript, lived: ReadonlySet<string>, number: number, at: number): Event | undefined {
  // Types are tried round the table from a place that the number gives, so that each number finds something.
  for (let step = 0; step < types.length; step += 1) {
    const type = types[(number + step * 7) % types.length] ?? 'notice';
    const legal = (byType.get(type) ?? [])
      .map((event) => complete(event, at, state))
      .filter((event) => check(state, event) === null && !announcesLate(state, lived, event));
    if (legal.length > 0) return legal[Math.floor(number / types.length) % legal.length];
  }
  return undefined;
}

function announcesLate(state: Transcript, lived: ReadonlySet<string>, event: Event): boolean {
  if (event.type !== 'block-start' || event.block.kind !== 'tool-call') return false;
  const { id } = event.block;
  return state.tools.has(id) || lived.has(id) || event.parent === id;
}

/** Names and deltas that are their own, endings that say all that was streamed: what the repair need not complete. */
function complete(event: Event, at: number, state: Transcript): Event {
  if (event.type === 'message-start') return { ...event, id: `m${at}` };
  if (event.type === 'block-delta') return { ...event, delta: `<${at}>` };
  // Each event is an object of its own, as it is in life.
  if (event.type !== 'block-end') return { ...event };
  const block = state.open.get(laneOf(event))?.blocks.findLast((candidate) => candidate.index === event.index);
  if (block?.head.kind === 'tool-call') return { ...event, text: undefined, input: event.input ?? {} };
  const isText = block?.head.kind === 'text' || block?.head.kind === 'thinking';
  return { ...event, input: undefined, text: event.text === wholeText && isText ? block.text : undefined };
}

/** Any sequence at all. Each delta is the only one of its text. */
export const anyEvents: fc.Arbitrary<Event[]> = fc
  .array(
    fc.constantFrom(...types).chain((type) => fc.constantFrom(...(byType.get(type) ?? vocabulary))),
    {
      maxLength: 60,
      size: 'max',
    },
  )
  .map((events) => events.map((event, at) => (event.type === 'block-delta' ? { ...event, delta: `<${at}>` } : event)));
