// Broken agents of pi-legacy: lines without their fields, and messages without theirs.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import type { Double } from '../../support/double.ts';
import { adds, blocks, events, everywhere, less, of, roleOf } from './frames.ts';

const isAnswer = (frame: Parameters<typeof roleOf>[0]) =>
  frame.type === 'message_start' && roleOf(frame) === 'assistant';

export const lineDoubles: readonly Double[] = [
  {
    fault: 'says what is no JSON',
    caught: ['json-lines'],
    make: () => ({
      out(frame, link) {
        if (frame.type === 'agent_start') link.say('pi is ready');
        return [frame];
      },
    }),
  },
  {
    fault: 'says a line of its own',
    caught: ['event-types'],
    make: adds(
      ({ type }) => type === 'agent_start',
      () => ({ after: [{ type: 'heartbeat' }] }),
    ),
  },
  {
    fault: 'ends a run without a list of messages',
    caught: ['agent-end-fields'],
    kin: ['run-messages'],
    make: of('agent_end', (frame) => ({ ...frame, messages: 'none' })),
  },
  {
    fault: 'ends a run with a message without a role',
    caught: ['message-roles'],
    kin: ['run-messages'],
    make: of('agent_end', (frame) => ({ ...frame, messages: [{ content: [] }] })),
  },
  {
    fault: 'ends a turn without results',
    caught: ['turn-end-fields'],
    kin: ['turn-results'],
    make: of('turn_end', (frame) => less(frame, 'toolResults')),
  },
  {
    fault: 'tells messages without a role',
    caught: ['message-start-fields', 'message-end-fields'],
    kin: ['message-roles', 'turn-end-fields', 'tool-result-told', 'calls-answered', 'turn-results'],
    make: everywhere('toolResult', (message) => less(message, 'role')),
  },
  {
    fault: 'updates without a type',
    caught: ['message-update-fields'],
    kin: ['update-fields'],
    make: adds(isAnswer, ({ message }) => ({
      after: [{ type: 'message_update', message, assistantMessageEvent: { partial: message } }],
    })),
  },
  {
    fault: 'starts tools without arguments',
    caught: ['tool-execution-start-fields'],
    kin: ['tool-called'],
    make: of('tool_execution_start', (frame) => less(frame, 'args')),
  },
  {
    fault: 'does not say whether a tool failed',
    caught: ['tool-execution-end-fields'],
    kin: ['tool-result-same', 'tool-error-words', 'tool-result-shape'],
    make: of('tool_execution_end', (frame) => less(frame, 'isError')),
  },
  {
    fault: 'says nothing in an error',
    caught: ['error-fields'],
    make: of('error', (frame) => ({ ...frame, error: '' })),
  },
  {
    fault: 'does not say how much was compacted',
    caught: ['compaction-fields'],
    make: of('compaction', (frame) => less(frame, 'tokensBefore')),
  },
  {
    fault: 'says no to auto',
    caught: ['compaction-fields'],
    kin: ['compaction-manual'],
    make: of('compaction', (frame) => (frame.auto === undefined ? { ...frame, auto: false } : frame)),
  },
  {
    fault: 'tells deltas without a partial message',
    caught: ['update-fields'],
    make: events('text_delta', (event) => less(event, 'partial')),
  },
  {
    fault: 'tells a user whose content is a number',
    caught: ['user-message'],
    kin: ['prompt-echoed', 'image-shown', 'document-shown'],
    make: everywhere('user', (message) => ({ ...message, content: 7 })),
  },
  {
    fault: 'does not say which API',
    caught: ['assistant-message'],
    make: everywhere('assistant', (message) => less(message, 'api')),
  },
  {
    fault: 'tells results without the name of the tool',
    caught: ['tool-result-message'],
    kin: ['tool-result-same'],
    make: everywhere('toolResult', (message) => less(message, 'toolName')),
  },
  {
    fault: 'answers in sounds',
    caught: ['known-content'],
    make: everywhere('assistant', (message) => ({
      ...message,
      content:
        message.stopReason === 'stop' && Array.isArray(message.content) && message.content.length > 0
          ? [...message.content, { type: 'audio' }]
          : message.content,
    })),
  },
  {
    fault: 'signs texts with numbers',
    caught: ['text-content'],
    make: blocks('user', 'text', (block) => ({ ...block, textSignature: 7 })),
  },
  {
    fault: 'signs thinking with numbers',
    caught: ['thinking-content'],
    make: blocks('assistant', 'thinking', (block) => ({ ...block, thinkingSignature: 7 })),
  },
  {
    fault: 'does not say what kind of image',
    caught: ['image-content'],
    kin: ['image-shown'],
    make: blocks('user', 'image', (block) => less(block, 'mimeType')),
  },
  {
    fault: 'signs calls with numbers',
    caught: ['tool-call-content'],
    make: blocks('assistant', 'toolCall', (block) => ({ ...block, thoughtSignature: 7 })),
  },
  {
    fault: 'does not say the whole cost',
    caught: ['usage'],
    make: everywhere('assistant', (message) => {
      const usage = dictionaryOf(message.usage);
      return { ...message, usage: { ...usage, cost: less(dictionaryOf(usage.cost), 'total') } };
    }),
  },
  {
    fault: 'adds a dollar',
    caught: ['cost-adds-up'],
    make: everywhere('assistant', (message) => {
      const usage = dictionaryOf(message.usage);
      const cost = dictionaryOf(usage.cost);
      return { ...message, usage: { ...usage, cost: { ...cost, total: Number(cost.total) + 1 } } };
    }),
  },
  {
    fault: 'stops for a reason of its own',
    caught: ['stop-reason'],
    kin: ['abort-reason'],
    make: everywhere('assistant', (message) => ({ ...message, stopReason: 'done' })),
  },
  {
    fault: 'stops for tools that it does not call',
    caught: ['tool-use-has-calls'],
    make: everywhere('assistant', (message) => ({
      ...message,
      stopReason: message.stopReason === 'stop' ? 'toolUse' : message.stopReason,
    })),
  },
  {
    fault: 'does not say why it failed',
    caught: ['error-message'],
    make: everywhere('assistant', (message) => less(message, 'errorMessage')),
  },
  {
    fault: 'counts in seconds',
    caught: ['timestamps'],
    make: everywhere('user', (message) => ({ ...message, timestamp: Number(message.timestamp) / 1000 })),
  },
];
