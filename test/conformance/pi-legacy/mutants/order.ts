// Broken agents of pi-legacy: lines in a wrong order, and repetitions that differ.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import { changesOutput, dropsOutput, type Mutant } from '../../support/mutant.ts';
import { adds, blocks, events, everywhere, of, roleOf, updates } from './frames.ts';

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isComplete = (role: string) => (frame: Parameters<typeof roleOf>[0]) =>
  (frame.type === 'message_start' || frame.type === 'message_end') && roleOf(frame) === role;

export const orderMutants: readonly Mutant[] = [
  {
    fault: 'runs without being asked',
    caughtBy: ['run-prompted'],
    make: adds(
      ({ type }) => type === 'agent_end',
      () => ({ after: [{ type: 'agent_start' }, { type: 'agent_end', messages: [] }] }),
    ),
  },
  {
    fault: 'does not end its runs',
    caughtBy: ['run-ends'],
    alsoCaughtBy: ['abort-ends-run', 'busy-prompts-run'],
    make: dropsOutput(({ type }) => type === 'agent_end'),
  },
  {
    fault: 'forgets the first message of a run',
    caughtBy: ['run-messages'],
    make: of('agent_end', (frame) => ({ ...frame, messages: list(frame.messages).slice(1) })),
  },
  {
    fault: 'has a turn after a run',
    caughtBy: ['turn-in-run'],
    alsoCaughtBy: ['run-ends', 'turn-end-fields'],
    make: adds(
      ({ type }) => type === 'agent_end',
      () => ({ after: [{ type: 'turn_start' }, { type: 'turn_end', message: { role: 'user' }, toolResults: [] }] }),
    ),
  },
  {
    fault: 'answers twice in a turn',
    caughtBy: ['one-answer-a-turn'],
    alsoCaughtBy: ['run-messages', 'blocks-streamed'],
    make: adds(
      (frame) => frame.type === 'message_end' && roleOf(frame) === 'assistant',
      (frame) => ({
        after: [{ type: 'message_start', message: { ...dictionaryOf(frame.message), content: [] } }, frame],
      }),
    ),
  },
  { fault: 'does not end its turns', caughtBy: ['turn-ends'], make: dropsOutput(({ type }) => type === 'turn_end') },
  {
    fault: 'ends a turn with another message',
    caughtBy: ['turn-message'],
    make: of('turn_end', (frame) => ({ ...frame, message: { ...dictionaryOf(frame.message), model: 'another' } })),
  },
  {
    fault: 'ends turns without the results of its tools',
    caughtBy: ['turn-results'],
    make: of('turn_end', (frame) => ({ ...frame, toolResults: [] })),
  },
  {
    fault: 'says a message after a turn',
    caughtBy: ['message-in-turn'],
    alsoCaughtBy: ['turn-ends', 'run-messages'],
    make: adds(
      ({ type }) => type === 'turn_end',
      () => {
        const message = { role: 'user', content: 'again', timestamp: 1_795_254_914_785 };
        return {
          after: [
            { type: 'message_start', message },
            { type: 'message_end', message },
          ],
        };
      },
    ),
  },
  {
    fault: 'does not end what users say',
    caughtBy: ['message-ends'],
    alsoCaughtBy: ['run-messages'],
    make: dropsOutput((frame) => frame.type === 'message_end' && roleOf(frame) === 'user'),
  },
  {
    fault: 'begins messages otherwise than it ends them',
    caughtBy: ['message-whole'],
    make: of('message_start', (frame) => {
      const message = dictionaryOf(frame.message);
      return { ...frame, message: { ...message, timestamp: Number(message.timestamp) + 1 } };
    }),
  },
  {
    fault: 'begins answers with words',
    caughtBy: ['answer-starts-empty'],
    make: of('message_start', (frame) =>
      roleOf(frame) === 'assistant'
        ? { ...frame, message: { ...dictionaryOf(frame.message), content: [{ type: 'text', text: 'Well' }] } }
        : frame,
    ),
  },
  {
    fault: 'does not repeat what users say',
    caughtBy: ['prompt-first'],
    alsoCaughtBy: ['run-messages'],
    make: dropsOutput(isComplete('user')),
  },
  {
    fault: 'updates before it answers',
    caughtBy: ['update-in-answer'],
    alsoCaughtBy: ['update-message'],
    make: adds(
      ({ type }) => type === 'turn_start',
      () => {
        const message = { role: 'assistant', content: [] };
        const event = { type: 'text_start', contentIndex: 0, partial: message };
        return { after: [{ type: 'message_update', message, assistantMessageEvent: event }] };
      },
    ),
  },
  {
    fault: 'updates in the name of the user',
    caughtBy: ['update-role'],
    make: of('message_update', (frame) => ({ ...frame, message: { ...dictionaryOf(frame.message), role: 'user' } })),
  },
  {
    fault: 'starts texts twice',
    caughtBy: ['block-order'],
    make: adds(
      ({ assistantMessageEvent }) => dictionaryOf(assistantMessageEvent).type === 'text_start',
      (frame) => ({ before: [frame] }),
    ),
  },
  {
    fault: 'ends a block when the next one has started',
    caughtBy: ['block-ends'],
    make() {
      let held: readonly Dictionary[] = [];
      return {
        out(frame) {
          const { type } = dictionaryOf(frame.assistantMessageEvent);
          const before = held;
          held = String(type).endsWith('_end') ? [frame] : [];
          if (held.length > 0) return before;
          return String(type).endsWith('_start') ? [frame, ...before] : [...before, frame];
        },
      };
    },
  },
  ...['text', 'thinking', 'toolcall'].map(
    (kind): Mutant => ({
      fault: `does not end blocks of ${kind}`,
      caughtBy: ['block-ends'],
      alsoCaughtBy: ['block-order'],
      make: dropsOutput(({ assistantMessageEvent }) => dictionaryOf(assistantMessageEvent).type === `${kind}_end`),
    }),
  ),
  ...[
    ['text', 'text-end'],
    ['thinking', 'thinking-end'],
    ['toolcall', 'call-arguments'],
  ].map(
    ([kind = '', name = '']): Mutant => ({
      fault: `streams no delta of ${kind}`,
      caughtBy: [name],
      make: dropsOutput(({ assistantMessageEvent }) => dictionaryOf(assistantMessageEvent).type === `${kind}_delta`),
    }),
  ),
  {
    fault: 'tells texts only at the end of their messages',
    caughtBy: ['blocks-streamed'],
    make: dropsOutput(({ assistantMessageEvent }) =>
      String(dictionaryOf(assistantMessageEvent).type).startsWith('text_'),
    ),
  },
  {
    fault: 'loses the ends of the pieces of arguments',
    caughtBy: ['call-arguments'],
    make: events('toolcall_delta', (event) => ({ ...event, delta: String(event.delta).slice(0, -1) })),
  },
  {
    fault: 'updates with two messages',
    caughtBy: ['snapshots-agree'],
    make: of('message_update', (frame) => ({ ...frame, message: { ...dictionaryOf(frame.message), content: [] } })),
  },
  {
    fault: 'updates with messages of yesterday',
    caughtBy: ['snapshots-keep-up'],
    alsoCaughtBy: ['update-message'],
    make: updates('text_', (event, frame) => {
      const late = {
        role: 'assistant',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: '' },
        ],
      };
      return { ...frame, message: late, assistantMessageEvent: { ...event, partial: late } };
    }),
  },
  {
    fault: 'ends texts with other words',
    caughtBy: ['text-end'],
    make: events('text_end', (event) => ({ ...event, content: 'other words' })),
  },
  {
    fault: 'ends thinking with other words',
    caughtBy: ['thinking-end'],
    make: events('thinking_end', (event) => ({ ...event, content: 'other words' })),
  },
  {
    fault: 'ends calls without their arguments',
    caughtBy: ['call-arguments'],
    alsoCaughtBy: ['final-call'],
    make: events('toolcall_end', (event) => ({
      ...event,
      toolCall: { ...dictionaryOf(event.toolCall), arguments: {} },
    })),
  },
  {
    fault: 'counts blocks from one',
    caughtBy: ['content-index'],
    alsoCaughtBy: ['final-call', 'final-text', 'snapshots-keep-up', 'blocks-streamed'],
    make: events('', (event) => ({ ...event, contentIndex: Number(event.contentIndex) + 1 })),
  },
  {
    fault: 'ends messages with more than has streamed',
    caughtBy: ['final-text'],
    make: blocks('assistant', 'text', (block) => ({ ...block, text: `${String(block.text)}!` })),
  },
  {
    fault: 'ends messages with other calls',
    caughtBy: ['final-call'],
    alsoCaughtBy: ['tool-called'],
    make: blocks('assistant', 'toolCall', (block) => ({ ...block, name: 'another' })),
  },
  {
    fault: 'runs tools with other arguments',
    caughtBy: ['tool-called'],
    make: of('tool_execution_start', (frame) => ({ ...frame, args: { other: true } })),
  },
  {
    fault: 'runs tools before they are called',
    caughtBy: ['tool-place'],
    alsoCaughtBy: ['tool-called'],
    make: () => {
      let held: Parameters<typeof roleOf>[0] | null = null;
      return {
        out(frame) {
          const message = dictionaryOf(frame.message);
          if (frame.type === 'message_end' && message.stopReason === 'toolUse') {
            held = frame;
            return [];
          }
          const late = held;
          held = null;
          return late === null ? [frame] : [frame, late];
        },
      };
    },
  },
  {
    fault: 'does not end its tools',
    caughtBy: ['tool-ends'],
    make: dropsOutput(({ type }) => type === 'tool_execution_end'),
  },
  {
    fault: 'ends tools under another name',
    caughtBy: ['tool-name-stays'],
    alsoCaughtBy: ['tool-result-same'],
    make: of('tool_execution_end', (frame) => ({ ...frame, toolName: 'another' })),
  },
  {
    fault: 'ends tools with a number',
    caughtBy: ['tool-result-shape'],
    alsoCaughtBy: ['tool-result-same', 'tool-error-words'],
    make: of('tool_execution_end', (frame) => ({ ...frame, result: 7 })),
  },
  {
    fault: 'ends tools that failed with an object',
    caughtBy: ['tool-error-words'],
    alsoCaughtBy: ['tool-result-same'],
    make: of('tool_execution_end', (frame) =>
      typeof frame.result === 'string'
        ? { ...frame, result: { content: [{ type: 'text', text: frame.result }] } }
        : frame,
    ),
  },
  {
    fault: 'does not tell the results of tools',
    caughtBy: ['tool-result-told', 'calls-answered'],
    alsoCaughtBy: ['run-messages', 'turn-results'],
    make: dropsOutput(isComplete('toolResult')),
  },
  {
    fault: 'tells other results than its tools have',
    caughtBy: ['tool-result-same'],
    make: everywhere('toolResult', (message) => ({ ...message, isError: message.isError !== true })),
  },
  {
    fault: 'repeats other words than the user has said',
    caughtBy: ['prompt-echoed'],
    alsoCaughtBy: ['document-shown'],
    make: blocks('user', 'text', (block) => ({ ...block, text: 'other words' })),
  },
  {
    fault: 'begins runs in silence',
    caughtBy: ['prompt-runs'],
    alsoCaughtBy: ['turn-in-run', 'busy-prompts-run'],
    make: changesOutput((frame) => (frame.type === 'agent_start' ? null : frame)),
  },
];
