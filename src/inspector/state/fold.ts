// Folds the events of a session into the items of its conversation.
import type { Content, Message } from '../../core/model/content.ts';
import type { Event, EventOf } from '../../core/model/event.ts';
import { append, createGrowing, replace } from './growing.ts';
import {
  type ApprovalItem,
  base,
  type DialogItem,
  type Item,
  type MessageItem,
  type NoteItem,
  type Part,
  type ToolItem,
  touch,
} from './items.ts';

/** The items of one session, and what is open among them. */
export interface Conversation {
  items: Item[];
  readonly tools: Map<string, ToolItem>;
  readonly approvals: Map<string, ApprovalItem>;
  readonly dialogs: Map<string, DialogItem>;
  /** The open message of each lane. */
  readonly open: Map<string, MessageItem>;
}

export function createConversation(): Conversation {
  return { items: [], tools: new Map(), approvals: new Map(), dialogs: new Map(), open: new Map() };
}

/** Takes one event. Returns whether the list of items has changed, and not only an item. */
export function fold(to: Conversation, seq: number, event: Event): boolean {
  switch (event.type) {
    case 'history-reset':
      Object.assign(to, { items: [] });
      to.tools.clear();
      to.open.clear();
      return note(to, seq, 'divider', `history ${event.reason}`);
    case 'message-added':
      return addMessage(to, seq, event);
    case 'message-start':
    case 'block-start':
    case 'block-delta':
    case 'block-end':
    case 'message-end':
      return foldMessage(to, seq, event);
    case 'tool-start':
    case 'tool-update':
    case 'tool-end':
      return foldTool(to, seq, event);
    case 'approval-request': {
      const item: ApprovalItem = { ...base(seq, 'approval', event.id), is: 'approval', request: event, end: null };
      to.approvals.set(event.id, item);
      return add(to, event.parent, item);
    }
    case 'dialog-request': {
      const item: DialogItem = { ...base(seq, 'dialog', event.id), is: 'dialog', request: event, end: null };
      to.dialogs.set(event.id, item);
      return add(to, undefined, item);
    }
    case 'approval-end':
      return end(to.approvals, event);
    case 'dialog-end':
      return end(to.dialogs, event);
    case 'run-end': {
      if (event.outcome === 'completed') return false;
      const why = event.failure === undefined ? '' : `: ${event.failure.message}`;
      return note(to, seq, event.outcome === 'failed' ? 'error' : 'info', `run ${event.outcome}${why}`);
    }
    case 'notice':
      return note(to, seq, event.level, event.text);
    case 'error':
      return note(to, seq, 'error', event.message);
    case 'agent-changed':
      return note(
        to,
        seq,
        event.state === 'down' ? 'error' : 'info',
        `agent ${event.state}${event.reason ? `: ${event.reason}` : ''}`,
      );
    case 'compaction-start':
      return note(to, seq, 'divider', 'compacting the conversation');
    case 'compaction-end':
      return note(to, seq, 'divider', compacted(event));
    case 'retry-start':
      return note(to, seq, 'warning', `retry ${event.attempt} of ${event.maxAttempts}: ${event.failure.message}`);
    default:
      return false;
  }
}

function compacted({ outcome, tokensBefore, tokensAfter }: EventOf<'compaction-end'>): string {
  const tokens = tokensBefore === undefined ? '' : `, ${tokensBefore} → ${tokensAfter ?? '?'} tokens`;
  return `compaction ${outcome}${tokens}`;
}

function end<Item extends ApprovalItem | DialogItem>(of: Map<string, Item>, event: NonNullable<Item['end']>): false {
  const item = of.get(event.id);
  if (item !== undefined) {
    item.end = event;
    touch(item);
  }
  of.delete(event.id);
  return false;
}

function add(to: Conversation, parent: string | undefined, item: Item): boolean {
  const owner = parent === undefined ? undefined : to.tools.get(parent);
  if (owner === undefined) {
    to.items.push(item);
    return true;
  }
  owner.children.push(item);
  touch(owner);
  return false;
}

function note(to: Conversation, seq: number, level: NoteItem['level'], text: string): true {
  to.items.push({ ...base(seq, 'note', to.items.length), is: 'note', level, text });
  return true;
}

function newMessage(
  seq: number,
  id: string,
  { role, origin, model }: Pick<Message, 'role' | 'origin' | 'model'>,
): MessageItem {
  return { ...base(seq, 'message', id), is: 'message', role, origin, model, parts: new Map(), end: null };
}

