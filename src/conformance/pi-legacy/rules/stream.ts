// Rules on the streaming of an answer: blocks start, grow and end, and the final message equals what streamed
// (docs/protocols/pi-legacy.md 2.3; docs/protocols/pi.md 7).
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import { contentOf, isOfKind, textIn } from '../view/blocks.ts';
import type { Block, StreamedMessage, View } from '../view/parts.ts';
import { messageIn } from '../view/view.ts';
import { type LegacyRows, talks } from './legacy-rows.ts';

/** Every block whose end event came. */
function* endedBlocks({ messages }: View, kind: string) {
  for (const message of messages)
    for (const block of message.blocks.values())
      if (block.kind === kind && block.end !== null) yield { ...block, message, end: block.end };
}

/** Every block of messages that have ended. */
function* finalBlocks({
  messages,
}: View): Generator<{ block: Block; message: StreamedMessage; frame: number; final: unknown }> {
  for (const message of messages) {
    if (message.end === null) continue;
    const content = contentOf(messageIn(message.end));
    for (const block of message.blocks.values())
      yield { block, message, frame: message.end.frame, final: content[block.index] };
  }
}

/** Stop reasons of messages whose blocks are all whole. */
const whole: ReadonlySet<unknown> = new Set(['stop', 'toolUse']);
const isWhole = ({ end }: StreamedMessage): boolean => end !== null && whole.has(messageIn(end).stopReason);
/**
 * Whether updates tell the block. A hidden thought comes whole, and so does a call that the provider runs: its message
 * does not stop for tools.
 */
function isTold({ type, redacted }: Dictionary, { end }: StreamedMessage): boolean {
  if (type === 'toolCall') return end !== null && messageIn(end).stopReason === 'toolUse';
  return type === 'text' || (type === 'thinking' && redacted !== true);
}

/** The content of a thought that the provider hides: the one text that no delta says (docs/protocols/pi.md 7.5). */
const redacted = '[Reasoning redacted]';

/** The end event of a text repeats its deltas. */
function* judgeEnds(view: View, kind: string): Generator<Finding> {
  for (const { index, streamed, deltas, end } of endedBlocks(view, kind)) {
    const { content } = dictionaryOf(end.json.assistantMessageEvent);
    const isSame = content === streamed || (deltas === 0 && kind === 'thinking' && content === redacted);
    const says = deltas === 0 ? 'ends with content, and no delta said it' : 'ends with another text than has streamed';
    yield { frame: end.frame, wrong: isSame ? null : `block ${index} ${says}` };
  }
}

/** What is wrong with the arguments of a call, compared with its deltas; undefined where nothing can be said. */
function otherArguments({ streamed }: Block, message: StreamedMessage, own: unknown): string | null | undefined {
  if (streamed.trim() === '') return isDeepStrictEqual(own, {}) ? null : 'has arguments, and no delta said them';
  const read = parsed(streamed);
  if (read !== undefined) return isDeepStrictEqual(read, own) ? null : 'has other arguments than its deltas';
  // The agent decides how to parse arguments that the model cut off; those of a message that ends for its calls are
  // whole.
  const isOver = message.end !== null && messageIn(message.end).stopReason === 'toolUse';
  return isOver ? 'has deltas that are, joined, no JSON' : undefined;
}

