// The one chat that we have with an ECA server: its name, and which chats are others (docs/protocols/eca.md 6.3, 2.6). Knows no
// message.
import type { Env } from '../../../core/contract/adapter.ts';

/** The chat of one connection. */
export interface AgentChat {
  readonly id: string;
  /** Its name, once the server has heard of it. */
  named(): { readonly chatId?: string };
  /** The server hears of it now. */
  begin(): void;
  /**
   * Whether that is its name. The first that is spoken of is: servers of the first era may have a name of their own for
   * it.
   */
  adopt(id: string): boolean;
  /** It is over; the next one has another name. */
  renew(): void;
}

/** Chats that are over and known as such. */
const memory = 64;

export function createChat(env: Env): AgentChat {
  let id = env.id('chat');
  let isBegun = false;
  /** The server has spoken of it, under that name. */
  let isNamed = false;
  const former = new Set<string>();

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
      const [oldest] = former;
      if (former.size > memory && oldest !== undefined) former.delete(oldest);
      id = env.id('chat');
      isBegun = false;
      isNamed = false;
    },
  };
}
