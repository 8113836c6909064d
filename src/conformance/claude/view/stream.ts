// Reads streamed messages event by event and lane by lane, and notes a finding wherever the grammar requires something
// (docs/protocols/rpc-message.md 1.2 to 1.4; docs/protocols/claude.md 4). Serves both dialects and accepts any input.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryIn, dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import { copyFault, deltaKeys, kindsOf, type StreamedBlock } from './blocks.ts';

/** The lane of a sub-agent is the id of its call; the main thread's lane is null. */
export type LaneName = string | null;

/** The input of the reader, in order. */
export type Step =
  | {
      readonly kind: 'event';
      readonly frame: number;
      readonly lane: LaneName;
      readonly event: Dictionary;
      readonly outer: Dictionary;
    }
  | { readonly kind: 'assistant'; readonly frame: number; readonly lane: LaneName; readonly outer: Dictionary }
  /** The turn is over. */
  | { readonly kind: 'result'; readonly frame: number };

/** Requirements of the grammar, by the name at the end of the check id. */
export type StreamRule =
  | 'message-first'
  | 'message-closed'
  | 'message-id-own'
  | 'block-index'
  | 'block-overlap'
  | 'block-closed'
  | 'block-open'
  | 'delta-kind'
  | 'delta-fields'
  | 'tool-input-json'
  | 'message-delta-once'
  | 'message-delta-there'
  | 'stop-reason'
  | 'assistant-id'
  | 'assistant-content'
  | 'assistant-every-block'
  | 'assistant-place';

/** One message of the model. */
export interface StreamedMessage {
  readonly frame: number;
  readonly lane: LaneName;
  readonly id: unknown;
  readonly head: Dictionary;
  readonly blocks: StreamedBlock[];
  /** The last `message_delta`. */
  delta: { readonly frame: number; readonly event: Dictionary } | null;
  stop: number | null;
  /** The stream broke or was interrupted, and says so: it may hold less than the grammar requires. */
  isCut: boolean;
}

/** The findings of {@link readStream} in a trace. */
export interface Stream {
  /** The streamed messages, in the order in which they begin. */
  readonly messages: readonly StreamedMessage[];
  /** The places that this rule judges. */
  findings(rule: StreamRule): readonly Finding[];
}

/** The six event types of the API. */
export const eventTypes = [
  ...(['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'] as const),
  ...(['message_delta', 'message_stop'] as const),
] as const;
/** The same, to look up any value. */
export const eventKinds: ReadonlySet<unknown> = new Set(eventTypes);

/** A message of the agent, in either dialect. */
export interface StreamTold {
  readonly frame: number;
  readonly type: string;
  readonly json: Dictionary;
}

/** The steps in a message. */
export function stepOf({ frame, type, json }: StreamTold): Step[] {
  const { parent_tool_use_id: parent } = json;
  const lane = typeof parent === 'string' ? parent : null;
  if (type === 'stream_event') return [{ kind: 'event', frame, lane, event: dictionaryOf(json.event), outer: json }];
  if (type === 'assistant') return [{ kind: 'assistant', frame, lane, outer: json }];
  return type === 'result' ? [{ kind: 'result', frame }] : [];
}

/**
 * The frame from which the trace is complete for the main thread; a recording may begin in the middle of a turn.
 * `isBeginning`: other messages with which the dialect begins a turn.
 */
export function begunAt<Told extends StreamTold>(
  messages: readonly Told[],
  isBeginning: (message: Told) => boolean,
): number {
  const first = messages.find((message) => {
    const starts = message.json.parent_tool_use_id == null && typeOf(message.json.event) === 'message_start';
    return message.type === 'result' || starts || isBeginning(message);
  });
  return first?.frame ?? Number.POSITIVE_INFINITY;
}

const typeOf = (value: unknown): string => String(dictionaryOf(value).type);
const lastOf = <Item>(items: readonly Item[]): Item | undefined => items.at(-1);