export const streamRows: LegacyRows = {
  'block-order': {
    section: 'AssistantMessageEvent',
    sentence: 'Each block starts once, then come its deltas, then it ends once.',
    covers: ['update:text_start', 'update:thinking_start', 'update:toolcall_start'],
    scenarios: ['talk', 'thinking', 'tools'],
    judge: ({ places }) => places.order,
  },
  'block-ends': {
    section: 'AssistantMessageEvent',
    isMeasured: true,
    sentence:
      'Each block has ended when the next one starts and when its message ends, unless that failed, was aborted or was too long.',
    covers: ['update:text_end', 'update:thinking_end', 'update:toolcall_end'],
    scenarios: ['talk', 'thinking', 'tools'],
    *judge(view) {
      for (const { block, message, frame } of finalBlocks(view)) {
        if (!isWhole(message)) continue;
        const { index, kind, end } = block;
        const next = [...message.blocks.values()].find(({ start }) => start.frame > block.start.frame);
        const isLate = end !== null && next !== undefined && end.frame > next.start.frame;
        const wrong = end === null ? 'has no end' : isLate ? 'goes on when the next one has started' : null;
        yield { frame: end?.frame ?? frame, wrong: wrong === null ? null : `block ${index} (${kind}) ${wrong}` };
      }
    },
  },
  'blocks-streamed': {
    section: 'message_update',
    isMeasured: true,
    sentence: 'Updates tell every block of an answer, unless it failed, was aborted or was too long.',
    covers: ['event:message_update'],
    scenarios: ['talk', 'thinking', 'tools'],
    *judge({ messages }) {
      for (const message of messages) {
        if (message.role !== 'assistant' || message.end === null || !isWhole(message)) continue;
        const content = contentOf(messageIn(message.end));
        if (content.length === 0) continue;
        const silent = content.findIndex(
          (one, index) => isTold(dictionaryOf(one), message) && !message.blocks.has(index),
        );
        const wrong = silent < 0 ? null : `block ${silent} is in the message, and no update told it`;
        yield { frame: message.end.frame, wrong };
      }
    },
  },
  'snapshots-agree': {
    section: 'message_update',
    isMeasured: true,
    sentence: 'The `message` of an update and the `partial` in it hold the same content.',
    covers: ['event:message_update'],
    scenarios: talks,
    judge: ({ places }) => places.snapshots,
  },
  'snapshots-keep-up': {
    section: 'message_update',
    sentence: 'The partial message of an update holds everything that has streamed.',
    covers: ['update:text_delta', 'update:thinking_delta'],
    scenarios: talks,
    judge: ({ places }) => places.growth,
  },
  'text-end': {
    section: 'AssistantMessageEvent',
    sentence: 'The content of a `text_end` is what its deltas said.',
    covers: ['update:text_end'],
    scenarios: talks,
    judge: (view) => judgeEnds(view, 'text'),
  },
  'thinking-end': {
    section: 'AssistantMessageEvent',
    sentence: 'The content of a `thinking_end` is what its deltas said.',
    covers: ['update:thinking_end'],
    scenarios: ['thinking'],
    judge: (view) => judgeEnds(view, 'thinking'),
  },
  'call-arguments': {
    section: 'AssistantMessageEvent',
    sentence: 'The arguments in a `toolcall_end` are the JSON that its deltas said.',
    covers: ['update:toolcall_end', 'update:toolcall_delta'],
    scenarios: ['tools'],
    *judge(view) {
      for (const { message, ...block } of endedBlocks(view, 'toolcall')) {
        const call = dictionaryOf(dictionaryOf(block.end.json.assistantMessageEvent).toolCall);
        const wrong = otherArguments(block, message, call.arguments);
        if (wrong === undefined) continue;
        yield { frame: block.end.frame, wrong: wrong === null ? null : `the call of block ${block.index} ${wrong}` };
      }
    },
  },
  'content-index': {
    section: 'AssistantMessageEvent',
    sentence: 'The content index of a block is its place in the content of the message.',
    covers: ['update:text_start', 'update:toolcall_start'],
    scenarios: talks,
    *judge(view) {
      for (const { block, frame, final } of finalBlocks(view)) {
        const isFine = isOfKind(final, block.kind);
        yield { frame, wrong: isFine ? null : `block ${block.index} streamed as ${block.kind} and is not there` };
      }
    },
  },
  'final-text': {
    section: 'message_end',
    sentence: 'The text and the thinking of a complete message are what has streamed.',
    covers: ['event:message_end', 'update:text_delta'],
    scenarios: talks,
    *judge(view) {
      for (const { block, message, frame, final } of finalBlocks(view)) {
        const text = textIn(final, block.kind);
        if (text === undefined) continue;
        const ended = dictionaryOf(block.end?.json.assistantMessageEvent).content;
        const streamedText = block.deltas === 0 && typeof ended === 'string' ? ended : block.streamed;
        // An aborted message may hold text that was not streamed.
        const isBroken = ['error', 'aborted'].includes(String(message.end && messageIn(message.end).stopReason));
        const isFine = text === streamedText || (isBroken && text.startsWith(streamedText));
        yield { frame, wrong: isFine ? null : `block ${block.index} is not what has streamed` };
      }
    },
  },
  'final-call': {
    section: 'ToolCall',
    sentence: 'The calls of a complete message are those of its `toolcall_end`s.',
    covers: ['update:toolcall_end'],
    scenarios: ['tools'],
    *judge(view) {
      for (const { block, frame, final } of finalBlocks(view)) {
        if (block.kind !== 'toolcall' || block.end === null) continue;
        const endedCall = dictionaryOf(dictionaryOf(block.end.json.assistantMessageEvent).toolCall);
        const call = dictionaryOf(final);
        const isSame =
          call.id === endedCall.id &&
          call.name === endedCall.name &&
          isDeepStrictEqual(call.arguments, endedCall.arguments);
        yield { frame, wrong: isSame ? null : `block ${block.index} is another call than the one that ended` };
      }
    },
  },
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
