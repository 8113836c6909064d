// The frontend of an ECA client: joins the parts and writes the JSON-RPC envelope. The projection writes the events of
// the sessions.
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Frontend } from '../../../core/contract/adapter/frontend.ts';
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Command } from '../../../core/model/command.ts';
import { messageOf, type Outcome } from '../../../core/model/errors.ts';
import { createAutoDecline } from '../../../core/session/agent/auto-decline.ts';
import type { Client } from '../client.ts';
import { type Actions, type ConnectionPorts, note, showMessage } from '../connection.ts';
import {
  errorFrame,
  notificationFrame,
  type RpcId,
  readMessage,
  resultFrame,
  rpcCodeOf,
  rpcCodes,
} from '../json-rpc.ts';
import { createChatForks } from './chat-forks.ts';
import { createChatLists } from './chat-lists.ts';
import { createChatRequests } from './chat-requests.ts';
import { createChats } from './chats.ts';
import { createClientMethods } from './client-methods.ts';
import { createGatewayCommands } from './gateway-commands.ts';
import { createInitialSession } from './initial-session.ts';
import { createPrompts } from './prompts.ts';
import { createQueries } from './queries.ts';
import { dialogFormOf } from './question-ids.ts';
import { createAnswers } from './questions.ts';
import { createRollbacks } from './rollbacks.ts';
import { createSettingNotices } from './setting-notices.ts';
import { createSettings } from './settings.ts';
import { createStartUp } from './start-up.ts';
import { createUserNotices } from './user-notices.ts';

const mostHeld = 256;
/** Warnings that are remembered. Limited, because a client may make up any number of folders. */
const mostWarned = 256;

/** The state machine of one connection. `bound`: the session it belongs to; undefined if it carries many. */
export function createConnection(env: Env, bound: SessionView | undefined): Frontend {
  /** The handlers of outcomes that are still to come. */
  const outcomeHandlers = new Map<Command, (outcome: Outcome) => Actions>();
  /** Notifications for the time when the client is ready; null from then on. */
  let heldBack: string[] | null = [];
  const warned = new Set<string>();
  const client: Client = {
    isModern: false,
    asks: false,
    showsMessages: true,
    chat: null,
    folders: [],
    isLeaving: false,
  };
  const userNotices = createUserNotices(client);

  const ports: ConnectionPorts = {
    env,
    bound,
    client,
    ask(target, command, then) {
      outcomeHandlers.set(command, then);
      return [{ do: 'deliver', message: command, ...(target === null ? {} : { session: target }) }];
    },
    answer: (id, result) => [{ do: 'send', frame: resultFrame(id, result) }],
    refuse: (id, { code, message }) => [{ do: 'send', frame: errorFrame(id, rpcCodeOf(code), message, { code }) }],
    notify(method, params) {
      if (client.isLeaving) return [];
      const frame = notificationFrame(method, userNotices.withWelcome(method, params));
      if (heldBack === null) return [{ do: 'send', frame }];
      if (heldBack.length < mostHeld) heldBack.push(frame);
      return [];
    },
    show(type, message, chatId) {
      const notice = userNotices.notice(type, message, chatId);
      return ports.notify(notice.method, notice.params);
    },
    warnOnce(message) {
      if (warned.has(message)) return [];
      if (warned.size >= mostWarned) warned.clear();
      warned.add(message);
      return showMessage(ports, 'warning', message);
    },
    markReady() {
      const due = heldBack ?? [];
      heldBack = null;
      return due.map((frame) => ({ do: 'send', frame }));
    },
  };

  // A client without a connection of its own shares the common dialect, and is asked no questions.
  const asks = () => bound === undefined && client.asks;
  const autoDecline = createAutoDecline(bound ?? 'many', (question) =>
    question.type === 'approval-request' ? true : dialogFormOf(question, { asks: asks() }) !== null,
  );
  const initialSession = createInitialSession(ports);
  const chats = createChats(ports, initialSession);
  const startUp = createStartUp(ports, initialSession);
  const { knowledge } = startUp;
  const settings = createSettings(ports, knowledge);
  const forks = createChatForks({ ...ports, chats });
  const gatewayCommands = createGatewayCommands({ ...ports, forks });
  const prompts = createPrompts({ ...ports, chats, settings, autoDecline, gatewayCommands });
  const answers = createAnswers(ports, chats);
  const chatLists = createChatLists({ ...ports, chats });
  const chatRequests = createChatRequests({ ...ports, chats, prompts, chatLists, autoDecline });
  const requests = createClientMethods(ports, {
    startUp,
    prompts,
    answers,
    queries: createQueries(ports, chats, initialSession),
    chatRequests,
    chatLists,
    rollbacks: createRollbacks({ ...ports, chats }),
    forks,
    settings: createSettingNotices({ ...ports, chats, initialSession, knowledge }),
  });

  function complain(id: RpcId | null, code: number, message: string): Actions {
    return [...note('violation', message), { do: 'send', frame: errorFrame(id, code, message) }];
  }

  return {
    decode(frame) {
      let json: unknown;
      try {
        json = frame.json;
      } catch (thrown) {
        return complain(null, rpcCodes.parse, messageOf(thrown));
      }
      const message = readMessage(json);
      switch (message.kind) {
        case 'request':
          return requests.request(message.method, message.id, message.params);
        case 'notification':
          return requests.notification(message.method, message.params);
        case 'response':
          return answers.response(message.id, message.result, message.isError);
        case 'fault':
          return complain(message.id, rpcCodes.invalidRequest, message.message);
        default:
          return message satisfies never;
      }
    },
    fault: ({ code, message }) =>
      complain(null, code === 'too-large' ? rpcCodes.invalidRequest : rpcCodes.parse, message),
    reply(command, outcome) {
      const then = outcomeHandlers.get(command);
      outcomeHandlers.delete(command);
      return then?.(outcome) ?? [];
    },
    subscribed(view) {
      const target = chats.subscribed(view);
      if (target !== undefined) autoDecline.watching(view, target);
    },
    sessionEnded: (session, reason) => chatRequests.sessionEnded(session, reason),
    onTimer: (timer) => [...startUp.onTimer(timer), ...autoDecline.onTimer(timer)],
  };
}
