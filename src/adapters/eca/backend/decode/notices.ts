// The notifications of an ECA server, by method, and the part that takes each (docs/protocols/eca.md 8.3, 8.8, 8.9;
// newer ones: 1.3 to 1.5).
import type { z } from 'zod';
import type { Outbox } from '../../../../core/contract/adapter/outbox.ts';
import type { Dictionary } from '../../../../core/model/content.ts';
import type { EventOf } from '../../../../core/model/event.ts';
import {
  ChatNotice,
  ConfigParams,
  ContentParams,
  faultIn,
  ServerRemoved,
  ServerUpdated,
  ShowMessage,
} from '../../wire/server.ts';
import type { AgentInfo } from '../agent-info.ts';
import type { Handshake } from '../handshake.ts';
import type { ContentDecoder } from './content.ts';
import { ecaExtra } from './values.ts';

/** The parts that take the notifications. */
export interface NoticePorts {
  readonly info: AgentInfo;
  readonly handshake: Handshake;
  readonly content: ContentDecoder;
  isOurs(chatId: string): boolean;
}

const levels: ReadonlyMap<unknown, EventOf<'notice'>['level']> = new Map<unknown, EventOf<'notice'>['level']>([
  ['error', 'error'],
  ['warning', 'warning'],
]);

/** Reads one notification. */
export function createNotices(out: Outbox, ports: NoticePorts): (method: string, params: Dictionary) => void {
  const { info, handshake, content, isOurs } = ports;

  function read<Schema extends z.ZodType>(schema: Schema, take: (params: z.output<Schema>) => void) {
    return (params: Dictionary): string | null => {
      const parsed = schema.safeParse(params);
      if (!parsed.success) return faultIn(parsed.error);
      take(parsed.data);
      return null;
    };
  }

  const ofChat = (take: (params: ChatNotice) => void) =>
    read(ChatNotice, (params) => {
      if (isOurs(params.chatId)) take(params);
    });

  const table: ReadonlyMap<string, (params: Dictionary) => string | null> = new Map([
    ['chat/contentReceived', read(ContentParams, content.take)],
    [
      'config/updated',
      read(ConfigParams, ({ chatId, chat }) => {
        if (typeof chatId === 'string' && !isOurs(chatId)) return;
        if (chat) info.configured(chat);
        handshake.infoArrived();
      }),
    ],
    ['tool/serverUpdated', read(ServerUpdated, info.server)],
    ['tool/serverRemoved', read(ServerRemoved, ({ name }) => info.removed(name))],
    [
      '$/showMessage',
      read(ShowMessage, ({ type, message, ...rest }) => {
        const level = levels.get(type) ?? 'info';
        out.deliver({ type: 'notice', level, text: message, source: 'agent', ...ecaExtra(rest) });
      }),
    ],
    [
      '$/progress',
      (params) => {
        handshake.progress(params);
        return null;
      },
    ],
    [
      'chat/opened',
      ofChat(({ title }) => {
        if (typeof title === 'string' && title !== '') info.learn({ name: title });
      }),
    ],
    [
      'chat/statusChanged',
      ofChat(({ status }) => {
        if (status === 'running') content.live();
        if (status === 'stopping') content.run.stopped();
      }),
    ],
    [
      'chat/cleared',
      ofChat(({ messages }) => {
        if (messages !== false) content.cleared();
      }),
    ],
    // Not our own deletion: after `chat/delete` the connection already has another chat.
    ['chat/deleted', ofChat(() => content.deleted())],
  ]);

  return (method, params) => {
    const take = table.get(method);
    if (take === undefined) return out.deliver({ type: 'unknown', protocol: 'eca', payload: { method, params } });
    const problem = take(params);
    if (problem !== null) out.note('violation', `${method}: ${problem}`);
  };
}
