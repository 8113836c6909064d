// Rules on the streaming of an answer: blocks start, grow and end, and the final message equals what streamed
// (docs/protocols/pi-legacy.md 2.3; docs/protocols/pi.md 7).
import { isDeepStrictEqual } from 'node:util';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Finding } from '../../check/rule.ts';
import { contentOf, isOfKind, textIn } from '../view/blocks.ts';
import type { Block, StreamedMessage, View } from '../view/parts.ts';
import { messageIn } from '../view/view.ts';
import { rulesOf } from './legacy-rule.ts';

/** Every block whose end event came. */
function* endedBlocks({ messages }: View, kind: string) {
  for (const { blocks } of messages)
    for (const block of blocks.values())
      if (block.kind === kind && block.end !== null) yield { ...block, end: block.end };
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

/** The end event of a text repeats its deltas; a block without deltas comes complete in its end event. */
function* judgeEnds(view: View, kind: string): Generator<Finding> {
  for (const { index, streamed, deltas, end } of endedBlocks(view, kind)) {
    const { content } = dictionaryOf(end.json.assistantMessageEvent);
    const isSame = content === streamed || (deltas === 0 && typeof content === 'string');
    yield { frame: end.frame, wrong: isSame ? null : `block ${index} ends with another text than has streamed` };
  }
}

export const streamRules = rulesOf('', [
  {
    name: 'block-order',
    section: 'AssistantMessageEvent',
    sentence: 'Each block starts once, then come its deltas, then it ends once.',
    covers: ['update:text_start', 'update:thinking_start', 'update:toolcall_start'],
    scenarios: ['talk', 'thinking', 'tools'],
    judge: ({ places }) => places.order,
  },
  {
    name: 'snapshots-agree',
    section: 'message_update',
    level: 'SHOULD',
    measured: true,
    sentence: 'The `message` of an update and the `partial` in it hold the same content.',
    covers: ['event:message_update'],
    judge: ({ places }) => places.snapshots,
  },
  {
    name: 'snapshots-keep-up',
    section: 'message_update',
    sentence: 'The partial message of an update holds everything that has streamed.',
    covers: ['update:text_delta', 'update:thinking_delta'],
    judge: ({ places }) => places.growth,
  },
  {
    name: 'text-end',
    section: 'AssistantMessageEvent',
    sentence: 'The content of a `text_end` is what its deltas said.',
    covers: ['update:text_end'],
    judge: (view) => judgeEnds(view, 'text'),
  },
  {
    name: 'thinking-end',
    section: 'AssistantMessageEvent',
    sentence: 'The content of a `thinking_end` is what its deltas said.',
    covers: ['update:thinking_end'],
    scenarios: ['thinking'],
    judge: (view) => judgeEnds(view, 'thinking'),
  },
  {
    name: 'call-arguments',
    section: 'AssistantMessageEvent',
    sentence: 'The arguments in a `toolcall_end` are the JSON that its deltas said.',
    covers: ['update:toolcall_end', 'update:toolcall_delta'],
    scenarios: ['tools'],
    *judge(view) {
      for (const { index, streamed, end } of endedBlocks(view, 'toolcall')) {
        const call = dictionaryOf(dictionaryOf(end.json.assistantMessageEvent).toolCall);
        const args = parsed(streamed === '' ? '{}' : streamed);
        // The agent decides how to parse incomplete arguments.
        if (args === undefined) continue;
        const isSame = isDeepStrictEqual(args, call.arguments);
        yield { frame: end.frame, wrong: isSame ? null : `the call of block ${index} has other arguments` };
      }
    },
  },
  {
    name: 'content-index',
    section: 'AssistantMessageEvent',
    sentence: 'The content index of a block is its place in the content of the message.',
    covers: ['update:text_start', 'update:toolcall_start'],
    *judge(view) {
      for (const { block, frame, final } of finalBlocks(view)) {
        const isFine = isOfKind(final, block.kind);
        yield { frame, wrong: isFine ? null : `block ${block.index} streamed as ${block.kind} and is not there` };
      }
    },
  },
  {
    name: 'final-text',
    section: 'message_end',
    sentence: 'The text and the thinking of a complete message are what has streamed.',
    covers: ['event:message_end', 'update:text_delta'],
    *judge(view) {
      for (const { block, message, frame, final } of finalBlocks(view)) {
        const text = textIn(final, block.kind);
        if (text === undefined) continue;
        const ended = dictionaryOf(block.end?.json.assistantMessageEvent).content;
        const streamedText = block.deltas === 0 && typeof ended === 'string' ? ended : block.streamed;
        // An aborted message may hold text that was not streamed.
        const isCut = ['error', 'aborted'].includes(String(message.end && messageIn(message.end).stopReason));
        const isFine = text === streamedText || (isCut && text.startsWith(streamedText));
        yield { frame, wrong: isFine ? null : `block ${block.index} is not what has streamed` };
      }
    },
  },
  {
    name: 'final-call',
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
]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
