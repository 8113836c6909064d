// One message of the model as Claude frames: content blocks counted from 0, one open at a time, with an `assistant`
// frame before each stop (docs/protocols/claude.md 4.6).
import { type Content, type Dictionary, type Extra, noUsage, type Stop } from '../../../core/model/content.ts';
import type { BlockHead, EventOf } from '../../../core/model/event.ts';
import { GrowingText } from '../../../core/model/growing-text.ts';
import { claudeExtraIn, extraPart, withExtra } from '../frontend/claude-extra.ts';
import { wireBlock, wireStop, wireUsage } from '../frontend/encode-values.ts';
import type { WireFrame } from '../wire/client.ts';

type BlockEvent = EventOf<'block-start' | 'block-delta' | 'block-end'>;

/** Writes one message. */
export interface MessageEncoder {
  /** The number of blocks shown so far. */
  readonly blocks: number;
  start(): WireFrame[];
  block(event: BlockEvent): WireFrame[];
  /** Whether a delta of that block gives exactly the frame of {@link delta}. */
  isExtending(source: number): boolean;
  /** The frame of a delta; null if the style has none. `extra`: the extra fields of its event. */
  delta(text: string, extra?: Extra): WireFrame | null;
  /** Must be called when the hot path has written a delta. */
  extended(text: string): void;
  /** `stop_reason` on the wire, after every block has been shown. */
  stop(stop: Stop): string | null;
  end(event: EventOf<'message-end'>): WireFrame[];
}

/** How the message is shown: with stream events, or as whole `assistant` frames only. */
export interface MessageStyle {
  readonly streams: boolean;
  readonly model: string;
}

interface OpenBlock {
  /** The index in the canonical events. */
  readonly source: number;
  readonly head: BlockHead;
  /** The whole content, if it arrived with the block's start. */
  readonly whole?: Content;
  /** All deltas joined. */
  readonly streamed: GrowingText;
}

/** Begins a message. The frames have no session and id yet. */
export function createMessageEncoder(start: EventOf<'message-start'>, style: MessageStyle): MessageEncoder {
  const usage = wireUsage(start.usage ?? noUsage);
  let index = -1;
  let open: OpenBlock | null = null;
  /** Whether the last block calls a tool that needs a result. */
  let endsInCall = false;
  /** Events of blocks that began while another block was open. */
  let held: BlockEvent[] = [];

  const begun = extraPart(claudeExtraIn(start), 'message');

  /** An agent of this protocol names its message in each frame of the stream. */
  const { api_message_id: name } = extraPart(claudeExtraIn(start), 'frame');
  const named: Dictionary = name === undefined ? {} : { api_message_id: name };

  function stream(own: object, fields: Dictionary = {}): WireFrame[] {
    if (!style.streams) return [];
    const event = withExtra(own, extraPart(fields, 'event'));
    return [withExtra({ type: 'stream_event', event, ...named }, extraPart(fields, 'frame'))];
  }
  /** The `message` object. The agent's own fields count, except those that identify the message. */
  const envelope = (content: object[], ...parts: readonly Dictionary[]) => {
    const own = { id: start.id, type: 'message', role: 'assistant', model: style.model, content };
    const fields = withExtra({}, begun, ...parts);
    const figures = { ...usage, ...extraPart(fields, 'usage') };
    return { ...own, stop_reason: null, stop_sequence: null, ...fields, ...own, usage: figures };
  };

  function begin({ index: source, block: head, extra }: EventOf<'block-start'>): WireFrame[] {
    index += 1;
    const block = openedBy(source, head);
    open = block;
    endsInCall = head.kind === 'tool-call';
    const agentFields = claudeExtraIn({ extra });
    const content_block = withExtra(startingBlock(block), extraPart(agentFields, 'block'));
    const frames = stream({ type: 'content_block_start', index, content_block }, agentFields);
    return block.whole === undefined ? frames : [...frames, ...extend(block, textOf(block.whole))];
  }

  const streamDelta = (wire: object, fields: Dictionary): WireFrame[] =>
    stream({ type: 'content_block_delta', index, delta: withExtra(wire, extraPart(fields, 'delta')) }, fields);

  function extend(block: OpenBlock, delta: string, fields: Dictionary = {}): WireFrame[] {
    if (delta === '') return [];
    block.streamed.add(delta);
    const wire = wireDelta(block.head, delta);
    return wire === null ? [] : streamDelta(wire, fields);
  }

  function finish(block: OpenBlock, end: EventOf<'block-end'>): WireFrame[] {
    open = null;
    const content = finalContent(block, end);
    const frames: WireFrame[] = [];
    // Arguments that never streamed are streamed now. A reader of deltas would see `{}` otherwise.
    if (content.type === 'tool-call' && block.streamed.isEmpty && !isEmpty(content.input)) {
      frames.push(...extend(block, JSON.stringify(content.input)));
    }
    if (block.head.kind === 'thinking' && 'signature' in content && content.signature) {
      const delta = { type: 'signature_delta', signature: content.signature };
      frames.push(...stream({ type: 'content_block_delta', index, delta }));
    }
    const aborted = end.incomplete === true ? { aborted: true } : {};
    const agentFields = claudeExtraIn(end);
    const message = envelope(
      [withExtra(finalBlock(block, content), extraPart(agentFields, 'block'))],
      extraPart(agentFields, 'message'),
    );
    frames.push(withExtra({ type: 'assistant', message, ...aborted }, extraPart(agentFields, 'frame')));
    frames.push(...stream({ type: 'content_block_stop', index }));
    return frames;
  }

  function block(event: BlockEvent): WireFrame[] {
    if (open !== null && open.source !== event.index) {
      held.push(event);
      return [];
    }
    if (event.type === 'block-start') return open === null ? begin(event) : [];
    if (open === null) return [];
    if (event.type === 'block-delta')
      return open.whole === undefined ? extend(open, event.delta, claudeExtraIn(event)) : [];
    const frames = finish(open, event);
    const waiting = held;
    held = [];
    for (const later of waiting) for (const frame of block(later)) frames.push(frame);
    return frames;
  }

  const stopOf = (stop: Stop) => wireStop(stop, endsInCall);

  return {
    get blocks() {
      return index + 1;
    },
    start: () => stream({ type: 'message_start', message: envelope([]) }, claudeExtraIn(start)),
    block,
    isExtending: (source) => open !== null && open.source === source && open.whole === undefined,
    delta(text, extra) {
      const wire = open === null ? null : wireDelta(open.head, text);
      return wire === null ? null : (streamDelta(wire, claudeExtraIn({ extra }))[0] ?? null);
    },
    extended(text) {
      open?.streamed.add(text);
    },
    stop: stopOf,
    end(event) {
      const agentFields = claudeExtraIn(event);
      const delta = withExtra(
        { stop_reason: stopOf(event.stop) },
        { stop_sequence: null },
        extraPart(agentFields, 'delta'),
      );
      const figures = extraPart(agentFields, 'usage');
      const own = wireUsage(event.usage ?? start.usage ?? noUsage);
      // `output_tokens` must be present (docs/protocols/claude.md 4.7).
      const final = 'output_tokens' in figures ? figures : { ...own, ...figures };
      return [
        ...stream({ type: 'message_delta', delta, usage: final }, agentFields),
        ...stream(
          { type: 'message_stop' },
          { frame: extraPart(agentFields, 'stop'), event: extraPart(agentFields, 'stopEvent') },
        ),
      ];
    },
  };
}

