// Forks of chats (`chat/fork`, since 0.124, and the command `/fork`): another session with the same past, up to the
// answer to a chosen message of the user.
import { userMessages } from '../../../core/log/messages.ts';
import { OutcomeData, QueryData } from '../../../core/model/outcome-data.ts';
import { type Actions, type ConnectionPorts, sendContent, showMessage } from '../connection.ts';
import type { RpcId } from '../json-rpc.ts';
import type { ForkParams } from '../wire/chats.ts';
import type { Chat, Chats } from './chats.ts';
import { contentIdOf } from './question-ids.ts';
import { entryAt } from './rollbacks.ts';
import { forkTitle, titleOf } from './titles.ts';
import { inChat } from './user-notices.ts';

/** The forks of one connection. */
export interface ChatForks {
  fork(id: RpcId, params: ForkParams): Actions;
  /** Forks the whole chat. `then` gets null, or the end of a sentence that says why there is no fork. */
  whole(chat: Chat, then: (why: string | null) => Actions): Actions;
}

/** The dependencies of the forks. */
export interface ChatForkPorts extends ConnectionPorts {
  readonly chats: Chats;
}

/** Creates the fork commands of one connection. They keep no state. */
export function createChatForks(ports: ChatForkPorts): ChatForks {
  const { chats, client, bound } = ports;

  /** `before`: the agent's id of the user message after the last one to keep. Undefined keeps all. */
  function copy(chat: Chat, before: string | undefined, then: (why: string | null) => Actions): Actions {
    const { target: session, view } = chat;
    if (bound !== undefined) return then('this connection has one chat');
    if (typeof session !== 'string' || view === undefined) return then(noSuchMessage);
    const title = forkTitle(titleOf(view.transcript));
    const past = { session, ...(before === undefined ? {} : { before }) };
    return ports.ask(null, { type: 'create-session', folders: [...client.folders], past }, (outcome) => {
      if (!outcome.ok) return then(outcome.error.message);
      const opened = OutcomeData['create-session'].safeParse(outcome.data).data;
      if (opened === undefined) return then('it was opened without a name');
      const other = chats.open(ports.env.id('chat'), false);
      const { id } = opened.session;
      return [
        // Set the title before subscribing, for agents that send the title with their answer.
        ...ports.ask(id, { type: 'set-name', name: title }, () => chats.adopt(other, id)),
        ...sendContent(ports, chat.id, { type: 'text', text: inChat(`Chat forked to: ${title}`) }),
        ...then(null),
      ];
    });
  }

  return {
    whole: (chat, then) => copy(chat, undefined, then),
    fork(id, { chatId, contentId }) {
      const chat = chats.get(chatId);
      const respond = (why: string | null): Actions => [
        ...(why === null ? [] : showMessage(ports, 'warning', `The chat was not forked: ${why}.`, chatId)),
        ...ports.answer(id, {}),
      ];
      if (chat?.view === undefined || chat.target === undefined) return respond(noSuchMessage);
      const { epoch, transcript } = chat.view;
      const contentIds = userMessages(transcript).map(({ logged }) => contentIdOf(epoch, logged.event, logged.seq));
      const at = contentIds.indexOf(contentId ?? '');
      const next = contentIds[at + 1];
      if (at < 0) return respond(noSuchMessage);
      if (next === undefined) return copy(chat, undefined, respond);
      const { view } = chat;
      return ports.ask(chat.target, { type: 'query', subject: 'fork-points' }, (outcome) => {
        const { points = [] } = (outcome.ok ? QueryData['fork-points'].safeParse(outcome.data).data : undefined) ?? {};
        const entry = entryAt(view, next, points);
        return entry === undefined ? respond(noSuchMessage) : copy(chat, entry, respond);
      });
    },
  };
}

const noSuchMessage = 'there is no such message';
