// The messages of the model, one at a time on each lane: from stream events and `assistant` frames to blocks with
// deltas (docs/protocols/claude.md 4.6, 5). A streaming message is read from its stream, and its copies have the final
// content. A message without a stream is read from its copies.
import type { Env } from '../../../../core/contract/adapter/action.ts';
import { createHeldBack } from '../../../../core/contract/adapter/held-back.ts';
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Dictionary, Failure, Stop } from '../../../../core/model/content.ts';
import { without } from '../../../../core/model/dictionary.ts';
import type { AgentBlock, AgentMessage, AssistantFrame } from '../../wire/agent.ts';
import {
  type Copy,
  endBlock,
  extend,
  impliedBlock,
  isCopyOf,
  type OpenBlock,
  openBlock,
  otherFieldsOfDelta,
  type WireDelta,
  wholeDelta,
} from './block.ts';
import {
  changedFrom,
  type Ending,
  extraOfEnding,
  failureOf,
  type OpenMessage,
  stopOfEnding,
  wholeStop,
  withoutNulls,
} from './ending.ts';
import { createExtraCache, noUnreadFields, type UnreadFields, withoutMessageName } from './unread-fields.ts';
import { claudeExtraParts, otherFields, usageOf } from './values.ts';

/** The dependencies of the messages. A lane is the call id of a sub-agent; undefined is the main thread. */
export interface MessagePorts {
  /** Called before a message begins. */
  begins(lane: string | undefined): void;
  /** Called when a block calls a tool. */
  calls(call: string, name: string, lane: string | undefined): void;
  /** Called when the arguments of the call are complete. */
  called(call: string, input: Dictionary): void;
  ended(lane: string | undefined, stop: Stop): void;
}

/** Reads the messages of one agent. */
export interface MessageDecoder {
  start(lane: string | undefined, message: AgentMessage, beside: UnreadFields): void;
  blockStart(lane: string | undefined, index: number, block: AgentBlock, beside: UnreadFields): void;
  delta(lane: string | undefined, index: number, delta: WireDelta, beside: UnreadFields): void;
  blockStop(lane: string | undefined, index: number, beside: UnreadFields): void;
  ending(lane: string | undefined, ending: Ending, beside: UnreadFields): void;
  stop(lane: string | undefined, beside: UnreadFields): void;
  /** Reads whole blocks. `failure`: the message is an error in the form of a message. */
  copy(frame: AssistantFrame, failure: Failure | undefined): void;
  /** Ends a message without a stream, because something else follows on its lane. */
  settle(lane: string | undefined): void;
  /** Ends all open messages, as cut. */
  closeAll(): void;
  /** Whether a message streams on that lane. */
  isOpen(lane: string | undefined): boolean;
  /** The block of the main thread whose deltas each give one `block-delta` and nothing else; null for other blocks. */
  streaming(index: number): object | null;
}

/** Fields of a message that are read elsewhere. */
const ownFields = ['id', 'type', 'role', 'model', 'content'] as const;

