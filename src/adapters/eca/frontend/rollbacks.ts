// Rollbacks of chats to before a message of the user (`chat/rollback`, since 0.80). The agent goes back, and the
// session tells what is left. File changes are not undone.
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import { textIn, userMessages } from '../../../core/log/messages.ts';
import { type ForkPoint, OutcomeData, QueryData } from '../../../core/model/outcome-data.ts';
import { type Actions, afterEvents, type ConnectionPorts, sendContent, showMessage } from '../connection.ts';
import type { RpcId } from '../json-rpc.ts';
import type { RollbackParams } from '../wire/chats.ts';
import type { Chat, Chats } from './chats.ts';
import { contentIdOf } from './question-ids.ts';
import { inChat } from './user-notices.ts';

/** The rollbacks of one connection. */
export interface Rollbacks {
  rollback(id: RpcId, params: RollbackParams): Actions;
}

/** The dependencies of the rollbacks. */
export interface RollbackPorts extends ConnectionPorts {
  readonly chats: Chats;
}

/** Creates the rollbacks of one connection. They keep no state. */
export function createRollbacks(ports: RollbackPorts): Rollbacks {
  const { chats } = ports;

  /** `then` gets null, or the end of a sentence that says why the chat was not rolled back. */
  function goBack(chat: Chat, contentId: string, then: (why: string | null) => Actions): Actions {
    const { target, view } = chat;
    if (target === undefined || view === undefined) return then(noSuchMessage);
    return ports.ask(target, { type: 'query', subject: 'fork-points' }, (listed) => {
      if (!listed.ok) return then(listed.error.message);
      const { points = [] } = QueryData['fork-points'].safeParse(listed.data).data ?? {};
      const entry = entryAt(view, contentId, points);
      if (entry === undefined) return then(noSuchMessage);
      return ports.ask(target, { type: 'fork', entry }, (outcome) => {
        if (!outcome.ok) return then(outcome.error.message);
        const isStopped = OutcomeData.fork.safeParse(outcome.data).data?.cancelled === true;
        if (isStopped) return then('the agent did not do it');
        // An editor keeps the text for its prompt between the request and its answer, so `chat/cleared` must come
        // before the answer.
        return afterEvents(ports, target, () => then(null));
      });
    });
  }

  return {
    rollback(id, { chatId, contentId, include }) {
      const wanted = include ?? [];
      const chat = chats.get(chatId);
      const respond = (why: string | null): Actions => [
        ...(why === null ? [] : showMessage(ports, 'warning', `The chat was not rolled back: ${why}.`, chatId)),
        // A client that names `tools` expects file changes to be undone too.
        ...(why === null && wanted.includes('tools')
          ? sendContent(ports, chatId, { type: 'text', text: inChat(filesStay) })
          : []),
        ...ports.answer(id, {}),
      ];
      if (wanted.length > 0 && !wanted.includes('messages')) return respond('changes of files cannot be taken back');
      if (chat === undefined || typeof contentId !== 'string') return respond(noSuchMessage);
      const added = chat.queue.add((done) => goBack(chat, contentId, (why) => [...respond(why), ...done()]));
      return added ?? respond('too much waits in this chat');
    },
  };
}

const noSuchMessage = 'there is no such message';
const filesStay = 'The messages were taken back. Files stay as they are.';

/**
 * The agent's id of the user message with that content id. Agents that store their sessions have ids of their own, so
 * the text is compared. Equal texts are matched from the end, because older messages may exist on one side only.
 */
export function entryAt(
  { epoch, transcript }: SessionView,
  contentId: string,
  points: readonly ForkPoint[],
): string | undefined {
  const prompts = userMessages(transcript);
  const ours = prompts.find(({ logged }) => contentIdOf(epoch, logged.event, logged.seq) === contentId);
  if (ours === undefined) return undefined;
  if (points.some(({ entry }) => entry === ours.entry)) return ours.entry;
  const text = textIn(ours.logged.event.content);
  const same = prompts.filter(({ logged }) => textIn(logged.event.content) === text);
  const fromEnd = same.length - same.indexOf(ours);
  return points.filter((point) => point.text === text).at(-fromEnd)?.entry;
}
