// Finds stored sessions by the names that clients have given them: an id of a chat that its editor has chosen.
import { z } from 'zod';
import type { SessionStore } from '../../core/contract/store/session-store.ts';

/** How long what was read counts, ms: a client that asks for unknown names must not have all heads read each time. */
const validMs = 5_000;
/** Heads that are read at once. */
const page = 1_000;

const Head = z.looseObject({ session: z.string(), names: z.array(z.string()) });

/** The names of the stored sessions. */
export class StoredNames {
  readonly #store: Pick<SessionStore, 'list'>;
  #read: { readonly at: number; readonly ids: Promise<ReadonlyMap<string, string>> } | null = null;

  constructor(store: Pick<SessionStore, 'list'>) {
    this.#store = store;
  }

  /** The id of the session with that name; null if there is none. */
  async find(name: string): Promise<string | null> {
    const now = performance.now();
    if (this.#read === null || now - this.#read.at >= validMs) this.#read = { at: now, ids: this.#readAll() };
    return (await this.#read.ids).get(name) ?? null;
  }

  async #readAll(): Promise<ReadonlyMap<string, string>> {
    const ids = new Map<string, string>();
    for (let after: string | null = null; ; ) {
      const heads = await this.#store.list(after, page);
      for (const head of heads) {
        const { data } = Head.safeParse(head);
        for (const name of data?.names ?? []) ids.set(name, head.session);
      }
      after = heads.at(-1)?.session ?? null;
      if (heads.length < page || after === null) return ids;
    }
  }
}