/** Reads all steps. `begun`: the frame that {@link begunAt} finds. */
export function readStream(steps: readonly Step[], begun: number): Stream {
  const found = new Map<StreamRule, Finding[]>();
  const messages: StreamedMessage[] = [];
  const open = new Map<LaneName, StreamedMessage>();
  const byId = new Map<unknown, StreamedMessage>();
  /** Sub-agent lanes whose first message is in the trace. */
  const lanes = new Set<LaneName>();

  function find(rule: StreamRule, frame: number, wrong: string | null): void {
    const list = found.get(rule) ?? [];
    found.set(rule, list);
    list.push({ frame, wrong });
  }

  const openBlocks = ({ blocks }: StreamedMessage) => blocks.filter(({ stop }) => stop === null);

  function start(lane: LaneName, event: Dictionary, frame: number): void {
    const before = open.get(lane);
    if (before !== undefined)
      find('message-closed', frame, `a message starts while that of frame ${before.frame} is open`);
    const head = dictionaryOf(event.message);
    const message: StreamedMessage = {
      frame,
      lane,
      id: head.id,
      head,
      blocks: [],
      delta: null,
      stop: null,
      isCut: false,
    };
    if (head.id !== undefined) {
      find('message-id-own', frame, byId.has(head.id) ? `there was a message ${String(head.id)} before` : null);
      byId.set(head.id, message);
    }
    messages.push(message);
    open.set(lane, message);
    lanes.add(lane);
  }

  function blockStart(message: StreamedMessage, event: Dictionary, frame: number): void {
    const due = message.blocks.length;
    const { index } = event;
    find('block-index', frame, index === due ? null : `index ${String(index)} where ${due} was due`);
    const [other] = openBlocks(message);
    find('block-overlap', frame, other === undefined ? null : `block ${String(other.index)} is still open`);
    if (message.delta !== null) find('message-delta-once', frame, 'a block starts behind message_delta');
    const head = dictionaryOf(event.content_block);
    message.blocks.push({ frame, index, head, pieces: new Map(), copies: [], stop: null });
  }

  /** The open block with the index of the event. */
  function blockOf(message: StreamedMessage, event: Dictionary, frame: number): StreamedBlock | undefined {
    const block = openBlocks(message).findLast(({ index }) => index === event.index);
    find('block-open', frame, block === undefined ? `block ${String(event.index)} is not open` : null);
    return block;
  }

  function blockDelta(block: StreamedBlock, event: Dictionary, frame: number): void {
    const delta = dictionaryOf(event.delta);
    const type = typeOf(delta);
    const kinds = kindsOf(block.head.type);
    // An unknown block type takes any delta, and unknown deltas are passed on (docs/protocols/claude.md 8.7).
    if (kinds !== undefined && deltaKeys.has(type))
      find('delta-kind', frame, kinds.has(type) ? null : `${type} in a ${String(block.head.type)} block`);
    if (block.copies.length > 0) find('assistant-place', frame, 'a delta behind the assistant message of its block');
    const key = deltaKeys.get(type);
    if (key === undefined) return;
    const piece = delta[key];
    const isText = typeof piece === 'string';
    if (type !== 'citations_delta') find('delta-fields', frame, isText ? null : `${type} without ${key}`);
    if (isText) block.pieces.set(key, `${block.pieces.get(key) ?? ''}${piece}`);
  }

  function blockStop(block: StreamedBlock, frame: number): void {
    block.stop = frame;
  }

  function messageDelta(message: StreamedMessage, event: Dictionary, frame: number): void {
    find('message-delta-once', frame, message.delta === null ? null : 'a second message_delta');
    const isComplete = typeof dictionaryOf(event.delta).stop_reason === 'string';
    // A message without a stop reason was cut, and may leave blocks open. `checkBlock` finds the blocks that never end.
    for (const block of isComplete ? openBlocks(message) : [])
      find('block-closed', frame, `block ${String(block.index)} is still open`);
    message.delta = { frame, event };
  }

  function close(message: StreamedMessage, outer: Dictionary, frame: number): void {
    message.stop = frame;
    const reason = dictionaryOf(message.delta?.event.delta).stop_reason;
    message.isCut = message.delta === null || typeof reason !== 'string' || outer.abandoned_blocks !== undefined;
    find('message-closed', frame, null);
    const isBroken = outer.abandoned_blocks !== undefined;
    if (message.delta !== null || !isBroken)
      find('message-delta-there', frame, message.delta === null ? 'message_stop without message_delta' : null);
    for (const block of message.blocks) checkBlock(message, block, frame);
    checkReason(message, reason);
  }

  function checkBlock(message: StreamedMessage, block: StreamedBlock, frame: number): void {
    if (message.isCut) return;
    const named = `block ${String(block.index)}`;
    const delta = message.delta?.frame ?? frame;
    if (block.stop === null || block.stop < delta)
      find('block-closed', block.stop ?? frame, block.stop === null ? `${named} was never closed` : null);
    const isTool = block.head.type === 'tool_use' || block.head.type === 'server_tool_use';
    // Arguments that max_tokens cut are incomplete.
    const isCalled = dictionaryOf(message.delta?.event.delta).stop_reason === 'tool_use';
    const json = block.pieces.get('partial_json') ?? '';
    if (isTool && isCalled && json !== '')
      find(
        'tool-input-json',
        block.stop ?? frame,
        dictionaryIn(json) === null ? `${named} holds no JSON object` : null,
      );
  }

  function checkReason({ delta, blocks, isCut }: StreamedMessage, reason: unknown): void {
    if (delta === null || isCut) return;
    const endsInCall = lastOf(blocks)?.head.type === 'tool_use';
    const isTool = reason === 'tool_use' && !endsInCall;
    const isEnd = reason === 'end_turn' && endsInCall;
    const place = endsInCall ? 'a call' : 'no call';
    find('stop-reason', delta.frame, isTool || isEnd ? `${reason}, and the last block is ${place}` : null);
  }

  function event({ lane, event, outer, frame }: Extract<Step, { kind: 'event' }>): void {
    const { type } = event;
    if (type === 'message_start') return start(lane, event, frame);
    if (typeof type !== 'string' || !eventKinds.has(type)) return;
    const message = open.get(lane);
    const isSeen = lane === null ? frame >= begun : lanes.has(lane);
    if (message !== undefined || isSeen)
      find('message-first', frame, message === undefined ? `${type} outside a message` : null);
    if (message === undefined) return;
    if (type === 'content_block_start') blockStart(message, event, frame);
    else if (type === 'message_delta') messageDelta(message, event, frame);
    else if (type === 'message_stop') {
      close(message, outer, frame);
      open.delete(lane);
    } else {
      const block = blockOf(message, event, frame);
      if (block === undefined) return;
      if (type === 'content_block_delta') blockDelta(block, event, frame);
      else blockStop(block, frame);
    }
  }

  function assistant({ lane, outer, frame }: Extract<Step, { kind: 'assistant' }>): void {
    const message = dictionaryOf(outer.message);
    const current = open.get(lane);
    // The agent's own text belongs to no stream.
    const isOwn = outer.is_api_error_message === true || typeof outer.error === 'string';
    if (current !== undefined && !isOwn && current.id !== undefined)
      find(
        'assistant-id',
        frame,
        message.id === current.id ? null : `${String(message.id)} in message ${String(current.id)}`,
      );
    const streamed = isOwn ? undefined : (byId.get(message.id) ?? current);
    if (streamed === undefined || streamed.lane !== lane) return;
    const content: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
    for (const block of content) copy(streamed, dictionaryOf(block), content.length, frame);
  }

  /** Finds the block that a copy repeats: the open one, else the next of its type. */
  function copy(message: StreamedMessage, block: Dictionary, among: number, frame: number): void {
    const fresh = message.blocks.filter(({ copies }) => copies.length === 0);
    const current = among === 1 && message.stop === null ? openBlocks(message).at(-1) : undefined;
    const original = current ?? fresh.find(({ head }) => head.type === block.type) ?? fresh[0];
    if (original === undefined) {
      find('assistant-content', frame, `a ${String(block.type)} block that did not stream`);
      return;
    }
    if (original.copies.length > 0) find('assistant-place', frame, 'a second assistant message for one block');
    else find('assistant-place', frame, original.stop === null ? null : 'it comes behind content_block_stop');
    original.copies.push(frame);
    find('assistant-content', frame, copyFault(original, block));
  }

  function result(frame: number): void {
    const message = open.get(null);
    if (message === undefined) return;
    find('message-closed', frame, `the turn ends inside the message of frame ${message.frame}`);
    open.delete(null);
  }

  for (const step of steps) {
    if (step.kind === 'event') event(step);
    else if (step.kind === 'assistant') assistant(step);
    else result(step.frame);
  }
  // Copies may come after their message, so a missing copy shows only at the end.
  if (steps.some(({ kind }) => kind === 'assistant'))
    for (const { blocks, isCut, stop } of messages)
      for (const { copies, frame, head } of blocks)
        if (stop !== null && !isCut)
          find(
            'assistant-every-block',
            frame,
            copies.length > 0 ? null : `no assistant message for the ${String(head.type)} block`,
          );
  return { messages, findings: (rule) => found.get(rule) ?? [] };
}
