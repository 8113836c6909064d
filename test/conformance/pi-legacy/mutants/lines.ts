// Broken agents of pi-legacy: lines and messages with missing fields.
import { dictionaryOf } from '../../../../src/core/model/dictionary.ts';
import type { Mutant } from '../../support/mutant.ts';
import { adds, blocks, events, everywhere, less, of, roleOf } from './frames.ts';

const isAnswer = (frame: Parameters<typeof roleOf>[0]) =>
  frame.type === 'message_start' && roleOf(frame) === 'assistant';

export const lineMutants: readonly Mutant[] = [
  {
    fault: 'says what is no JSON',
    caughtBy: ['json-lines'],
    make: () => ({
      out(frame, link) {
        if (frame.type === 'agent_start') link.say('pi is ready');
        return [frame];
      },
    }),
  },
  {
    fault: 'says a line of its own',
    caughtBy: ['event-types'],
    make: adds(
      ({ type }) => type === 'agent_start',
      () => ({ after: [{ type: 'heartbeat' }] }),
    ),
  },
  {
    fault: 'ends a run without a list of messages',
    caughtBy: ['agent-end-fields'],
    alsoCaughtBy: ['run-messages'],
    make: of('agent_end', (frame) => ({ ...frame, messages: 'none' })),
  },
  {
    fault: 'ends a run with a message without a role',
    caughtBy: ['message-roles'],
    alsoCaughtBy: ['run-messages'],
    make: of('agent_end', (frame) => ({ ...frame, messages: [{ content: [] }] })),
  },
  {
    fault: 'ends a turn without results',
    caughtBy: ['turn-end-fields'],
    alsoCaughtBy: ['turn-results'],
    make: of('turn_end', (frame) => less(frame, 'toolResults')),
  },
  {
    fault: 'tells messages without a role',
    caughtBy: ['message-start-fields', 'message-end-fields'],
    alsoCaughtBy: ['message-roles', 'turn-end-fields', 'tool-result-told', 'calls-answered', 'turn-results'],
    make: everywhere('toolResult', (message) => less(message, 'role')),
  },
  {
    fault: 'updates without a type',
    caughtBy: ['message-update-fields'],
    alsoCaughtBy: ['update-fields'],
    make: adds(isAnswer, ({ message }) => ({
      after: [{ type: 'message_update', message, assistantMessageEvent: { partial: message } }],
    })),
  },
  {
    fault: 'starts tools without arguments',
    caughtBy: ['tool-execution-start-fields'],
    alsoCaughtBy: ['tool-called'],
    make: of('tool_execution_start', (frame) => less(frame, 'args')),
  },
  {
    fault: 'does not say whether a tool failed',
    caughtBy: ['tool-execution-end-fields'],
    alsoCaughtBy: ['tool-result-same', 'tool-error-words', 'tool-result-shape'],
    make: of('tool_execution_end', (frame) => less(frame, 'isError')),
  },
  {
    fault: 'says nothing in an error',
    caughtBy: ['error-fields'],
    make: of('error', (frame) => ({ ...frame, error: '' })),
  },
  {
    fault: 'does not say how much was compacted',
    caughtBy: ['compaction-fields'],
    make: of('compaction', (frame) => less(frame, 'tokensBefore')),
  },
  {
    fault: 'says no to auto',
    caughtBy: ['compaction-fields'],
    alsoCaughtBy: ['compaction-manual'],
    make: of('compaction', (frame) => (frame.auto === undefined ? { ...frame, auto: false } : frame)),
  },
  {
    fault: 'tells deltas without a partial message',
    caughtBy: ['update-fields'],
    alsoCaughtBy: ['update-message'],
    make: events('text_delta', (event) => less(event, 'partial')),
  },
  {
    fault: 'tells a user whose content is a number',
    caughtBy: ['user-message'],
    alsoCaughtBy: ['prompt-echoed', 'image-shown', 'document-shown'],
    make: everywhere('user', (message) => ({ ...message, content: 7 })),
  },
  {
    fault: 'does not say which API',
    caughtBy: ['assistant-message'],
    make: everywhere('assistant', (message) => less(message, 'api')),
  },
  {
    fault: 'tells results without the name of the tool',
    caughtBy: ['tool-result-message'],
    alsoCaughtBy: ['tool-result-same'],
    make: everywhere('toolResult', (message) => less(message, 'toolName')),
  },
  {
    fault: 'answers in sounds',
    caughtBy: ['known-content'],
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
    caughtBy: ['text-content'],
    make: blocks('user', 'text', (block) => ({ ...block, textSignature: 7 })),
  },
  {
    fault: 'signs thinking with numbers',
    caughtBy: ['thinking-content'],
    make: blocks('assistant', 'thinking', (block) => ({ ...block, thinkingSignature: 7 })),
  },
  {
    fault: 'does not say what kind of image',
    caughtBy: ['image-content'],
    alsoCaughtBy: ['image-shown'],
    make: blocks('user', 'image', (block) => less(block, 'mimeType')),
  },
  {
    fault: 'signs calls with numbers',
    caughtBy: ['tool-call-content'],
    make: blocks('assistant', 'toolCall', (block) => ({ ...block, thoughtSignature: 7 })),
  },
  {
    fault: 'does not say the whole cost',
    caughtBy: ['usage'],
    make: everywhere('assistant', (message) => {
      const usage = dictionaryOf(message.usage);
      return { ...message, usage: { ...usage, cost: less(dictionaryOf(usage.cost), 'total') } };
    }),
  },
  {
    fault: 'adds a dollar',
    caughtBy: ['cost-adds-up'],
    make: everywhere('assistant', (message) => {
      const usage = dictionaryOf(message.usage);
      const cost = dictionaryOf(usage.cost);
      return { ...message, usage: { ...usage, cost: { ...cost, total: Number(cost.total) + 1 } } };
    }),
  },
  {
    fault: 'stops for a reason of its own',
    caughtBy: ['stop-reason'],
    alsoCaughtBy: ['abort-reason'],
    make: everywhere('assistant', (message) => ({ ...message, stopReason: 'done' })),
  },
  {
    fault: 'stops for tools that it does not call',
    caughtBy: ['tool-use-has-calls'],
    make: everywhere('assistant', (message) => ({
      ...message,
      stopReason: message.stopReason === 'stop' ? 'toolUse' : message.stopReason,
    })),
  },
  {
    fault: 'does not say why it failed',
    caughtBy: ['error-message'],
    make: everywhere('assistant', (message) => less(message, 'errorMessage')),
  },
  {
    fault: 'counts in seconds',
    caughtBy: ['timestamps'],
    make: everywhere('user', (message) => ({ ...message, timestamp: Number(message.timestamp) / 1000 })),
  },
];
