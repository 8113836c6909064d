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
const onReply = (method: string, change: (frame: Dictionary) => Dictionary) =>
  wraps((frame) => (isReply(frame) && String(frame.id).startsWith(`${method}-`) ? [change(frame)] : [frame]));
const onAnswer = (method: string, change: (result: Dictionary) => Dictionary) =>
  onReply(method, (frame) => inside(frame, 'result', change));
const isResultOfTool = (message: Dictionary) =>
  message.type === 'user' && JSON.stringify(message).includes('"tool_result"');
const onToolResult = (change: (block: Dictionary) => Dictionary) =>
  each((message) => (isResultOfTool(message) ? onBlocks(message, change) : message));
const isEvent = (type: string) => (message: Dictionary) => dictionaryOf(message.event).type === type;
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
  'no-null': {
    fault: 'nulls in assistant messages',
    make: changesOutput(onType('assistant', (message) => ({ ...message, note: null }))),
  },
  'assistant-top-id': {
    fault: 'assistant messages without an id at the top',
    make: changesOutput(onType('assistant', (message) => drop(message, 'id'))),
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
