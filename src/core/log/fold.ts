// Folds events into the transcript. No other code accumulates events.
import { type Burst, eventCount } from '../model/burst.ts';
import { addUsage, noUsage } from '../model/content.ts';
import type { BlockHead, Event, EventOf, Logged } from '../model/event.ts';
import { GrowingText } from '../model/growing-text.ts';
import {
  type AssistantMessage,
  type Block,
  laneOf,
  type Run,
  type ToolRun,
  type Transcript,
} from '../model/transcript.ts';
import {
  measureTranscript,
  ofCharacter,
  sizeOfBlockEnd,
  sizeOfInfo,
  sizeOfItem,
  sizeOfProgress,
  sizeOfQueue,
  sizeOfValue,
} from './transcript-size.ts';

/** The shared empty map, which must stay empty. Most sessions use few of their maps, and six empty maps take 1 KB. */
const nothing = new Map<string, never>();

/** Adds an entry. Replaces the shared empty map by a new one first. */
function withEntry<Value>(map: Map<string, Value>, key: string, value: Value): Map<string, Value> {
  return (map === nothing ? new Map<string, Value>() : map).set(key, value);
}

/** The state before any event. */
export function emptyTranscript(): Transcript {
  return {
    items: [],
    run: null,
    runs: 0,
    turn: false,
    open: nothing,
    tools: nothing,
    approvals: nothing,
    dialogs: nothing,
    compaction: null,
    retry: null,
    queue: { steering: [], followUp: [] },
    info: {},
    servers: nothing,
    displays: nothing,
    plan: null,
    agent: 'up',
    usage: noUsage,
    cost: 0,
    lastSeq: 0,
    lastAt: 0,
    bytes: 0,
  };
}

/**
 * Folds one more event into the transcript. Events must be in legal order (grammar.ts). An illegal event is folded as
 * far as possible. Never throws.
 */
export function fold(transcript: Transcript, logged: Logged): void {
  const { event, seq, at } = logged;
  transcript.lastSeq = seq;
  transcript.lastAt = at;
  switch (event.type) {
    case 'run-start': {
      const run: Run = { number: transcript.runs++, startedAt: at };
      transcript.run = run;
      keep(transcript, logged);
      return;
    }
    case 'run-end': {
      transcript.run = null;
      for (const tool of transcript.tools.values()) setProgress(transcript, tool, []);
      transcript.tools.clear();
      keep(transcript, logged);
      return;
    }
    case 'turn-start':
    case 'turn-end':
      transcript.turn = event.type === 'turn-start';
      keep(transcript, logged);
      return;
    case 'message-start': {
      const message: AssistantMessage = { role: 'assistant', start: event, seq, startedAt: at, blocks: [] };
      transcript.open = withEntry(transcript.open, laneOf(event), message);
      transcript.items.push({ kind: 'message', message });
      transcript.bytes += sizeOfValue(event);
      return;
    }
    case 'block-start':
    case 'block-delta':
    case 'block-end':
      foldBlock(transcript, event);
      return;
    case 'message-end':
      foldMessageEnd(transcript, event, at);
      return;
    case 'message-added':
      keep(transcript, logged);
      return;
    case 'history-reset':
      forget(transcript);
      return;
    case 'tool-start':
    case 'tool-update':
    case 'tool-end':
      foldTool(transcript, event);
      if (event.type !== 'tool-update') keep(transcript, logged);
      return;
    case 'approval-request':
      transcript.approvals = withEntry(transcript.approvals, event.id, event);
      keep(transcript, logged);
      return;
    case 'approval-end':
      transcript.approvals.delete(event.id);
      keep(transcript, logged);
      return;
    case 'dialog-request':
      exchange(transcript, transcript.dialogs.get(event.id), event);
      transcript.dialogs = withEntry(transcript.dialogs, event.id, event);
      return;
    case 'dialog-end':
      exchange(transcript, transcript.dialogs.get(event.id), null);
      transcript.dialogs.delete(event.id);
      return;
    case 'compaction-start':
      transcript.compaction = event;
      keep(transcript, logged);
      return;
    case 'compaction-end':
      transcript.compaction = null;
      keep(transcript, logged);
      return;
    case 'retry-start':
      exchange(transcript, transcript.retry, event);
      transcript.retry = event;
      return;
    case 'retry-end':
      exchange(transcript, transcript.retry, null);
      transcript.retry = null;
      return;
    case 'queue-changed':
      transcript.bytes += sizeOfQueue(event) - sizeOfQueue(transcript.queue);
      transcript.queue = event;
      return;
    case 'session-changed':
      foldInfo(transcript, event);
      return;
    case 'tool-server-changed':
      exchange(transcript, transcript.servers.get(event.name), event);
      transcript.servers = withEntry(transcript.servers, event.name, event);
      return;
    case 'plan-changed':
      exchange(transcript, transcript.plan, event);
      transcript.plan = event;
      return;
    case 'display':
      foldDisplay(transcript, event);
      return;
    case 'agent-changed':
      transcript.agent = event.state;
      return;
    case 'usage-changed':
      // The agent's figure overrides ours. The cost of later messages is added to it.
      transcript.cost = event.sessionCost?.total ?? transcript.cost;
      return;
    case 'notice':
    case 'task-changed':
    case 'activity':
    case 'bash-output':
    case 'error':
    case 'unknown':
      return;
    default:
      event satisfies never;
  }
}

/** Folds a burst for an open block of the main thread, which is in order. Means the same as a fold of each event. */
export function foldBurst(transcript: Transcript, burst: Burst, at: number): void {
  const { index, text } = burst;
  transcript.lastSeq += eventCount(burst);
  transcript.lastAt = at;
  foldBlock(transcript, { type: 'block-delta', index, delta: text });
}

