// An ECA server in a table: what it says in short words, and our backend in front of it, with all that it sends, delivers
// and settles.
import { eca } from '../../../src/adapters/eca/index.ts';
import type { Action, NoteLevel } from '../../../src/core/contract/adapter/action.ts';
import type { Resumption } from '../../../src/core/contract/adapter/stored-conversations.ts';
import { verify } from '../../../src/core/log/grammar.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event, EventOf, EventType } from '../../../src/core/model/event.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { createPeek } from '../../../src/transports/framing/peek.ts';
import { stillEnv } from '../../support/decoding.ts';
import { textOf } from '../../support/telling.ts';

export type Json = Record<string, unknown>;
export type Era = 'first' | 'modern';

/** The name that the still world gives to our chat and to our first prompts. */
export const chatId = 'chat-1';

/** Our backend at work. */
export interface Talk {
  readonly sent: Json[];
  readonly events: Event[];
  readonly notes: { readonly level: NoteLevel; readonly text: string }[];
  readonly outcomes: Map<string, Outcome>;
  readonly timers: Map<string, number>;
  /** The server says that. */
  hear(...messages: readonly Json[]): void;
  hearRaw(text: string): void;
  /** Whether that message would be taken without being parsed. */
  recognises(message: Json): boolean;
  /** A client asks; returns the name of the command. */
  ask(command: Command): string;
  wake(timer: string): void;
  /** Its outcome so far. */
  outcome(command: string): Outcome | undefined;
  /** The events of that type. */
  of<Type extends EventType>(type: Type): EventOf<Type>[];
  /** The last message that was sent of that method. */
  last(method: string): Json & { readonly id?: unknown; readonly params: Json };
  /** Their types, in order. */
  types(): EventType[];
  /** What is wrong with their order. */
  disorder(): unknown[];
  prompt(words: string): string;
}

/** Begins to talk. The server has not been greeted yet where `era` is null. */
export function talk(era: Era | null, options: Json = {}, resume?: Resumption): Talk {
  const backend = eca.agent?.backend(stillEnv(), options, [], undefined, resume);
  if (backend === undefined) throw new Error('no agent side');
  const sent: Json[] = [];
  const events: Event[] = [];
  const notes: { level: NoteLevel; text: string }[] = [];
  const outcomes = new Map<string, Outcome>();
  const timers = new Map<string, number>();
  let asked = 0;

  function perform(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      if (action.do === 'send') sent.push(JSON.parse(textOf(action.frame)));
      else if (action.do === 'deliver') events.push(action.message);
      else if (action.do === 'note') notes.push({ level: action.level, text: action.text });
      else if (action.do === 'timer' && action.ms === null) timers.delete(action.id);
      else if (action.do === 'timer') timers.set(action.id, action.ms ?? 0);
      else if (action.do === 'settle') {
        if (outcomes.has(action.id)) throw new Error(`${action.id} was settled twice`);
        outcomes.set(action.id, action.outcome);
      }
    }
  }

  const it: Talk = {
    sent,
    events,
    notes,
    outcomes,
    timers,
    hear(...messages) {
      for (const message of messages) {
        perform(backend.decode(createFrame(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })))));
      }
    },
    recognises(message) {
      const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      return backend.recognise?.(createPeek(line), 0, line.length) != null;
    },
    hearRaw: (text) => perform(backend.decode(createFrame(Buffer.from(text)))),
    ask(command) {
      asked += 1;
      perform(backend.encode(command, `c${asked}`));
      return `c${asked}`;
    },
    wake: (timer) => perform(backend.onTimer?.(timer) ?? []),
    outcome: (command) => outcomes.get(command),
    of: (type) => events.filter((event): event is EventOf<typeof type> => event.type === type),
    last(method) {
      const message = sent.findLast((one) => one.method === method);
      if (message === undefined) throw new Error(`no ${method} was sent`);
      return message as ReturnType<Talk['last']>;
    },
    types: () => events.map(({ type }) => type),
    disorder: () => verify(events).faults,
    prompt: (text) => it.ask({ type: 'prompt', content: [{ type: 'text', text }] }),
  };
  perform(backend.start?.() ?? []);
  if (era !== null) it.hear(...greetings[era]);
  return it;
}

/** What servers say when they are greeted. */
export const greetings: Readonly<Record<Era, readonly Json[]>> = {
  first: [
    {
      id: 1,
      result: {
        models: ['m1', 'm2'],
        chatDefaultModel: 'm1',
        chatBehaviors: ['agent', 'plan'],
        chatDefaultBehavior: 'agent',
        chatWelcomeMessage: 'Welcome',
      },
    },
  ],
  modern: [
    { id: 1, result: { chatWelcomeMessage: 'Welcome' } },
    {
      method: 'config/updated',
      params: {
        chat: {
          models: ['p/m1', 'p/m2'],
          agents: ['code', 'plan'],
          behaviors: ['code', 'plan', 'general'],
          selectModel: 'p/m1',
          selectAgent: 'code',
          variants: ['high', 'low'],
          selectVariant: null,
        },
      },
    },
  ],
};

/** A notification about our chat. */
export const tell = (method: string, params: Json = {}): Json => ({ method, params: { chatId, ...params } });
export const say = (role: string, content: Json, more: Json = {}): Json =>
  tell('chat/contentReceived', { role, content, ...more });
export const echo = (words: string, more: Json = {}): Json => say('user', { type: 'text', text: `${words}\n` }, more);
export const text = (words: string, more: Json = {}): Json => say('assistant', { type: 'text', text: words }, more);
export const system = (words: string | null, more: Json = {}): Json =>
  say('system', { type: 'text', text: words }, more);
export const running = (words: string): Json => say('system', { type: 'progress', state: 'running', text: words });
export const finished = (more: Json = {}): Json => say('system', { type: 'progress', state: 'finished' }, more);
export const answered = (id: number, more: Json = {}): Json => ({
  id,
  result: { chatId, model: 'm1', status: 'success', ...more },
});

const head = { name: 'look', origin: 'native', summary: 'Looking' };
export const prepare = (id: string, argumentsText: string, more: Json = {}): Json =>
  say('assistant', { type: 'toolCallPrepare', id, ...head, argumentsText, ...more });
export const run = (id: string, manualApproval: boolean, more: Json = {}): Json =>
  say('assistant', { type: 'toolCallRun', id, ...head, arguments: { where: 'drawer' }, manualApproval, ...more });
export const runningCall = (id: string): Json =>
  say('assistant', { type: 'toolCallRunning', id, ...head, arguments: { where: 'drawer' } });
export const called = (id: string, more: Json = {}): Json =>
  say('assistant', {
    type: 'toolCalled',
    id,
    ...head,
    arguments: { where: 'drawer' },
    error: false,
    outputs: [{ type: 'text', text: 'cables' }],
    ...more,
  });
export const rejected = (id: string, reason = 'user'): Json =>
  say('assistant', { type: 'toolCallRejected', id, ...head, arguments: { where: 'drawer' }, reason });