function addMessage(to: Conversation, seq: number, event: EventOf<'message-added'>): boolean {
  if (event.role === 'tool') {
    const call = event.call ?? '';
    if (to.tools.has(call)) return false;
    const tool = newTool(to, seq, call, event.name ?? 'tool');
    Object.assign(tool, { output: event.content, state: event.isError === true ? 'failed' : 'done' });
    return add(to, event.parent, tool);
  }
  const item = newMessage(seq, event.id ?? String(to.items.length), event);
  event.content.forEach((content, index) => {
    item.parts.set(index, partOf(to, seq, content));
  });
  if (event.role === 'assistant') item.end = event;
  return add(to, event.parent, item);
}

function partOf(to: Conversation, seq: number, content: Content): Part {
  if (content.type === 'text') return { is: 'text', text: createGrowing(content.text), isOpen: false };
  if (content.type === 'thinking')
    return { is: 'thinking', text: createGrowing(content.text), isOpen: false, redacted: content.redacted === true };
  if (content.type !== 'tool-call') return { is: 'content', content };
  const tool = to.tools.get(content.id) ?? newTool(to, seq, content.id, content.name);
  tool.input = { value: content.input };
  return { is: 'tool', tool };
}

type MessageEvent = EventOf<'message-start' | 'block-start' | 'block-delta' | 'block-end' | 'message-end'>;

function foldMessage(to: Conversation, seq: number, event: MessageEvent): boolean {
  const lane = event.parent ?? '';
  if (event.type === 'message-start') {
    const item = newMessage(seq, event.id, { role: 'assistant', model: event.model });
    to.open.set(lane, item);
    return add(to, event.parent, item);
  }
  const item = to.open.get(lane);
  if (item === undefined) return false;
  if (event.type === 'message-end') {
    item.end = event;
    to.open.delete(lane);
    touch(item);
    return false;
  }
  if (event.type === 'block-start') {
    item.parts.set(event.index, startedPart(to, seq, event.block));
    touch(item);
    return false;
  }
  const part = item.parts.get(event.index);
  if (part?.is === 'tool') foldInput(part.tool, event);
  else if (part !== undefined && part.is !== 'content') foldText(part, event);
  return false;
}

function startedPart(to: Conversation, seq: number, block: EventOf<'block-start'>['block']): Part {
  if (block.kind === 'whole') return partOf(to, seq, block.content);
  if (block.kind === 'tool-call') return { is: 'tool', tool: newTool(to, seq, block.id, block.name) };
  return { is: block.kind, text: createGrowing(), isOpen: true };
}

function foldText(part: Extract<Part, { is: 'text' | 'thinking' }>, event: EventOf<'block-delta' | 'block-end'>): void {
  if (event.type === 'block-delta') return append(part.text, event.delta);
  if (event.text !== undefined) replace(part.text, event.text);
  part.isOpen = false;
  if (event.redacted === true) part.redacted = true;
  part.text.changed.value += 1;
}

function foldInput(tool: ToolItem, event: EventOf<'block-delta' | 'block-end'>): void {
  if (event.type === 'block-delta') {
    if ('text' in tool.input) append(tool.input.text, event.delta);
    return;
  }
  if (event.input !== undefined) tool.input = { value: event.input };
  touch(tool);
}

function newTool(to: Conversation, seq: number, call: string, name: string): ToolItem {
  const tool: ToolItem = {
    ...base(seq, 'tool', call),
    is: 'tool',
    call,
    name,
    title: undefined,
    kind: undefined,
    input: { text: createGrowing() },
    change: undefined,
    output: [],
    state: 'written',
    skipped: undefined,
    durationMs: undefined,
    children: [],
  };
  to.tools.set(call, tool);
  return tool;
}

function foldTool(to: Conversation, seq: number, event: EventOf<'tool-start' | 'tool-update' | 'tool-end'>): boolean {
  let tool = to.tools.get(event.call);
  let isNew = false;
  if (tool === undefined) {
    tool = newTool(to, seq, event.call, 'name' in event ? event.name : 'tool');
    isNew = add(to, event.parent, tool);
  }
  if (event.type === 'tool-update') {
    tool.output = event.mode === 'replace' ? event.content : joined(tool.output, event.content);
    touch(tool);
    return isNew;
  }
  const { title = tool.title, kind = tool.kind, change = tool.change } = event;
  Object.assign(tool, { name: event.name, title, kind, change });
  if (event.type === 'tool-start') {
    tool.input = { value: event.input };
    tool.state = 'running';
  } else {
    tool.output = event.content;
    tool.state = event.skipped !== undefined ? 'skipped' : event.isError ? 'failed' : 'done';
    tool.skipped = event.skipped;
    tool.durationMs = event.durationMs;
  }
  touch(tool);
  return isNew;
}

/** Texts behind one another are one text. */
function joined(before: readonly Content[], more: readonly Content[]): Content[] {
  const [last, first] = [before.at(-1), more[0]];
  if (last?.type !== 'text' || first?.type !== 'text') return [...before, ...more];
  return [...before.slice(0, -1), { type: 'text', text: last.text + first.text }, ...more.slice(1)];
}