function keep(transcript: Transcript, logged: Logged): void {
  transcript.items.push({ kind: 'event', logged });
  transcript.bytes += sizeOfItem(logged);
}

/** Counts that one event takes the place of another. */
function exchange(transcript: Transcript, before: Event | null | undefined, after: Event | null): void {
  transcript.bytes += sizeOfValue(after) - sizeOfValue(before);
}

function foldInfo(transcript: Transcript, { changes }: EventOf<'session-changed'>): void {
  const before = new Map<string, unknown>(Object.entries(transcript.info));
  transcript.info = { ...transcript.info, ...changes };
  for (const name of Object.keys(changes)) transcript.bytes -= sizeOfValue(before.get(name));
  transcript.bytes += sizeOfInfo(changes);
}

/** Drops the plan, and all items except the start of an open compaction, which late clients must still get. */
function forget(transcript: Transcript): void {
  const { items, compaction } = transcript;
  // Search from the end: an agent may deliver the same object twice.
  const open = items.findLast((item) => item.kind === 'event' && item.logged.event === compaction);
  items.splice(0, items.length, ...(open === undefined ? [] : [open]));
  transcript.plan = null;
  transcript.bytes = measureTranscript(transcript);
}

function foldBlock(transcript: Transcript, event: EventOf<'block-start' | 'block-delta' | 'block-end'>): void {
  const message = transcript.open.get(laneOf(event));
  if (message === undefined) return;
  if (event.type === 'block-start') {
    message.blocks.push(openBlock(event.index, event.block));
    transcript.bytes += sizeOfValue(event.block);
    if (event.block.kind === 'tool-call') announce(transcript, event.block, event.parent);
    return;
  }
  const last = message.blocks[message.blocks.length - 1];
  const isLast = last?.index === event.index;
  const block = isLast ? last : message.blocks.findLast((candidate) => candidate.index === event.index);
  if (block === undefined) return;
  if (event.type === 'block-delta') {
    block.streamed.add(event.delta);
    transcript.bytes += ofCharacter * event.delta.length;
    return;
  }
  transcript.bytes += sizeOfBlockEnd(event) - (block.end === undefined ? 0 : sizeOfBlockEnd(block.end));
  block.end = event;
  if (block.head.kind !== 'tool-call') {
    if (event.text === undefined) return;
    transcript.bytes += ofCharacter * (event.text.length - block.text.length);
    block.streamed.set(event.text);
    return;
  }
  const tool = transcript.tools.get(block.head.id);
  // A running tool has already reported its arguments.
  if (tool?.state === 'announced' && event.input !== undefined) tool.input = event.input;
}

/** A block without any text. */
export function openBlock(index: number, head: BlockHead): Block {
  const streamed = new GrowingText();
  return {
    index,
    head,
    streamed,
    get text() {
      return streamed.text;
    },
  };
}

function announce(transcript: Transcript, head: { id: string; name: string }, parent: string | undefined): void {
  const known = transcript.tools.get(head.id);
  if (known?.state === 'running') return;
  if (known !== undefined) setProgress(transcript, known, []);
  transcript.tools = withEntry<ToolRun>(transcript.tools, head.id, {
    call: head.id,
    name: head.name,
    parent,
    input: {},
    state: 'announced',
    progress: [],
  });
}

function foldMessageEnd(transcript: Transcript, event: EventOf<'message-end'>, at: number): void {
  const message = transcript.open.get(laneOf(event));
  if (message === undefined) return;
  transcript.open.delete(laneOf(event));
  exchange(transcript, message.end, event);
  endMessage(message, event, at);
  if (message.usage !== undefined) transcript.usage = addUsage(transcript.usage, message.usage);
  transcript.cost += event.cost?.total ?? 0;
}

/** Ends a message. */
export function endMessage(message: AssistantMessage, end: EventOf<'message-end'>, at: number): void {
  message.endedAt = at;
  message.end = end;
  message.stop = end.stop;
  message.usage = end.usage ?? message.start.usage;
  message.cost = end.cost;
  message.failure = end.failure;
}

function foldTool(transcript: Transcript, event: EventOf<'tool-start' | 'tool-update' | 'tool-end'>): void {
  const tool = transcript.tools.get(event.call);
  if (event.type === 'tool-start') {
    const { call, name, input, parent } = event;
    if (tool !== undefined) setProgress(transcript, tool, []);
    const run: ToolRun = { call, name, input, parent, state: 'running', progress: [] };
    transcript.tools = withEntry(transcript.tools, call, run);
    return;
  }
  if (event.type === 'tool-update') {
    if (tool === undefined) return;
    if (event.mode === 'replace') return setProgress(transcript, tool, event.content);
    tool.progress = [...tool.progress, ...event.content];
    transcript.bytes += sizeOfProgress(event.content);
    return;
  }
  if (tool === undefined) return;
  tool.state = 'done';
  setProgress(transcript, tool, []);
}

function setProgress(transcript: Transcript, tool: ToolRun, progress: ToolRun['progress']): void {
  transcript.bytes += sizeOfProgress(progress) - sizeOfProgress(tool.progress);
  tool.progress = progress;
}

/** The place that a display takes. */
export function displayKey({ place, key }: EventOf<'display'>): string {
  return `${place}:${key ?? ''}`;
}

function foldDisplay(transcript: Transcript, event: EventOf<'display'>): void {
  const key = displayKey(event);
  exchange(transcript, transcript.displays.get(key), event.lines === null ? null : event);
  if (event.lines === null) transcript.displays.delete(key);
  else transcript.displays = withEntry(transcript.displays, key, event);
}
