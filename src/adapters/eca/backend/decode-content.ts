// The contents of a chat as canonical events: whose they are, whether they belong to the run that is open, and which part of
// the machine takes them (docs/protocols/eca.md 8.3, 4, 6.5). Knows no command.
import type { Env } from '../../../core/contract/adapter.ts';
import type { Outbox } from '../../../core/contract/outbox.ts';
import type { AgentInfo } from './info.ts';
import { type CallPorts, type Calls, createCalls } from './decode-calls.ts';
import { createHistory } from './decode-history.ts';
import { createMessageDecoder, createPieces, type Lane } from './decode-message.ts';
import { createModelContents, said, type Take } from './decode-model.ts';
import { createRun, type RunDecoder, type RunParts } from './decode-run.ts';
import { saidOf, usageOf } from './decode-values.ts';
import type { ContentOf, ContentParams } from '../wire/server.ts';

/** What the contents need to know of the conversation. */
export interface ContentContext extends Pick<RunParts, 'goOn' | 'heard' | 'started' | 'goesOn' | 'ended'>, CallPorts {
  readonly info: AgentInfo;
  /** Our chat, or another. */
  isOurs(chatId: string): boolean;
  /** The name of the prompt that waits or runs, as servers of the first era repeat it. */
  requestId(): string | undefined;
}

/** Reads the contents of one chat and its sub-agents. */
export interface ContentDecoder {
  readonly run: RunDecoder;
  readonly calls: Pick<Calls, 'answer'>;
  take(params: ContentParams): void;
  /** The chat was emptied, perhaps to be told again. */
  cleared(): void;
  /** The chat is gone, and nobody here asked for it. */
  deleted(): void;
  /** What is said of the chat is no history any more. */
  live(): void;
  /** The chat is another one from now on. */
  forget(): void;
}

/** Prompts whose late contents are known as such. */
const memory = 64;

export function createContentDecoder(env: Env, out: Outbox, context: ContentContext): ContentDecoder {
  const { info } = context;
  /** Chats of sub-agents -> the calls that they work for. */
  const subAgents = new Map<string, string>();
  /** What prompts of runs that are over were named. */
  const past = new Set<string>();
  /** What the server calls the prompt of the open run. */
  let current: string | undefined;
  let isReplaying = false;
  /** Chats that are none of ours. */
  const strangers = new Set<string>();

  const calls = createCalls(out, context);
  const messages = createMessageDecoder(env, out, {
    begins(lane) {
      if (lane === undefined) run.turn();
    },
    model: () => info.known.model?.id,
    pieces: createPieces(() => info.isSeed !== false),
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
      const [oldest] = past;
      if (past.size > memory && oldest !== undefined) past.delete(oldest);
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
    const told = usageOf(content);
    out.deliver(told);
    if (told.usage !== undefined) messages.used(told.usage);
  }

  /** Of the main thread, whoever says it. */
  const ofSystem: ReadonlyMap<string, Take> = new Map<string, Take>([
    ['text', said('text', ({ text }) => run.system(text ?? null))],
    [
      'progress',
      said('progress', ({ state, text }) => {
        if (state === 'finished') run.finished();
        else if (typeof text === 'string' && text !== '') run.activity(text);
      }),
    ],
    ['usage', said('usage', usage)],
    [
      'metadata',
      said('metadata', ({ title }) => {
        if (typeof title === 'string') info.learn({ name: title });
      }),
    ],
  ]);

  const echo = said('text', ({ text, contentId }) => run.echo(text ?? '', contentId ?? undefined));

  function handle(take: Take | undefined, params: ContentParams, lane: Lane): void {
    if (take === undefined) return passOn(params);
    const problem = take(params.content, lane, params.chatId);
    if (problem !== null) out.note('violation', `${params.content.type.slice(0, 40)}: ${problem}`);
  }

  /** Said once for each. */
  function strange(chatId: string): void {
    if (strangers.has(chatId)) return;
    if (strangers.size < memory) strangers.add(chatId);
    out.note('repair', 'what is said in another chat was ignored');
  }

  /** Servers of the first era name the prompt that a content belongs to; nothing of an earlier one counts. */
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
        // Without a run this comes behind the end of one: no run begins with it.
        if (take === undefined || (!run.open && !isAnswer(params))) return late(params);
        run.speaks();
        return handle(take, params, undefined);
      }
      default:
        return handle(ofSystem.get(content.type), params, undefined);
    }
  }

  /** It names the prompt that waits: its run has begun, whatever was missed. */
  function isAnswer({ requestId }: ContentParams): boolean {
    return run.waiting !== null && requestId !== undefined && String(requestId) === context.requestId();
  }

  function subAgent(params: ContentParams, lane: string): void {
    const { role, content } = params;
    // It belongs to no run any more.
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
          ...saidOf({ contentId: content.contentId }),
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
    take(params) {
      const lane = subAgents.get(params.chatId);
      if (lane !== undefined) subAgent(params, lane);
      else if (typeof params.parentChatId === 'string') passOn(params);
      else if (context.isOurs(params.chatId)) main(params);
      else strange(params.chatId);
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
