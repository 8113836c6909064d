// The contents of a chat as canonical events: assigns each content to a chat and a run, and passes it to the part that
// reads it (docs/protocols/eca.md 8.3, 4, 6.5).
import type { Env } from '../../../../core/contract/adapter/action.ts';
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import { NewestMap, NewestSet } from '../../../../core/model/newest.ts';
import type { ContentOf, ContentParams } from '../../wire/server.ts';
import type { AgentInfo } from '../agent-info.ts';
import { type CallPorts, type Calls, createCalls } from './calls.ts';
import { createHistory } from './history.ts';
import { createArgumentTexts, createMessageDecoder, type Lane } from './message.ts';
import { createModelContents, reading, type Take } from './model.ts';
import { createRun, type RunDecoder, type RunParts } from './run.ts';
import { ecaExtra, usageOf } from './values.ts';

/** The state of the conversation that the decoder of contents uses. */
export interface ContentContext
  extends Pick<RunParts, 'sendUnheard' | 'repeated' | 'started' | 'atWork' | 'ended'>,
    CallPorts {
  readonly info: AgentInfo;
  /** Whether the chat is ours. */
  isOurs(chatId: string): boolean;
  /** The id of the waiting or running prompt, as servers of the first era repeat it. */
  requestId(): string | undefined;
}

/** Reads the contents of one chat and its sub-agents. */
export interface ContentDecoder {
  readonly run: RunDecoder;
  readonly calls: Pick<Calls, 'answer'>;
  /** See Streaming of core/fast-path/templates.ts. */
  streaming(index: number): object | null;
  take(params: ContentParams): void;
  /** Called when the chat was emptied. Its history may follow. */
  cleared(): void;
  /** Called when the chat was deleted by the server. */
  deleted(): void;
  /** Contents from now on are live, not history. */
  live(): void;
  /** Forgets the chat: the connection has another chat from now on. */
  forget(): void;
}

/** The maximum number of remembered prompts and foreign chats. */
const memory = 64;
/** The maximum number of sub-agents' chats in one run. */
const mostSubAgents = 4096;

