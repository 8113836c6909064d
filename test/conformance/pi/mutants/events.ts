// Broken agents of pi: runs, turns, messages, blocks, tools and extension requests.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../../src/core/model/dictionary.ts';
import type { Interceptor, Link } from '../../support/intercept.ts';
import { changesInput, changesOutput, dropsOutput, type Mutant } from '../../support/mutant.ts';
import { answers, events, messages, put, updates } from './change.ts';

const isRole = (role: string) => (frame: Dictionary) => dictionaryOf(frame.message).role === role;
const listOf = (value: unknown): Dictionary[] => (Array.isArray(value) ? value.filter(isDictionary) : []);
const eventOf = (frame: Dictionary) => dictionaryOf(frame.assistantMessageEvent);

/** Adds a line after each matching frame. */
const adds =
  (fits: (frame: Dictionary) => boolean, more: (frame: Dictionary) => Dictionary): (() => Interceptor) =>
  () => ({ out: (frame) => (fits(frame) ? [frame, more(frame)] : [frame]) });

const is = (type: string) => (frame: Dictionary) => frame.type === type;
/** Changes the timestamp, so that equal messages differ. */
const later = (message: unknown) => ({ ...dictionaryOf(message), timestamp: 1 });
const inMessage = (change: (message: unknown) => unknown) => (frame: Dictionary) => ({
  ...frame,
  message: change(frame.message),
});

/** Runs and turns. */
const brackets: readonly Mutant[] = [
  {
    fault: 'begins each run twice',
    caughtBy: ['agent-brackets'],
    alsoCaughtBy: ['dialog-late'],
    make: adds(is('agent_start'), (frame) => frame),
  },
  {
    fault: 'ends runs in the middle of a turn',
    caughtBy: ['agent-end-closes'],
    alsoCaughtBy: ['turn-brackets'],
    make: dropsOutput(is('turn_end')),
  },
  { fault: 'forgets messages', caughtBy: ['agent-end-messages'], make: events('agent_end', put({ messages: [] })) },
  {
    fault: 'settles before the run is over',
    caughtBy: ['settled-outside-run'],
    make: adds(is('turn_start'), () => ({ type: 'agent_settled' })),
  },
  { fault: 'begins each turn twice', caughtBy: ['turn-brackets'], make: adds(is('turn_start'), (frame) => frame) },
  {
    fault: 'ends turns with another message',
    caughtBy: ['turn-end-message'],
    make: events('turn_end', inMessage(later)),
  },
  {
    fault: 'ends turns without their first result',
    caughtBy: ['turn-end-results'],
    make: events('turn_end', (frame) => ({ ...frame, toolResults: listOf(frame.toolResults).slice(1) })),
  },
  {
    fault: 'begins each message twice',
    caughtBy: ['message-brackets'],
    make: adds(
      (frame) => frame.type === 'message_start' && isRole('assistant')(frame),
      (frame) => frame,
    ),
  },
  {
    fault: 'begins messages of the model, and never ends them',
    caughtBy: ['message-brackets'],
    alsoCaughtBy: ['messages-said', 'tool-beside-message'],
    make: dropsOutput((frame) => frame.type === 'message_end' && isRole('assistant')(frame)),
  },
  {
    fault: 'speaks outside turns',
    caughtBy: ['assistant-in-turn'],
    alsoCaughtBy: ['turn-brackets'],
    make: dropsOutput(is('turn_start')),
  },
  {
    fault: 'changes messages on their way',
    caughtBy: ['message-same'],
    make: events('message_start', (frame) => (isRole('user')(frame) ? inMessage(later)(frame) : frame)),
  },
  {
    fault: 'says willRetry in words',
    caughtBy: ['agent-end-retry'],
    make: events('agent_end', put({ willRetry: 'no' })),
  },
];

const lost = ['turn-end-results', 'agent-end-messages', 'messages-said'];
const isResult = (frame: Dictionary) => /^message_/u.test(String(frame.type)) && isRole('toolResult')(frame);

