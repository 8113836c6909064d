// Chats that go back to before something that their user has said (`chat/rollback`, since 0.80). The agent goes back; what
// is left is told by its session. Changes of files stay. Knows no prompt.
import type { SessionView } from '../../../core/contract/adapter.ts';
import { textIn, userMessages } from '../../../core/log/messages.ts';
import { type ForkPoint, OutcomeData, QueryData } from '../../../core/model/outcome-data.ts';
import type { Chat, Chats } from './chats.ts';
import { type Actions, type ConnectionPorts, showMessage, tellContent, whenTold } from '../connection.ts';
import { contentIdOf } from './ids.ts';
import type { RpcId } from '../json-rpc.ts';
import { inChat } from './messages.ts';
import type { RollbackParams } from '../wire/chats.ts';

/** The way back of the chats of one connection. */
export interface Rollbacks {
  rollback(id: RpcId, params: RollbackParams): Actions;
}

/** What they need. */
export interface RollbackPorts extends ConnectionPorts {
  readonly chats: Chats;
}

/** No state of its own. */
export function createRollbacks(ports: RollbackPorts): Rollbacks {
  const { chats } = ports;

  /** `then`: with the end of a sentence where the chat stays as it is. */
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
        // Editors keep what is to stand in their prompt between the request and its answer, for `chat/cleared`.
        return whenTold(ports, target, () => then(null));
      });
    });
  }

  return {
    rollback(id, { chatId, contentId, include }) {
      const wanted = include ?? [];
      const chat = chats.get(chatId);
      const through = (why: string | null): Actions => [
        ...(why === null ? [] : showMessage(ports, 'warning', `The chat was not rolled back: ${why}.`, chatId)),
        // Whoever asks for both by name believes that both were done.
        ...(why === null && wanted.includes('tools')
          ? tellContent(ports, chatId, { type: 'text', text: inChat(filesStay) })
          : []),
        ...ports.answer(id, {}),
      ];
      if (wanted.length > 0 && !wanted.includes('messages')) return through('changes of files cannot be taken back');
      if (chat === undefined || typeof contentId !== 'string') return through(noSuchMessage);
      const added = chat.line.add((done) => goBack(chat, contentId, (why) => [...through(why), ...done()]));
      return added ?? through('too much waits in this chat');
    },
  };
}

const noSuchMessage = 'there is no such message';
const filesStay = 'The messages were taken back. Files stay as they are.';

/**
 * The agent's name for what its user said under that id. Agents that keep their sessions have names of their own, so words
 * are looked for: of the same words the last for the last, since what is older may be there on one side alone.
 */
export function entryAt(
  { epoch, transcript }: SessionView,
  contentId: string,
  points: readonly ForkPoint[],
): string | undefined {
  const said = userMessages(transcript);
  const ours = said.find(({ logged }) => contentIdOf(epoch, logged.event, logged.seq) === contentId);
  if (ours === undefined) return undefined;
  if (points.some(({ entry }) => entry === ours.entry)) return ours.entry;
  const text = textIn(ours.logged.event.content);
  const same = said.filter(({ logged }) => textIn(logged.event.content) === text);
  const fromEnd = same.length - same.indexOf(ours);
  return points.filter((point) => point.text === text).at(-fromEnd)?.entry;
}
