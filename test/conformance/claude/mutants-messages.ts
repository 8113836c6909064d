// Broken agents of the native dialect: wrong messages, calls and results.
import type { Dictionary } from '../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../src/core/model/dictionary.ts';
import {
  changesOutput,
  counted,
  followed,
  isResultOfTool,
  isSystem,
  onResult,
  onSystem,
  onToolResult,
  type Row,
} from './changes.ts';
import { beside, each, inside, mint, onBlocks, onEvent, onType } from './stream-mutants.ts';

/** By the name of the check that must catch the mutant. */
export const messageMutants: Record<string, Row> = {
  'message-type': {
    fault: 'talks of itself on its output',
    make: () => ({
      out(frame, link) {
        if (isSystem('init')(frame)) link.say('Starting up …');
        return [frame];
      },
    }),
  },
  'session-same': {
    fault: 'results are of another session than what was said',
    make: changesOutput(onResult((frame) => ({ ...frame, session_id: 'another' }))),
  },
  'uuid-own': {
    fault: 'all assistant messages have one uuid',
    make: changesOutput(onType('assistant', (frame) => ({ ...frame, uuid: 'same' }))),
  },
  'parent-known': {
    fault: 'sub-agents of a call that nobody made',
    make: changesOutput(
      each((frame) =>
        typeof frame.parent_tool_use_id === 'string' ? { ...frame, parent_tool_use_id: 'nobody' } : frame,
      ),
    ),
  },
  'init-first': { fault: 'no init', make: changesOutput(onSystem('init', () => null)) },
  'signature-streamed': {
    fault: 'signatures that do not stream',
    make: changesOutput(
      onEvent('content_block_delta', (event) => (dictionaryOf(event.delta).type === 'signature_delta' ? null : event)),
    ),
  },
  'tool-id-own': {
    fault: 'two calls with one id',
    make: changesOutput(each((frame) => withOneCallId(frame))),
    alsoCaughtBy: ['tool-result-once', 'tool-answered', 'tool-result-order'],
  },
  'tool-result-known': {
    fault: 'a result for a call that nobody made',
    make: changesOutput(
      followed(isResultOfTool, (frame) => ({
        ...onBlocks(frame, (block) => ({ ...block, tool_use_id: 'nobody' })),
        uuid: mint(),
      })),
    ),
    alsoCaughtBy: ['result-turns'],
  },
  'tool-result-once': {
    fault: 'results that come twice',
    make: changesOutput(followed(isResultOfTool, (frame) => ({ ...frame, uuid: mint() }))),
    alsoCaughtBy: ['result-turns'],
  },
  'tool-result-lane': {
    fault: 'results that come from a sub-agent',
    make: changesOutput(onToolResult((frame) => ({ ...frame, parent_tool_use_id: callIn(frame) }))),
    alsoCaughtBy: ['result-turns'],
  },
  'tool-answered': {
    fault: 'no results',
    make: changesOutput(onToolResult(() => null)),
    alsoCaughtBy: ['result-turns'],
  },
  'tool-result-order': {
    fault: 'results that come when everything else was said',
    make: changesOutput(() => {
      let late: Dictionary[] = [];
      return (frame) => {
        if (isResultOfTool(frame)) {
          late.push(frame);
          return [];
        }
        if (frame.type !== 'result') return [frame];
        const held = late;
        late = [];
        return [...held, frame];
      };
    }),
  },
  'tool-failure': {
    fault: 'the result of a call that was denied is no error',
    make: changesOutput(onToolResult((frame) => onBlocks(frame, (block) => ({ ...block, is_error: false })))),
  },
  'result-each-turn': { fault: 'no results of turns', make: changesOutput(onResult(() => null)) },
  'result-once': {
    fault: 'every result comes twice',
    make: changesOutput(
      followed(
        ({ type }) => type === 'result',
        (frame) => ({ ...frame, uuid: mint() }),
      ),
    ),
    alsoCaughtBy: ['result-index', 'result-turns'],
  },
  'result-last': {
    fault: 'words in the name of the user behind the result',
    make: changesOutput(
      followed(
        ({ type }) => type === 'result',
        (frame) =>
          beside(frame, {
            type: 'user',
            message: { role: 'user', content: 'By the way.' },
            parent_tool_use_id: null,
          }),
      ),
    ),
    alsoCaughtBy: ['result-turns'],
  },
  'result-text': {
    fault: 'a result that nobody said',
    make: changesOutput(onResult((frame) => ('result' in frame ? { ...frame, result: 'All done!' } : frame))),
  },
  'result-failed': {
    fault: 'is_error is never true',
    make: changesOutput(onResult((frame) => ({ ...frame, is_error: false }))),
    alsoCaughtBy: ['result-error', 'result-turns'],
  },
  'result-turns': {
    fault: 'num_turns counts from 2',
    make: changesOutput(onResult((frame) => ({ ...frame, num_turns: Number(frame.num_turns) + 1 }))),
  },
  'result-index': {
    fault: 'result_index stays 0',
    make: changesOutput(onResult((frame) => ({ ...frame, result_index: 0 }))),
  },
  'result-cost': {
    fault: 'the cost falls',
    make: changesOutput(
      counted(
        (frame, count) => ({ ...frame, total_cost_usd: 10 - count }),
        ({ type }) => type === 'result',
      ),
    ),
  },
  'result-stop-reason': {
    fault: 'a stop_reason of its own',
    make: changesOutput(onResult((frame) => ({ ...frame, stop_reason: 'max_tokens' }))),
  },
};

/** Gives a call and its result one fixed id. */
function withOneCallId(frame: Dictionary): Dictionary {
  const renamed = (block: Dictionary): Dictionary => ({
    ...block,
    ...(block.type === 'tool_use' ? { id: 'same' } : {}),
    ...(block.type === 'tool_result' ? { tool_use_id: 'same' } : {}),
  });
  if (frame.type === 'user' || frame.type === 'assistant') return onBlocks(frame, renamed);
  const event = dictionaryOf(frame.event);
  return event.type === 'content_block_start' ? { ...frame, event: inside(event, 'content_block', renamed) } : frame;
}

function callIn(frame: Dictionary): unknown {
  const { content } = dictionaryOf(frame.message);
  return Array.isArray(content) ? dictionaryOf(content[0]).tool_use_id : null;
}