/** Tools. */
const tools: readonly Mutant[] = [
  {
    fault: 'does not say that a tool starts',
    caughtBy: ['tool-brackets'],
    alsoCaughtBy: ['tool-update-inside'],
    make: dropsOutput(is('tool_execution_start')),
  },
  {
    fault: 'tells of another tool',
    caughtBy: ['tool-update-inside'],
    make: events('tool_execution_update', put({ toolCallId: 'other' })),
  },
  {
    fault: 'runs other tools than were called',
    caughtBy: ['tool-call-known'],
    alsoCaughtBy: ['tool-end-name'],
    make: events('tool_execution_start', put({ toolName: 'other' })),
  },
  {
    fault: 'runs tools while the model speaks',
    caughtBy: ['tool-beside-message'],
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
    caughtBy: ['tool-result'],
    alsoCaughtBy: [...lost, 'call-answered'],
    make: dropsOutput(isResult),
  },
  {
    fault: 'tells other results',
    caughtBy: ['tool-result-same'],
    make: events('tool_execution_end', (frame) => ({ ...frame, isError: frame.isError !== true })),
  },
  {
    fault: 'does not run what the model calls',
    caughtBy: ['call-answered'],
    alsoCaughtBy: lost,
    make: dropsOutput((frame) => isResult(frame) || String(frame.type).startsWith('tool_execution')),
  },
  {
    fault: 'ends tools by another name',
    caughtBy: ['tool-end-name'],
    alsoCaughtBy: ['tool-result-same'],
    make: events('tool_execution_end', put({ toolName: 'other' })),
  },
];

const partialOf = (change: (partial: Dictionary) => Dictionary) => (event: Dictionary) =>
  isDictionary(event.partial) ? { ...event, partial: change(event.partial) } : event;
const oddBlock = (block: unknown) => ({ ...dictionaryOf(block), text: 'something else' });

/** The streaming message. */
const streams: readonly Mutant[] = [
  {
    fault: 'goes on behind the end of a message',
    caughtBy: ['update-in-message'],
    alsoCaughtBy: ['update-message'],
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
    caughtBy: ['block-order'],
    make: adds(
      (frame) => eventOf(frame).type === 'text_end',
      (frame) => frame,
    ),
  },
  {
    fault: 'counts blocks from 1',
    caughtBy: ['block-index'],
    alsoCaughtBy: ['message-content', 'partial', 'blocks-streamed'],
    make: events('message_update', (frame) => {
      const event = eventOf(frame);
      return { ...frame, assistantMessageEvent: { ...event, contentIndex: Number(event.contentIndex) + 1 } };
    }),
  },
  {
    fault: 'does not end texts',
    caughtBy: ['blocks-end'],
    alsoCaughtBy: ['block-order'],
    make: dropsOutput((frame) => eventOf(frame).type === 'text_end'),
  },
  ...(['text', 'thinking'] as const).map(
    (kind): Mutant => ({
      fault: `ends ${kind} with other words`,
      caughtBy: [`${kind}-deltas`],
      alsoCaughtBy: ['message-content'],
      make: updates(`${kind}_end`, (event) => ({ ...event, content: `${String(event.content)}!` })),
    }),
  ),
  ...(['text', 'thinking', 'toolcall'] as const).map(
    (kind): Mutant => ({
      fault: `streams no delta of ${kind}`,
      caughtBy: [`${kind}-deltas`],
      make: dropsOutput((frame) => eventOf(frame).type === `${kind}_delta`),
    }),
  ),
  {
    fault: 'tells texts only at the end of their messages',
    caughtBy: ['blocks-streamed'],
    alsoCaughtBy: ['block-index'],
    make: dropsOutput((frame) => String(eventOf(frame).type).startsWith('text_')),
  },
  {
    fault: 'loses the ends of the pieces of arguments',
    caughtBy: ['toolcall-deltas'],
    make: updates('toolcall_delta', (event) => ({ ...event, delta: String(event.delta).slice(0, -1) })),
  },
  {
    fault: 'spells other arguments',
    caughtBy: ['toolcall-deltas'],
    make: updates('toolcall_delta', (event) => ({ ...event, delta: String(event.delta).replaceAll('3', '4') })),
  },
  {
    fault: 'ends calls without arguments',
    caughtBy: ['toolcall-end'],
    alsoCaughtBy: ['message-content'],
    make: updates('toolcall_end', (event) => ({
      ...event,
      toolCall: without(dictionaryOf(event.toolCall), 'arguments'),
    })),
  },
  {
    fault: 'ends calls that are no calls',
    caughtBy: ['toolcall-end'],
    make: updates('toolcall_end', (event) => ({ ...event, toolCall: without(dictionaryOf(event.toolCall), 'type') })),
  },
  {
    fault: 'ends messages with another text',
    caughtBy: ['message-content'],
    alsoCaughtBy: ['turn-end-message', 'agent-end-messages', 'messages-said', 'last-text'],
    make: events('message_end', (frame) => {
      if (!isRole('assistant')(frame)) return frame;
      const message = dictionaryOf(frame.message);
      const content = listOf(message.content).map((block) => (block.type === 'text' ? oddBlock(block) : block));
      return { ...frame, message: { ...message, content } };
    }),
  },
  {
    fault: 'repeats something else in updates',
    caughtBy: ['partial'],
    alsoCaughtBy: ['partial-same'],
    make: updates(
      'text_delta',
      partialOf((partial) => ({ ...partial, content: listOf(partial.content).map(oddBlock) })),
    ),
  },
  {
    fault: 'repeats two things in updates',
    caughtBy: ['partial-same'],
    make: events('message_update', (frame) => ({ ...frame, message: { ...dictionaryOf(frame.message), content: [] } })),
  },
  {
    fault: 'repeats messages in some updates alone',
    caughtBy: ['update-message'],
    make: events('message_update', (frame) =>
      String(eventOf(frame).type).endsWith('_delta')
        ? { ...without(frame, 'message'), assistantMessageEvent: without(eventOf(frame), 'partial') }
        : frame,
    ),
  },
  {
    fault: 'updates with nothing',
    caughtBy: ['update-event'],
    alsoCaughtBy: ['update-message'],
    make: adds(
      (frame) => eventOf(frame).type === 'text_delta',
      (frame) => ({ ...frame, assistantMessageEvent: {} }),
    ),
  },
  {
    fault: 'just stops when it calls tools',
    caughtBy: ['stop-for-tools'],
    make: messages('assistant', (message) => ({
      ...message,
      stopReason: message.stopReason === 'toolUse' ? 'stop' : message.stopReason,
    })),
  },
];

