// What an agent tells of its settings only when it is asked: models, levels of thinking, commands.
import { QueryData } from '../../../core/model/outcome-data.ts';
import type { SessionInfo } from '../../../core/model/session-info.ts';
import { type Chat, infoOf } from './chats.ts';
import type { Actions, ConnectionPorts } from './connection.ts';

/** Asks agents about their sessions. */
export interface Knowledge {
  /** Completes what is known of the session, then goes on: also when the agent does not answer in time. */
  gather(chat: Chat, then: () => Actions): Actions;
  onTimer(timer: string): Actions;
}

/** How long an agent may take, ms. */
const patience = 5000;

const readers = {
  models: (data: unknown): SessionInfo => {
    const models = QueryData.models.safeParse(data).data?.models;
    return models === undefined ? {} : { models };
  },
  'thinking-levels': (data: unknown): SessionInfo => {
    const levels = QueryData['thinking-levels'].safeParse(data).data?.levels;
    return levels === undefined ? {} : { thinkingLevels: levels };
  },
  commands: (data: unknown): SessionInfo => {
    const commands = QueryData.commands.safeParse(data).data?.commands;
    return commands === undefined ? {} : { commands };
  },
} as const;

const fields = { models: 'models', 'thinking-levels': 'thinkingLevels', commands: 'commands' } as const;
const subjects = ['models', 'thinking-levels', 'commands'] as const;

export function createKnowledge(ports: ConnectionPorts): Knowledge {
  const waiting = new Map<string, () => Actions>();
  let count = 0;

  return {
    gather(chat, then) {
      const known = infoOf(chat);
      const missing = subjects.filter((subject) => known[fields[subject]] === undefined);
      if (missing.length === 0) return then();
      const timer = `tell-${count}`;
      count += 1;
      let left = missing.length;
      waiting.set(timer, then);
      const goOn = (): Actions => {
        if (!waiting.delete(timer)) return [];
        return [{ do: 'timer', id: timer, ms: null }, ...then()];
      };
      return [
        { do: 'timer', id: timer, ms: patience },
        ...missing.flatMap((subject) =>
          ports.ask(chat.target, { type: 'query', subject }, (outcome) => {
            left -= 1;
            if (outcome.ok) chat.info = { ...readers[subject](outcome.data), ...chat.info };
            return left === 0 ? goOn() : [];
          }),
        ),
      ];
    },
    onTimer(timer) {
      const then = waiting.get(timer);
      waiting.delete(timer);
      return then?.() ?? [];
    },
  };
}
