// A trace of ECA as rules read it: its messages, and its chats with their events.
import type { Dictionary } from '../../../core/model/content.ts';
import { dictionaryOf, isDictionary } from '../../../core/model/dictionary.ts';
import { type Messages, messagesIn, type Notification, type Request } from '../../check/json-rpc.ts';
import type { Trace } from '../../check/rule.ts';
import type { RuleRow } from '../../check/rule-rows.ts';
import type { ChatEvent, Content } from './chat-events.ts';
import { ecaDialect } from './messages.ts';
import { callsOf, type EcaCall } from './tool-calls.ts';
import { type Turn, turnsOf } from './turns.ts';

/** A table of rules on ECA. */
export type EcaRows = Readonly<Record<string, RuleRow<EcaView>>>;

/** One chat. */
export interface Chat {
  readonly id: string;
  /** Another chat speaks through this one: the chat belongs to a sub-agent. */
  readonly isOfSubAgent: boolean;
  readonly events: readonly ChatEvent[];
  /** From each accepted prompt to the next. */
  readonly turns: readonly Turn[];
  readonly calls: readonly EcaCall[];
}

/** A whole trace. */
export interface EcaView extends Messages {
  readonly isComplete: boolean;
  /** Number of messages, of both sides. */
  readonly count: number;
  /** The client's first `initialize`. */
  readonly initialize: Request | null;
  /** The client's first `initialized`. */
  readonly initialized: Notification | null;
  /** The client's `exit`; null while the connection has not been ended in good order. */
  readonly exit: Notification | null;
  readonly contents: readonly Content[];
  readonly chats: ReadonlyMap<string, Chat>;
  /** Prompts that the server accepted or has not answered. */
  readonly prompts: readonly Request[];
}

/** The server's answer to a prompt, if it is an object. */
export function promptResult(ask: Request): Dictionary | null {
  const [answer] = ask.answers;
  return answer !== undefined && isDictionary(answer.result) ? answer.result : null;
}

const refusing: ReadonlySet<unknown> = new Set(['error', 'login']);

/** Whether the server refused to run the prompt. */
export function isRefused(ask: Request): boolean {
  const [answer] = ask.answers;
  return answer !== undefined && (!isDictionary(answer.result) || refusing.has(answer.result.status));
}

/** The chat of a prompt: from the answer, else from the request. */
export function chatOf(ask: Request): string | null {
  const chatId = promptResult(ask)?.chatId ?? ask.params.chatId;
  return typeof chatId === 'string' ? chatId : null;
}

/** Reads a trace. */
export function viewOf(trace: Trace): EcaView {
  const messages = messagesIn(trace, ecaDialect);
  const { client, agent } = messages;
  const events = new Map<string, ChatEvent[]>();
  const parents = new Map<string, unknown>();
  const contents: Content[] = [];
  /** Chats whose history is being replayed. */
  const past = new Set<string>();

  function add(chatId: unknown, event: ChatEvent): void {
    if (typeof chatId !== 'string') return;
    const known = events.get(chatId) ?? [];
    events.set(chatId, known);
    known.push(event);
  }
  function fromAgent({ frame, method, params }: Notification): void {
    const { chatId } = params;
    switch (method) {
      case 'chat/contentReceived': {
        const content = dictionaryOf(params.content);
        const isHistory = typeof chatId === 'string' && past.has(chatId);
        const event: Content = {
          frame,
          is: 'content',
          role: params.role,
          type: content.type,
          content,
          params,
          isHistory,
        };
        contents.push(event);
        if (typeof chatId === 'string' && params.parentChatId !== undefined) parents.set(chatId, params.parentChatId);
        return add(chatId, event);
      }
      case 'chat/statusChanged':
        return add(chatId, { frame, is: 'status', status: params.status });
      case 'chat/cleared':
        if (typeof chatId === 'string') past.add(chatId);
        return add(chatId, { frame, is: 'cleared' });
      case 'chat/opened':
        return add(chatId, { frame, is: 'opened' });
      case 'chat/deleted':
        return add(chatId, { frame, is: 'deleted' });
      default:
    }
  }
  function fromClient({ frame, method, params }: Notification, ask?: Request): void {
    const { chatId } = params;
    switch (method) {
      case 'chat/prompt': {
        if (ask === undefined || typeof params.message !== 'string' || isRefused(ask)) return;
        const own = chatOf(ask);
        if (own !== null) past.delete(own);
        return add(own, { frame, is: 'prompt', ask });
      }
      case 'chat/delete':
        return ask === undefined ? undefined : add(chatId, { frame, is: 'delete', ask });
      case 'chat/promptStop':
        return add(chatId, { frame, is: 'stop' });
      case 'chat/toolCallApprove':
        return add(chatId, { frame, is: 'approve', call: params.toolCallId });
      case 'chat/toolCallReject':
        return add(chatId, { frame, is: 'reject', call: params.toolCallId });
      default:
    }
  }

  const steps = [
    ...agent.notifications.map((notice) => ({ frame: notice.frame, take: () => fromAgent(notice) })),
    ...client.notifications.map((notice) => ({ frame: notice.frame, take: () => fromClient(notice) })),
    ...client.requests.map((ask) => ({ frame: ask.frame, take: () => fromClient(ask, ask) })),
  ].sort((one, other) => one.frame - other.frame);
  for (const { take } of steps) take();

  const initialize = client.requests.find(({ method }) => method === 'initialize') ?? null;
  const chats = new Map<string, Chat>();
  for (const [id, chatEvents] of events) {
    chats.set(id, {
      id,
      isOfSubAgent: parents.has(id),
      events: chatEvents,
      turns: turnsOf(chatEvents, trace.frames.length, initialize === null),
      calls: callsOf(chatEvents),
    });
  }
  return {
    ...messages,
    isComplete: trace.isComplete,
    count: trace.frames.length,
    initialize,
    initialized: client.notifications.find(({ method }) => method === 'initialized') ?? null,
    exit: client.notifications.find(({ method }) => method === 'exit') ?? null,
    contents,
    chats,
    prompts: client.requests.filter((ask) => ask.method === 'chat/prompt' && !isRefused(ask)),
  };
}

/** All calls of a trace, with their chats. */
export function* allCalls({ chats }: EcaView): Generator<{ readonly chat: Chat; readonly call: EcaCall }> {
  for (const chat of chats.values()) for (const call of chat.calls) yield { chat, call };
}

/** The turn that holds the frame. */
export const turnAt = ({ turns }: Chat, frame: number): Turn | undefined =>
  turns.find(({ prompt, end }) => prompt.frame < frame && frame < end);
