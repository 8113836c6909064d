// Agents that speak pi badly in events: runs, turns, messages, blocks, tools, and what extensions ask and show.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../../src/core/model/dictionary.ts';
import { type Double, hides, takes } from '../../support/double.ts';
import type { Link, Tamper } from '../../support/tamper.ts';
import { answers, drop, events, messages, put, requests, updates } from './change.ts';

const isRole = (role: string) => (frame: Dictionary) => dictionaryOf(frame.message).role === role;
const listOf = (value: unknown): Dictionary[] => (Array.isArray(value) ? value.filter(isDictionary) : []);
const eventOf = (frame: Dictionary) => dictionaryOf(frame.assistantMessageEvent);

/** Says something beside each frame that fits: `before` it, or behind. */
function adds(
  fits: (frame: Dictionary) => boolean,
  more: (frame: Dictionary) => Dictionary,
  before = false,
): () => Tamper {
  return () => ({
    out(frame) {
      if (!fits(frame)) return [frame];
      return before ? [more(frame), frame] : [frame, more(frame)];
    },
  });
}

const is = (type: string) => (frame: Dictionary) => frame.type === type;
/** Later, so that equal messages differ. */
const later = (message: unknown) => ({ ...dictionaryOf(message), timestamp: 1 });
const inMessage = (change: (message: unknown) => unknown) => (frame: Dictionary) => ({
  ...frame,
  message: change(frame.message),
});

/** Runs and turns. */
const brackets: readonly Double[] = [
  {
    fault: 'begins each run twice',
    caught: ['agent-brackets'],
    kin: ['dialog-late'],
    make: adds(is('agent_start'), (frame) => frame),
  },
  {
    fault: 'ends runs in the middle of a turn',
    caught: ['agent-end-closes'],
    kin: ['turn-brackets'],
    make: hides(is('turn_end')),
  },
  { fault: 'forgets messages', caught: ['agent-end-messages'], make: events('agent_end', put({ messages: [] })) },
  {
    fault: 'settles before the run is over',
    caught: ['settled-outside-run'],
    make: adds(is('turn_start'), () => ({ type: 'agent_settled' })),
  },
  { fault: 'begins each turn twice', caught: ['turn-brackets'], make: adds(is('turn_start'), (frame) => frame) },
  {
    fault: 'ends turns with another message',
    caught: ['turn-end-message'],
    make: events('turn_end', inMessage(later)),
  },
  {
    fault: 'ends turns without their first result',
    caught: ['turn-end-results'],
    make: events('turn_end', (frame) => ({ ...frame, toolResults: listOf(frame.toolResults).slice(1) })),
  },
  {
    fault: 'begins each message twice',
    caught: ['message-brackets'],
    make: adds(
      (frame) => frame.type === 'message_start' && isRole('assistant')(frame),
      (frame) => frame,
    ),
  },
  {
    fault: 'begins messages of the model, and never ends them',
    caught: ['message-brackets'],
    kin: ['messages-said', 'tool-beside-message'],
    make: hides((frame) => frame.type === 'message_end' && isRole('assistant')(frame)),
  },
  {
    fault: 'speaks outside turns',
    caught: ['assistant-in-turn'],
    kin: ['turn-brackets'],
    make: hides(is('turn_start')),
  },
  {
    fault: 'changes messages on their way',
    caught: ['message-same'],
    make: events('message_start', (frame) => (isRole('user')(frame) ? inMessage(later)(frame) : frame)),
  },
  {
    fault: 'says willRetry in words',
    caught: ['agent-end-retry'],
    make: events('agent_end', put({ willRetry: 'no' })),
  },
];

const lost = ['turn-end-results', 'agent-end-messages', 'messages-said'];
const isResult = (frame: Dictionary) => /^message_/u.test(String(frame.type)) && isRole('toolResult')(frame);

