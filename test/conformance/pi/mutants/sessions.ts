// Broken agents of pi: sessions, and what a prompt begins or joins.
import type { Dictionary } from '../../../../src/core/model/content.ts';
import { dictionaryOf, isDictionary, without } from '../../../../src/core/model/dictionary.ts';
import type { Interceptor, Link } from '../../support/intercept.ts';
import { changesInput, type Mutant } from '../../support/mutant.ts';
import { answers, drop, events, messages, put, responses } from './change.ts';

const listOf = (value: unknown): Dictionary[] => (Array.isArray(value) ? value.filter(isDictionary) : []);
const more = (name: string) => (data: Dictionary) => ({ ...data, [name]: Number(data[name]) + 1 });

/** Answers a command with success without carrying it out. */
function pretends(type: string, data?: Dictionary): () => Interceptor {
  return () => ({
    in(frame, link) {
      if (frame.type !== type) return [frame];
      say(link, frame, { success: true, ...(data === undefined ? {} : { data }) });
      return [];
    },
  });
}

function say(link: Link, { id, type }: Dictionary, rest: Dictionary): void {
  link.toClient({ ...(id === undefined ? {} : { id }), type: 'response', command: type, ...rest });
}

/** Sessions. */
const sessions: readonly Mutant[] = [
  {
    fault: 'is never streaming',
    caughtBy: ['streaming-told'],
    make: answers('get_state', put({ isStreaming: false })),
  },
  { fault: 'is always streaming', caughtBy: ['idle-told'], make: answers('get_state', put({ isStreaming: true })) },
  {
    fault: 'counts one message too many',
    caughtBy: ['message-count'],
    make: answers('get_state', more('messageCount')),
  },
  {
    fault: 'tells messages backwards',
    caughtBy: ['messages-said'],
    alsoCaughtBy: ['fork-messages'],
    make: answers('get_messages', ({ messages }) => ({ messages: listOf(messages).reverse() })),
  },
  {
    fault: 'has said something else last',
    caughtBy: ['last-text'],
    make: answers('get_last_assistant_text', put({ text: 'nothing' })),
  },
  {
    fault: 'counts one user message too many',
    caughtBy: ['stats-counts'],
    make: answers('get_session_stats', more('userMessages')),
  },
  {
    fault: 'cannot add up tokens',
    caughtBy: ['stats-total'],
    make: answers('get_session_stats', (data) => ({ ...data, tokens: more('total')(dictionaryOf(data.tokens)) })),
  },
  {
    fault: 'keeps the old session',
    caughtBy: ['new-session-empty'],
    alsoCaughtBy: ['new-session-id'],
    make: pretends('new_session', { cancelled: false }),
  },
  { fault: 'has one session id', caughtBy: ['new-session-id'], make: answers('get_state', put({ sessionId: 'same' })) },
  {
    fault: 'tells user messages backwards',
    caughtBy: ['fork-messages'],
    alsoCaughtBy: ['fork-cuts'],
    make: answers('get_fork_messages', ({ messages }) => ({ messages: listOf(messages).reverse() })),
  },
  {
    fault: 'tells another text of what it forked from',
    caughtBy: ['fork-text'],
    make: answers('fork', put({ text: 'something' })),
  },
  {
    fault: 'forks from the first entry, whatever is asked',
    caughtBy: ['fork-cuts'],
    alsoCaughtBy: ['fork-text', 'fork-unknown', 'missing-field'],
    make() {
      let points: Dictionary[] = [];
      return {
        out(frame) {
          if (frame.command === 'get_fork_messages') points = listOf(dictionaryOf(frame.data).messages);
          return [frame];
        },
        in: (frame) => {
          const isKnown = points.some(({ entryId }) => entryId === frame.entryId);
          return [frame.type === 'fork' && isKnown ? { ...frame, entryId: points[0]?.entryId } : frame];
        },
      };
    },
  },
  {
    fault: 'forks from an entry that there is not',
    caughtBy: ['fork-unknown'],
    alsoCaughtBy: ['missing-field', 'fork-cuts'],
    make: responses('fork', (frame) =>
      frame.success === true
        ? frame
        : { ...without(frame, 'error'), success: true, data: { text: '', cancelled: false } },
    ),
  },
  {
    fault: 'switches to another session than it was told',
    caughtBy: ['switch-session-file'],
    make() {
      let file = '/one.jsonl';
      return {
        out: (frame) =>
          frame.command === 'get_state' && isDictionary(frame.data)
            ? [{ ...frame, data: { ...frame.data, sessionFile: file } }]
            : [frame],
        in(frame, link) {
          if (frame.type !== 'switch_session') return [frame];
          file = '/two.jsonl';
          say(link, frame, { success: true, data: { cancelled: false } });
          return [];
        },
      };
    },
  },
];