/** Streams whatever Claude streams, also a block that arrived whole. */
function openedBy(source: number, head: BlockHead): OpenBlock {
  if (head.kind !== 'whole') return { source, head, streamed: new GrowingText() };
  const whole = head.content;
  switch (whole.type) {
    case 'text':
      return { source, head: { kind: 'text' }, whole, streamed: new GrowingText() };
    case 'thinking':
      if (whole.redacted === true) return { source, head, streamed: new GrowingText() };
      return { source, head: { kind: 'thinking' }, whole, streamed: new GrowingText() };
    case 'tool-call':
      return {
        source,
        head: { kind: 'tool-call', id: whole.id, name: whole.name },
        whole,
        streamed: new GrowingText(),
      };
    case 'image':
    case 'document':
    case 'link':
    case 'opaque':
      return { source, head, streamed: new GrowingText() };
    default:
      return whole satisfies never;
  }
}

/** The text that a whole content streams. */
function textOf(content: Content): string {
  if (content.type === 'text' || content.type === 'thinking') return content.text;
  return content.type === 'tool-call' && !isEmpty(content.input) ? JSON.stringify(content.input) : '';
}

const isEmpty = (object: object) => Object.keys(object).length === 0;

/** A call that arrived whole was run by the provider, so no client answers it (core/model/event.ts). */
const callType = (block: OpenBlock) => (block.whole === undefined ? 'tool_use' : 'server_tool_use');

function startingBlock(block: OpenBlock): object {
  const { head } = block;
  switch (head.kind) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool-call':
      return { type: callType(block), id: head.id, name: head.name, input: {} };
    case 'whole':
      return wireBlock(head.content);
    default:
      return head satisfies never;
  }
}

function finalBlock(block: OpenBlock, content: Content): object {
  return content.type === 'tool-call' ? { ...wireBlock(content), type: callType(block) } : wireBlock(content);
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

function finalContent({ head, whole, streamed }: OpenBlock, end: EventOf<'block-end'>): Content {
  if (whole !== undefined) return whole;
  switch (head.kind) {
    case 'text':
      return { type: 'text', text: streamed.text };
    case 'thinking':
      return { type: 'thinking', text: streamed.text, signature: end.signature };
    case 'tool-call':
      return { type: 'tool-call', id: head.id, name: head.name, input: end.input ?? {} };
    case 'whole':
      return head.content;
    default:
      return head satisfies never;
  }
}
