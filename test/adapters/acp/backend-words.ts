// An ACP agent in a table: what it says in short words, and our backend in front of it, with all that it sends, delivers and
// settles.
import { acp } from '../../../src/adapters/acp/index.ts';
import type { Action, NoteLevel } from '../../../src/core/contract/adapter/action.ts';
import type { Resumption } from '../../../src/core/contract/adapter/stored-conversations.ts';
import { verify } from '../../../src/core/log/grammar.ts';
import type { Command } from '../../../src/core/model/command.ts';
import type { Outcome } from '../../../src/core/model/errors.ts';
import type { Event, EventOf, EventType } from '../../../src/core/model/event.ts';
import type { BroughtServer } from '../../../src/core/model/session-info.ts';
import { createFrame } from '../../../src/transports/framing/frame.ts';
import { type AcpRow, at, type Json, rowOf } from '../../support/acp-traces.ts';
import { stillEnv } from '../../support/decoding.ts';
import { acpOrderFaults } from '../../support/judges/acp-order.ts';
import { acpSchemaFaults } from '../../support/judges/acp-schema.ts';
import { textOf } from '../../support/telling.ts';

/** The name of the session in these tables. */
export const session = 's1';

/** How a talk begins. */
export interface Beginning {
  readonly options?: Json;
  readonly resume?: Resumption;
  readonly toolServers?: readonly BroughtServer[];
  /** Capabilities that the agent declares. */
  readonly can?: Json;
  readonly authMethods?: readonly Json[];
  /** What the answer to session/new has besides its id. */
  readonly setup?: Json;
  /** The agent has not answered anything yet. */
  readonly isSilent?: boolean;
}

/** Our backend at work. */
export interface Talk {
  readonly sent: Json[];
  readonly rows: readonly AcpRow[];
  readonly events: Event[];
  readonly notes: { readonly level: NoteLevel; readonly text: string }[];
  /** Why the connection was closed. */
  readonly closed: string | undefined;
  readonly timers: Map<string, number>;
  hear(...messages: readonly Json[]): void;
  hearRaw(text: string): void;
  /** A client asks; returns the id of the command. */
  ask(command: Command): string;
  prompt(words: string): string;
  wake(timer: string): void;
  outcome(command: string): Outcome | undefined;
  of<Type extends EventType>(type: Type): EventOf<Type>[];
  types(): EventType[];
  /** The last request or notification of that method. */
  last(method: string): Json;
  /** Answers the last request of that method. */
  answer(method: string, result: unknown): void;
  fail(method: string, code: number, message: string): void;
  /** Our answer to the agent's request. */
  answerTo(id: unknown): unknown;
  /** What is wrong: the order of the events, our messages. */
  faults(): unknown[];
}

