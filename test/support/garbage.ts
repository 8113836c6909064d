// Any sequence of events at all, in the proportions in which agents send them, about few enough things that they meet.
import fc from 'fast-check';
import { Event, type EventType } from '../../src/core/model/event.ts';
import { laneOf, type Transcript } from '../../src/core/model/transcript.ts';
import { arbitraryOf, type Pools } from './arbitrary.ts';
import type { Log } from './telling.ts';

const things = fc.constantFrom('a', 'b', 'c', 'd');

/** Pieces of text: half surrogates and line separators are in, quotes and braces as well. */
const pieces = fc.constantFrom('word ', 'é', '\u2028', '\ud83d', '\ude00', '', '{"a":1', '}', ',"b":"x"}', '"', '\n');

const pools: Pools = new Map<string, fc.Arbitrary<unknown>>([
  ['id', things],
  ['call', things],
  ['parent', fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: things })],
  ['index', fc.nat(2)],
  ['delta', pieces],
  ['name', fc.constantFrom('read', 'bash', 'mcp__files__list')],
  ['model', fc.constantFrom('model-1', 'model-2')],
  // Whatever a foreign block holds, it is not one of those that stream.
  ['protocol', fc.constantFrom('toy', 'demo')],
  ['changes', fc.constant({ name: 'a name' })],
]);

/** How often each type comes; those that are not here come once. */
const weights: ReadonlyMap<EventType, number> = new Map<EventType, number>([
  ['turn-start', 2],
  ['turn-end', 2],
  ['message-start', 4],
  ['block-start', 9],
  ['block-delta', 9],
  ['block-end', 7],
  ['message-end', 4],
  ['tool-start', 4],
  ['tool-end', 4],
]);

const anyEvent = fc.oneof(
  ...Event.options.map((option) => ({
    weight: weights.get(option.shape.type.value) ?? 1,
    arbitrary: arbitraryOf(option, pools).map((event) => Event.parse(event)),
  })),
);

/** A row of events that knows no order. */
export const garbage = fc.array(anyEvent, { maxLength: 70, size: 'max' });

/** Arguments stream from here, as much at a time as the garbage has characters: a reader of them insists on JSON. */
const argumentsText = '{"path":"a b \u2028","deep":[1,{"é":null}]}';

/** Admits events as they come, but for what contradicts itself: no order can make it true. */
export function admitAll(log: Log, events: readonly Event[]): void {
  /** Messages in which an index was used twice: the repair moves blocks, and which is meant cannot be told from here. */
  const unclear = new WeakSet<object>();
  for (const event of events) log.admit(truthful(log.transcript, event, unclear));
}

function truthful(transcript: Transcript, said: Event, unclear: WeakSet<object>): Event {
  const event = aboveItself(said);
  if (event.type !== 'block-start' && event.type !== 'block-end' && event.type !== 'block-delta') return event;
  const message = transcript.open.get(laneOf(event));
  if (message === undefined) return event;
  const block = message.blocks.findLast(({ index }) => index === event.index);
  if (event.type === 'block-start') {
    if (block !== undefined) unclear.add(message);
    return event;
  }
  const isClear = !unclear.has(message) && block?.end === undefined;
  if (event.type === 'block-delta') {
    if (!isClear) return message.blocks.some(({ head }) => head.kind === 'tool-call') ? { ...event, delta: '' } : event;
    if (block?.head.kind !== 'tool-call') return event;
    const from = block.text.length;
    return { ...event, delta: argumentsText.slice(from, from + event.delta.length) };
  }
  const { text, input, ...bare } = event;
  if (!isClear || block === undefined) return bare;
  if (block.head.kind === 'tool-call') return block.text === '' && input !== undefined ? { ...bare, input } : bare;
  return text === undefined ? bare : { ...bare, text: block.text + text };
}

/** A call lives in the thread that made it, never in the sub-agent that it is. */
function aboveItself(event: Event): Event {
  const call = event.type === 'block-start' && event.block.kind === 'tool-call' ? event.block.id : undefined;
  const isBelowItself = 'parent' in event && event.parent !== undefined && event.parent === call;
  return isBelowItself ? { ...event, parent: undefined } : event;
}