export function createContentDecoder(env: Env, out: Outbox, context: ContentContext): ContentDecoder {
  const { info } = context;
  /** Chats of sub-agents -> the calls that they work for. */
  const subAgents = new NewestMap<string, string>(mostSubAgents);
  /** The `requestId`s of prompts whose runs are over. */
  const past = new NewestSet<string>(memory);
  /** The `requestId` of the open run's prompt. */
  let current: string | undefined;
  let isReplaying = false;
  /** The chat of the last content that was ours. */
  let mainChat = '';
  /** Chats that are not ours. */
  const foreignChats = new Set<string>();

  const calls = createCalls(out, context);
  const messages = createMessageDecoder(env, out, {
    begins(lane) {
      if (lane === undefined) run.turn();
    },
    model: () => info.known.model?.id,
    argumentTexts: createArgumentTexts(() => info.isFirstEra !== false),
  });

  function closeMessage(lane: Lane): void {
    messages.close(lane, { reason: 'end' });
  }

  const run = createRun(out, {
    ...context,
    closeMessages: (isCut) => messages.closeAll({ reason: isCut ? 'aborted' : 'end' }),
    closeMessage: () => closeMessage(undefined),
    closeCalls: calls.closeAll,
    isTurnOver: () => !messages.isOpen(undefined) && !calls.owed,
    isWorking: () => calls.working,
    ended() {
      if (current !== undefined) past.add(current);
      current = undefined;
      subAgents.clear();
      context.ended();
    },
  });

  const ofModel = createModelContents({
    messages,
    calls,
    subAgent: (chat, call) => void subAgents.set(chat, call),
    settled: run.settleTurn,
  });
  const history = createHistory(out);

  function passOn(params: ContentParams): void {
    out.deliver({ type: 'unknown', protocol: 'eca', payload: { method: 'chat/contentReceived', params } });
  }

  function usage(content: ContentOf<'usage'>): void {
    const usage = usageOf(content);
    out.deliver(usage);
    if (usage.usage !== undefined) messages.used(usage.usage);
  }

  /** Contents of the system. They belong to the main thread, whatever their role is. */
  const ofSystem: ReadonlyMap<string, Take> = new Map<string, Take>([
    ['text', reading('text', ({ text }) => run.system(text ?? null))],
    [
      'progress',
      reading('progress', ({ state, text }) => {
        if (state === 'finished') run.finished();
        else if (typeof text === 'string' && text !== '') run.activity(text);
      }),
    ],
    ['usage', reading('usage', usage)],
    [
      'metadata',
      reading('metadata', ({ title }) => {
        if (typeof title === 'string') info.learn({ name: title });
      }),
    ],
  ]);

  const echo = reading('text', ({ text, contentId }) => run.echo(text ?? '', contentId ?? undefined));

  function handle(take: Take | undefined, params: ContentParams, lane: Lane): void {
    if (take === undefined) return passOn(params);
    const problem = take(params.content, lane, params.chatId);
    if (problem !== null) out.note('violation', `${params.content.type.slice(0, 40)}: ${problem}`);
  }

  /** Notes a foreign chat, once for each. */
  function noteForeign(chatId: string): void {
    if (foreignChats.has(chatId)) return;
    if (foreignChats.size < memory) foreignChats.add(chatId);
    out.note('repair', 'what is said in another chat was ignored');
  }

  /** Servers of the first era name the prompt that a content belongs to. Contents of an earlier prompt are late. */
  function isLate({ requestId }: ContentParams): boolean {
    if (requestId === undefined || requestId === null) return false;
    const name = String(requestId);
    if (past.has(name)) return true;
    return current !== undefined && name !== current;
  }

  function late(params: ContentParams): void {
    if (params.content.type === 'progress') return;
    if (params.role === 'system' && params.content.type === 'text')
      return handle(ofSystem.get('text'), params, undefined);
    passOn(params);
  }

  function bind({ requestId }: ContentParams): void {
    if (requestId !== undefined && requestId !== null) current ??= String(requestId);
  }

  function main(params: ContentParams): void {
    const { role, content } = params;
    if (isReplaying && history(params)) return;
    if (isLate(params)) return late(params);
    if (run.open) bind(params);
    switch (role) {
      case 'user': {
        if (content.type !== 'text') return passOn(params);
        handle(echo, params, undefined);
        return bind(params);
      }
      case 'assistant': {
        const take = ofModel.get(content.type);
        // Content of the model without an open run is a straggler of the last run, so no new run starts.
        if (take === undefined || (!run.open && !isAnswer(params))) return late(params);
        run.speaks();
        return handle(take, params, undefined);
      }
      default:
        return handle(ofSystem.get(content.type), params, undefined);
    }
  }

  /** The content names the waiting prompt, so the run of that prompt has begun, even if its echo was missed. */
  function isAnswer({ requestId }: ContentParams): boolean {
    return run.waiting !== null && requestId !== undefined && String(requestId) === context.requestId();
  }

  function subAgent(params: ContentParams, lane: string): void {
    const { role, content } = params;
    // The run that the sub-agent belonged to is over.
    if (!run.open || !calls.has(lane)) return passOn(params);
    switch (role) {
      case 'user': {
        const { text } = content;
        if (content.type !== 'text' || typeof text !== 'string') return passOn(params);
        closeMessage(lane);
        const message = { role: 'user', origin: 'agent', parent: lane } as const;
        return out.deliver({
          type: 'message-added',
          ...message,
          content: [{ type: 'text', text: text.replace(/\n$/u, '') }],
          ...ecaExtra({ contentId: content.contentId }),
        });
      }
      case 'assistant':
        return handle(ofModel.get(content.type), params, lane);
      default:
        if (content.type !== 'progress') return passOn(params);
        if (content.state === 'finished') closeMessage(lane);
    }
  }

  return {
    run,
    calls,
    streaming: (index) => (run.isSpeaking && !subAgents.has(mainChat) ? messages.streaming(index) : null),
    take(params) {
      const lane = subAgents.get(params.chatId);
      if (lane !== undefined) subAgent(params, lane);
      else if (typeof params.parentChatId === 'string') passOn(params);
      else if (context.isOurs(params.chatId)) {
        mainChat = params.chatId;
        main(params);
      } else noteForeign(params.chatId);
    },
    cleared() {
      run.end('completed');
      out.deliver({ type: 'history-reset', reason: 'cleared' });
      isReplaying = true;
    },
    deleted() {
      run.end('failed', 'the chat was deleted');
      out.deliver({ type: 'history-reset', reason: 'cleared' });
    },
    live() {
      isReplaying = false;
    },
    forget() {
      subAgents.clear();
      past.clear();
      current = undefined;
      isReplaying = false;
    },
  };
}
