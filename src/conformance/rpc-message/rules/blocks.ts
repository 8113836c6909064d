// Rules on content blocks of the dialect, in start events and in complete messages (docs/protocols/rpc-message.md 6.2,
// 6.3, 7.2, 9.1).
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import { each } from '../../check/rule.ts';
import { fields, misfit } from '../../check/shape.ts';
import { blocksOf } from '../../claude/view/blocks.ts';
import type { View } from '../view.ts';
import { type Row, rpcRules } from './rpc-rule.ts';

interface Part {
  readonly frame: number;
  readonly part: Dictionary;
}

/** Includes the block types of the newest front end of the RpcMessage project. */
const knownBlocks: ReadonlySet<unknown> = new Set([
  ...['text', 'thinking', 'tool_use', 'tool_result', 'image', 'unknown'],
  ...['command_execution', 'file_change', 'mcp_tool_call', 'web_search', 'todo_list', 'error'],
]);

const heads = ({ messages }: View): Part[] =>
  messages.flatMap(({ frame, json }) => {
    const event = dictionaryOf(json.event);
    return event.type === 'content_block_start' ? [{ frame, part: dictionaryOf(event.content_block) }] : [];
  });
const wholeBlocks = (view: View): Part[] =>
  view.messages.flatMap(({ frame, type, json }) =>
    type === 'user' || type === 'assistant' ? blocksOf(json).map((part) => ({ frame, part })) : [],
  );
const everyBlock = (view: View): Part[] => [...heads(view), ...wholeBlocks(view)];
const blocks = (view: View, type: string): Part[] => everyBlock(view).filter(({ part }) => part.type === type);
const tool = fields({ id: 'string', toolType: 'string', status: 'string', 'input?': { oneOf: ['object', 'null'] } });
const statuses: ReadonlySet<unknown> = new Set(['in_progress', 'completed', 'failed']);

const rows: Record<string, Row> = {
  'block-known': {
    section: '7.2',
    sentence: 'Every block is of a kind that the dialect knows; all others come in the unknown form.',
    scenarios: ['text', 'think', 'tools'],
    covers: ['block:text', 'block:thinking', 'block:unknown'],
    judge: (view) =>
      each(everyBlock(view), ({ part: { type } }) =>
        knownBlocks.has(type) ? null : `a block of type ${String(type)}`,
      ),
  },
  'unknown-block': {
    section: '7.2',
    sentence: 'The unknown form has the originalType of a block, and the block as its data.',
    scenarios: ['text'],
    covers: ['block:unknown'],
    judge: (view) =>
      each(blocks(view, 'unknown'), ({ part }) =>
        misfit(part, fields({ originalType: 'string', data: 'any' }), 'the block'),
      ),
  },
  'text-block': {
    section: '3.2',
    sentence: 'Text blocks have text, and thinking blocks have thinking.',
    scenarios: ['text', 'think'],
    covers: ['block:text', 'block:thinking'],
    *judge(view) {
      yield* each(blocks(view, 'text'), ({ part }) => misfit(part, fields({ text: 'string' }), 'the block'));
      yield* each(blocks(view, 'thinking'), ({ part }) => misfit(part, fields({ thinking: 'string' }), 'the block'));
    },
  },
  'tool-use-shape': {
    section: '6.2',
    sentence: 'A call has id, toolName, toolType and status; its input is an object, or null while it is not known.',
    scenarios: ['tools'],
    covers: ['block:tool_use'],
    judge: (view) =>
      each(blocks(view, 'tool_use'), ({ part }) => {
        const { toolName, name, status } = part;
        const wrong = misfit(part, tool, 'the call');
        if (wrong !== null) return wrong;
        if (typeof toolName !== 'string')
          return `the call has ${typeof name === 'string' ? 'a name and ' : ''}no toolName`;
        return statuses.has(status) ? null : `status ${String(status)}`;
      }),
  },
  'tool-use-begins': {
    section: '6.2',
    sentence: 'A call that opens is in_progress.',
    scenarios: ['tools'],
    covers: ['block:tool_use', 'event:content_block_start'],
    judge: (view) =>
      each(
        heads(view).filter(({ part }) => part.type === 'tool_use'),
        ({ part: { status } }) => (status === 'in_progress' ? null : `status ${String(status)}`),
      ),
  },
  'tool-type': {
    section: '6.2',
    sentence: 'toolType is a word in capitals that says whose tool it is: CLAUDE_READ and the like, MCP, UNKNOWN.',
    scenarios: ['tools'],
    covers: ['block:tool_use'],
    level: 'SHOULD',
    judge: (view) =>
      each(
        blocks(view, 'tool_use').filter(({ part }) => typeof part.toolType === 'string'),
        ({ part: { toolType } }) =>
          /^[A-Z][A-Z\d_]*$/u.test(String(toolType)) ? null : `toolType ${String(toolType)}`,
      ),
  },
  'tool-result-shape': {
    section: '6.3',
    sentence: 'A tool_result names its call; is_error is a boolean.',
    scenarios: ['tools', 'toolfail'],
    covers: ['block:tool_result', 'message:user'],
    judge: (view) =>
      each(blocks(view, 'tool_result'), ({ part }) =>
        misfit(part, fields({ tool_use_id: 'string', 'is_error?': 'boolean' }), 'the result'),
      ),
  },
};

export const blockRules = rpcRules(rows);