export function createMessageDecoder(env: Env, out: Outbox, ports: MessagePorts): MessageDecoder {
  const open = new Map<string, OpenMessage>();
  /** The last ended message of each lane, for late copies. */
  const ended = new Map<string, OpenMessage>();
  let parts = 0;
  const held = createHeldBack(out);

  const sharedExtra = createExtraCache();

  const keyOf = (lane: string | undefined) => lane ?? '';

  function begin(lane: string | undefined, message: AgentMessage, beside: UnreadFields | null): OpenMessage {
    const streams = beside !== null;
    ports.begins(lane);
    const { id, model } = message;
    const usage = usageOf(message.usage);
    const begun = withoutNulls(without(message, ...ownFields));
    const before = ended.get(keyOf(lane));
    // In a message without a stream, a tool may finish while later blocks of the message arrive
    // (docs/protocols/claude.md 5.1).
    const isPart = id !== undefined && id !== null && before?.id === id;
    if (isPart) parts += 1;
    const own = isPart ? `${id}-part${parts + 1}` : (id ?? env.id('message'));
    out.deliver({
      type: 'message-start',
      parent: lane,
      id: own,
      ...(typeof model === 'string' ? { model } : {}),
      ...(usage === undefined ? {} : { usage }),
      ...claudeExtraParts({ ...beside, message: begun, whole: streams ? undefined : true }),
    });
    const begunMessage = {
      id: id ?? undefined,
      name: beside?.frame.api_message_id,
      streams,
      begun,
      usage,
      blocks: new Map(),
      held: 0,
      ending: null,
      aborted: false,
    };
    open.set(keyOf(lane), begunMessage);
    return begunMessage;
  }

  /** The streaming message of this lane. Begins one if its start was missed. */
  function streaming(lane: string | undefined, what: string): OpenMessage {
    const message = open.get(keyOf(lane));
    if (message?.streams === true) return message;
    out.note('violation', `${what}: no message has begun`);
    settle(lane);
    return begin(lane, {}, noUnreadFields);
  }

  function start(lane: string | undefined, message: OpenMessage, block: OpenBlock, fields: Dictionary): void {
    message.blocks.set(block.index, block);
    const { head, index } = block;
    if (head === null) {
      message.held += held.add(block.begun);
      return;
    }
    out.deliver({ type: 'block-start', parent: lane, index, block: head, ...claudeExtraParts(fields) });
    if (head.kind === 'tool-call') ports.calls(head.id, head.name, lane);
  }

  function finish(lane: string | undefined, block: OpenBlock, copy: Copy | null, cut: boolean): void {
    block.ended = true;
    for (const event of endBlock(block, copy, cut, lane)) {
      out.deliver(event);
      if (event.type === 'block-end' && event.input !== undefined && block.head?.kind === 'tool-call') {
        ports.called(block.head.id, event.input);
      }
    }
  }

  /** A block that arrives whole is streamed in one piece, so that readers of deltas miss nothing. */
  function tellWhole(lane: string | undefined, message: OpenMessage, copy: Copy, cut: boolean): void {
    const block = openBlock(message.blocks.size, copy.block);
    block.copied = true;
    start(lane, message, block, {});
    const delta = wholeDelta(block);
    if (delta !== '') out.deliver({ type: 'block-delta', parent: lane, index: block.index, delta });
    finish(lane, block, copy, cut);
  }

  function end(lane: string | undefined, message: OpenMessage, stop: Stop, more: Dictionary, failure?: Failure): void {
    open.delete(keyOf(lane));
    held.release(ended.get(keyOf(lane))?.held ?? 0);
    ended.set(keyOf(lane), message);
    const { ending } = message;
    const usage = usageOf(ending?.usage, message.usage);
    out.deliver({
      type: 'message-end',
      parent: lane,
      stop,
      ...(usage === undefined ? {} : { usage }),
      ...(failure === undefined ? {} : { failure }),
      ...claudeExtraParts(more),
    });
    ports.ended(lane, stop);
  }

  function closeBlocks(lane: string | undefined, message: OpenMessage, cut: boolean): void {
    for (const block of message.blocks.values()) if (!block.ended) finish(lane, block, null, cut);
  }

  function settle(lane: string | undefined): void {
    const message = open.get(keyOf(lane));
    if (message === undefined || message.streams) return;
    end(lane, message, wholeStop(message), {});
  }

  /** Ends the message before. A streaming message that has not ended is a mistake of the agent. */
  function endUnfinished(lane: string | undefined): void {
    settle(lane);
    const message = open.get(keyOf(lane));
    if (message === undefined) return;
    out.note('violation', 'message_start: the message before it has not ended');
    cutOff(lane, message);
  }

  function cutOff(lane: string | undefined, message: OpenMessage): void {
    closeBlocks(lane, message, message.ending === null);
    end(lane, message, stopOfEnding(message), extraOfEnding(message, noUnreadFields), failureOf(message));
  }

  function copiesOf(frame: AssistantFrame, begun: Dictionary): Copy[] {
    const { content } = frame.message;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
    const message = changedFrom(begun, withoutNulls(without(frame.message, ...ownFields)));
    const fields = otherFields(frame, 'message', 'aborted', 'id');
    return blocks.map((block) => ({ block, frame: fields, message }));
  }

  /** Assigns copies to blocks that have ended, or to the open one. */
  function match(lane: string | undefined, message: OpenMessage, frame: AssistantFrame, isOver: boolean): boolean {
    const cut = frame.aborted === true;
    if (cut) message.aborted = true;
    let isKnown = true;
    for (const copy of copiesOf(frame, message.begun)) {
      const block = [...message.blocks.values()].find((candidate) => isCopyOf(copy.block, candidate));
      if (block === undefined) {
        isKnown = false;
        if (!isOver) tellWhole(lane, message, copy, cut);
        continue;
      }
      block.copied = true;
      if (!block.ended) finish(lane, block, copy, cut);
    }
    return isKnown;
  }

  return {
    start(lane, message, beside) {
      endUnfinished(lane);
      begin(lane, message, beside);
    },
    blockStart(lane, index, wire, beside) {
      const message = streaming(lane, 'content_block_start');
      if (message.blocks.has(index)) return out.note('violation', 'content_block_start: its index is taken');
      const block = openBlock(index, wire);
      const facts = without(wire, 'type', 'text', 'thinking', 'signature', 'id', 'name', 'input');
      start(lane, message, block, {
        ...withoutMessageName(message.name, beside),
        block: block.head === null ? {} : facts,
      });
    },
    delta(lane, index, wire, beside) {
      const message = streaming(lane, 'content_block_delta');
      let block = message.blocks.get(index);
      if (block === undefined) {
        out.note('violation', 'content_block_delta: its block has not begun');
        block = openBlock(index, impliedBlock(wire.type));
        start(lane, message, block, {});
      }
      if (block.ended) return out.note('repair', 'content_block_delta: ignored, its block has ended');
      const delta = extend(block, wire);
      if (delta === null) return out.note('violation', 'content_block_delta: not of the kind of its block');
      if (delta === '') {
        message.held += held.add(wire);
        return;
      }
      const extra = sharedExtra(
        claudeExtraParts({ ...withoutMessageName(message.name, beside), delta: otherFieldsOfDelta(wire) }),
      );
      out.deliver({ type: 'block-delta', parent: lane, index, delta, ...extra });
    },
    blockStop(lane, index, beside) {
      const message = open.get(keyOf(lane));
      const block = message?.blocks.get(index);
      if (message === undefined || block === undefined) {
        return out.note('violation', 'content_block_stop: its block has not begun');
      }
      // The copy has already ended the block, so these fields have no event.
      const { frame, event } = withoutMessageName(message.name, beside);
      const lost = [...Object.keys(frame), ...Object.keys(event)];
      if (lost.length > 0) out.note('loss', `content_block_stop: ${lost.join(', ').slice(0, 200)}`);
      if (!block.ended) finish(lane, block, null, false);
    },
    ending(lane, ending, beside) {
      const message = streaming(lane, 'message_delta');
      message.ending = { ...ending, fields: { ...ending.fields, ...withoutMessageName(message.name, beside) } };
    },
    stop(lane, beside) {
      const message = open.get(keyOf(lane));
      if (message?.streams !== true) return out.note('violation', 'message_stop: no message is open');
      closeBlocks(lane, message, message.ending === null);
      end(
        lane,
        message,
        stopOfEnding(message),
        extraOfEnding(message, withoutMessageName(message.name, beside)),
        failureOf(message),
      );
    },
    copy(frame, failure) {
      const lane = frame.parent_tool_use_id ?? undefined;
      const id = frame.message.id ?? frame.id ?? undefined;
      const current = open.get(keyOf(lane));
      const isCurrent =
        current !== undefined &&
        failure === undefined &&
        (current.streams ? id === undefined || id === current.id : id !== undefined && id === current.id);
      if (current !== undefined && isCurrent) {
        match(lane, current, frame, false);
        return;
      }
      const before = ended.get(keyOf(lane));
      const isLate = before?.streams === true && (id === undefined || id === before.id) && failure === undefined;
      // The rpc-message dialect sends one copy after the whole message.
      if (before !== undefined && isLate && match(lane, before, frame, true)) return;
      endUnfinished(lane);
      const { stop_reason: stopReason } = frame.message;
      const message = begin(lane, { ...frame.message, id, stop_reason: null, stop_sequence: null }, null);
      message.aborted = frame.aborted === true;
      if (typeof stopReason === 'string') message.ending = { stopReason, usage: undefined, fields: {} };
      for (const copy of copiesOf(frame, message.begun)) tellWhole(lane, message, copy, message.aborted);
      if (failure !== undefined) end(lane, message, { reason: 'error' }, {}, failure);
    },
    settle,
    closeAll() {
      for (const [lane, message] of [...open].reverse()) {
        if (message.streams) cutOff(lane === '' ? undefined : lane, message);
        else settle(lane === '' ? undefined : lane);
      }
      for (const message of ended.values()) held.release(message.held);
      ended.clear();
    },
    isOpen: (lane) => open.has(keyOf(lane)),
    streaming(index) {
      const message = open.get('');
      const block = message?.streams === true ? message.blocks.get(index) : undefined;
      return block !== undefined && block.head !== null && !block.ended ? block : null;
    },
  };
}
