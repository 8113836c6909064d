// Prompts of a client: from the request to the session, and what the client sees until a run speaks for itself (docs/protocols/eca.md 8.2, 4). Knows no other request.
import type { AutoDecline } from '../../../core/session/auto-decline.ts';
import type { Problem } from '../../../core/model/errors.ts';
import { type Chat, type Chats, isBusy, isChatId, isRunning } from './chats.ts';
import { type Actions, type ConnectionPorts, note, tellContent } from '../connection.ts';
import { attachmentsOf } from '../contexts.ts';
import type { RpcId } from '../json-rpc.ts';
import type { OwnCommands } from './own-commands.ts';
import type { Settings } from './settings.ts';
import type { PromptParams } from '../wire/client.ts';

/** A prompt that the session has not taken in yet. */
interface Ticket {
  readonly id: RpcId;
  readonly chat: Chat;
  /** What the client wished. */
  readonly model: string;
  /** What its user said. */
  readonly words: string;
  /** The session has been asked. */
  isSent: boolean;
  isAnswered: boolean;
  /** A run goes on before it, whose end frees the chat: that must not be said again. */
  isBehind: boolean;
  /** Nobody waits for it any more. */
  isOver: boolean;
}

/** The prompts of one connection. */
export interface Prompts {
  prompt(id: RpcId, params: PromptParams): Actions;
  /** Those that are not with the session yet will not go there. */
  stop(chat: Chat): Actions;
  /** The chat is gone for the client: nothing more is said in it. */
  drop(chat: Chat): Actions;
  /** The session is over. */
  lose(chat: Chat, reason: string): Actions;
}

/** What the prompts of a connection need. */
export interface PromptPorts extends ConnectionPorts {
  readonly chats: Chats;
  readonly settings: Settings;
  readonly bystander: AutoDecline;
  readonly ownCommands: OwnCommands;
}

