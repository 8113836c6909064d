// Prompts of a client: from the request to the session, and what the client sees until the run sends its own events
// (docs/protocols/eca.md 8.2, 4).

import type { Problem } from '../../../core/model/errors.ts';
import type { AutoDecline } from '../../../core/session/agent/auto-decline.ts';
import { type Actions, type ConnectionPorts, note, sendContent } from '../connection.ts';
import { attachmentsOf } from '../contexts.ts';
import type { RpcId } from '../json-rpc.ts';
import type { PromptParams } from '../wire/client.ts';
import { type Chat, type Chats, isBusy, isChatId, isRunning } from './chats.ts';
import type { GatewayCommands } from './gateway-commands.ts';
import type { Settings } from './settings.ts';

/** A prompt that the session has not accepted yet. */
interface PendingPrompt {
  readonly id: RpcId;
  readonly chat: Chat;
  /** The requested model. */
  readonly model: string;
  /** The text of the user. */
  readonly words: string;
  /** The prompt was delivered to the session. */
  isSent: boolean;
  isAnswered: boolean;
  /** An earlier run is going on. The end of that run frees the chat, and the prompt must not free it again. */
  isBehindRun: boolean;
  /** True once the prompt was answered or withdrawn. */
  isOver: boolean;
}

/** The prompts of one connection. */
export interface Prompts {
  prompt(id: RpcId, params: PromptParams): Actions;
  /** Discards the prompts that were not delivered to the session yet. */
  stop(chat: Chat): Actions;
  /** Answers the prompts of a deleted chat and sends nothing else in it. */
  drop(chat: Chat): Actions;
  /** Handles the end of the chat's session. */
  lose(chat: Chat, reason: string): Actions;
}

/** The dependencies of the prompts of a connection. */
export interface PromptPorts extends ConnectionPorts {
  readonly chats: Chats;
  readonly settings: Settings;
  readonly autoDecline: AutoDecline;
  readonly gatewayCommands: GatewayCommands;
}

