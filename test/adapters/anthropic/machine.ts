// The machine of the adapter `anthropic` in the hand of a test: what it sends, delivers, settles and notes. And the API's
// stream events, in short.
import { createBackend } from '../../../src/adapters/anthropic/backend.ts';
import { parseOptions } from '../../../src/adapters/anthropic/options.ts';
import type { Action } from '../../../src/core/contract/adapter/action.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Message } from '../../../src/core/model/content.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event } from '../../../src/core/model/event.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { stillEnv } from '../../support/decoding.ts';
import { createLog } from '../../support/telling.ts';

/** The body of a request, as far as tests look at it. */
export interface Body {
  readonly model: string;
  readonly messages: readonly { role: string; content: readonly Record<string, unknown>[] }[];
  readonly [field: string]: unknown;
}

/** Starts a machine. All lists grow; `take` gives what an act added. */
export function startMachine(options: Record<string, unknown> = {}) {
  const backend = createBackend(stillEnv(), parseOptions(options));
  const log = createLog();
  const delivered: Event[] = [];
  const sent: { type: string; request: number; body: Body }[] = [];
  const notes: string[] = [];
  const timers = new Map<string, number>();
  const outcomes = new Map<string, Outcome>();
  let asked = 0;

  function perform(actions: readonly Action<Event>[]): Event[] {
    const events: Event[] = [];
    for (const action of actions) {
      switch (action.do) {
        case 'deliver':
          events.push(action.message);
          log.admit(action.message);
          break;
        case 'send':
          sent.push(JSON.parse(String(action.frame)));
          break;
        case 'settle':
          outcomes.set(action.id, action.outcome);
          break;
        case 'note':
          notes.push(`${action.level}: ${action.text}`);
          break;
        case 'timer':
          if (action.ms === null) timers.delete(action.id);
          else timers.set(action.id, action.ms);
          break;
        case 'close':
          throw new Error('this machine closes nothing');
        case 'subscribe':
        case 'unsubscribe':
          throw new Error('an agent watches nothing');
        default:
          action satisfies never;
      }
    }
    delivered.push(...events);
    return events;
  }
  const started = perform(backend.start?.() ?? []);

  return {
    started,
    delivered,
    sent,
    notes,
    timers,
    /** What the repair had to say; the machine should give it nothing to do. */
    repairs: log.notes,
    transcript: log.transcript,
    logged: log.logged,
    /** Asks, and gives the outcome; undefined while it is not settled. */
    ask(command: Command): Outcome | undefined {
      asked += 1;
      perform(backend.encode(command, `c${asked}`));
      return outcomes.get(`c${asked}`);
    },
    prompt(text: string): Outcome | undefined {
      return this.ask({ type: 'prompt', content: [{ type: 'text', text }] });
    },
    recall: (past: readonly Message[]) => backend.restoreHistory?.(past),
    /** The API says these, or our own wire does. */
    say: (...frames: readonly unknown[]) =>
      frames.flatMap((frame) => perform(backend.decode(createFrame(Buffer.from(JSON.stringify(frame)))))),
    raw: (text: string) => perform(backend.decode(createFrame(Buffer.from(text)))),
    ring(timer = 'retry'): Event[] {
      timers.delete(timer);
      return perform(backend.onTimer?.(timer) ?? []);
    },
    /** The body of the last request. */
    body(): Body {
      const last = sent.findLast(({ type }) => type === 'request');
      if (last === undefined) throw new Error('nothing was asked');
      return last.body;
    },
    /** The end of the last request. */
    end(how: 'finished' | 'aborted' | { failed: object }): Event[] {
      const request = sent.findLast(({ type }) => type === 'request')?.request ?? 0;
      const end = typeof how === 'string' ? { how } : { how: 'failed', failure: how.failed };
      return this.say({ type: 'request_end', request, ...end });
    },
  };
}

export const usage = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 4, cache_creation_input_tokens: 2 };

let messages = 0;
/** `message_start` of a message with an id of its own. */
export const started = (model = 'claude-opus-5-5', more: object = {}) => ({
  type: 'message_start',
  message: { id: `msg_${++messages}`, type: 'message', role: 'assistant', model, content: [], usage, ...more },
});
export const opened = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block });
export const changed = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
export const closed = (index: number) => ({ type: 'content_block_stop', index });
export const stopping = (
  stop_reason: string | null,
  more: object = {},
  counts: object | null = { output_tokens: 7 },
) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null, ...more },
  usage: counts,
});
export const stopped = { type: 'message_stop' };

export const text = (index: number, ...pieces: string[]) => [
  opened(index, { type: 'text', text: '' }),
  ...pieces.map((piece) => changed(index, { type: 'text_delta', text: piece })),
  closed(index),
];
export const thinking = (index: number, signature: string, ...pieces: string[]) => [
  opened(index, { type: 'thinking', thinking: '', signature: '' }),
  ...pieces.map((piece) => changed(index, { type: 'thinking_delta', thinking: piece })),
  changed(index, { type: 'signature_delta', signature }),
  closed(index),
];
export const call = (index: number, id: string, ...pieces: string[]) => [
  opened(index, { type: 'tool_use', id, name: 'look', input: {} }),
  ...pieces.map((piece) => changed(index, { type: 'input_json_delta', partial_json: piece })),
  closed(index),
];
/** A whole message. */
export const message = (blocks: readonly object[], stop = 'end_turn', model?: string) => [
  started(model),
  ...blocks,
  stopping(stop),
  stopped,
];
