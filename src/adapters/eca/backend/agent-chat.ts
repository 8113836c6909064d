// The single chat of a connection to an ECA server: its id, and which chats are others (docs/protocols/eca.md 6.3,
// 2.6).
import type { Env } from '../../../core/contract/adapter/action.ts';
import { NewestSet } from '../../../core/model/newest.ts';

/** The chat of one connection. */
export interface AgentChat {
  readonly id: string;
  /** The id of the chat, once the server knows the chat. */
  named(): { readonly chatId?: string };
  /** Must be called when the server learns of the chat. */
  begin(): void;
  /**
   * Whether the id is that of the chat. The first id that the server uses is accepted: servers of the first era may
   * choose their own.
   */
  adopt(id: string): boolean;
  /** Ends the chat. The next one has another id. */
  renew(): void;
}

/** The maximum number of remembered former chats. */
const memory = 64;

/** `known`: the id of a chat that the server has stored. */
export function createChat(env: Env, known?: string): AgentChat {
  let id = known ?? env.id('chat');
  let isBegun = known !== undefined;
  /** The server has used the id. */
  let isNamed = known !== undefined;
  const former = new NewestSet<string>(memory);

  return {
    get id() {
      return id;
    },
    named: () => (isBegun ? { chatId: id } : {}),
    begin() {
      isBegun = true;
    },
    adopt(name) {
      if (isNamed || former.has(name)) return name === id;
      isNamed = true;
      isBegun = true;
      id = name;
      return true;
    },
    renew() {
      former.add(id);
      id = env.id('chat');
      isBegun = false;
      isNamed = false;
    },
  };
}
