// Rules on the grammar of a stream, for both dialects (docs/protocols/rpc-message.md 1.2 to 1.4;
// docs/protocols/claude.md 4). The findings come from view/stream.ts.
import type { Level } from '../../check/check.ts';
import type { Rule } from '../../check/rule.ts';
import type { Stream, StreamRule } from '../view/stream.ts';

interface Row {
  readonly section: string;
  readonly sentence: string;
  readonly scenarios: readonly string[];
  readonly covers: readonly string[];
  readonly level?: Level;
  readonly isMeasured?: true;
}

const rows: Readonly<Record<StreamRule, Row>> = {
  'message-first': {
    section: '1.4',
    sentence: 'Events of a message come behind its message_start and before its message_stop.',
    scenarios: ['text'],
    covers: ['event:message_start'],
  },
  'message-closed': {
    section: '1.4',
    sentence: 'Each message_start has its message_stop before the next message and before the result.',
    scenarios: ['text', 'tools', 'interrupt', 'fail'],
    covers: ['event:message_stop'],
  },
  'message-id-own': {
    section: '1.2',
    sentence: 'No two messages share an id. The server of the model gives the ids, so two alike are its doing.',
    scenarios: ['text'],
    covers: ['event:message_start'],
    level: 'MAY',
    isMeasured: true,
  },
  'block-index': {
    section: '1.4',
    sentence: 'The blocks of a message count 0, 1, 2 in the order in which they start.',
    scenarios: ['think', 'tools'],
    covers: ['event:content_block_start'],
  },
  'block-overlap': {
    section: '1.4',
    sentence: 'A block starts when the block before it has stopped.',
    scenarios: ['think', 'tools'],
    covers: ['event:content_block_start', 'event:content_block_stop'],
  },
  'block-closed': {
    section: '1.4',
    sentence: 'Each content_block_start has its content_block_stop before message_delta and message_stop.',
    scenarios: ['text'],
    covers: ['event:content_block_stop'],
  },
  'block-open': {
    section: '1.4',
    sentence: 'Deltas and stops name a block that is open.',
    scenarios: ['text'],
    covers: ['event:content_block_delta', 'event:content_block_stop'],
  },
  'delta-kind': {
    section: '1.3',
    sentence:
      'Of the deltas that are known a block takes only those of its kind: input_json_delta belongs to the arguments of a call and to nothing else.',
    scenarios: ['text', 'tools'],
    covers: ['delta:text_delta', 'delta:thinking_delta', 'delta:input_json_delta'],
  },
  'delta-fields': {
    section: '1.3',
    sentence: 'text_delta has text, thinking_delta has thinking, input_json_delta has partial_json.',
    scenarios: ['text', 'think', 'tools'],
    covers: ['delta:text_delta', 'delta:thinking_delta', 'delta:input_json_delta'],
  },
  'tool-input-json': {
    section: '1.3',
    sentence:
      'The input_json_delta pieces of a block are together one JSON object where the message ends for the call: its arguments, and no output.',
    scenarios: ['tools'],
    covers: ['delta:input_json_delta'],
    level: 'SHOULD',
  },
  'message-delta-once': {
    section: '1.4',
    sentence: 'message_delta comes once in a message, behind its last block.',
    scenarios: ['text'],
    covers: ['event:message_delta'],
  },
  'message-delta-there': {
    section: '1.4',
    sentence: 'message_stop has a message_delta before it, unless the stream broke and the last event says so.',
    scenarios: ['text', 'tools'],
    covers: ['event:message_delta', 'event:message_stop'],
  },
  'stop-reason': {
    section: '1.2',
    sentence:
      'stop_reason is tool_use exactly when the message ends in a call. An agent may relay what its model says.',
    scenarios: ['text', 'tools'],
    covers: ['event:message_delta'],
    level: 'MAY',
    isMeasured: true,
  },
  'assistant-id': {
    section: '1.1',
    sentence: 'An assistant message that comes inside a stream has the id of its message_start.',
    scenarios: ['text'],
    covers: ['message:assistant'],
    isMeasured: true,
  },
  'assistant-content': {
    section: '1.1',
    sentence: 'An assistant message repeats what streamed: the same blocks with the same text.',
    scenarios: ['text', 'think', 'tools', 'unicode'],
    covers: ['message:assistant'],
  },
  'assistant-every-block': {
    section: '1.1',
    sentence: 'Every block of a message that ended well is repeated in an assistant message.',
    scenarios: ['text', 'think', 'tools'],
    covers: ['message:assistant'],
  },
  'assistant-place': {
    section: '1.1',
    sentence: 'The assistant message of a block comes once, behind its last delta and before its content_block_stop.',
    scenarios: ['text', 'tools'],
    covers: ['message:assistant'],
    level: 'SHOULD',
    isMeasured: true,
  },
};

/** The rules that a dialect overrides. */
export type Changes = Readonly<Partial<Record<StreamRule, Partial<Row>>>>;

/** The rules, with ids of the given protocol. */
export function streamRules<View extends { readonly stream: Stream }>(
  protocol: string,
  changes: Changes = {},
): Rule<View>[] {
  return rowEntries.map(([name, row]): Rule<View> => {
    const { section, sentence, scenarios, covers, isMeasured, ...more } = { ...row, ...changes[name] };
    const basis = isMeasured === true ? 'measured' : 'specification';
    const { level = basis === 'measured' ? 'SHOULD' : 'MUST' } = more;
    const judge = ({ stream }: View) => stream.findings(name);
    return { id: `${protocol}/${name}`, section, level, basis, sentence, scenarios, covers, judge };
  });
}

const rowEntries: readonly (readonly [StreamRule, Row])[] = Object.keys(rows)
  .filter((name): name is StreamRule => name in rows)
  .map((name) => [name, rows[name]]);
