// The texts and thoughts of the model as chunks (docs/protocols/acp.md 4.32, 4.33).
import { createMould, type FrameMould } from '../../../core/fast-path/stretch-writer.ts';
import type { Burst } from '../../../core/model/burst.ts';
import type { Content } from '../../../core/model/content.ts';
import type { EventOf } from '../../../core/model/event.ts';
import type { CallWriter } from './call-writer.ts';
import { acpExtraIn, blockOf } from './encode-values.ts';

/** The dependencies of a message. */
export interface BlockPorts {
  /** The frame of an update around a text: what stands before the text, as JSON, and what stands behind. */
  readonly frameAround: (update: object) => string;
  readonly calls: CallWriter;
  send(frame: string): void;
  say(update: object): void;
  loss(text: string): void;
}

/** Writes the blocks of one message. */
export interface BlockWriter {
  start(event: EventOf<'block-start'>): void;
  delta(event: EventOf<'block-delta'>): void;
  /** The form of the frames of these deltas; null when each delta must be written by itself. */
  mould(burst: Burst): FrameMould | null;
  end(event: EventOf<'block-end'>): void;
}

interface OpenText {
  readonly kind: 'agent_message_chunk' | 'agent_thought_chunk';
  readonly messageId: string;
  readonly head: string;
  readonly tail: string;
  mould: FrameMould | null | undefined;
  hasText: boolean;
  /** The first half of a surrogate pair, kept back until the second half comes: readers in Rust refuse a lone half. */
  held: string;
}

const noText = '"text":""}';

/** `name` is unique to the message: its id, unless the agent has one. */
export function createBlockWriter(ports: BlockPorts, name: string): BlockWriter {
  const { calls } = ports;
  const texts = new Map<number, OpenText>();
  const writing = new Map<number, string>();

  function openText(event: EventOf<'block-start'>, kind: OpenText['kind']): void {
    const said = acpExtraIn(event).messageId;
    const messageId = typeof said === 'string' ? said : name;
    const frame = ports.frameAround({ sessionUpdate: kind, messageId, content: { type: 'text', text: '' } });
    const at = frame.lastIndexOf(noText) + noText.length - 2;
    texts.set(event.index, {
      kind,
      messageId,
      head: frame.slice(0, at),
      tail: frame.slice(at + 1),
      mould: undefined,
      hasText: false,
      held: '',
    });
  }

  function tell({ kind, messageId, head, tail }: OpenText, text: string, meta?: unknown): void {
    if (meta !== undefined) {
      return ports.say({ sessionUpdate: kind, messageId, content: { type: 'text', text }, _meta: meta });
    }
    const json = JSON.stringify(text);
    ports.send(`${head}${json.slice(1, -1)}"${tail}`);
  }

  function startWhole(content: Content): void {
    if (content.type === 'tool-call') {
      // The provider runs this call itself, so no result follows.
      return calls.past(content);
    }
    if (content.type === 'thinking') {
      if (content.text === '') return ports.loss('redacted thinking');
      const block = { type: 'text', text: content.text };
      return ports.say({ sessionUpdate: 'agent_thought_chunk', messageId: name, content: block });
    }
    const block = blockOf(content);
    if (block === null) return ports.loss(`block ${content.type}`);
    ports.say({ sessionUpdate: 'agent_message_chunk', messageId: name, content: block });
  }

  return {
    start(event) {
      const { block, index } = event;
      switch (block.kind) {
        case 'text':
          return openText(event, 'agent_message_chunk');
        case 'thinking':
          return openText(event, 'agent_thought_chunk');
        case 'tool-call':
          writing.set(index, block.id);
          return calls.announce(block.id, block.name);
        case 'whole':
          return startWhole(block.content);
        default:
          return block satisfies never;
      }
    },
    delta(event) {
      const block = texts.get(event.index);
      if (block === undefined) return;
      const { _meta } = acpExtraIn(event);
      const text = block.held + event.delta;
      const last = text.charCodeAt(text.length - 1);
      const isHalf = last >= 0xd800 && last <= 0xdbff;
      block.held = isHalf ? text.slice(-1) : '';
      const whole = isHalf ? text.slice(0, -1) : text;
      if (whole === '' && _meta === undefined) return;
      block.hasText = true;
      tell(block, whole, _meta);
    },
    mould(burst) {
      const block = texts.get(burst.index);
      if (block === undefined || block.held !== '' || burst.extra !== undefined || hasEmpty(burst)) return null;
      if (block.mould === undefined) {
        const { head, tail } = block;
        block.mould = createMould({ head, middle: `"${tail}`, tail: '', first: 'none' });
      }
      if (block.mould !== null) block.hasText = true;
      return block.mould;
    },
    end({ index, text, input }) {
      const call = writing.get(index);
      if (call !== undefined && input !== undefined) calls.written(call, input);
      const block = texts.get(index);
      if (block === undefined) return;
      texts.delete(index);
      if (block.held !== '') tell(block, block.held);
      else if (!block.hasText && text !== undefined && text !== '') tell(block, text);
    },
  };
}

/** An empty delta has no frame. */
function hasEmpty({ ends }: Burst): boolean {
  let before = 0;
  for (const end of ends) {
    if (end === before) return true;
    before = end;
  }
  return false;
}
