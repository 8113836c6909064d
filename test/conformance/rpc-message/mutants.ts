// Broken agents of the rpc-message dialect, each with one fault.
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import {
  beside,
  type Change,
  drop,
  each,
  inside,
  mint,
  onBlocks,
  onEvent,
  onType,
  streamMutants,
  type Through,
} from '../claude/stream-mutants.ts';
import type { Interceptor } from '../support/intercept.ts';
import type { Mutant } from '../support/mutant.ts';

/** Changes messages, with or without the envelope of a query. */
const changesOutput: Through = (change) => () => {
  const own = change();
  return {
    out(frame) {
      if (frame.type === 'stream') return own(dictionaryOf(frame.data)).map((data) => ({ ...frame, data }));
      return typeof frame.type === 'string' && frame.type !== 'complete' ? own(frame) : [frame];
    },
  };
};
/** Changes envelopes and answers. */
const wraps = (change: (frame: Dictionary) => readonly Dictionary[]) => (): Interceptor => ({
  out: (frame) => change(frame),
});
const changesInput = (change: (frame: Dictionary) => Dictionary | null) => (): Interceptor => ({
  in(frame) {
    const changed = change(frame);
    return changed === null ? [] : [changed];
  },
});
const then =
  (isIt: (message: Dictionary) => boolean, next: (message: Dictionary) => Dictionary) => (): Change => (message) =>
    isIt(message) ? [message, next(message)] : [message];

const isReply = (frame: Dictionary) => frame.type === undefined && 'result' in frame;
const isRefusal = (frame: Dictionary) => isReply(frame) && frame.error !== null;
const onReply = (method: string, change: (frame: Dictionary) => Dictionary) =>
  wraps((frame) => (isReply(frame) && String(frame.id).startsWith(`${method}-`) ? [change(frame)] : [frame]));
const onAnswer = (method: string, change: (result: Dictionary) => Dictionary) =>
  onReply(method, (frame) => inside(frame, 'result', change));
const refused = ({ id }: Dictionary): Dictionary => ({ id, result: null, error: { code: -1, message: 'No.' } });
const isResultOfTool = (message: Dictionary) =>
  message.type === 'user' && JSON.stringify(message).includes('"tool_result"');
const onTool = (change: (block: Dictionary) => Dictionary) =>
  each((message) => {
    const changed = (block: Dictionary) => (block.type === 'tool_use' ? change(block) : block);
    if (message.type === 'assistant') return onBlocks(message, changed);
    const event = dictionaryOf(message.event);
    return event.type === 'content_block_start'
      ? { ...message, event: inside(event, 'content_block', changed) }
      : message;
  });
const onToolResult = (change: (block: Dictionary) => Dictionary) =>
  each((message) => (isResultOfTool(message) ? onBlocks(message, change) : message));
const isEvent = (type: string) => (message: Dictionary) => dictionaryOf(message.event).type === type;
const user = (message: Dictionary, content: unknown): Dictionary =>
  beside(message, { type: 'user', message: { role: 'user', content } });
const isPlain = (frame: Dictionary) => JSON.stringify(frame.params ?? null).includes('hello there');

interface Row {
  readonly fault: string;
  readonly make: Mutant['make'];
  readonly alsoCaughtBy?: readonly string[];
}

