// The frontend of an ACP client: joins the parts of one connection. The projection writes the events of the sessions.
import type { Env } from '../../../core/contract/adapter/action.ts';
import type { Frontend } from '../../../core/contract/adapter/frontend.ts';
import type { SessionView } from '../../../core/contract/adapter/projection.ts';
import type { Command } from '../../../core/model/command.ts';
import { messageOf, type Outcome } from '../../../core/model/errors.ts';
import { createAutoDecline } from '../../../core/session/agent/auto-decline.ts';
import { type RpcId, readMessage, resultMessage, rpcCodes } from '../json-rpc.ts';
import { dialogForm } from '../questions.ts';
import { createAnswers } from './answers.ts';
import type { Chat } from './chats.ts';
import { type Actions, type ConnectionPorts, errorAnswer, frame, note, rpcCodeOf } from './connection.ts';
import { type Dialect, declaredDialect, plainDialect } from './dialect.ts';
import { initializeResult } from './handshake.ts';
import { createKnowledge } from './knowledge.ts';
import { createLeavingFrames } from './leaving-frames.ts';
import { createMappedFrames } from './mapped-frames.ts';
import { createMethods } from './methods.ts';
import { createPrompts } from './prompts.ts';
import { boundChat, createSessions } from './sessions.ts';
import { createSettings } from './settings.ts';

/** The state machine of one connection. `bound`: the session it belongs to; undefined if it carries many. */
export function createConnection(env: Env, bound: SessionView | undefined): Frontend {
  /** The handlers of outcomes that are still to come. */
  const outcomeHandlers = new Map<Command, (outcome: Outcome) => Actions>();
  const chats = new Map<string, Chat>();
  let dialect: Dialect = plainDialect;
  if (bound !== undefined) chats.set(bound.id, boundChat(bound.id, bound));

  const ports: ConnectionPorts = {
    env,
    bound,
    // A connection that belongs to a session shares the stream of those that have declared nothing.
    dialect: () => (bound === undefined ? dialect : plainDialect),
    ask(target, command, then) {
      outcomeHandlers.set(command, then);
      return [{ do: 'deliver', message: command, ...(target === null ? {} : { session: target }) }];
    },
    answer: (id, result) => frame(resultMessage(id, result)),
    refuse: (id, problem) => errorAnswer(id, rpcCodeOf(problem), problem.message, { code: problem.code }),
  };

  const autoDecline = createAutoDecline(bound ?? 'many', (question) =>
    question.type === 'approval-request' ? true : dialogForm(question, ports.dialect()) !== null,
  );
  const knowledge = createKnowledge(ports);
  const settings = createSettings(ports, chats);
  const answers = createAnswers(ports, chats);
  const leaving = createLeavingFrames();
  const frames = createMappedFrames(chats, settings, leaving);
  const methods = createMethods(ports, {
    sessions: createSessions(ports, chats, autoDecline, knowledge),
    prompts: createPrompts(ports, chats, autoDecline, leaving),
    settings,
    initialize(params) {
      dialect = declaredDialect(params);
      return initializeResult();
    },
  });

  function complain(id: RpcId, code: number, message: string): Actions {
    return [...note('violation', message), ...errorAnswer(id, code, message)];
  }

  return {
    decode(given) {
      let json: unknown;
      try {
        json = given.json;
      } catch (thrown) {
        return complain(null, rpcCodes.parse, messageOf(thrown));
      }
      const message = readMessage(json);
      switch (message.kind) {
        case 'request':
          return methods.request(message.method, message.id, message.params);
        case 'notification':
          return methods.notification(message.method, message.params);
        case 'result':
          frames.answered(message.id);
          return answers(message.id, { result: message.result });
        case 'error':
          // A question that was withdrawn is answered by an error.
          return frames.answered(message.id) ? answers(message.id, { error: message.error }) : [];
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
    mapOutgoing: frames.map,
    mapStretch: (part) => part,
    subscribed(view) {
      const chat = chats.get(view.id);
      if (chat === undefined) return;
      chat.view = view;
      autoDecline.watching(view, view.id);
    },
    sessionEnded(session) {
      // Its prompts are answered by their own outcomes.
      if (chats.delete(session)) autoDecline.over(session);
      return [];
    },
    onTimer: (timer) => [...knowledge.onTimer(timer), ...autoDecline.onTimer(timer)],
  };
}