/** Creates the prompts of one connection, none at first. */
export function createPrompts(ports: PromptPorts): Prompts {
  const { chats, settings, autoDecline, gatewayCommands, client, bound } = ports;
  const pending = new Set<PendingPrompt>();
  /** Chats in which the gateway showed a progress before their run began. */
  const progressShown = new WeakSet<Chat>();
  const of = (chat: Chat) => [...pending].filter((prompt) => prompt.chat === chat);

  function answer(prompt: PendingPrompt): Actions {
    if (prompt.isAnswered) return [];
    prompt.isAnswered = true;
    const { chat } = prompt;
    const status = client.isModern ? 'prompting' : 'success';
    return ports.answer(prompt.id, { chatId: chat.id, model: settings.shownModel(chat, prompt.model), status });
  }

  function close(prompt: PendingPrompt): void {
    prompt.isOver = true;
    pending.delete(prompt);
  }

  /** Frees the chat, unless a run or another prompt of the chat keeps it busy and will free it. */
  function freeChat({ chat, isBehindRun }: PendingPrompt): Actions {
    if ((isBehindRun && !progressShown.has(chat)) || chat.isOver || isRunning(chat) || of(chat).length > 0) return [];
    progressShown.delete(chat);
    return sendContent(ports, chat.id, { type: 'progress', state: 'finished', text: '' });
  }

  function fail(prompt: PendingPrompt, problem: Problem): Actions {
    if (prompt.isOver) return [];
    close(prompt);
    const { chat, id, words, isAnswered } = prompt;
    // The user stopped the prompt before its run began. This is no failure.
    if (problem.code === 'aborted') return [...answer(prompt), ...freeChat(prompt)];
    // No editor expects an error here; eca-vscode does not catch it (docs/protocols/eca.md 4.13).
    const refusal = isAnswered ? [] : ports.answer(id, failed(chat.id));
    if (chat.isOver) return refusal;
    return [
      ...refusal,
      // No run will repeat the user's text.
      ...sendContent(ports, chat.id, { type: 'text', text: `${words}\n` }, 'user'),
      ...sendContent(ports, chat.id, { type: 'text', text: `\n\n${problem.message}` }),
      ...freeChat(prompt),
      // The session closed before the subscription was confirmed. The next prompt gets another session.
      ...(problem.code === 'not-found' && chat.view === undefined ? chats.forget(chat) : []),
    ];
  }

  /** The run of the prompt begins. Later prompts wait for the end of that run; their requests are answered now. */
  function accepted(prompt: PendingPrompt): Actions {
    if (prompt.isOver) return [];
    close(prompt);
    progressShown.delete(prompt.chat);
    const behind = of(prompt.chat).filter(({ isSent }) => isSent);
    for (const waiting of behind) waiting.isBehindRun = true;
    return [prompt, ...behind].flatMap(answer);
  }

  /** A gateway command starts no run, so the answer to the request comes last (docs/protocols/eca.md 4.9). */
  function carriedOut(prompt: PendingPrompt): Actions {
    if (prompt.isOver) return [];
    close(prompt);
    return [...freeChat(prompt), ...answer(prompt)];
  }

  function submit(prompt: PendingPrompt, params: PromptParams): Actions {
    const { chat } = prompt;
    if (chat.target === undefined) return [];
    const { content, contexts } = attachmentsOf(params.contexts ?? []);
    prompt.isSent = true;
    const asked = ports.ask(
      chat.target,
      {
        type: 'prompt',
        content: [{ type: 'text', text: params.message }, ...content],
        ...(contexts.length === 0 ? {} : { contexts }),
      },
      (outcome) => {
        autoDecline.answered();
        return outcome.ok ? accepted(prompt) : fail(prompt, outcome.error);
      },
    );
    prompt.isBehindRun = isRunning(chat);
    return [...(isBusy(chat) ? answer(prompt) : []), ...asked, ...autoDecline.prompted()];
  }

  function run(prompt: PendingPrompt, params: PromptParams, done: () => Actions): Actions {
    const { chat } = prompt;
    if (prompt.isOver) return done();
    return chats.ready(chat, true, (ready) => {
      if (prompt.isOver) return done();
      if (!ready.isThere) return [...fail(prompt, ready.problem ?? gone), ...done()];
      // Agents may start slowly, so the user sees a progress at once. Behind posts, the progress would arrive last.
      const isToldAlready = isRunning(chat) || bound !== undefined;
      if (!isToldAlready) progressShown.add(chat);
      const waiting = isToldAlready ? [] : sendContent(ports, chat.id, waitingModel);
      const { model, agent, behavior, variant, trust } = params;
      const set = () =>
        settings.apply(chat, { model, behavior: agent ?? behavior, variant, trust }, (problem) => {
          if (prompt.isOver) return done();
          return [...(problem === null ? submit(prompt, params) : fail(prompt, problem)), ...done()];
        });
      const finish = () => [...carriedOut(prompt), ...done()];
      return [...waiting, ...gatewayCommands.take(chat, params.message, finish, set)];
    });
  }

  return {
    prompt(id, params) {
      const isNamed = params.chatId !== undefined && params.chatId !== null;
      const chatId = params.chatId ?? bound?.id ?? ports.env.id('chat');
      if (bound !== undefined && chatId !== bound.id) return ports.refuse(id, oneChat(bound.id));
      // Real servers answer a bad id like this, and send nothing else (docs/protocols/eca.md 4.13).
      if (bound === undefined && !isChatId(chatId)) {
        return [...note('violation', 'chat/prompt: a bad chatId'), ...ports.answer(id, failed(chatId))];
      }
      if (isNamed && (params.agent ?? undefined) !== undefined) client.isModern = true;
      const chat = chats.open(chatId, isNamed);
      const prompt: PendingPrompt = {
        id,
        chat,
        model: params.model ?? '',
        words: params.message,
        isSent: false,
        isAnswered: false,
        isBehindRun: false,
        isOver: false,
      };
      client.chat = chatId;
      const released = ports.markReady();
      pending.add(prompt);
      const added = chat.queue.add((done) => run(prompt, params, done));
      return [...released, ...(added ?? fail(prompt, tooMany))];
    },
    stop(chat) {
      const unsent = of(chat).filter(({ isSent }) => !isSent);
      for (const prompt of unsent) close(prompt);
      const [first] = unsent;
      return first === undefined ? [] : [...unsent.flatMap(answer), ...freeChat(first)];
    },
    drop(chat) {
      const open = of(chat);
      for (const prompt of open) close(prompt);
      return open.flatMap(answer);
    },
    lose(chat, reason) {
      return of(chat).flatMap((prompt) => fail(prompt, { code: 'not-found', message: reason }));
    },
  };
}

/** The answer of real servers to a prompt that starts no run (docs/protocols/eca.md 4.13). */
const failed = (chatId: string) => ({ chatId, model: 'error', status: 'error' });
const waitingModel = { type: 'progress', state: 'running', text: 'Waiting model' };
const gone: Problem = { code: 'not-found', message: 'the chat is over' };
const tooMany: Problem = { code: 'limit', message: 'too many prompts wait in this chat' };

/** The refusal for a client that names another chat than the one its connection serves. */
export function oneChat(id: string): Problem {
  return { code: 'invalid', message: `this connection serves one chat, ${JSON.stringify(id)}` };
}