/** No prompts yet. */
export function createPrompts(ports: PromptPorts): Prompts {
  const { chats, settings, bystander, ownCommands, client, bound } = ports;
  const tickets = new Set<Ticket>();
  /** Chats that were told that something goes on, before a run says so itself. */
  const held = new WeakSet<Chat>();
  const of = (chat: Chat) => [...tickets].filter((ticket) => ticket.chat === chat);

  function answer(ticket: Ticket): Actions {
    if (ticket.isAnswered) return [];
    ticket.isAnswered = true;
    const { chat } = ticket;
    const status = client.isModern ? 'prompting' : 'success';
    return ports.answer(ticket.id, { chatId: chat.id, model: settings.shownModel(chat, ticket.model), status });
  }

  function close(ticket: Ticket): void {
    ticket.isOver = true;
    tickets.delete(ticket);
  }

  /** The chat is free again, unless a run of its own or another prompt holds it: they say so themselves. */
  function unlock({ chat, isBehind }: Ticket): Actions {
    if ((isBehind && !held.has(chat)) || chat.isOver || isRunning(chat) || of(chat).length > 0) return [];
    held.delete(chat);
    return tellContent(ports, chat.id, { type: 'progress', state: 'finished', text: '' });
  }

  function fail(ticket: Ticket, problem: Problem): Actions {
    if (ticket.isOver) return [];
    close(ticket);
    const { chat, id, words, isAnswered } = ticket;
    // Stopped by the user before it began: that is no failure, and nothing to look at.
    if (problem.code === 'aborted') return [...answer(ticket), ...unlock(ticket)];
    // No editor expects an error here: eca-vscode does not catch it (docs/protocols/eca.md 4.13).
    const refusal = isAnswered ? [] : ports.answer(id, failed(chat.id));
    if (chat.isOver) return refusal;
    return [
      ...refusal,
      // No run will repeat what the user said.
      ...tellContent(ports, chat.id, { type: 'text', text: `${words}\n` }, 'user'),
      ...tellContent(ports, chat.id, { type: 'text', text: `\n\n${problem.message}` }),
      ...unlock(ticket),
      // Closed before it could be heard: the next prompt gets another session.
      ...(problem.code === 'not-found' && chat.view === undefined ? chats.forget(chat) : []),
    ];
  }

  /** Its run begins; those behind it wait for the end of that run, and their clients need not. */
  function accepted(ticket: Ticket): Actions {
    if (ticket.isOver) return [];
    close(ticket);
    held.delete(ticket.chat);
    const behind = of(ticket.chat).filter(({ isSent }) => isSent);
    for (const waiting of behind) waiting.isBehind = true;
    return [ticket, ...behind].flatMap(answer);
  }

  /** A command of ours leads to no run: the answer comes last (docs/protocols/eca.md 4.9). */
  function carriedOut(ticket: Ticket): Actions {
    if (ticket.isOver) return [];
    close(ticket);
    return [...unlock(ticket), ...answer(ticket)];
  }

  function submit(ticket: Ticket, params: PromptParams): Actions {
    const { chat } = ticket;
    if (chat.target === undefined) return [];
    const { content, contexts } = attachmentsOf(params.contexts ?? []);
    ticket.isSent = true;
    const asked = ports.ask(
      chat.target,
      {
        type: 'prompt',
        content: [{ type: 'text', text: params.message }, ...content],
        ...(contexts.length === 0 ? {} : { contexts }),
      },
      (outcome) => {
        bystander.answered();
        return outcome.ok ? accepted(ticket) : fail(ticket, outcome.error);
      },
    );
    ticket.isBehind = isRunning(chat);
    return [...(isBusy(chat) ? answer(ticket) : []), ...asked, ...bystander.prompted()];
  }

  function run(ticket: Ticket, params: PromptParams, done: () => Actions): Actions {
    const { chat } = ticket;
    if (ticket.isOver) return done();
    return chats.ready(chat, true, (ready) => {
      if (ticket.isOver) return done();
      if (!ready.isThere) return [...fail(ticket, ready.problem ?? gone), ...done()];
      // Agents may start slowly: the user sees at once that something goes on. Behind posts it would be told last.
      const isToldAlready = isRunning(chat) || bound !== undefined;
      if (!isToldAlready) held.add(chat);
      const waiting = isToldAlready ? [] : tellContent(ports, chat.id, waitingModel);
      const { model, agent, behavior, variant, trust } = params;
      const set = () =>
        settings.apply(chat, { model, behavior: agent ?? behavior, variant, trust }, (problem) => {
          if (ticket.isOver) return done();
          return [...(problem === null ? submit(ticket, params) : fail(ticket, problem)), ...done()];
        });
      const through = () => [...carriedOut(ticket), ...done()];
      return [...waiting, ...ownCommands.take(chat, params.message, through, set)];
    });
  }

  return {
    prompt(id, params) {
      const isNamed = params.chatId !== undefined && params.chatId !== null;
      const chatId = params.chatId ?? bound?.id ?? ports.env.id('chat');
      if (bound !== undefined && chatId !== bound.id) return ports.refuse(id, oneChat(bound.id));
      // Real servers answer it so, and say nothing else (docs/protocols/eca.md 4.13).
      if (bound === undefined && !isChatId(chatId)) {
        return [...note('violation', 'chat/prompt: a bad chatId'), ...ports.answer(id, failed(chatId))];
      }
      if (isNamed && (params.agent ?? undefined) !== undefined) client.isModern = true;
      const chat = chats.open(chatId, isNamed);
      const ticket: Ticket = {
        id,
        chat,
        model: params.model ?? '',
        words: params.message,
        isSent: false,
        isAnswered: false,
        isBehind: false,
        isOver: false,
      };
      client.chat = chatId;
      const released = ports.release();
      tickets.add(ticket);
      const added = chat.line.add((done) => run(ticket, params, done));
      return [...released, ...(added ?? fail(ticket, tooMany))];
    },
    stop(chat) {
      const unsent = of(chat).filter(({ isSent }) => !isSent);
      for (const ticket of unsent) close(ticket);
      const [first] = unsent;
      return first === undefined ? [] : [...unsent.flatMap(answer), ...unlock(first)];
    },
    drop(chat) {
      const open = of(chat);
      for (const ticket of open) close(ticket);
      return open.flatMap(answer);
    },
    lose(chat, reason) {
      return of(chat).flatMap((ticket) => fail(ticket, { code: 'not-found', message: reason }));
    },
  };
}

/** How real servers answer a prompt that comes to nothing (docs/protocols/eca.md 4.13). */
const failed = (chatId: string) => ({ chatId, model: 'error', status: 'error' });
const waitingModel = { type: 'progress', state: 'running', text: 'Waiting model' };
const gone: Problem = { code: 'not-found', message: 'the chat is over' };
const tooMany: Problem = { code: 'limit', message: 'too many prompts wait in this chat' };

/** What a client is told that speaks of another chat than the one its connection serves. */
export function oneChat(id: string): Problem {
  return { code: 'invalid', message: `this connection serves one chat, ${JSON.stringify(id)}` };
}
