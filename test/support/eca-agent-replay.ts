// A recorded ECA server speaks again, to our backend: what it said, in its order, under the names that our backend gives.
// What the recorded client said drives the session. Nothing answers but the recording.

import { contextOf } from '../../src/adapters/eca/contexts.ts';
import { dialectName, union } from '../../src/adapters/eca/frontend/dialect.ts';
import { eca } from '../../src/adapters/eca/index.ts';
import type { Action } from '../../src/core/contract/adapter/action.ts';
import type { SessionView } from '../../src/core/contract/adapter/projection.ts';
import type { Command } from '../../src/core/model/command.ts';
import type { Event } from '../../src/core/model/event.ts';
import { createFrame } from '../../src/transports/framing/frame.ts';
import { stillEnv } from './decoding.ts';
import type { EcaTrace } from './eca-traces.ts';
import { createLog, epoch, type Log, textOf } from './telling.ts';

/** One message, read. */
export type Json = Record<string, unknown>;

/** What came out of a recording. */
export interface PlayedEca {
  /** The notifications of the server, under our names. */
  readonly theirs: readonly Json[];
  /** What a client of its era was told. */
  readonly ours: readonly Json[];
  readonly log: Log;
  /** Notes of the backend and of the repair, but for losses. */
  readonly faults: readonly string[];
  /** Prompts that the server was sent. */
  readonly prompts: number;
  /** Commands that failed. */
  readonly refused: readonly string[];
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isJson(inner) ? inner[key] : undefined), value);

