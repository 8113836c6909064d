// Rules on tools: call, execution and result come in that order and share their id (docs/protocols/pi-legacy.md 3.1).
import { isDeepStrictEqual } from 'node:util';
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { contentOf } from '../view/blocks.ts';
import type { Tool, Turn, View } from '../view/parts.ts';
import { messageIn } from '../view/view.ts';
import type { LegacyRows } from './legacy-rows.ts';

const scenarios = ['tools'];

function* toolsOf({ runs }: View): Generator<{ turn: Turn; tool: Tool }> {
  for (const { turns } of runs) for (const turn of turns) for (const tool of turn.tools) yield { turn, tool };
}

/** The calls of the turn's messages that ended before that frame. */
function callsBefore(turn: Turn, frame: number): Dictionary[] {
  return turn.messages.flatMap(({ role, end }) =>
    role === 'assistant' && end !== null && end.frame < frame
      ? contentOf(messageIn(end))
          .map(dictionaryOf)
          .filter(({ type }) => type === 'toolCall')
      : [],
  );
}

const resultsOf = ({ messages }: Turn, id: unknown) =>
  messages.filter(({ role, start }) => role === 'toolResult' && messageIn(start).toolCallId === id);

/** The text of a result, or its blocks. */
function saidBy(result: unknown): unknown {
  return typeof result === 'string' ? result : dictionaryOf(result).content;
}
function wordsIn(content: unknown): string {
  return contentOf({ content })
    .map((block) => String(dictionaryOf(block).text ?? ''))
    .join('');
}

export const toolRows: LegacyRows = {
  'tool-called': {
    section: 'Event Flow',
    sentence: 'A tool starts after the end of the message that calls it, with the name and arguments of the call.',
    covers: ['event:tool_execution_start'],
    scenarios,
    *judge(view) {
      for (const { turn, tool } of toolsOf(view)) {
        const { frame, json } = tool.start;
        const call = callsBefore(turn, frame).find(({ id }) => id === json.toolCallId);
        const isSame = call?.name === json.toolName && isDeepStrictEqual(call?.arguments, json.args);
        const wrong = call === undefined ? `no message has called ${tool.id}` : 'it was called otherwise';
        yield { frame, wrong: isSame ? null : wrong };
      }
    },
  },
  'tool-place': {
    section: 'tool_execution_start',
    sentence: 'Tools run inside a turn, and between its messages.',
    covers: ['event:tool_execution_start'],
    scenarios,
    judge: ({ places }) => places.toolStarts,
  },
  'tool-ends': {
    section: 'Correlation Strategy',
    sentence: 'Each tool that starts ends once, under the same id and before its turn does.',
    covers: ['event:tool_execution_end'],
    scenarios,
    judge: ({ places }) => places.toolEnds,
  },
  'tool-name-stays': {
    section: 'tool_execution_end',
    sentence: 'A tool ends under the name under which it has started.',
    covers: ['event:tool_execution_end'],
    scenarios,
    *judge(view) {
      for (const { tool } of toolsOf(view)) {
        if (tool.end === null) continue;
        const isSame = tool.end.json.toolName === tool.start.json.toolName;
        yield { frame: tool.end.frame, wrong: isSame ? null : `it started as ${String(tool.start.json.toolName)}` };
      }
    },
  },
  'tool-result-shape': {
    section: 'AgentToolResult',
    sentence: 'The result of a tool is an object with `content`, or the words of an error.',
    covers: ['event:tool_execution_end'],
    scenarios,
    *judge(view) {
      for (const { tool } of toolsOf(view)) {
        if (tool.end === null) continue;
        const { result, isError } = tool.end.json;
        const isWords = typeof result === 'string' && isError === true;
        const isObject = isDictionary(result) && Array.isArray(result.content) && result.content.every(isDictionary);
        yield { frame: tool.end.frame, wrong: isWords || isObject ? null : 'neither of them' };
      }
    },
  },
  'tool-error-words': {
    section: 'tool_execution_end',
    isMeasured: true,
    sentence: 'The result of a tool that failed is a string, that of any other is an object.',
    covers: ['event:tool_execution_end'],
    scenarios,
    *judge(view) {
      for (const { tool } of toolsOf(view)) {
        if (tool.end === null) continue;
        const { result, isError } = tool.end.json;
        const isFine = (typeof result === 'string') === (isError === true);
        yield {
          frame: tool.end.frame,
          wrong: isFine ? null : `isError is ${String(isError)}, result is a ${typeof result}`,
        };
      }
    },
  },
  'tool-result-told': {
    section: 'Event Flow',
    sentence: 'After the end of a tool its result is told as a message, before the turn ends.',
    covers: ['event:tool_execution_end', 'event:message_end'],
    scenarios,
    *judge(view) {
      for (const { turn, tool } of toolsOf(view)) {
        const { end } = tool;
        if (end === null) continue;
        const result = resultsOf(turn, end.json.toolCallId).find(({ start }) => start.frame > end.frame);
        if (result !== undefined) yield { frame: result.start.frame, wrong: null };
        else if (turn.end !== null) yield { frame: end.frame, wrong: `no message tells the result of ${tool.id}` };
      }
    },
  },
  'tool-result-same': {
    section: 'Correlating Tool Calls with Results',
    sentence: 'The message of a tool result says what the end of the tool said.',
    covers: ['event:tool_execution_end'],
    scenarios,
    *judge(view) {
      for (const { turn, tool } of toolsOf(view)) {
        const resultMessage = resultsOf(turn, tool.id)[0];
        if (tool.end === null || resultMessage === undefined) continue;
        const message = messageIn(resultMessage.start);
        const { result, isError, toolName } = tool.end.json;
        const text = saidBy(result);
        const isSame =
          (typeof text === 'string' ? wordsIn(message.content) === text : isDeepStrictEqual(message.content, text)) &&
          message.isError === isError &&
          message.toolName === toolName;
        yield { frame: resultMessage.start.frame, wrong: isSame ? null : `not what the end of ${tool.id} said` };
      }
    },
  },
  'calls-answered': {
    reads: 'both',
    section: 'Correlating Tool Calls with Results',
    level: 'SHOULD',
    sentence:
      'Each call of a message that ends for `toolUse` has its result in the same turn, unless the run is stopped.',
    covers: ['event:turn_end'],
    scenarios,
    *judge({ runs }) {
      for (const { turns, aborts } of runs) {
        if (aborts.length > 0) continue;
        for (const turn of turns) {
          const answer = turn.messages.find(({ role }) => role === 'assistant');
          if (turn.end === null || answer?.end == null || messageIn(answer.end).stopReason !== 'toolUse') continue;
          for (const block of answer.blocks.values()) {
            // A call that did not stream belongs to the provider and runs there.
            const call = dictionaryOf(contentOf(messageIn(answer.end))[block.index]);
            if (call.type !== 'toolCall') continue;
            const hasResult = resultsOf(turn, call.id).length > 0;
            yield { frame: turn.end.frame, wrong: hasResult ? null : `${String(call.id)} has no result` };
          }
        }
      }
    },
  },
};