/** Begins to talk: the agent has opened a session unless it is silent. */
export function talk(beginning: Beginning = {}): Talk {
  const { options = {}, resume, toolServers, can = {}, authMethods = [], setup = {}, isSilent = false } = beginning;
  const backend = acp.agent?.backend(stillEnv(), options, ['/p'], undefined, resume, toolServers);
  if (backend === undefined) throw new Error('no agent side');
  const sent: Json[] = [];
  const rows: AcpRow[] = [];
  const events: Event[] = [];
  const notes: { level: NoteLevel; text: string }[] = [];
  const outcomes = new Map<string, Outcome>();
  const timers = new Map<string, number>();
  let asked = 0;
  let closed: string | undefined;

  function perform(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      if (action.do === 'send') {
        const message: Json = JSON.parse(textOf(action.frame));
        sent.push(message);
        rows.push(rowOf('in', message));
      } else if (action.do === 'deliver') events.push(action.message);
      else if (action.do === 'note') notes.push({ level: action.level, text: action.text });
      else if (action.do === 'settle') outcomes.set(action.id, action.outcome);
      else if (action.do === 'close') closed = action.reason;
      else if (action.do === 'timer' && action.ms === null) timers.delete(action.id);
      else if (action.do === 'timer') timers.set(action.id, action.ms ?? 0);
    }
  }

  function last(method: string): Json {
    const found = sent.findLast((message) => message.method === method);
    if (found === undefined) throw new Error(`nobody sent ${method}`);
    return found;
  }

  const it: Talk = {
    sent,
    rows,
    events,
    notes,
    get closed() {
      return closed;
    },
    timers,
    hear(...messages) {
      for (const message of messages) {
        const whole = { jsonrpc: '2.0', ...message };
        rows.push(rowOf('out', whole));
        it.hearRaw(JSON.stringify(whole));
      }
    },
    hearRaw: (text) => perform(backend.decode(createFrame(new TextEncoder().encode(text)))),
    ask(command) {
      asked += 1;
      perform(backend.encode(command, `c${asked}`));
      return `c${asked}`;
    },
    prompt: (words) => it.ask({ type: 'prompt', content: [{ type: 'text', text: words }] }),
    wake: (timer) => perform(backend.onTimer?.(timer) ?? []),
    outcome: (command) => outcomes.get(command),
    of: <Type extends EventType>(type: Type) => events.filter((event): event is EventOf<Type> => event.type === type),
    types: () => events.map(({ type }) => type),
    last,
    answer: (method, result) => it.hear({ id: last(method).id, result }),
    fail: (method, code, message) => it.hear({ id: last(method).id, error: { code, message } }),
    answerTo: (id) => sent.find((message) => message.method === undefined && message.id === id)?.result,
    faults: () => [
      ...verify(events).faults,
      ...acpSchemaFaults(rows, { only: 'in' }),
      ...acpOrderFaults(rows, { only: 'in' }),
    ],
  };
  perform(backend.start?.() ?? []);
  if (isSilent) return it;
  it.answer('initialize', { protocolVersion: 1, agentCapabilities: can, authMethods });
  if (resume === undefined) it.answer('session/new', { sessionId: session, ...setup });
  return it;
}

/** An update of a session. */
export function update(sessionUpdate: string, fields: Json, sessionId = session): Json {
  return { method: 'session/update', params: { sessionId, update: { sessionUpdate, ...fields } } };
}
/** Words of the model. */
export const text = (words: string, messageId?: string): Json =>
  update('agent_message_chunk', { content: { type: 'text', text: words }, ...(messageId ? { messageId } : {}) });
/** A thought of the model. */
export const thought = (words: string, messageId?: string): Json =>
  update('agent_thought_chunk', { content: { type: 'text', text: words }, ...(messageId ? { messageId } : {}) });
/** The creation of a call. */
export const call = (toolCallId: string, fields: Json = {}): Json =>
  update('tool_call', { toolCallId, title: 'ls', name: 'bash', kind: 'execute', ...fields });
/** A change of a call. */
export const change = (toolCallId: string, fields: Json): Json => update('tool_call_update', { toolCallId, ...fields });
/** A question for permission. */
export const permission = (id: unknown, toolCallId: string, fields: Json = {}): Json => ({
  id,
  method: 'session/request_permission',
  params: {
    sessionId: session,
    toolCall: { toolCallId, title: 'ls', ...fields },
    options: [
      { optionId: 'y', name: 'Yes', kind: 'allow_once' },
      { optionId: 'ever', name: 'Always', kind: 'allow_always' },
      { optionId: 'n', name: 'No', kind: 'reject_once' },
    ],
  },
});
/** The texts of the messages, each with the kind of its block. */
export function said(it: Talk): string[] {
  const kinds = new Map<number, string>();
  const lines: string[] = [];
  for (const event of it.events) {
    if (event.type === 'message-start') lines.push('message');
    if (event.type === 'block-start') {
      kinds.set(event.index, event.block.kind);
      lines.push(`${event.block.kind} `);
    }
    if (event.type === 'block-delta') lines[lines.length - 1] += event.delta;
  }
  return lines;
}
/** The outcome word of a permission's answer. */
export const chosen = (it: Talk, id: unknown): unknown =>
  at(it.answerTo(id), 'outcome', 'optionId') ?? at(it.answerTo(id), 'outcome', 'outcome');
