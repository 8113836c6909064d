// One message of the model as Claude frames: content blocks counted from 0, one open at a time, an `assistant` frame
// before each stop (reference claude-sdk 4.1). Knows neither sessions nor results.
import type { Content, Usage } from '../../core/content.ts';
import type { BlockHead, EventOf } from '../../core/event.ts';
import { wireBlock, wireStop, wireUsage } from './values.ts';
import type { WireFrame } from './wire.ts';

type BlockEvent = EventOf<'block-start' | 'block-delta' | 'block-end'>;

/** A message on its way to the wire. */
export interface MessageEncoder {
  readonly id: string;
  /** The tool calls that it has shown or will show before it ends. */
  readonly calls: ReadonlySet<string>;
  start(): WireFrame[];
  block(event: BlockEvent): WireFrame[];
  end(event: EventOf<'message-end'>): WireFrame[];
}

/** How the message is shown: with stream events, or as whole `assistant` frames only. */
export interface MessageStyle {
  readonly streams: boolean;
  readonly model: string;
}

interface OpenBlock {
  /** The source's index. */
  readonly source: number;
  readonly head: BlockHead;
  /** Deltas joined. */
  text: string;
}

const noTokens: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Begins a message. Frames come without their envelope. */
export function createMessageEncoder(start: EventOf<'message-start'>, style: MessageStyle): MessageEncoder {
  const usage = wireUsage(start.usage ?? noTokens);
  const calls = new Set<string>();
  let index = -1;
  let open: OpenBlock | null = null;
  /** Events of blocks that the source opened while another was open. */
  let held: BlockEvent[] = [];

  const stream = (event: object): WireFrame[] => (style.streams ? [{ type: 'stream_event', event }] : []);
  const envelope = (content: object[]) => ({
    id: start.id,
    type: 'message',
    role: 'assistant',
    model: style.model,
    content,
    stop_reason: null,
    stop_sequence: null,
    usage,
  });

  function begin(source: number, head: BlockHead): WireFrame[] {
    index += 1;
    open = { source, head, text: '' };
    if (head.kind === 'tool-call') calls.add(head.id);
    return stream({ type: 'content_block_start', index, content_block: startingBlock(head) });
  }

  function extend(block: OpenBlock, delta: string): WireFrame[] {
    if (delta === '') return [];
    block.text += delta;
    const wire = wireDelta(block.head, delta);
    return wire === null ? [] : stream({ type: 'content_block_delta', index, delta: wire });
  }

  function finish(block: OpenBlock, end: EventOf<'block-end'>): WireFrame[] {
    open = null;
    const content = finalContent(block, end);
    const frames: WireFrame[] = [];
    // Arguments that never streamed are streamed now, or the reader of deltas would see `{}`.
    if (content.type === 'tool-call' && block.text === '' && Object.keys(content.input).length > 0) {
      frames.push(...extend(block, JSON.stringify(content.input)));
    }
    if (content.type === 'thinking' && content.signature !== undefined && content.signature !== '') {
      const delta = { type: 'signature_delta', signature: content.signature };
      frames.push(...stream({ type: 'content_block_delta', index, delta }));
    }
    const aborted = end.incomplete === true ? { aborted: true } : {};
    frames.push({ type: 'assistant', message: envelope([wireBlock(content)]), ...aborted });
    frames.push(...stream({ type: 'content_block_stop', index }));
    return frames;
  }

  function block(event: BlockEvent): WireFrame[] {
    if (open !== null && open.source !== event.index) {
      held.push(event);
      if (event.type === 'block-start' && event.block.kind === 'tool-call') calls.add(event.block.id);
      return [];
    }
    if (event.type === 'block-start') return open === null ? begin(event.index, event.block) : [];
    if (open === null) return [];
    if (event.type === 'block-delta') return extend(open, event.delta);
    const frames = finish(open, event);
    const waiting = held;
    held = [];
    for (const later of waiting) frames.push(...block(later));
    return frames;
  }

  return {
    id: start.id,
    calls,
    start: () => stream({ type: 'message_start', message: envelope([]) }),
    block,
    end(event) {
      const delta = { stop_reason: wireStop(event.stop, calls.size > 0), stop_sequence: null };
      const final = wireUsage(event.usage ?? start.usage ?? noTokens);
      return [...stream({ type: 'message_delta', delta, usage: final }), ...stream({ type: 'message_stop' })];
    },
  };
}

function startingBlock(head: BlockHead): object {
  switch (head.kind) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool-call':
      return { type: 'tool_use', id: head.id, name: head.name, input: {} };
    case 'whole':
      return wireBlock(head.content);
    default:
      return head satisfies never;
  }
}

function wireDelta(head: BlockHead, delta: string): object | null {
  switch (head.kind) {
    case 'text':
      return { type: 'text_delta', text: delta };
    case 'thinking':
      return { type: 'thinking_delta', thinking: delta };
    case 'tool-call':
      return { type: 'input_json_delta', partial_json: delta };
    case 'whole':
      return null;
    default:
      return head satisfies never;
  }
}

function finalContent({ head, text }: OpenBlock, end: EventOf<'block-end'>): Content {
  switch (head.kind) {
    case 'text':
      return { type: 'text', text };
    case 'thinking':
      return { type: 'thinking', text, signature: end.signature };
    case 'tool-call':
      return { type: 'tool-call', id: head.id, name: head.name, input: end.input ?? {} };
    case 'whole':
      return head.content;
    default:
      return head satisfies never;
  }
}