const rows: Record<string, Row> = {
  'message-type': {
    fault: 'system messages, as natively',
    make: changesOutput(
      then(isEvent('message_start'), (message) => beside(message, { type: 'system', subtype: 'init' })),
    ),
  },
  provider: {
    fault: 'results of nobody',
    make: changesOutput(onType('result', (message) => drop(message, 'provider'))),
  },
  'no-null': {
    fault: 'nulls in assistant messages',
    make: changesOutput(onType('assistant', (message) => ({ ...message, note: null }))),
  },
  'stream-event-envelope': {
    fault: 'stream events without uuid',
    make: changesOutput(onType('stream_event', (message) => drop(message, 'uuid'))),
  },
  'content-list': {
    fault: 'content that is a text',
    make: changesOutput(then(isEvent('message_start'), (message) => user(message, 'By the way.'))),
  },
  'parent-text': {
    fault: 'a number for the call of a sub-agent',
    make: changesOutput(
      each((message) => ('parent_tool_use_id' in message ? { ...message, parent_tool_use_id: 1 } : message)),
    ),
    alsoCaughtBy: [
      'message-id-own',
      'assistant-id',
      'message-closed',
      'tool-answered',
      'result-failed',
      'message-first',
    ],
  },
  'error-shape': {
    fault: 'errors without words',
    make: changesOutput(onType('error', (message) => drop(message, 'message'))),
  },
  'event-kind': {
    fault: 'an event of its own',
    make: changesOutput(
      then(isEvent('message_start'), (message) => beside(message, { type: 'stream_event', event: { type: 'ping' } })),
    ),
  },
  'event-index': {
    fault: 'a delta without index',
    make: changesOutput(
      then(isEvent('content_block_start'), (message) =>
        beside(message, {
          type: 'stream_event',
          event: { type: 'content_block_delta', delta: { type: 'text_delta', text: '' } },
        }),
      ),
    ),
    alsoCaughtBy: ['block-open'],
  },
  'message-start-shape': {
    fault: 'message_start without content',
    make: changesOutput(
      onEvent('message_start', (event) => inside(event, 'message', (message) => drop(message, 'content'))),
    ),
  },
  'message-delta-shape': {
    fault: 'usage in camel case',
    make: changesOutput(onEvent('message_delta', (event) => ({ ...event, usage: { outputTokens: 3 } }))),
  },
  'delta-known': {
    fault: 'output_delta for what a tool prints',
    make: changesOutput(
      then(isEvent('content_block_start'), (message) =>
        beside(message, {
          type: 'stream_event',
          event: {
            type: 'content_block_delta',
            index: dictionaryOf(message.event).index,
            delta: { type: 'output_delta', output: 'half' },
          },
        }),
      ),
    ),
    alsoCaughtBy: ['delta-kind'],
  },
  'block-known': {
    fault: 'blocks of other protocols as they are',
    make: changesOutput(then(isEvent('message_start'), (message) => user(message, [{ type: 'hologram', beam: 7 }]))),
  },
  'unknown-block': {
    fault: 'unknown blocks that do not say what they were',
    make: changesOutput(then(isEvent('message_start'), (message) => user(message, [{ type: 'unknown', data: '{}' }]))),
  },
  'text-block': {
    fault: 'a text block without text',
    make: changesOutput(then(isEvent('message_start'), (message) => user(message, [{ type: 'text' }]))),
  },
  'tool-use-shape': {
    fault: 'calls with a name and no toolName',
    make: changesOutput(onTool((block) => drop(block, 'toolName'))),
  },
  'tool-use-begins': {
    fault: 'calls that open as completed',
    make: changesOutput(
      onEvent('content_block_start', (event) =>
        inside(event, 'content_block', (block) =>
          block.type === 'tool_use' ? { ...block, status: 'completed' } : block,
        ),
      ),
    ),
  },
  'tool-type': {
    fault: 'tool types in lower case',
    make: changesOutput(onTool((block) => ({ ...block, toolType: 'read' }))),
  },
  'tool-result-shape': {
    fault: 'is_error is a text',
    make: changesOutput(onToolResult((block) => ({ ...block, is_error: 'no' }))),
  },
  'assistant-top-id': {
    fault: 'assistant messages without an id at the top',
    make: changesOutput(onType('assistant', (message) => drop(message, 'id'))),
  },
  'result-shape': {
    fault: 'results without num_turns',
    make: changesOutput(onType('result', (message) => drop(message, 'num_turns'))),
  },
  'result-usage': {
    fault: 'results that count in camel case',
    make: changesOutput(onType('result', (message) => ({ ...message, usage: { inputTokens: 1, outputTokens: 1 } }))),
  },
  'tool-result-known': {
    fault: 'a result for a call that nobody made',
    make: changesOutput(
      then(isResultOfTool, (message) => ({
        ...onBlocks(message, (block) => ({ ...block, tool_use_id: 'nobody' })),
        uuid: mint(),
      })),
    ),
  },
  'tool-result-once': {
    fault: 'results that come twice',
    make: changesOutput(then(isResultOfTool, (message) => ({ ...message, uuid: mint() }))),
  },
  'tool-result-content': {
    fault: 'what a tool gave is lost',
    make: changesOutput(onToolResult((block) => drop(block, 'content'))),
  },
  'tool-answered': {
    fault: 'the end of a tool is no message',
    make: changesOutput(each((message) => (isResultOfTool(message) ? null : message))),
  },
  'result-failed': {
    fault: 'is_error is never true',
    make: changesOutput(onType('result', (message) => ({ ...message, is_error: false }))),
  },
  'request-answered': {
    fault: 'getHistory is not answered',
    make: changesInput((frame) => (frame.method === 'getHistory' ? null : frame)),
  },
  'request-answered-once': {
    fault: 'everything is answered twice',
    make: wraps((frame) => (isReply(frame) ? [frame, frame] : [frame])),
  },
  'envelope-known': {
    fault: 'complete for what nobody asked',
    make: wraps((frame) => (frame.type === 'complete' ? [frame, { ...frame, id: 'nobody' }] : [frame])),
  },
  'envelope-shape': {
    fault: 'an envelope without data',
    make: wraps((frame) => (frame.type === 'complete' ? [{ id: frame.id, type: 'stream' }, frame] : [frame])),
    alsoCaughtBy: ['message-type', 'query-result'],
  },
  'answer-shape': {
    fault: 'answers without error',
    make: wraps((frame) => [isReply(frame) && !isRefusal(frame) ? drop(frame, 'error') : frame]),
  },
  'refusal-shape': {
    fault: 'an error that is a text',
    make: wraps((frame) => [isRefusal(frame) ? { ...frame, error: 'No.' } : frame]),
  },
  'query-result': {
    fault: 'queries without a result',
    make: wraps((frame) => (frame.type === 'stream' && dictionaryOf(frame.data).type === 'result' ? [] : [frame])),
    alsoCaughtBy: ['tool-answered'],
  },
  'query-complete': {
    fault: 'complete comes before the result',
    make: () => {
      let late: Dictionary[] = [];
      return {
        out(frame) {
          if (frame.type === 'stream' && dictionaryOf(frame.data).type === 'result') {
            late.push(frame);
            return [];
          }
          if (frame.type !== 'complete') return [frame];
          const held = late;
          late = [];
          return [frame, ...held];
        },
      };
    },
  },
  'query-content': { fault: 'takes nothing but text', make: onQueries('queryWithContent', 'no_such_method') },
  'error-goes-on': {
    fault: 'an error in the place of a result',
    make: changesOutput(
      onType('result', (message) => (message.is_error === true ? { type: 'error', message: 'It failed.' } : message)),
    ),
    alsoCaughtBy: ['query-result'],
  },
  'next-query': {
    fault: 'says nothing any more once it failed',
    make: changesInput((frame) => (isPlain(frame) ? null : frame)),
  },
  'unknown-type': {
    fault: 'says nothing any more after what it does not know',
    make: () => ({
      in(frame, link) {
        if (frame.type === 'no_such_type') link.close();
        return [frame];
      },
    }),
  },
  'connect-result': {
    fault: 'connect tells no session',
    make: onAnswer('connect', (result) => drop(result, 'sessionId')),
  },
  'connect-capabilities': {
    fault: 'connect tells no capabilities',
    make: onAnswer('connect', (result) => drop(result, 'capabilities')),
  },
  'session-same': {
    fault: 'connect tells another session',
    make: onAnswer('connect', (result) => ({ ...result, sessionId: 'another' })),
  },
  'unknown-method': {
    fault: 'answers whatever it is asked',
    make: onReply('no_such_method', ({ id }) => ({ id, result: {}, error: null })),
  },
  'bad-params': {
    fault: 'a query without message is as good as any',
    make: onReply('query', ({ id }) => ({ id, result: {}, error: null })),
  },
  'set-mode-answer': {
    fault: 'another mode than was asked for',
    make: onAnswer('setPermissionMode', (result) => ({ ...result, mode: 'plan' })),
  },
  'set-model-answer': { fault: 'setModel is answered with nothing', make: onAnswer('setModel', () => ({})) },
  'history-list': {
    fault: 'history as plain texts',
    make: onAnswer('getHistory', () => ({ messages: [{ role: 'user', text: 'hello' }] })),
  },
  'interrupt-answer': { fault: 'refuses interrupts', make: onReply('interrupt', refused) },
  'interrupt-ends': {
    fault: 'a query that was interrupted never ends',
    make: () => {
      let isInterrupted = false;
      return {
        in(frame) {
          if (frame.method === 'interrupt') isInterrupted = true;
          return [frame];
        },
        out: (frame) => (isInterrupted && (frame.type === 'complete' || frame.type === 'stream') ? [] : [frame]),
      };
    },
  },
  'disconnect-answer': { fault: 'goes without a word', make: onReply('disconnect', refused) },
};

/** Delivers requests of one method under another name. */
function onQueries(method: string, other: string) {
  return changesInput((frame) => (frame.method === method ? { ...frame, method: other } : frame));
}

/** One mutant for each check. */
export const mutants: readonly Mutant[] = [
  ...Object.entries(rows).map(([caught, row]): Mutant => ({ caughtBy: [caught], ...row })),
  ...streamMutants(changesOutput, { 'assistant-id': ['assistant-top-id'], 'message-delta-there': ['result-failed'] }),
];
