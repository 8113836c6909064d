// Messages to the user of a client that no session sends: as `$/showMessage` if the client shows it, else as a system
// text in a chat, or in the welcome message before the first chat (docs/protocols/eca.md 8.9, 2.17). Each message is
// sent in one place only.
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Client } from '../client.ts';

/** A notification. */
export interface Notice {
  readonly method: string;
  readonly params: object;
}

/** The messages of one connection. */
export interface UserNotices {
  /** `chatId`: the chat that the message is about. Without it, the message is about the connection. */
  notice(type: 'error' | 'warning', message: string, chatId?: string): Notice;
  /** Adds the kept messages to the welcome in the params of a notification. */
  withWelcome(method: string, params: object): object;
}

/** Messages in a welcome. Limited, for clients that never send a prompt. */
const mostKept = 16;

/** Creates the notices for one client, none at first. */
export function createUserNotices(client: Client): UserNotices {
  let welcome = '';
  const kept: string[] = [];

  function withWelcome(method: string, params: object): object {
    const chat = 'chat' in params ? params.chat : undefined;
    if (method !== 'config/updated' || 'chatId' in params || !isDictionary(chat)) return params;
    if (typeof chat.welcomeMessage !== 'string') return params;
    welcome = chat.welcomeMessage;
    if (kept.length === 0) return params;
    const welcomeMessage = [welcome, ...kept].filter((part) => part !== '').join('\n\n');
    return { ...params, chat: { ...chat, welcomeMessage } };
  }

  return {
    notice(type, message, chatId = client.chat ?? undefined) {
      if (client.showsMessages) return { method: '$/showMessage', params: { type, message } };
      if (chatId !== undefined) {
        const content = { type: 'text', text: inChat(message) };
        return { method: 'chat/contentReceived', params: { chatId, role: 'system', content } };
      }
      if (kept.length < mostKept) kept.push(message);
      else kept[mostKept - 1] = 'There is more, in the log of the server.';
      return { method: 'config/updated', params: { chat: { welcomeMessage: welcome } } };
    },
    withWelcome,
  };
}

/** Sets a message apart from the chat text before it. */
export function inChat(message: string): string {
  return `\n\n${message}\n`;
}