/** Tools. */
const tools: readonly Double[] = [
  {
    fault: 'does not say that a tool starts',
    caught: ['tool-brackets'],
    kin: ['tool-update-inside'],
    make: hides(is('tool_execution_start')),
  },
  {
    fault: 'tells of another tool',
    caught: ['tool-update-inside'],
    make: events('tool_execution_update', put({ toolCallId: 'other' })),
  },
  {
    fault: 'runs other tools than were called',
    caught: ['tool-call-known'],
    kin: ['tool-end-name'],
    make: events('tool_execution_start', put({ toolName: 'other' })),
  },
  {
    fault: 'runs tools while the model speaks',
    caught: ['tool-beside-message'],
    make() {
      let held: Dictionary[] = [];
      return {
        out(frame) {
          const { stopReason } = dictionaryOf(frame.message);
          if (frame.type === 'message_end' && stopReason === 'toolUse') {
            held = [frame];
            return [];
          }
          const waiting = held;
          held = [];
          return [frame, ...waiting];
        },
      };
    },
  },
  {
    fault: 'loses results',
    caught: ['tool-result'],
    kin: [...lost, 'call-answered'],
    make: hides(isResult),
  },
  {
    fault: 'tells other results',
    caught: ['tool-result-same'],
    make: events('tool_execution_end', (frame) => ({ ...frame, isError: frame.isError !== true })),
  },
  {
    fault: 'does not run what the model calls',
    caught: ['call-answered'],
    kin: lost,
    make: hides((frame) => isResult(frame) || String(frame.type).startsWith('tool_execution')),
  },
  {
    fault: 'starts tools without arguments',
    caught: ['tool-start-fields'],
    make: events('tool_execution_start', drop('args')),
  },
  {
    fault: 'updates tools without content',
    caught: ['tool-update-fields'],
    make: events('tool_execution_update', put({ partialResult: {} })),
  },
  {
    fault: 'says in words whether a tool failed',
    caught: ['tool-end-fields'],
    kin: ['tool-result-same'],
    make: events('tool_execution_end', put({ isError: 'no' })),
  },
  {
    fault: 'ends tools by another name',
    caught: ['tool-end-name'],
    kin: ['tool-result-same'],
    make: events('tool_execution_end', put({ toolName: 'other' })),
  },
];

const partialOf = (change: (partial: Dictionary) => Dictionary) => (event: Dictionary) =>
  isDictionary(event.partial) ? { ...event, partial: change(event.partial) } : event;
const oddBlock = (block: unknown) => ({ ...dictionaryOf(block), text: 'something else' });

/** The message that streams. */
const streams: readonly Double[] = [
  {
    fault: 'goes on behind the end of a message',
    caught: ['update-in-message'],
    make: adds(
      (frame) => frame.type === 'message_end' && isRole('assistant')(frame),
      () => ({
        type: 'message_update',
        assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'and' },
      }),
    ),
  },
  {
    fault: 'ends each text twice',
    caught: ['block-order'],
    make: adds(
      (frame) => eventOf(frame).type === 'text_end',
      (frame) => frame,
    ),
  },
  {
    fault: 'counts blocks from 1',
    caught: ['block-index'],
    kin: ['message-content', 'partial'],
    make: events('message_update', (frame) => {
      const event = eventOf(frame);
      return { ...frame, assistantMessageEvent: { ...event, contentIndex: Number(event.contentIndex) + 1 } };
    }),
  },
  {
    fault: 'does not end texts',
    caught: ['blocks-end'],
    kin: ['block-order'],
    make: hides((frame) => eventOf(frame).type === 'text_end'),
  },
  ...(['text', 'thinking'] as const).map(
    (kind): Double => ({
      fault: `ends ${kind} with other words`,
      caught: [`${kind}-deltas`],
      kin: ['message-content'],
      make: updates(`${kind}_end`, (event) => ({ ...event, content: `${String(event.content)}!` })),
    }),
  ),
  {
    fault: 'spells other arguments',
    caught: ['toolcall-deltas'],
    make: updates('toolcall_delta', (event) => ({ ...event, delta: String(event.delta).replaceAll('3', '4') })),
  },
  {
    fault: 'ends calls without arguments',
    caught: ['toolcall-end'],
    kin: ['message-content'],
    make: updates('toolcall_end', (event) => ({
      ...event,
      toolCall: without(dictionaryOf(event.toolCall), 'arguments'),
    })),
  },
  {
    fault: 'ends messages with another text',
    caught: ['message-content'],
    kin: ['turn-end-message', 'agent-end-messages', 'messages-said', 'last-text'],
    make: events('message_end', (frame) => {
      if (!isRole('assistant')(frame)) return frame;
      const message = dictionaryOf(frame.message);
      const content = listOf(message.content).map((block) => (block.type === 'text' ? oddBlock(block) : block));
      return { ...frame, message: { ...message, content } };
    }),
  },
  {
    fault: 'repeats something else in updates',
    caught: ['partial'],
    kin: ['partial-same'],
    make: updates(
      'text_delta',
      partialOf((partial) => ({ ...partial, content: listOf(partial.content).map(oddBlock) })),
    ),
  },
  {
    fault: 'repeats two things in updates',
    caught: ['partial-same'],
    make: events('message_update', (frame) => ({ ...frame, message: { ...dictionaryOf(frame.message), content: [] } })),
  },
  {
    fault: 'updates with nothing',
    caught: ['update-event'],
    make: adds(
      (frame) => eventOf(frame).type === 'text_delta',
      (frame) => ({ ...frame, assistantMessageEvent: {} }),
    ),
  },
  {
    fault: 'has deltas that are no strings',
    caught: ['delta-string'],
    make: adds(
      (frame) => eventOf(frame).type === 'text_delta',
      (frame) => ({ ...frame, assistantMessageEvent: { ...eventOf(frame), delta: 5 } }),
    ),
  },
];

