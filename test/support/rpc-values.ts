// What may differ between two tours through the same conversation, in one place; everything else must be equal.
import { RpcEvent } from './rpc-tour.ts';

/** Names of fields that are made anew each time: clocks, random ids, and the files and ports of a rig. */
export const volatileFields: ReadonlySet<string> = new Set([
  'timestamp',
  'sessionId',
  'sessionFile',
  'entryId',
  'firstKeptEntryId',
  'baseUrl',
  'path',
]);

/** The value with a placeholder for whatever is volatile, and events as {@link comparableEvent} has them. */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isProgress(item) && !isSettled(item)).map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(comparableEvent(value)).map(([name, field]) => [
    name,
    volatileFields.has(name) && typeof field !== 'object' ? `<${name}: ${typeof field}>` : comparable(field),
  ]);
  return Object.fromEntries(entries);
}

/** How often a running tool tells how far it got is a matter of time. */
function isProgress(value: unknown): boolean {
  return RpcEvent.safeParse(value).data?.type === 'tool_execution_update';
}

/** The gateway says what pi 0.54.2 does not: today's clients wait for it, and the client of this version passes over it. */
function isSettled(value: unknown): boolean {
  return RpcEvent.safeParse(value).data?.type === 'agent_settled';
}

/** pi's snapshots run ahead of their deltas, by as much as the machine lets them (docs/protocols/pi.md 7.3). */
function comparableEvent(value: object): object {
  if ('type' in value && value.type === 'agent_end' && 'willRetry' in value) {
    const { willRetry, ...event } = value;
    return event;
  }
  if (!('type' in value && value.type === 'message_update' && 'assistantMessageEvent' in value)) return value;
  const { partial, ...event } = { partial: null, ...Object(value.assistantMessageEvent) };
  return {
    type: value.type,
    hasPartial: partial !== null,
    hasMessage: 'message' in value,
    assistantMessageEvent: event,
  };
}

/** The types of events in order; runs of updates with the kind of their event. */
export function outlineOf(events: unknown): string[] {
  const words: string[] = [];
  for (const event of RpcEvent.array().parse(events)) {
    if (isProgress(event) || isSettled(event)) continue;
    const inner = RpcEvent.safeParse(event.assistantMessageEvent).data?.type;
    const word = inner ?? event.type;
    if (!word.endsWith('_delta') || words.at(-1) !== word) words.push(word);
  }
  return words;
}
