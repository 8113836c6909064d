// Prompts of a client: from the request to the session, and what the client sees until the run sends its own events
// (docs/protocols/eca.md 8.2, 4).
import type { AutoDecline } from '../../../core/session/auto-decline.ts';
import type { Problem } from '../../../core/model/errors.ts';
import { type Chat, type Chats, isBusy, isChatId, isRunning } from './chats.ts';
import { type Actions, type ConnectionPorts, note, tellContent } from '../connection.ts';
import { attachmentsOf } from '../contexts.ts';
import type { RpcId } from '../json-rpc.ts';
import type { OwnCommands } from './own-commands.ts';
import type { Settings } from './settings.ts';
import type { PromptParams } from '../wire/client.ts';

/** A prompt that the session has not accepted yet. */
interface Ticket {
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
  isBehind: boolean;
  /** Nobody waits for the prompt any more. */
  isOver: boolean;
}

/** The prompts of one connection. */
export interface Prompts {
  prompt(id: RpcId, params: PromptParams): Actions;
  /** Discards the prompts that were not delivered to the session yet. */
  stop(chat: Chat): Actions;
  /** The client deleted the chat: answers its prompts and sends nothing else in it. */
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

/** Begins without prompts. */
export function createPrompts(ports: PromptPorts): Prompts {
  const { chats, settings, bystander, ownCommands, client, bound } = ports;
  const tickets = new Set<Ticket>();
  /** Chats in which the gateway showed a progress before their run began. */
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

  /** Frees the chat, unless a run or another prompt of the chat keeps it busy and will free it. */
  function unlock({ chat, isBehind }: Ticket): Actions {
    if ((isBehind && !held.has(chat)) || chat.isOver || isRunning(chat) || of(chat).length > 0) return [];
    held.delete(chat);
    return tellContent(ports, chat.id, { type: 'progress', state: 'finished', text: '' });
  }

  function fail(ticket: Ticket, problem: Problem): Actions {
    if (ticket.isOver) return [];
    close(ticket);
    const { chat, id, words, isAnswered } = ticket;
    // The user stopped the prompt before its run began. This is no failure.
    if (problem.code === 'aborted') return [...answer(ticket), ...unlock(ticket)];
    // No editor expects an error here; eca-vscode does not catch it (docs/protocols/eca.md 4.13).
    const refusal = isAnswered ? [] : ports.answer(id, failed(chat.id));
    if (chat.isOver) return refusal;
    return [
      ...refusal,
      // No run will repeat the user's text.
      ...tellContent(ports, chat.id, { type: 'text', text: `${words}\n` }, 'user'),
      ...tellContent(ports, chat.id, { type: 'text', text: `\n\n${problem.message}` }),
      ...unlock(ticket),
      // The session closed before the subscription was confirmed. The next prompt gets another session.
      ...(problem.code === 'not-found' && chat.view === undefined ? chats.forget(chat) : []),
    ];
  }

  /** The run of the prompt begins. Later prompts wait for the end of that run; their requests are answered now. */
  function accepted(ticket: Ticket): Actions {
    if (ticket.isOver) return [];
    close(ticket);
    held.delete(ticket.chat);
    const behind = of(ticket.chat).filter(({ isSent }) => isSent);
    for (const waiting of behind) waiting.isBehind = true;
    return [ticket, ...behind].flatMap(answer);
  }

  /** A gateway command starts no run, so the answer to the request comes last (docs/protocols/eca.md 4.9). */
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
      // Agents may start slowly, so the user sees a progress at once. Behind posts, the progress would arrive last.
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
      // Real servers answer a bad id like this, and send nothing else (docs/protocols/eca.md 4.13).
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

/** The answer of real servers to a prompt that starts no run (docs/protocols/eca.md 4.13). */
const failed = (chatId: string) => ({ chatId, model: 'error', status: 'error' });
const waitingModel = { type: 'progress', state: 'running', text: 'Waiting model' };
const gone: Problem = { code: 'not-found', message: 'the chat is over' };
const tooMany: Problem = { code: 'limit', message: 'too many prompts wait in this chat' };

/** The refusal for a client that names another chat than the one its connection serves. */
export function oneChat(id: string): Problem {
  return { code: 'invalid', message: `this connection serves one chat, ${JSON.stringify(id)}` };
}
