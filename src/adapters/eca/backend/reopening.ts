// Opens a chat that the server has stored, before the first prompt (docs/protocols/eca.md 6.10).
import { z } from 'zod';
import type { Outbox } from '../../../core/contract/adapter/outbox.ts';
import { beginsAnew, type Resumption } from '../../../core/contract/adapter/stored-conversations.ts';
import { dictionaryOf } from '../../../core/model/dictionary.ts';
import type { Problem } from '../../../core/model/errors.ts';
import type { ServerMessage } from '../wire/server.ts';
import type { AgentChat } from './agent-chat.ts';
import type { AgentInfo } from './agent-info.ts';
import type { Requests } from './requests.ts';

/** The parts of the connection that the opening uses. */
export interface ReopeningPorts {
  readonly out: Outbox;
  readonly requests: Requests;
  readonly info: AgentInfo;
  readonly chat: AgentChat;
}

/** The opening of a stored chat. */
export interface Reopening {
  /** Called once, after the handshake. Calls back with the reason if the chat cannot be used. */
  open(done: (problem: Problem | null) => void): void;
  /** Whether the message is part of the history that the server sends and the session knows already. */
  repeats(message: Extract<ServerMessage, { kind: 'notification' }>): boolean;
}

const OpenResult = z.looseObject({ found: z.boolean().optional() });

/** The notifications by which a server sends the whole chat. */
const repeated: ReadonlySet<string> = new Set(['chat/cleared', 'chat/opened', 'chat/contentReceived']);

export function createReopening({ name, isKnown }: Resumption, ports: ReopeningPorts): Reopening {
  const { out, requests, info, chat } = ports;
  let isOpening = true;

  return {
    open(done) {
      requests.ask('chat/open', { chatId: name }, (answer) => {
        isOpening = false;
        const isFound = 'result' in answer && OpenResult.safeParse(answer.result).data?.found === true;
        if (!isFound && !isKnown) {
          const reason = 'error' in answer ? answer.error : 'no chat has that id';
          return done({ code: 'error' in answer ? answer.code : 'not-found', message: reason });
        }
        if (!isFound) {
          chat.renew();
          out.deliver({ type: 'notice', level: 'warning', source: 'gateway', text: beginsAnew });
        }
        info.learn({ resume: chat.id });
        done(null);
      });
    },
    repeats: ({ method, params }) =>
      isOpening && isKnown && repeated.has(method) && dictionaryOf(params).chatId === name,
  };
}
