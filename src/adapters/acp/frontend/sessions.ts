// The sessions of a client: new, loaded, resumed, listed, closed, deleted (docs/protocols/acp.md 3.14 to 3.20, 9.65).

import type { Problem } from '../../../core/model/errors.ts';
import { OutcomeData, QueryData, type SessionSummary } from '../../../core/model/outcome-data.ts';
import type { BroughtServer, SessionInfo } from '../../../core/model/session-info.ts';
import type { AutoDecline } from '../../../core/session/agent/auto-decline.ts';
import { setupOf, wireCommands } from '../config-options.ts';
import type { RpcId } from '../json-rpc.ts';
import type { McpServer } from '../wire/client.ts';
import { type Chat, infoOf, newChat } from './chats.ts';
import { type Actions, type ConnectionPorts, noSession, note, type Target, update } from './connection.ts';
import { dialectName } from './dialect.ts';
import type { Knowledge } from './knowledge.ts';

/** Where a session works, and what its client brings along. */
export interface Place {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[] | null | undefined;
  readonly additionalDirectories?: readonly string[] | null | undefined;
}

/** The requests about sessions. */
export interface Sessions {
  create(id: RpcId, place: Place): Actions;
  /** `past`: the client is told what was said. */
  open(id: RpcId, sessionId: string, place: Place, past: boolean): Actions;
  list(id: RpcId, cwd: string | undefined, cursor: string | undefined): Actions;
  close(id: RpcId, sessionId: string): Actions;
  remove(id: RpcId, sessionId: string): Actions;
}

/** Sessions in one answer. */
const pageSize = 100;