/** The shapes of messages. */
const shapes: readonly Double[] = [
  {
    fault: 'has messages of nobody',
    caught: ['message-role'],
    make: events('agent_end', (frame) => ({ ...frame, messages: [...listOf(frame.messages), {}] })),
  },
  {
    fault: 'tells the time of users in words',
    caught: ['user-message'],
    make: messages('user', put({ timestamp: 'now' })),
  },
  { fault: 'does not tell the api', caught: ['assistant-message'], make: messages('assistant', drop('api')) },
  {
    fault: 'does not tell costs',
    caught: ['usage'],
    make: messages('assistant', (message) => ({ ...message, usage: without(dictionaryOf(message.usage), 'cost') })),
  },
  {
    fault: 'counts its stop reasons',
    caught: ['stop-reason'],
    make: messages('assistant', (message) => ({
      ...message,
      stopReason: message.stopReason === 'stop' ? 0 : message.stopReason,
    })),
  },
  {
    fault: 'just stops when it calls tools',
    caught: ['stop-for-tools'],
    make: messages('assistant', (message) => ({
      ...message,
      stopReason: message.stopReason === 'toolUse' ? 'stop' : message.stopReason,
    })),
  },
  {
    fault: 'does not say why it failed',
    caught: ['error-message'],
    make: messages('assistant', drop('errorMessage')),
  },
  {
    fault: 'does not tell the time of results',
    caught: ['tool-result-message'],
    make: messages('toolResult', drop('timestamp')),
  },
  {
    fault: 'has images of no kind',
    caught: ['content-blocks'],
    kin: ['images-attached'],
    make: messages('user', (message) => ({ ...message, content: listOf(message.content).map(drop('mimeType')) })),
  },
];

/** Compactions, retries, queues. */
const others: readonly Double[] = [
  {
    fault: 'ends a compaction that did not start',
    caught: ['compaction-brackets'],
    make: hides((frame) => /compaction_start$/u.test(String(frame.type))),
  },
  {
    fault: 'counts its reasons to compact',
    caught: ['compaction-start-fields'],
    make: events('auto_compaction_start', put({ reason: 7 })),
  },
  {
    fault: 'does not say whether it goes on behind a compaction',
    caught: ['compaction-end-fields'],
    make: events('auto_compaction_end', drop('willRetry')),
  },
  {
    fault: 'ends a retry that did not start',
    caught: ['retry-brackets'],
    make: hides(is('auto_retry_start')),
  },
  {
    fault: 'does not say how long it waits',
    caught: ['retry-start-fields'],
    make: events('auto_retry_start', drop('delayMs')),
  },
  {
    fault: 'does not say at which attempt it ended',
    caught: ['retry-end-fields'],
    make: events('auto_retry_end', drop('attempt')),
  },
  { fault: 'cannot count attempts', caught: ['retry-counts'], make: events('auto_retry_start', put({ attempt: 9 })) },
  {
    fault: 'has a queue without follow-ups',
    caught: ['queue-update-fields'],
    make: events('queue_update', drop('followUp')),
  },
  {
    fault: 'has output without words',
    caught: ['bash-update-fields'],
    make: events('bash_execution_update', drop('delta')),
  },
];