/** Keys as servers take them: `request-id` is `requestId`. */
const camel = (params: unknown): Json =>
  Object.fromEntries(
    Object.entries(isJson(params) ? params : {}).map(([key, value]) => [
      key.replace(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

/** Requests that our backend makes as well, or need not make. */
const spoken: ReadonlySet<unknown> = new Set([
  'initialize',
  'shutdown',
  'chat/prompt',
  'chat/delete',
  'chat/queryContext',
  'chat/queryCommands',
]);

/** Plays it. */
export function playEca({ rows, era }: Pick<EcaTrace, 'rows' | 'era'>): PlayedEca {
  const backend = eca.agent?.backend(stillEnv(), {});
  const side = eca.client?.frontend(stillEnv(), {});
  if (backend === undefined || side === undefined) throw new Error('the adapter lacks a side');
  const theirs: Json[] = [];
  const ours: Json[] = [];
  const faults: string[] = [];
  const refused: string[] = [];
  /** Names in the recording -> ours. */
  const names = new Map<unknown, unknown>();
  const commands = new Map<string, Command>();
  /** What the recorded client said, while our backend says the same. */
  let saying: Json | null = null;
  /** What our backend and the server call the chat. */
  let ourChat: unknown;
  let prompts = 0;
  let asked = 0;
  let isPrompting = false;
  /**
   * The recorded client said what no session says, as a prompt in the middle of a run: what the server says to it is no
   * talk of ours.
   */
  let isAstray = false;
  /** A prompt of a chat that the server gives a name. */
  let isUnnamed = false;

  const log = createLog((logged) => {
    for (const out of projection.event(logged)) ours.push(JSON.parse(textOf(out)));
    projection.notes?.();
    if (logged.event.type === 'run-start') isPrompting = false;
  });
  const view: SessionView = { id: 'chat-1', epoch, timeOrigin: 0, transcript: log.transcript };
  const dialect = era === 'first' ? union : { streamsArguments: true, asks: false, saysInChat: false };
  const projection = side.projection(view, dialectName(dialect));

  function note(level: string, text: string): void {
    if (!isAstray) faults.push(`${level}: ${text}`);
  }

  function admit(event: Event): void {
    const mended = log.notes.length;
    log.admit(event);
    for (const { level, text } of log.notes.slice(mended)) note(level, text);
  }

  function perform(actions: readonly Action<Event>[]): void {
    for (const action of actions) {
      if (action.do === 'deliver') admit(action.message);
      else if (action.do === 'send') sent(JSON.parse(textOf(action.frame)));
      else if (action.do === 'note' && action.level !== 'loss') note(action.level, action.text);
      else if (action.do === 'settle') {
        const { id, outcome } = action;
        const command = commands.get(id);
        commands.delete(id);
        if (command === undefined) throw new Error(`${id} was settled twice`);
        if (!outcome.ok) refused.push(`${command.type}: ${outcome.error.message}`);
        if (!outcome.ok && command.type === 'prompt') isPrompting = false;
      }
    }
  }

  /** Our backend says what the recorded client said: from now on its names stand for those in the recording. */
  function sent(message: Json): void {
    if (message.method === 'chat/prompt') prompts += 1;
    if (saying === null || message.method !== saying.method) return;
    if (saying.id !== undefined) names.set(`id ${String(saying.id)}`, message.id);
    const { requestId, chatId } = camel(saying.params);
    if (requestId !== undefined) names.set(`request ${String(requestId)}`, at(message, 'params', 'requestId'));
    if (typeof chatId === 'string') {
      ourChat = at(message, 'params', 'chatId');
      names.set(`chat ${chatId}`, ourChat);
    }
    saying = null;
  }

  function ask(command: Command): void {
    asked += 1;
    const id = `c${asked}`;
    commands.set(id, command);
    if (command.type === 'prompt') isPrompting = true;
    perform(backend?.encode(command, id) ?? []);
  }

  function commandOf(method: unknown, params: Json): Command | null {
    const { transcript } = log;
    const { toolCallId } = params;
    const contexts = Array.isArray(params.contexts) ? params.contexts.map(contextOf) : [];
    switch (method) {
      case 'chat/prompt':
        if (typeof params.message !== 'string') return null;
        return { type: 'prompt', content: [{ type: 'text', text: params.message }], contexts };
      case 'chat/promptSteer':
        return { type: 'steer', content: [{ type: 'text', text: String(params.message) }] };
      case 'chat/toolCallApprove':
      case 'chat/toolCallReject': {
        const open = [...transcript.approvals.values()].find(({ call }) => call === toolCallId);
        const decision = method === 'chat/toolCallApprove' ? 'allow' : 'deny';
        return open === undefined ? null : { type: 'answer-approval', id: open.id, decision };
      }
      case 'chat/promptStop':
        // Of a chat that is none of ours a server says nothing.
        return transcript.run === null || !isKnown(params.chatId) ? null : { type: 'abort', target: 'run' };
      case 'chat/delete':
        return { type: 'new-session' };
      case 'chat/queryContext':
        return { type: 'query', subject: 'contexts', text: String(params.query), contexts };
      case 'chat/queryCommands':
        return { type: 'query', subject: 'commands', text: String(params.query) };
      default:
        return null;
    }
  }

  const isKnown = (chat: unknown) => chat === ourChat || names.has(`chat ${String(chat)}`);

  function clientSays(message: Json): void {
    const { method } = message;
    saying = message;
    if (method === 'initialize') return perform(backend?.start?.() ?? []);
    const isBusy = isPrompting || log.transcript.run !== null;
    if (method === 'chat/prompt' && !isBusy) isAstray = false;
    if (method === 'chat/prompt' && isBusy) isAstray = true;
    if (message.id !== undefined && method !== undefined && !spoken.has(method)) isAstray = true;
    const params = camel(message.params);
    if (method === 'chat/delete' && isBusy) {
      // Our backend ends the run itself; the recorded client was left with an open one.
      const told = ours.length;
      if (!isAstray) ask({ type: 'new-session' });
      ours.length = told;
      isAstray = true;
      return;
    }
    const command = isAstray ? null : commandOf(method, params);
    if (command?.type === 'prompt') isUnnamed = typeof params.chatId !== 'string';
    if (command !== null) ask(command);
    saying = null;
  }

  /** The message with our names in it; null for the answer to what we did not ask. */
  function renamed(message: Json): Json | null {
    if (message.method === undefined) {
      const id = names.get(`id ${String(message.id)}`);
      return id === undefined ? null : { ...message, id, ...inOurNames('result', message.result) };
    }
    return { ...message, ...inOurNames('params', message.params) };
  }

  function inOurNames(key: string, value: unknown): Json {
    if (!isJson(value)) return {};
    const { chatId, requestId, parentChatId } = value;
    // The first that is named so is left to the backend.
    if (isUnnamed && value.role === 'user' && !names.has(`chat ${String(chatId)}`)) {
      isUnnamed = false;
      ourChat ??= chatId;
      names.set(`chat ${String(chatId)}`, ourChat);
    }
    const chat = names.get(`chat ${String(chatId)}`);
    const request = names.get(`request ${String(requestId)}`);
    const parent = names.get(`chat ${String(parentChatId)}`);
    return {
      [key]: {
        ...value,
        ...(chat === undefined ? {} : { chatId: chat }),
        ...(request === undefined ? {} : { requestId: request }),
        ...(parent === undefined ? {} : { parentChatId: parent }),
      },
    };
  }

  for (const { dir, msg } of rows) {
    if (dir === 'mark') isAstray &&= log.transcript.run !== null;
    // Bytes that try the framing: what is said to them is no talk of ours.
    if (dir === 'in-raw') isAstray = true;
    if (!isJson(msg)) continue;
    if (dir === 'in') clientSays(msg);
    if (dir !== 'out') continue;
    const message = renamed(msg);
    if (message === null) continue;
    if (message.method !== undefined && !isAstray) theirs.push(message);
    const told = ours.length;
    perform(backend.decode(createFrame(Buffer.from(JSON.stringify(message)))));
    if (isAstray) ours.length = told;
  }
  perform(backend.end?.() ?? []);
  // As a session does when the agent is gone.
  const told = ours.length;
  if (isAstray) log.close();
  ours.length = told;
  return {
    theirs,
    ours,
    log,
    faults,
    prompts,
    refused,
  };
}
