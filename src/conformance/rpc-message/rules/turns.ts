// Rules across messages: the stream, calls and results, the end of a turn (docs/protocols/rpc-message.md 4, 5.3, 6.4,
// 7.1).
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each, type Finding } from '../../check/rule.ts';
import { streamRules } from '../../claude/rules/stream-grammar.ts';
import type { View } from '../view.ts';
import { rpcRules } from './rpc-rule.ts';

const results = ['block:tool_use', 'block:tool_result'];

/** The grammar of the native dialect, with the sections of this document. */
export const rpcStreamRules = streamRules<View>('rpc-message', {
  'message-first': { section: '5.2' },
  'message-closed': { section: '4.4' },
  'message-id-own': { section: '3.3' },
  'block-index': { section: '7.1' },
  'block-overlap': { section: '7.1' },
  'block-closed': { section: '5.2' },
  'block-open': { section: '5.2' },
  'delta-kind': {
    section: '4.2',
    sentence:
      'A block takes only the deltas of its kind: what a tool prints is neither input_json_delta nor text_delta of its call.',
  },
  'delta-fields': { section: '3.4' },
  'tool-input-json': { section: '4.2' },
  'message-delta-once': { section: '4.4' },
  'message-delta-there': {
    section: '4.4',
    sentence: 'A message ends with two events: message_delta, then message_stop.',
  },
  'stop-reason': { section: '6.4' },
  'assistant-id': { section: '4.1' },
  'assistant-content': { section: '4.1' },
  'assistant-every-block': { section: '4.1' },
  // The front end recognises copies by id, and the document allows them after the message.
  'assistant-place': { section: '4.1', level: 'MAY' },
});

export const turnRules = rpcRules({
  'tool-result-content': {
    section: '4.3',
    sentence: 'What a tool gave is not lost: a tool_result has content.',
    scenarios: ['tools'],
    covers: results,
    judge: ({ calls }) => each(calls.results, ({ block }) => (block.content === undefined ? 'it has none' : null)),
  },
  'tool-answered': {
    section: '4.3',
    sentence: 'The end of a tool is a user message with its tool_result: each call has one before the turn is over.',
    scenarios: ['tools', 'toolfail'],
    covers: [...results, 'message:user'],
    judge: answered,
  },
  'result-failed': {
    section: '6.5',
    sentence: 'A turn whose last message was cut does not end well: is_error is true.',
    scenarios: ['fail', 'interrupt'],
    covers: ['message:result'],
    isMeasured: true,
    *judge({ messages, stream }) {
      for (const { frame, type, json } of messages) {
        if (type !== 'result') continue;
        const last = stream.messages.findLast((one) => one.lane === null && one.frame < frame);
        const isOfThisTurn = !messages.some(
          (one) => one.type === 'result' && one.frame > (last?.frame ?? 0) && one.frame < frame,
        );
        if (last?.isCut === true && last.stop !== null && isOfThisTurn)
          yield { frame, wrong: json.is_error === true ? null : 'the last message was cut' };
      }
    },
  },
});

function* answered({ calls, messages, stream }: View): Generator<Finding> {
  for (const { frame, id, lane, results: given } of calls.calls) {
    const message = stream.messages.findLast((one) => one.lane === lane && one.frame <= frame);
    const reason = dictionaryOf(message?.delta?.event.delta).stop_reason;
    const end = messages.find((message) => message.type === 'result' && message.frame > frame);
    // A truncated call was not made.
    if (reason !== 'tool_use' || end === undefined) continue;
    yield { frame: end.frame, wrong: given.some((one) => one.frame < end.frame) ? null : `${id} has no result` };
  }
}