/** Says that before a run begins. */
const says = (line: Dictionary) => adds(is('agent_start'), () => line, true);

/** Requests of extensions. */
const extensions: readonly Double[] = [
  { fault: 'shows without an id', caught: ['ui-request'], make: requests('notify', drop('id')) },
  {
    fault: 'asks with one id',
    caught: ['ui-id-unique'],
    make() {
      const own = new Map<Link, unknown>();
      return {
        out(frame, link) {
          if (frame.type !== 'extension_ui_request') return [frame];
          own.set(link, frame.id);
          return [{ ...frame, id: 'same' }];
        },
        in: (frame, link) => [frame.type === 'extension_ui_response' ? { ...frame, id: own.get(link) } : frame],
      };
    },
  },
  { fault: 'has one option, and no list', caught: ['ui-select'], make: requests('select', put({ options: 'red' })) },
  { fault: 'confirms nothing', caught: ['ui-confirm'], make: requests('confirm', drop('message')) },
  { fault: 'asks for input without a title', caught: ['ui-input'], make: requests('input', drop('title')) },
  { fault: 'edits a number', caught: ['ui-editor'], make: requests('editor', put({ prefill: 7 })) },
  { fault: 'notifies of nothing', caught: ['ui-notify'], make: requests('notify', drop('message')) },
  {
    fault: 'notifies in a way of its own',
    caught: ['ui-notify-type'],
    make: requests('notify', put({ notifyType: 'loud' })),
  },
  { fault: 'has a status of nothing', caught: ['ui-set-status'], make: requests('setStatus', drop('statusKey')) },
  {
    fault: 'has a widget of one line, and no list',
    caught: ['ui-set-widget'],
    make: requests('setWidget', put({ widgetLines: 'one' })),
  },
  { fault: 'has a title of no words', caught: ['ui-set-title'], make: requests('setTitle', drop('title')) },
  {
    fault: 'writes nothing into the editor',
    caught: ['ui-set-editor-text'],
    make: says({ type: 'extension_ui_request', id: 'e', method: 'set_editor_text' }),
  },
  {
    fault: 'answers answers',
    caught: ['ui-response-silent'],
    make: () => ({
      in(frame, link) {
        const { type } = frame;
        if (type === 'extension_ui_response') link.toClient({ type: 'response', command: type, success: true });
        return [frame];
      },
    }),
  },
  {
    fault: 'does not say which extension failed',
    caught: ['extension-error'],
    make: says({ type: 'extension_error', error: 'it failed' }),
  },
];

/** Those that are found by what is done. */
const deeds: readonly Double[] = [
  {
    fault: 'takes line separators for blanks',
    caught: ['separators'],
    make: answers('get_state', (data) => ({
      ...data,
      sessionName: String(data.sessionName).replaceAll(/[\u2028\u2029\u0085]/gu, ' '),
    })),
  },
  {
    fault: 'passes over long lines',
    caught: ['long-line'],
    make: () => ({ in: (frame) => (JSON.stringify(frame).length > 500_000 ? [] : [frame]) }),
  },
  {
    fault: 'does not wait for an answer',
    caught: ['dialog-blocks'],
    kin: [
      'dialog-late',
      'agent-brackets',
      'agent-end-closes',
      'agent-end-messages',
      'turn-brackets',
      'assistant-in-turn',
    ],
    make: adds(is('extension_ui_request'), () => ({ type: 'agent_end', messages: [] })),
  },
  {
    fault: 'cannot be cancelled',
    caught: ['dialog-cancel'],
    make: takes((frame) => (frame.cancelled === true ? null : frame)),
  },
  {
    fault: 'ends the run for each answer',
    caught: ['dialog-late'],
    kin: ['dialog-blocks', 'agent-brackets'],
    make() {
      const answered = new Map<Link, number>();
      return {
        in(frame, link) {
          if (frame.type === 'extension_ui_response') answered.set(link, (answered.get(link) ?? 0) + 1);
          return [frame];
        },
        out: (frame, link) => (frame.type === 'agent_end' && (answered.get(link) ?? 0) > 1 ? [frame, frame] : [frame]),
      };
    },
  },
];

/** All of them. */
export const eventDoubles: readonly Double[] = [
  ...brackets,
  ...tools,
  ...streams,
  ...shapes,
  ...others,
  ...extensions,
  ...deeds,
];