/** Prompts. */
const prompts: readonly Mutant[] = [
  {
    fault: 'takes a prompt and does nothing',
    caughtBy: ['prompt-starts-run'],
    alsoCaughtBy: ['missing-field'],
    make: pretends('prompt'),
  },
  {
    fault: 'answers a prompt when the run has begun',
    caughtBy: ['prompt-answered-first'],
    make() {
      const held = new Map<Link, Dictionary>();
      return {
        out(frame, link) {
          if (frame.command === 'prompt' && frame.success === true && frame.id !== undefined) {
            held.set(link, frame);
            return [];
          }
          const waiting = held.get(link);
          held.delete(link);
          return waiting === undefined ? [frame] : [frame, waiting];
        },
      };
    },
  },
  {
    fault: 'hears other words',
    caughtBy: ['prompt-said'],
    make: changesInput((frame) => (frame.message === 'hello there' ? { ...frame, message: 'hello where' } : frame)),
  },
  {
    fault: 'sees another image',
    caughtBy: ['images-attached'],
    make: changesInput((frame) =>
      Array.isArray(frame.images)
        ? { ...frame, images: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }
        : frame,
    ),
  },
  {
    fault: 'takes every prompt during a run',
    caughtBy: ['prompt-while-streaming'],
    make: changesInput((frame) =>
      String(frame.message).startsWith('too early') ? { ...frame, streamingBehavior: 'followUp' } : frame,
    ),
  },
  {
    fault: 'says to the model what it has refused',
    caughtBy: ['refused-unsaid'],
    make: () => ({
      in(frame, link) {
        if (!String(frame.message).startsWith('too early')) return [frame];
        say(link, frame, { success: false, error: 'busy' });
        return [{ type: 'steer', message: frame.message }];
      },
      out: (frame) => (frame.command === 'steer' && frame.id === undefined ? [] : [frame]),
    }),
  },
  {
    fault: 'passes over how a prompt is meant',
    caughtBy: ['streaming-behavior'],
    make: changesInput((frame) => (frame.type === 'prompt' ? without(frame, 'streamingBehavior') : frame)),
  },
  { fault: 'loses what steers', caughtBy: ['steer-delivered'], make: pretends('steer') },
  { fault: 'loses what follows', caughtBy: ['follow-up-delivered'], make: pretends('follow_up') },
  {
    fault: 'goes on to follow-ups while calls wait',
    caughtBy: ['follow-up-waits'],
    alsoCaughtBy: ['turn-end-message', 'agent-end-messages', 'stop-for-tools', 'call-answered', 'messages-said'],
    make: events('message_end', (frame) => {
      const message = dictionaryOf(frame.message);
      return message.stopReason === 'stop' ? { ...frame, message: { ...message, stopReason: 'toolUse' } } : frame;
    }),
  },
  {
    fault: 'takes steering for follow-ups, and the reverse',
    caughtBy: ['steer-before-follow-up'],
    alsoCaughtBy: ['steering-mode-obeyed', 'follow-up-mode-obeyed'],
    make() {
      const other = new Map<unknown, string>([
        ['steer', 'follow_up'],
        ['follow_up', 'steer'],
      ]);
      const ways = new Map<unknown, string>([
        ['steer', 'followUp'],
        ['followUp', 'steer'],
      ]);
      return {
        in: ({ type, streamingBehavior: way, ...rest }) => [
          {
            ...rest,
            type: other.get(type) ?? type,
            ...(way === undefined ? {} : { streamingBehavior: ways.get(way) }),
          },
        ],
        out: (frame) => [
          { ...frame, ...(frame.type === 'response' ? { command: other.get(frame.command) ?? frame.command } : {}) },
        ],
      };
    },
  },
  ...(['steering', 'follow_up'] as const).map((queue): Mutant => {
    const name = queue.replace('_', '-');
    return {
      fault: `obeys the other ${name} mode`,
      caughtBy: [`${name}-mode-obeyed`],
      alsoCaughtBy: [`set-${name}-mode-told`],
      make: changesInput((frame) =>
        frame.type === `set_${queue}_mode` ? { ...frame, mode: frame.mode === 'all' ? 'one-at-a-time' : 'all' } : frame,
      ),
    };
  }),
  {
    fault: 'refuses to abort',
    caughtBy: ['abort-succeeds'],
    make: responses('abort', (frame) => ({ ...frame, success: false, error: 'no' })),
  },
  {
    fault: 'answers abort at once',
    caughtBy: ['abort-waits'],
    make: () => ({
      in(frame, link) {
        if (frame.type !== 'abort') return [frame];
        say(link, frame, { success: true });
        return [drop('id')(frame)];
      },
      out: (frame) => (frame.command === 'abort' ? [] : [frame]),
    }),
  },
  {
    fault: 'says that an aborted message just stopped',
    caughtBy: ['abort-stops'],
    alsoCaughtBy: ['blocks-end'],
    make: messages('assistant', (message) =>
      message.stopReason === 'aborted' ? { ...message, stopReason: 'stop' } : message,
    ),
  },
];

/** All mutants. */
export const sessionMutants: readonly Mutant[] = [...sessions, ...prompts];