/** `chats`: by id; the sessions add and remove. */
export function createSessions(
  ports: ConnectionPorts,
  chats: Map<string, Chat>,
  autoDecline: AutoDecline,
  knowledge: Knowledge,
): Sessions {
  const { bound } = ports;

  function subscribe({ id, target }: Chat, past: boolean): Actions {
    if (target === null) return [];
    return [{ do: 'subscribe', session: id, dialect: dialectName({ ...ports.dialect(), past }) }];
  }

  /** What was left out of the client's request, for its user. */
  function tell(sessionId: string, problems: readonly string[] = []): Actions {
    if (!ports.dialect().notices) return problems.flatMap((problem) => note('loss', problem));
    return problems.flatMap((title) => update(sessionId, { sessionUpdate: 'notice', severity: 'warning', title }));
  }

  function commandsOf(chat: Chat): Actions {
    // The session tells its own list itself.
    const { commands } = chat.view?.transcript.info.commands === undefined ? chat.info : {};
    if (commands === undefined) return [];
    return update(chat.id, { sessionUpdate: 'available_commands_update', availableCommands: wireCommands(commands) });
  }

  const setup = (chat: Chat) => setupOf(infoOf(chat), ports.dialect().switches);

  /** A new session: nothing is said of it before its answer (docs/protocols/acp.md 3.20). */
  function begin(id: RpcId, chat: Chat, problems: readonly string[] = []): Actions {
    return knowledge.gather(chat, () => {
      chats.set(chat.id, chat);
      return [
        ...ports.answer(id, { sessionId: chat.id, ...setup(chat) }),
        ...subscribe(chat, true),
        ...tell(chat.id, problems),
        ...laterCommands(chat),
      ];
    });
  }

  /** Behind the subscription, which tells what the session itself knows. */
  function laterCommands(chat: Chat): Actions {
    return ports.ask(chat.target, { type: 'query', subject: 'state' }, () =>
      chats.get(chat.id) === chat ? commandsOf(chat) : [],
    );
  }

  /** An open session: its past comes before the answer (docs/protocols/acp.md 3.16). */
  function attach(id: RpcId, chat: Chat, past: boolean, problems: readonly string[] = []): Actions {
    const isKnown = chats.has(chat.id);
    return knowledge.gather(chat, () => {
      chats.set(chat.id, chat);
      const again: Actions = isKnown && chat.target !== null ? [{ do: 'unsubscribe', session: chat.id }] : [];
      return [
        ...again,
        ...subscribe(chat, past),
        ...ports.ask(chat.target, { type: 'query', subject: 'state' }, () => {
          // Its last other client may have closed it meanwhile.
          if (chats.get(chat.id) !== chat) return ports.refuse(id, unknown(chat.id));
          return [...ports.answer(id, setup(chat)), ...tell(chat.id, problems), ...commandsOf(chat)];
        }),
      ];
    });
  }

  function find(id: RpcId, sessionId: string, place: Place, past: boolean): Actions {
    return ports.ask(sessionId, { type: 'query', subject: 'state' }, (outcome) => {
      if (!outcome.ok && outcome.error.code === 'not-found') return load(id, sessionId, place, past);
      if (!outcome.ok && outcome.error.code === 'limit') return ports.refuse(id, outcome.error);
      const info = outcome.ok ? (QueryData.state.safeParse(outcome.data).data?.changes ?? {}) : {};
      return attach(id, newChat(sessionId, sessionId, info, place.cwd), past);
    });
  }

  function load(id: RpcId, sessionId: string, place: Place, past: boolean): Actions {
    return summaries('list-stored-sessions', (stored) => {
      const found = stored.find((one) => one.id === sessionId);
      if (found === undefined) return ports.refuse(id, unknown(sessionId));
      const toolServers = serversOf(place);
      const command = { type: 'load-session', path: found.file ?? found.id, id: sessionId, describe: true } as const;
      return ports.ask(null, { ...command, ...(toolServers.length === 0 ? {} : { toolServers }) }, (outcome) => {
        if (!outcome.ok) return ports.refuse(id, outcome.error);
        const { data } = OutcomeData['load-session'].safeParse(outcome.data);
        if (data === undefined) return ports.refuse(id, nameless);
        const { session, state, problems } = data;
        return attach(id, newChat(session.id, session.id, state?.changes ?? {}, place.cwd), past, problems);
      });
    });
  }

  function summaries(
    type: 'list-sessions' | 'list-stored-sessions',
    then: (found: readonly SessionSummary[]) => Actions,
  ): Actions {
    return ports.ask(null, { type }, (outcome) =>
      then(outcome.ok ? (OutcomeData[type].safeParse(outcome.data).data?.sessions ?? []) : []),
    );
  }

  function all(then: (found: readonly SessionSummary[]) => Actions): Actions {
    if (bound !== undefined) return then([{ id: bound.id }]);
    return summaries('list-sessions', (open) =>
      summaries('list-stored-sessions', (stored) => {
        const files = new Set(open.flatMap(({ file }) => file ?? []));
        const ids = new Set(open.map(({ id }) => id));
        return then([...open, ...stored.filter((one) => !files.has(one.file ?? '') && !ids.has(one.id))]);
      }),
    );
  }

  function entryOf({ id, cwd, name, firstWords, modifiedAt }: SessionSummary) {
    const chat = chats.get(id);
    const title = name === undefined || name === '' ? firstWords : name;
    return {
      sessionId: id,
      cwd: cwd ?? chat?.view?.place ?? chat?.cwd ?? (chat === undefined ? undefined : infoOf(chat).cwd) ?? '/',
      ...(title === undefined || title === '' ? {} : { title: title.slice(0, 120) }),
      ...(modifiedAt === undefined ? {} : { updatedAt: modifiedAt }),
    };
  }

  function forget(chat: Chat): Actions {
    chats.delete(chat.id);
    if (chat.target === null) return [];
    autoDecline.over(chat.target);
    // The last words of its run are still on their way.
    return [{ do: 'unsubscribe', session: chat.id, isDrained: true, closes: true }];
  }

  /** Its prompts are answered first. A session that is not open has none. */
  function stop(target: Target, chat: Chat | undefined, then: () => Actions): Actions {
    for (const prompt of chat?.prompts ?? []) prompt.isCancelled = true;
    return ports.ask(target, { type: 'abort', target: 'run', waiting: 'drop', untilIdle: true }, then);
  }

  return {
    create(id, place) {
      if (bound !== undefined) return begin(id, boundChat(bound.id, bound));
      const { cwd, additionalDirectories } = place;
      const toolServers = serversOf(place);
      const folders = [cwd, ...(additionalDirectories ?? [])];
      return ports.ask(
        null,
        {
          type: 'create-session',
          cwd,
          folders,
          describe: true,
          keep: true,
          ...(toolServers.length === 0 ? {} : { toolServers }),
        },
        (outcome) => {
          if (!outcome.ok) return ports.refuse(id, outcome.error);
          const { data } = OutcomeData['create-session'].safeParse(outcome.data);
          if (data === undefined) return ports.refuse(id, nameless);
          const { session, state, problems } = data;
          return begin(id, newChat(session.id, session.id, state?.changes ?? {}, cwd), problems);
        },
      );
    },
    open(id, sessionId, place, past) {
      if (bound !== undefined) {
        if (sessionId !== bound.id) return ports.refuse(id, unknown(sessionId));
        return attach(id, boundChat(bound.id, bound), past);
      }
      const known = chats.get(sessionId);
      return known === undefined ? find(id, sessionId, place, past) : attach(id, known, past);
    },
    list(id, cwd, cursor) {
      const from = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isSafeInteger(from) || from < 0) {
        return ports.refuse(id, { code: 'invalid', message: 'cursor: it is none of an earlier answer' });
      }
      return all((found) => {
        const entries = found.map(entryOf).filter((entry) => cwd === undefined || entry.cwd === cwd);
        const next = from + pageSize;
        return ports.answer(id, {
          sessions: entries.slice(from, next),
          ...(next < entries.length ? { nextCursor: `${next}` } : {}),
        });
      });
    },
    close(id, sessionId) {
      const chat = chats.get(sessionId);
      if (chat === undefined) return ports.refuse(id, noSession(sessionId));
      return stop(chat.target, chat, () => [...forget(chat), ...ports.answer(id, {})]);
    },
    remove(id, sessionId) {
      if (bound !== undefined && sessionId !== bound.id) return ports.answer(id, {});
      const target = bound === undefined ? sessionId : null;
      return stop(target, chats.get(sessionId), () =>
        ports.ask(target, { type: 'delete-session', stored: true }, (outcome) => {
          // A session that nobody knows is deleted already (docs/protocols/acp.md 3.18).
          if (!outcome.ok && outcome.error.code !== 'not-found') return ports.refuse(id, outcome.error);
          const chat = chats.get(sessionId);
          return [...(chat === undefined ? [] : forget(chat)), ...ports.answer(id, {})];
        }),
      );
    },
  };
}

/** The session of a connection that belongs to one. */
export function boundChat(id: string, view: Chat['view']): Chat {
  const info: SessionInfo = {};
  return { ...newChat(id, null as Target, info), view };
}

const unknown = (id: string): Problem => ({
  code: 'not-found',
  message: `there is no session ${JSON.stringify(id.slice(0, 256))}`,
});
const nameless: Problem = { code: 'internal', message: 'the session was opened without a name' };

/** The servers of a client in the form of an `mcp.json`. They are secret (docs/protocols/acp.md 3.15). */
function serversOf({ mcpServers }: Place): BroughtServer[] {
  const pairs = (all: McpServer['env']) => Object.fromEntries((all ?? []).map(({ name, value }) => [name, value]));
  return (mcpServers ?? []).map(({ name, type, command, args, env, url, headers }) => {
    const config =
      typeof command === 'string'
        ? { command, args: args ?? [], env: pairs(env) }
        : { type: type ?? 'http', url, headers: pairs(headers) };
    return { name, config };
  });
}