/** Compactions and retries. */
const others: readonly Mutant[] = [
  {
    fault: 'ends a compaction that did not start',
    caughtBy: ['compaction-brackets'],
    make: dropsOutput((frame) => /compaction_start$/u.test(String(frame.type))),
  },
  {
    fault: 'compacts at a whim',
    caughtBy: ['compaction-reason'],
    make: changesOutput((frame) =>
      /compaction_(?:start|end)$/u.test(String(frame.type)) ? { ...frame, reason: 'whim' } : frame,
    ),
  },
  {
    fault: 'has compacted for another reason than it said',
    caughtBy: ['compaction-reason'],
    make: changesOutput((frame) =>
      /compaction_end$/u.test(String(frame.type)) ? { ...frame, reason: 'other' } : frame,
    ),
  },
  {
    fault: 'ends a retry that did not start',
    caughtBy: ['retry-brackets'],
    make: dropsOutput(is('auto_retry_start')),
  },
  { fault: 'cannot count attempts', caughtBy: ['retry-counts'], make: events('auto_retry_start', put({ attempt: 9 })) },
];

/** Requests of extensions. */
const extensions: readonly Mutant[] = [
  {
    fault: 'asks with one id',
    caughtBy: ['ui-id-unique'],
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
  {
    fault: 'answers answers',
    caughtBy: ['ui-response-silent'],
    make: () => ({
      in(frame, link) {
        const { type } = frame;
        if (type === 'extension_ui_response') link.toClient({ type: 'response', command: type, success: true });
        return [frame];
      },
    }),
  },
];

/** Mutants that only a check which acts can catch. */
const deeds: readonly Mutant[] = [
  {
    fault: 'takes line separators for blanks',
    caughtBy: ['separators'],
    make: answers('get_state', (data) => ({
      ...data,
      sessionName: String(data.sessionName).replaceAll(/[\u2028\u2029\u0085]/gu, ' '),
    })),
  },
  {
    fault: 'passes over long lines',
    caughtBy: ['long-line'],
    make: () => ({ in: (frame) => (JSON.stringify(frame).length > 500_000 ? [] : [frame]) }),
  },
  {
    fault: 'does not wait for an answer',
    caughtBy: ['dialog-blocks'],
    alsoCaughtBy: [
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
    caughtBy: ['dialog-cancel'],
    make: changesInput((frame) => (frame.cancelled === true ? null : frame)),
  },
  {
    fault: 'ends the run for each answer',
    caughtBy: ['dialog-late'],
    alsoCaughtBy: ['dialog-blocks', 'agent-brackets'],
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

/** All mutants. */
export const eventMutants: readonly Mutant[] = [...brackets, ...tools, ...streams, ...others, ...extensions, ...deeds];
