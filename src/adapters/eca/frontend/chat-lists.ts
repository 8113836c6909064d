// The list of chats (`chat/list`, since 0.128): the chats of this process, and those that the gateway or its agents
// stored as files. Also opens stored chats.
import { messagesOf } from '../../../core/log/messages.ts';
import { OutcomeData, type SessionSummary } from '../../../core/model/outcome-data.ts';
import { type Actions, type ConnectionPorts, showMessage } from '../connection.ts';
import type { RpcId } from '../json-rpc.ts';
import { modelName } from '../model-names.ts';
import type { ListParams } from '../wire/chats.ts';
import { type Chat, type Chats, isChatId, isRunning } from './chats.ts';
import { titleFrom, titleOf } from './titles.ts';

/** The chats that one client may open. */
export interface ChatLists {
  list(id: RpcId, params: ListParams): Actions;
  /** Loads the stored chat with the id of `chat` as the chat's session. `then`: whether there is one. */
  load(chat: Chat, then: (isThere: boolean) => Actions): Actions;
}

/** The dependencies of the lists. */
export interface ChatListPorts extends ConnectionPorts {
  readonly chats: Chats;
}

/** A chat as a list shows it. */
interface Entry {
  readonly id: string;
  readonly title: string | undefined;
  readonly status: 'idle' | 'running';
  /** Ms since 1970. */
  readonly createdAt: number | undefined;
  readonly updatedAt: number | undefined;
  readonly model: string | undefined;
  readonly messageCount: number;
}

/** Creates the chat lists of one connection. They keep no state. */
export function createChatLists(ports: ChatListPorts): ChatLists {
  const { chats, client, bound } = ports;

  function sessions(
    type: 'list-sessions' | 'list-stored-sessions',
    then: (found: readonly SessionSummary[]) => Actions,
  ): Actions {
    return ports.ask(null, { type }, (outcome) =>
      then(outcome.ok ? (OutcomeData[type].safeParse(outcome.data).data?.sessions ?? []) : []),
    );
  }

  /** A session without messages is listed only if the client made it. */
  function openEntry(summary: SessionSummary): Entry[] {
    const chat = chats.all().find(({ target }) => target === summary.id);
    const { messageCount = 0 } = summary;
    if (chat === undefined && messageCount === 0) return [];
    const title = chat?.view === undefined ? undefined : titleOf(chat.view.transcript);
    const isAtWork = chat === undefined ? summary.running === true : isRunning(chat);
    const entry = entryOf(summary, chat?.id ?? summary.id, isAtWork);
    return [{ ...entry, title: title ?? entry.title }];
  }

  /** Whether the session works in a folder of the client. True for all sessions if the client named no folder. */
  function isHere({ cwd }: SessionSummary): boolean {
    return client.folders.length === 0 || cwd === undefined || client.folders.includes(cwd);
  }

  function all(then: (entries: readonly Entry[]) => Actions): Actions {
    if (bound !== undefined) {
      const { id, transcript } = bound;
      const summary = { id, model: transcript.info.model, messageCount: messagesOf(transcript).length };
      return then([{ ...entryOf(summary, id, transcript.run !== null), title: titleOf(transcript) }]);
    }
    return sessions('list-sessions', (open) =>
      sessions('list-stored-sessions', (stored) => {
        const files = new Set(open.flatMap(({ file }) => file ?? []));
        const closed = stored.filter((summary) => !files.has(summary.file ?? '') && isHere(summary));
        return then([
          ...open.flatMap(openEntry),
          ...closed.flatMap((summary) => (isChatId(summary.id) ? [entryOf(summary, summary.id, false)] : [])),
        ]);
      }),
    );
  }

  return {
    list(id, { limit, sortBy }) {
      return all((entries) => {
        const time = ({ createdAt = 0, updatedAt = createdAt }: Entry) =>
          sortBy === 'createdAt' ? createdAt : updatedAt;
        const sorted = entries.toSorted((one, other) => time(other) - time(one));
        const most = typeof limit === 'number' && limit >= 1 ? Math.floor(limit) : undefined;
        return ports.answer(id, { chats: sorted.slice(0, most) });
      });
    },
    load(chat, then) {
      if (bound !== undefined) return then(false);
      return sessions('list-stored-sessions', (stored) => {
        const summary = stored.find(({ id }) => id === chat.id);
        if (summary === undefined) return then(false);
        return ports.ask(null, { type: 'load-session', path: summary.file ?? summary.id }, (outcome) => {
          const loaded = outcome.ok ? OutcomeData['load-session'].safeParse(outcome.data).data : undefined;
          if (chat.isOver) return then(false);
          if (loaded === undefined) {
            const why = outcome.ok ? 'it has no name' : outcome.error.message;
            return [...showMessage(ports, 'warning', `The chat was not opened: ${why}`), ...then(false)];
          }
          const title = entryOf(summary, chat.id, false).title;
          const adopted = chats.adopt(chat, loaded.session.id, title === undefined ? {} : { name: title });
          return [...(loaded.problems ?? []).flatMap(ports.warnOnce), ...adopted, ...then(true)];
        });
      });
    },
  };
}

function entryOf(summary: SessionSummary, id: string, isAtWork: boolean): Entry {
  const { name, firstWords = '', createdAt, modifiedAt, model, messageCount = 0 } = summary;
  return {
    id,
    title: name === undefined || name === '' ? titleFrom(firstWords) : name,
    status: isAtWork ? 'running' : 'idle',
    createdAt: timeIn(createdAt),
    updatedAt: timeIn(modifiedAt),
    model: model === undefined ? undefined : modelName(model),
    messageCount,
  };
}

/** Ms since 1970. Undefined for a malformed time: anybody may have written the file. */
function timeIn(iso: string | undefined): number | undefined {
  const ms = iso === undefined ? Number.NaN : Date.parse(iso);
  return Number.isNaN(ms) ? undefined : ms;
}
