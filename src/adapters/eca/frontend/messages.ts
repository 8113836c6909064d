// Sentences for the user of a client, beside what sessions say: as `$/showMessage` where the client shows it, else as words
// of the system in a chat, or in the welcome where no chat has begun (seed, section showMessage). Never in two places.
import { isDictionary } from '../../../core/model/dictionary.ts';
import type { Client } from '../client.ts';

/** Something to be told: a method and its params. */
export interface Notice {
  readonly method: string;
  readonly params: object;
}

/** The sentences of one connection. */
export interface Messages {
  /** `chatId`: the chat that the sentence is about; without one it is about the connection. */
  notice(type: 'error' | 'warning', message: string, chatId?: string): Notice;
  /** The params of a notification of ours: a welcome keeps the sentences that stand in it. */
  dressed(method: string, params: object): object;
}

/** Sentences that stand in a welcome: a client that never prompts must not fill the memory with them. */
const mostKept = 16;

/** Nothing has been said yet. */
export function createMessages(client: Client): Messages {
  let welcome = '';
  const kept: string[] = [];

  function dressed(method: string, params: object): object {
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
    dressed,
  };
}

/** A sentence as words of the system: apart from what stands before it. */
export function inChat(message: string): string {
  return `\n\n${message}\n`;
}
