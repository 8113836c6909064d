// A transcript as JSON and back, for what is kept of a session. A thing that the transcript holds twice is one object
// again afterwards: `fold` and `replay` compare by identity.
import type { Event, EventOf, EventType } from '../model/event.ts';
import { type AssistantMessage, type Block, type Item, laneOf, type Transcript } from '../model/transcript.ts';
import { displayKey, emptyTranscript, endMessage, openBlock } from './fold.ts';
import type { StoredMessage, StoredTranscript } from './stored-records.ts';
import { measureTranscript } from './transcript-size.ts';

/** The transcript as JSON. Shares what never changes; to be written before the next event. */
export function writeTranscript(transcript: Transcript): StoredTranscript {
  const { items, open, tools, approvals, dialogs, compaction, queue, servers, displays, bytes, ...plain } = transcript;
  const messages = new Map<AssistantMessage, number>();
  const events = new Map<unknown, number>();
  for (const [place, item] of items.entries()) {
    if (item.kind === 'message') messages.set(item.message, place);
    else events.set(item.logged.event, place);
  }
  return {
    ...plain,
    items: items.map(writeItem),
    open: [...open.values()].map((message) => messages.get(message) ?? writeMessage(message)),
    tools: [...tools.values()].map((tool) => ({ ...tool, progress: [...tool.progress] })),
    approvals: [...approvals.values()].map((request) => events.get(request) ?? request),
    dialogs: [...dialogs.values()],
    compaction: compaction === null ? null : (events.get(compaction) ?? compaction),
    queue: { steering: queue.steering, followUp: queue.followUp },
    servers: [...servers.values()],
    displays: [...displays.values()],
  };
}

function writeItem(item: Item): StoredTranscript['items'][number] {
  if (item.kind === 'message') return { message: writeMessage(item.message) };
  const { seq, at, event } = item.logged;
  return { seq, at, event };
}

function writeMessage({ start, seq, startedAt, blocks, endedAt, end }: AssistantMessage): StoredMessage {
  const written = blocks.map(({ index, head, text, end: ending }) => ({ index, head, text, end: ending }));
  return { start, seq, startedAt, blocks: written, endedAt, end };
}

/** The transcript that was written. Throws if the places in it lead nowhere. */
export function readTranscript(stored: StoredTranscript): Transcript {
  const { open, tools, approvals, dialogs, compaction, servers, displays, ...plain } = stored;
  const items = stored.items.map(readItem);
  const messages = open.map((held) => (typeof held === 'number' ? messageAt(items, held) : readMessage(held)));
  const requests = approvals.map((held) => eventIn(items, held, 'approval-request'));
  const transcript: Transcript = {
    ...emptyTranscript(),
    ...plain,
    items,
    compaction: compaction === null ? null : eventIn(items, compaction, 'compaction-start'),
  };
  // The empty maps of a new transcript are shared; most stay empty.
  if (messages.length > 0) transcript.open = new Map(messages.map((message) => [laneOf(message.start), message]));
  if (tools.length > 0) transcript.tools = new Map(tools.map((tool) => [tool.call, { ...tool }]));
  if (requests.length > 0) transcript.approvals = new Map(requests.map((event) => [event.id, event]));
  if (dialogs.length > 0) transcript.dialogs = new Map(dialogs.map((event) => [event.id, event]));
  if (servers.length > 0) transcript.servers = new Map(servers.map((event) => [event.name, event]));
  if (displays.length > 0) transcript.displays = new Map(displays.map((event) => [displayKey(event), event]));
  transcript.bytes = measureTranscript(transcript);
  return transcript;
}

function readItem(stored: StoredTranscript['items'][number]): Item {
  if ('message' in stored) return { kind: 'message', message: readMessage(stored.message) };
  return { kind: 'event', logged: stored };
}

/** The same fields as `fold` gives to a message. */
function readMessage({ start, seq, startedAt, blocks, endedAt, end }: StoredMessage): AssistantMessage {
  const message: AssistantMessage = { role: 'assistant', start, seq, startedAt, blocks: blocks.map(readBlock) };
  if (end !== undefined) endMessage(message, end, endedAt ?? startedAt);
  return message;
}

function readBlock({ index, head, text, end }: StoredMessage['blocks'][number]): Block {
  const block = openBlock(index, head);
  block.streamed.set(text);
  if (end !== undefined) block.end = end;
  return block;
}

function messageAt(items: readonly Item[], place: number): AssistantMessage {
  const item = items[place];
  if (item?.kind !== 'message') throw new Error(`item ${place} is no message`);
  return item.message;
}

function eventIn<Type extends EventType>(
  items: readonly Item[],
  held: number | EventOf<Type>,
  type: Type,
): EventOf<Type> {
  if (typeof held !== 'number') return held;
  const item = items[held];
  const event = item?.kind === 'event' ? item.logged.event : undefined;
  if (event === undefined || !isOf(event, type)) throw new Error(`item ${held} is no ${type}`);
  return event;
}

function isOf<Type extends EventType>(event: Event, type: Type): event is EventOf<Type> {
  return event.type === type;
}
